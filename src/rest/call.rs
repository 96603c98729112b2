//! What generated calls are made of.

use std::time::Duration;

use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::handle::Rest;
use crate::error::{Attempted, Error, Result};
use crate::hiding::secrets_named;
use crate::secret_string::SecretString;
use crate::transport::{Auth, Call, Operation, Path, Repeat, Reply};

/// A call under construction, piece by piece as its description says.
pub struct RestCall {
    operation: Operation,
    path: Path,
    query: Vec<(&'static str, String)>,
    headers: Vec<(&'static str, String)>,
    secrets: Vec<SecretString>,
    body: Option<Vec<u8>>,
    timeout: Option<Duration>,
    failed: Option<Error>,
}

impl RestCall {
    /// A call named `operation` by `method`, which says whether it may be sent again.
    pub fn new(operation: &'static str, method: &'static str) -> Self {
        let (method, repeat) = match method {
            "GET" => (Method::GET, Repeat::Safe),
            "HEAD" => (Method::HEAD, Repeat::Safe),
            "OPTIONS" => (Method::OPTIONS, Repeat::Safe),
            "TRACE" => (Method::TRACE, Repeat::Safe),
            "PUT" => (Method::PUT, Repeat::Safe),
            "DELETE" => (Method::DELETE, Repeat::Safe),
            "PATCH" => (Method::PATCH, Repeat::Once),
            // The generator knows no other.
            _ => (Method::POST, Repeat::Once),
        };
        Self {
            operation: Operation { name: operation, method, repeat, limit: None },
            path: Path::new(""),
            query: Vec::new(),
            headers: Vec::new(),
            secrets: Vec::new(),
            body: None,
            timeout: None,
            failed: None,
        }
    }

    /// A piece of the path, as it stands in the description.
    pub fn literal(mut self, text: &'static str) -> Self {
        self.path = self.path.literal(text);
        self
    }

    /// A parameter in the path.
    pub fn parameter(mut self, name: &'static str, value: &impl ToString) -> Self {
        let value = value.to_string();
        self.secrets.extend(secrets_named(name, &value));
        self.path = self.path.parameter(name, &value);
        self
    }

    /// A query parameter: absent for `None`, repeated for a list.
    pub fn query(mut self, name: &'static str, value: &impl Serialize) -> Self {
        let values = match serde_json::to_value(value) {
            Ok(Value::Array(items)) => items,
            Ok(value) => vec![value],
            Err(error) => {
                self.fail(name, &error);
                Vec::new()
            }
        };
        for value in values.iter().filter_map(text) {
            self.secrets.extend(secrets_named(name, &value));
            self.query.push((name, value));
        }
        self
    }

    /// A query parameter that holds a list in one text; absent for `None` and for nothing.
    pub fn query_joined(
        mut self,
        name: &'static str,
        values: &impl Serialize,
        separator: &str,
    ) -> Self {
        let before = self.query.len();
        self = self.query(name, values);
        let texts: Vec<_> = self.query.drain(before..).map(|(_, text)| text).collect();
        if !texts.is_empty() {
            self.query.push((name, texts.join(separator)));
        }
        self
    }

    /// A header.
    pub fn header(mut self, name: &'static str, value: &impl ToString) -> Self {
        let value = value.to_string();
        self.secrets.extend(secrets_named(name, &value));
        self.headers.push((name, value));
        self
    }

    /// How long an attempt may take, where that was set.
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// A JSON body.
    pub fn json(mut self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(json) => self.body = Some(json),
            Err(error) => self.fail("body", &error),
        }
        self
    }

    /// Sends the call and reads the answer as a `T`.
    pub async fn send<T: DeserializeOwned>(self, rest: &Rest) -> Result<T> {
        let (attempted, repeat) = (self.attempted(), self.operation.repeat);
        let answer = self.exchange(rest).await?.decode(&attempted);
        answer.map_err(|error| repeat.unreadable(error))
    }

    /// Sends a call whose answer has no content.
    pub async fn send_empty(self, rest: &Rest) -> Result<()> {
        self.exchange(rest).await.map(drop)
    }

    async fn exchange(self, rest: &Rest) -> Result<Reply> {
        let attempted = self.attempted();
        if let Some(error) = self.failed {
            return Err(error);
        }
        let base = rest.context.rest_url(&attempted)?;
        let mut call = Call::new(&self.operation, attempted, base, self.path, Auth::Bearer)?;
        for (name, value) in self.query {
            call = call.query(name, &value);
        }
        for (name, value) in self.headers {
            call = call.header(name, value);
        }
        // Those of the body are found where they are looked for: in what was sent.
        call.secrets = self.secrets;
        call.timeout = self.timeout;
        if let Some(body) = self.body {
            call = call.body(body);
        }
        rest.context.transport.send(call).await
    }

    fn attempted(&self) -> Attempted {
        Attempted::on_interface(self.operation.name, "REST")
    }

    fn fail(&mut self, field: &str, error: &serde_json::Error) {
        let rule = format_args!("cannot be written: {error}");
        self.failed = Some(Error::refused(self.attempted(), field, rule));
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
