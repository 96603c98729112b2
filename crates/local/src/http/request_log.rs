//! Request log: the last requests that the service received, without their credentials.
//!
//! Requests without a key of the service are kept apart, within smaller bounds, so that a flood of
//! them neither fills the memory nor displaces the requests of clients. With a page, copies of the
//! bodies of the last requests to the queue are kept ([`BodyCopy`]). The output of workers is in
//! [`WorkerLog`](crate::worker::WorkerLog).

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::{Method, Uri};
use serde::Serialize;

use super::{BodyCopy, QueryParameters};
use crate::bounded_log::BoundedLog;
use crate::clock::{Clock, Moment, wall_milliseconds};
use crate::tasks::locked;

/// The bounds of requests with a key of the service.
const MAX_ENTRIES: usize = 10_000;
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The number of requests whose bodies are kept, each up to 16 KiB.
const MAX_BODIES: usize = 200;
/// The bounds of requests without a key.
const MAX_UNAUTHENTICATED_ENTRIES: usize = 100;
const MAX_UNAUTHENTICATED_BYTES: usize = 256 * 1024;

/// A request that the service received, without its credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RequestRecord {
    /// The HTTP method.
    pub method: String,
    /// The path as it was sent, with percent-encoding.
    pub path: String,
    /// The query as it was sent, without `api_key`; empty if there was none.
    pub query: String,
    /// The status of the response; `None` if there is no response yet, or the client disconnected
    /// before the response.
    pub status: Option<u16>,
}

/// The last requests.
#[derive(Debug)]
pub(crate) struct RequestLog {
    clock: Clock,
    logs: Mutex<RequestLogs>,
}

#[derive(Debug)]
struct RequestLogs {
    authenticated: BoundedLog<RequestEntry>,
    unauthenticated: BoundedLog<RequestEntry>,
    responses: u64,
    /// The bodies of the last requests, if there is a page.
    bodies: BoundedLog<Arc<RequestBodies>>,
}

/// The bodies of a request and of its response.
#[derive(Debug)]
pub(crate) struct RequestBodies {
    /// The number of the request.
    number: u64,
    pub(crate) sent: BodyCopy,
    pub(crate) received: BodyCopy,
}

impl RequestLogs {
    fn requests(&self) -> u64 {
        self.authenticated.appended() + self.unauthenticated.appended()
    }

    /// The entries of both logs in no particular order.
    fn entries(&self) -> impl Iterator<Item = &RequestEntry> {
        self.authenticated.iter().chain(self.unauthenticated.iter())
    }
}

/// Identifies the entry of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryId {
    number: u64,
    /// The number among all requests.
    overall: u64,
    is_authenticated: bool,
}

/// A request as it is kept: its record is made on request. A clone is cheap.
#[derive(Clone, Debug)]
pub(crate) struct RequestEntry {
    /// Counts all requests, with and without a key.
    pub(crate) number: u64,
    pub(crate) method: Method,
    /// Path and query, without credentials.
    target: Arc<str>,
    path_length: usize,
    pub(crate) status: Option<u16>,
    pub(crate) at: Moment,
    /// That time on the computer's clock.
    pub(crate) wall_ms: u64,
    began: Instant,
    /// Time until the response, in real time.
    pub(crate) took: Option<Duration>,
    /// True if a fault was injected.
    pub(crate) is_faulted: bool,
    pub(crate) is_authenticated: bool,
}

impl RequestEntry {
    /// The bytes that count against the bounds: a peer can make the method as long as the path.
    fn size(&self) -> usize {
        self.target.len() + self.method.as_str().len()
    }

    /// Path and query.
    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    pub(crate) fn path(&self) -> &str {
        &self.target[..self.path_length]
    }

    pub(crate) fn query(&self) -> &str {
        self.target[self.path_length..].strip_prefix('?').unwrap_or_default()
    }

    fn record(&self) -> RequestRecord {
        RequestRecord {
            method: self.method.to_string(),
            path: self.path().to_owned(),
            query: self.query().to_owned(),
            status: self.status,
        }
    }
}

impl RequestLog {
    pub(crate) fn new(clock: Clock) -> Self {
        let logs = RequestLogs {
            authenticated: BoundedLog::new(MAX_ENTRIES, MAX_BYTES, RequestEntry::size),
            unauthenticated: BoundedLog::new(
                MAX_UNAUTHENTICATED_ENTRIES,
                MAX_UNAUTHENTICATED_BYTES,
                RequestEntry::size,
            ),
            responses: 0,
            bodies: BoundedLog::new(MAX_BODIES, usize::MAX, |_| 0),
        };
        Self { clock, logs: Mutex::new(logs) }
    }

    /// Adds a request that has arrived.
    pub(crate) fn add(&self, method: &Method, uri: &Uri, is_authenticated: bool) -> EntryId {
        let path = uri.path();
        let target = match uri.query() {
            None => path.into(),
            Some(query) => format!("{path}?{}", without_key(query)).into(),
        };
        let mut logs = locked(&self.logs);
        let overall = logs.requests();
        let entry = RequestEntry {
            number: overall,
            method: method.clone(),
            target,
            path_length: path.len(),
            status: None,
            at: self.clock.now(),
            wall_ms: wall_milliseconds(),
            began: Instant::now(),
            took: None,
            is_faulted: false,
            is_authenticated,
        };
        let log =
            if is_authenticated { &mut logs.authenticated } else { &mut logs.unauthenticated };
        let number = log.append(entry);
        drop(logs);
        self.clock.changes().notify();
        EntryId { number, overall, is_authenticated }
    }

    /// Records the response to a request, and the injection of a fault.
    pub(crate) fn set_response(&self, id: EntryId, status: u16, is_faulted: bool) {
        let mut logs = locked(&self.logs);
        logs.responses += 1;
        let log =
            if id.is_authenticated { &mut logs.authenticated } else { &mut logs.unauthenticated };
        if let Some(entry) = log.get_mut(id.number) {
            entry.status = Some(status);
            entry.took = Some(entry.began.elapsed());
            entry.is_faulted = is_faulted;
        }
        drop(logs);
        self.clock.changes().notify();
    }

    /// Keeps copies of the bodies of a request and of its response.
    pub(crate) fn keep_bodies(&self, id: EntryId, sent: BodyCopy, received: BodyCopy) {
        let bodies = RequestBodies { number: id.overall, sent, received };
        locked(&self.logs).bodies.append(Arc::new(bodies));
    }

    /// The bodies of a request, if they are kept.
    pub(crate) fn bodies(&self, number: u64) -> Option<Arc<RequestBodies>> {
        let logs = locked(&self.logs);
        logs.bodies.iter().rev().find(|bodies| bodies.number == number).cloned()
    }

    /// The numbers of the requests whose response names a job.
    pub(crate) fn responses_naming(&self, job: &str) -> HashSet<u64> {
        let bodies: Vec<_> = locked(&self.logs).bodies.iter().cloned().collect();
        let naming = bodies.iter().filter(|bodies| bodies.received.contains(job));
        naming.map(|bodies| bodies.number).collect()
    }

    /// Grows with each change of the log.
    pub(crate) fn revision(&self) -> u64 {
        let logs = locked(&self.logs);
        logs.requests() + logs.responses
    }

    /// The entries, the newest first.
    pub(crate) fn newest_first(&self) -> Vec<RequestEntry> {
        let mut entries: Vec<RequestEntry> = locked(&self.logs).entries().cloned().collect();
        entries.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.number));
        entries
    }

    /// The records of all requests, the oldest first.
    pub(crate) fn records(&self) -> Vec<RequestRecord> {
        let entries = self.newest_first();
        entries.iter().rev().map(RequestEntry::record).collect()
    }

    /// Number of requests without a key of the service.
    pub(crate) fn unauthenticated(&self) -> u64 {
        locked(&self.logs).unauthenticated.appended()
    }
}

fn without_key(query: &str) -> String {
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_key(pair)).collect();
    kept.join("&")
}

/// Returns true if a pair of a query is the API key, its name escaped or not.
fn is_key(pair: &str) -> bool {
    format!("/?{pair}")
        .parse::<Uri>()
        .is_ok_and(|uri| QueryParameters::of(&uri).get("api_key").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_requests_are_kept_with_their_responses() {
        let log = RequestLog::new(Clock::manual());
        let ids: Vec<_> = (0..MAX_ENTRIES + 3)
            .map(|number| {
                let uri = Uri::try_from(format!("/{number}")).unwrap_or_default();
                log.add(&Method::GET, &uri, true)
            })
            .collect();
        // A removed entry, and a kept entry.
        log.set_response(ids[2], 500, false);
        log.set_response(ids[4], 200, false);
        let kept = log.records();
        assert_eq!(kept.len(), MAX_ENTRIES);
        assert_eq!((kept[0].path.as_str(), kept[0].status), ("/3", None));
        assert_eq!((kept[1].path.as_str(), kept[1].status), ("/4", Some(200)));
    }

    #[test]
    fn long_requests_are_bounded_in_bytes() {
        let log = RequestLog::new(Clock::manual());
        let long = "A".repeat(60_000);
        let uri = Uri::try_from(format!("/{long}")).unwrap_or_default();
        let method = Method::from_bytes(long.as_bytes()).unwrap_or_default();
        for number in 0..2_000 {
            for is_authenticated in [true, false] {
                if number % 2 == 0 {
                    log.add(&Method::GET, &uri, is_authenticated);
                } else {
                    log.add(&method, &Uri::default(), is_authenticated);
                }
            }
        }
        let logs = locked(&log.logs);
        let sizes = |log: &BoundedLog<RequestEntry>| log.iter().map(RequestEntry::size).sum();
        let authenticated: usize = sizes(&logs.authenticated);
        assert!(authenticated <= MAX_BYTES && logs.authenticated.iter().len() > 200);
        assert_eq!(authenticated, logs.authenticated.bytes());
        let unauthenticated: usize = sizes(&logs.unauthenticated);
        assert!(unauthenticated <= MAX_UNAUTHENTICATED_BYTES);
    }
}
