//! Recording of a session: the responses of the control plane, read from its own routes, so that a
//! session withholds what they withhold. Of a long list, the newest entries are kept.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tower_service::Service;

use super::app::App;
use super::control::{self, PREFIX};
use super::session::{Entry, MAX_DETAILS, RecordedEndpoint, Session};
use crate::http::read_body;

/// The version of the form of a session.
const VERSION: u32 = 1;
/// The number of entries of each list that are kept: those of a window, so that no entry is in two.
const MAX_ENTRIES: usize = 500;

impl Session {
    /// Parses a session. An error says why it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            #[serde(rename = "podqueueSession")]
            version: u32,
        }
        let Ok(Head { version }) = serde_json::from_str(text) else {
            return Err("not a recorded session".to_owned());
        };
        if version != VERSION {
            return Err(format!("a session of version {version}, but only {VERSION} is known"));
        }
        serde_json::from_str(text).map_err(|error| format!("an invalid session: {error}"))
    }

    /// Records a service that has a page.
    pub(crate) async fn record(app: &Arc<App>) -> Self {
        let mut reader = Reader::new(app);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut session = Self {
            version: VERSION,
            recorded_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
            state: control::state(app),
            limits: reader.value("/limits").await,
            faults: reader.value("/faults").await,
            scenarios: reader.value("/scenarios").await,
            requests: Vec::new(),
            webhooks: reader.list("/webhooks", "webhooks").await.unwrap_or_default(),
            endpoints: BTreeMap::new(),
        };
        for row in reader.list("/requests", "requests").await.unwrap_or_default() {
            let path = format!("/requests/{}", row["number"]);
            session.requests.push(reader.entry(row, &path).await);
        }
        for endpoint in app.endpoints.all() {
            let name = endpoint.name();
            let root = format!("/endpoints/{}", utf8_percent_encode(name, NON_ALPHANUMERIC));
            let mut jobs = Vec::new();
            for row in reader.list(&format!("{root}/jobs"), "jobs").await.unwrap_or_default() {
                let id = row["id"].as_str().unwrap_or_default();
                let path = format!("{root}/jobs/{}", utf8_percent_encode(id, NON_ALPHANUMERIC));
                jobs.push(reader.entry(row, &path).await);
            }
            let recorded = RecordedEndpoint {
                workers: reader.value(&format!("{root}/workers")).await,
                activity: reader.value(&format!("{root}/activity")).await,
                logs: reader.list(&format!("{root}/worker-logs"), "logs").await,
                jobs,
            };
            session.endpoints.insert(name.to_string(), recorded);
        }
        session
    }
}

/// Reads from the routes of the control plane.
struct Reader {
    routes: Router,
    authorization: String,
    /// The number of bytes of details that may still be read.
    left: usize,
}

impl Reader {
    fn new(app: &Arc<App>) -> Self {
        let authorization = format!("Bearer {}", app.keys.page_token().unwrap_or_default());
        let routes = control::routes(app).with_state(app.clone());
        Self { routes, authorization, left: MAX_DETAILS }
    }

    /// The JSON of a response, if there is one.
    async fn json(&mut self, path: &str) -> Option<String> {
        let request = Request::get(format!("{PREFIX}{path}"))
            .header(AUTHORIZATION, &self.authorization)
            .body(Body::empty())
            .ok()?;
        let Ok(response) = self.routes.call(request).await;
        if response.status() != StatusCode::OK {
            return None;
        }
        let body = read_body(response.into_body(), usize::MAX).await.ok()?;
        String::from_utf8(body.into()).ok()
    }

    async fn value(&mut self, path: &str) -> Value {
        let json = self.json(path).await;
        json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
    }

    /// The newest rows of a list, if there is one.
    async fn list(&mut self, path: &str, name: &str) -> Option<Vec<Value>> {
        match self.value(&format!("{path}?limit={MAX_ENTRIES}")).await[name].take() {
            Value::Array(rows) => Some(rows),
            _ => None,
        }
    }

    async fn entry(&mut self, row: Value, path: &str) -> Entry {
        let json = if self.left > 0 { self.json(path).await } else { None };
        let details = json.and_then(|json| RawValue::from_string(json).ok());
        let size = details.as_ref().map_or(0, |details| details.get().len());
        let fits = size <= self.left;
        self.left = self.left.saturating_sub(size);
        Entry { row, details: details.filter(|_| fits) }
    }
}
