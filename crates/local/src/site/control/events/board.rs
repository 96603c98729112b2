//! What all pages are told: one look at the service, written once for all of them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use tokio::time::Instant;

use crate::clock::milliseconds;
use crate::limits::Limiter;
use crate::queue::Overview;
use crate::site::app::App;
use crate::sync::locked;

/// How long it takes at least from one look at the service to the next, in real time.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// The last look. It is made by who asks for it, so never while nobody does.
#[derive(Default)]
pub(super) struct Board(Mutex<Option<Look>>);

struct Look {
    begun: Instant,
    /// All changes up to this one are in it.
    revision: u64,
    /// What it saw, without the time: that time passes is nothing new.
    seen: String,
    news: News,
}

#[derive(Clone)]
pub(super) struct News {
    /// Grows when there is something new.
    pub(super) number: u64,
    pub(super) event: Bytes,
}

impl Board {
    /// Returns what is to be told of all changes up to a revision, or when it is too soon for that
    /// the time from which on it is not.
    pub(super) fn news(&self, app: &App, revision: u64) -> Result<News, Instant> {
        let mut last = locked(&self.0);
        let begun = Instant::now();
        if let Some(look) = &*last {
            let next = look.begun + BETWEEN_LOOKS;
            if begun < next {
                return if look.revision < revision { Err(next) } else { Ok(look.news.clone()) };
            }
        }
        let revision = app.clock.changes().revision();
        let (seen, event) = look(app);
        let number =
            last.as_ref().map_or(1, |last| last.news.number + u64::from(last.seen != seen));
        let news = News { number, event };
        *last = Some(Look { begun, revision, seen, news: news.clone() });
        Ok(news)
    }
}

/// The state of the service: to be compared, and as an event.
fn look(app: &App) -> (String, Bytes) {
    let mut state = Snapshot::of(app);
    // It has nothing that JSON could not express.
    let text = |state: &Snapshot| serde_json::to_string(state).unwrap_or_default();
    state.clock.now_ms = milliseconds(app.clock.advanced_by());
    let seen = text(&state);
    state.clock.now_ms = milliseconds(app.clock.now());
    (seen, format!("event: state\ndata: {}\n\n", text(&state)).into())
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
            Some((endpoint.name().to_string(), endpoint.logs()?.revision()))
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
