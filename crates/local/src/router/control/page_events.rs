//! Server-sent events of the page: they notify it of changes, and carry the small counts.
//!
//! An event contains revisions, which say which lists the page has to fetch again. Snapshots of the
//! service are cached ([`SnapshotCache`]) and shared by all streams: a stream that is notified of a
//! change takes a new snapshot, at most every [`SNAPSHOT_INTERVAL`]. So many streams cost little,
//! and a service without streams nothing.
//!
//! Invariant: after a change, each stream sends an event with a snapshot that was taken after it.
//! The revision that a stream has marked as seen is at most that of the snapshot which it then
//! sends. Checked by `tests/interface/page_events.rs`.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use crate::changes::Watcher;
use crate::clock::milliseconds;
use crate::error::Refusal;
use crate::http::ErrorResponse;
use crate::queue::Overview;
use crate::rate_limits::RateLimiter;
use crate::router::app::App;
use crate::tasks::locked;

/// The largest number of streams: tabs share a stream, or have a stream each.
const MAX_STREAMS: usize = 64;
/// The time without an event after which a stream sends a comment, in real time. The page
/// reconnects when it has received nothing for several intervals.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// The time between two snapshots, in real time.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(100);

pub(super) fn route() -> MethodRouter<Arc<App>> {
    let cache = Arc::new(SnapshotCache::default());
    let permits = Arc::new(Semaphore::new(MAX_STREAMS));
    get(async move |State(app): State<Arc<App>>| match permits.try_acquire_owned() {
        Ok(permit) => Ok(events(app, cache, permit)),
        Err(_) => Err(ErrorResponse::from(Refusal::too_many_requests(
            format!(
                "{MAX_STREAMS} streams of events are open, and more are not possible: close one"
            ),
            None,
        ))),
    })
}

fn events(app: Arc<App>, cache: Arc<SnapshotCache>, permit: OwnedSemaphorePermit) -> Response {
    let stopped = app.stopping.clone().cancelled_owned();
    let watcher = app.clock.changes().watch();
    let feed = Feed { app, cache, watcher, sent: 0, _permit: permit };
    let events = stream::unfold(feed, |mut feed| async {
        let event = feed.next().await;
        Some((Ok::<_, Infallible>(event), feed))
    });
    Sse::new(events.take_until(stopped))
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE_INTERVAL))
        .into_response()
}

/// The events of one stream. The next event is made when the connection can take it, so a page that
/// does not read costs nothing.
struct Feed {
    app: Arc<App>,
    cache: Arc<SnapshotCache>,
    watcher: Watcher,
    /// The number of the last event that was sent; at first 0.
    sent: u64,
    _permit: OwnedSemaphorePermit,
}

impl Feed {
    async fn next(&mut self) -> Event {
        loop {
            let revision = self.watcher.catch_up();
            match self.cache.event(&self.app, revision) {
                Err(too_early_until) => {
                    sleep_until(too_early_until).await;
                    continue;
                }
                Ok(next) if next.number > self.sent => {
                    self.sent = next.number;
                    return next.event;
                }
                Ok(_) => {}
            }
            self.watcher.changed().await;
        }
    }
}

/// The last snapshot of the service, shared by all streams.
#[derive(Default)]
struct SnapshotCache(Mutex<Option<CachedSnapshot>>);

struct CachedSnapshot {
    taken_at: Instant,
    /// The snapshot contains all changes up to this revision.
    revision: u64,
    /// The snapshot without the time, whose passing is not a change.
    compared: String,
    event: NumberedEvent,
}

#[derive(Clone)]
struct NumberedEvent {
    /// Number of snapshots that differed from the preceding snapshot.
    number: u64,
    event: Event,
}

impl SnapshotCache {
    /// Returns the event of a snapshot with all changes up to a revision, or, if the last snapshot
    /// is older and too recent to take a new snapshot, the time from which a snapshot may be taken.
    fn event(&self, app: &App, revision: u64) -> Result<NumberedEvent, Instant> {
        let mut last = locked(&self.0);
        let now = Instant::now();
        if let Some(last) = &*last {
            let next = last.taken_at + SNAPSHOT_INTERVAL;
            if now < next {
                return if last.revision < revision { Err(next) } else { Ok(last.event.clone()) };
            }
        }
        let revision = app.clock.changes().revision();
        let mut snapshot = Snapshot::of(app);
        // Serializing a snapshot does not fail.
        let json = |snapshot: &Snapshot| serde_json::to_string(snapshot).unwrap_or_default();
        snapshot.clock.now_ms = milliseconds(app.clock.advanced_by());
        let compared = json(&snapshot);
        snapshot.clock.now_ms = milliseconds(app.clock.now());
        let number =
            last.as_ref().map_or(1, |it| it.event.number + u64::from(it.compared != compared));
        let event = Event::default().event("state").data(json(&snapshot));
        let event = NumberedEvent { number, event };
        *last = Some(CachedSnapshot { taken_at: now, revision, compared, event: event.clone() });
        Ok(event)
    }
}

/// The revisions of all lists, and the small counts.
#[derive(Serialize)]
struct Snapshot {
    revision: Revisions,
    clock: ClockSnapshot,
    endpoints: Vec<Overview>,
}

/// Numbers that only grow: a list that was fetched under a lower number has changed.
#[derive(Serialize)]
struct Revisions {
    jobs: BTreeMap<String, u64>,
    logs: BTreeMap<String, u64>,
    requests: u64,
    webhooks: u64,
    faults: u64,
    limits: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClockSnapshot {
    now_ms: u64,
    manual: bool,
    next_event_ms: Option<u64>,
}

/// A snapshot with the time, as JSON.
#[cfg(feature = "program")]
pub(in crate::router) fn state(app: &App) -> serde_json::Value {
    let mut snapshot = Snapshot::of(app);
    snapshot.clock.now_ms = milliseconds(app.clock.now());
    serde_json::json!(snapshot)
}

impl Snapshot {
    fn of(app: &App) -> Self {
        let endpoints = app.overviews();
        let all = app.endpoints.all();
        let logs = all
            .iter()
            .filter_map(|endpoint| Some((endpoint.name().to_string(), endpoint.log()?.revision())));
        let jobs = endpoints.iter().map(|endpoint| (endpoint.name.clone(), endpoint.revision));
        let revision = Revisions {
            jobs: jobs.collect(),
            logs: logs.collect(),
            requests: app.requests.revision(),
            webhooks: app.webhooks.revision(),
            faults: app.faults.revision(),
            limits: app.rate_limiter.as_ref().map_or(0, RateLimiter::revision),
        };
        let next_event_ms = app.next_event(&endpoints).map(milliseconds);
        let clock = ClockSnapshot { now_ms: 0, manual: app.clock.is_manual(), next_event_ms };
        Self { revision, clock, endpoints }
    }
}
