//! The stream that tells the page that something has changed.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;
use tokio::time::{Instant, sleep_until};

use crate::changes::Watcher;
use crate::clock::milliseconds;
use crate::limits::Limiter;
use crate::queue::Overview;
use crate::site::app::App;

/// How long it takes at least from one look at the service to the next, in real time.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// After how long without an event a comment says that the connection is alive, in real time.
const QUIET: Duration = Duration::from_secs(15);

pub(super) async fn events(State(app): State<Arc<App>>) -> Response {
    let now = Instant::now();
    let watcher = app.clock.changes().watch();
    let feed = Feed { app, watcher, shown: String::new(), next_look: now, next_sign: now };
    let events = stream::unfold(feed, |mut feed| async {
        Some((Ok::<_, Infallible>(feed.next().await?), feed))
    });
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What one page is told. It is asked for the next event when there is room for it, so one that
/// does not read costs nothing.
struct Feed {
    app: Arc<App>,
    watcher: Watcher,
    /// What the page knows.
    shown: String,
    next_look: Instant,
    next_sign: Instant,
}

impl Feed {
    /// Waits for the next event; there is none when the service stops.
    async fn next(&mut self) -> Option<Bytes> {
        let stopping = self.app.stopping.clone();
        tokio::select! {
            biased;
            () = stopping.cancelled() => None,
            event = self.next_event() => Some(event),
        }
    }

    async fn next_event(&mut self) -> Bytes {
        loop {
            sleep_until(self.next_look).await;
            self.watcher.catch_up();
            self.next_look = Instant::now() + BETWEEN_LOOKS;
            if let Some(state) = self.look() {
                self.next_sign = Instant::now() + QUIET;
                return format!("event: state\ndata: {state}\n\n").into();
            }
            tokio::select! {
                () = self.watcher.changed() => {}
                () = sleep_until(self.next_sign) => {
                    self.next_sign = Instant::now() + QUIET;
                    return Bytes::from_static(b": ping\n\n");
                }
            }
        }
    }

    /// The state of the service, if the page does not know it. That time passes is nothing new.
    fn look(&mut self) -> Option<String> {
        let clock = &self.app.clock;
        let mut state = Snapshot::of(&self.app);
        state.clock.now_ms = milliseconds(clock.advanced_by());
        // It has nothing that JSON could not express.
        let shown = serde_json::to_string(&state).unwrap_or_default();
        if shown == self.shown {
            return None;
        }
        self.shown = shown;
        state.clock.now_ms = milliseconds(clock.now());
        Some(serde_json::to_string(&state).unwrap_or_default())
    }
}

/// What has changed how often, and the small counts.
#[derive(Serialize)]
struct Snapshot {
    revision: Revision,
    clock: Time,
    endpoints: Vec<Overview>,
}

/// Numbers that only grow: what was fetched under a lower number has changed.
#[derive(Serialize)]
struct Revision {
    jobs: BTreeMap<String, u64>,
    logs: BTreeMap<String, u64>,
    requests: u64,
    webhooks: u64,
    faults: u64,
    limits: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Time {
    now_ms: u64,
    manual: bool,
    next_event_ms: Option<u64>,
}

impl Snapshot {
    fn of(app: &App) -> Self {
        let endpoints = app.overviews();
        let logs = app.endpoints.values().filter_map(|endpoint| {
            Some((endpoint.name().to_string(), endpoint.attachable().ok()?.crew.logs.revision()))
        });
        let jobs = endpoints.iter().map(|endpoint| (endpoint.name.clone(), endpoint.revision));
        let revision = Revision {
            jobs: jobs.collect(),
            logs: logs.collect(),
            requests: app.requests.revision(),
            webhooks: app.webhooks.revision(),
            faults: app.faults.revision(),
            limits: app.limiter.as_ref().map_or(0, Limiter::revision),
        };
        let next_event_ms = app.next_event(&endpoints).map(milliseconds);
        let clock = Time { now_ms: 0, manual: app.clock.is_manual(), next_event_ms };
        Self { revision, clock, endpoints }
    }
}
