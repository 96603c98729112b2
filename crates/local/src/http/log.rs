//! The log of received requests: the last ones, within bounds that no peer can move.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::http::{Method, Uri};
use serde::Serialize;

use super::QueryParameters;
use crate::clock::{Clock, Moment};
use crate::sync::locked;

/// How many requests with a key of the service the log keeps, and how many bytes of them.
const KEPT: Bounds = Bounds { entries: 10_000, bytes: 16 * 1024 * 1024 };
/// The same for requests of strangers, who could otherwise fill the log.
const KEPT_OF_STRANGERS: Bounds = Bounds { entries: 100, bytes: 256 * 1024 };

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
    /// before there was one.
    pub status: Option<u16>,
}

/// The last requests, in the order in which they arrived.
#[derive(Debug)]
pub(crate) struct RequestLog {
    clock: Clock,
    entries: Mutex<Entries>,
}

#[derive(Debug)]
struct Entries {
    arrived: u64,
    answered: u64,
    strangers: u64,
    known: Ring,
    strange: Ring,
}

impl Default for Entries {
    fn default() -> Self {
        Self {
            arrived: 0,
            answered: 0,
            strangers: 0,
            known: Ring::new(KEPT),
            strange: Ring::new(KEPT_OF_STRANGERS),
        }
    }
}

/// Where the entry of a request is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    number: u64,
    is_stranger: bool,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    entries: usize,
    bytes: usize,
}

/// The last entries within bounds, by their numbers.
#[derive(Debug)]
struct Ring {
    bounds: Bounds,
    kept: VecDeque<Entry>,
    bytes: usize,
}

/// A request as it is kept: what most tests never ask for is put together when one does. A clone costs
/// little.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Counts all requests.
    pub(crate) number: u64,
    pub(crate) method: Method,
    /// Path and query, without credentials.
    target: Arc<str>,
    path_length: usize,
    pub(crate) status: Option<u16>,
    pub(crate) at: Moment,
    /// Whether a fault was thrown at it.
    pub(crate) is_faulted: bool,
    pub(crate) is_stranger: bool,
}

impl Entry {
    /// What counts against the bounds: a peer can make the method as long as the path.
    fn length(&self) -> usize {
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

impl Ring {
    fn new(bounds: Bounds) -> Self {
        Self { bounds, kept: VecDeque::new(), bytes: 0 }
    }

    fn push(&mut self, entry: Entry) {
        self.bytes += entry.length();
        self.kept.push_back(entry);
        while self.kept.len() > self.bounds.entries || self.bytes > self.bounds.bytes {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.length();
        }
    }

    fn entry(&mut self, number: u64) -> Option<&mut Entry> {
        let index = self.kept.binary_search_by_key(&number, |entry| entry.number).ok()?;
        self.kept.get_mut(index)
    }
}

impl RequestLog {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, entries: Mutex::default() }
    }

    /// Notes a request. Strangers are those without a key of the service.
    pub(crate) fn arrived(&self, method: &Method, uri: &Uri, is_stranger: bool) -> Arrival {
        let path = uri.path();
        let target = match uri.query() {
            None => path.into(),
            Some(query) => format!("{path}?{}", without_key(query)).into(),
        };
        let (method, path_length) = (method.clone(), path.len());
        let at = self.clock.now();
        let mut entries = locked(&self.entries);
        let number = entries.arrived;
        entries.arrived += 1;
        entries.strangers += u64::from(is_stranger);
        let (status, is_faulted) = (None, false);
        entries.ring(is_stranger).push(Entry {
            number,
            method,
            target,
            path_length,
            status,
            at,
            is_faulted,
            is_stranger,
        });
        drop(entries);
        self.clock.changes().note();
        Arrival { number, is_stranger }
    }

    /// Notes the response to a request, and whether a fault was thrown at it.
    pub(crate) fn answered(
        &self,
        Arrival { number, is_stranger }: Arrival,
        status: u16,
        is_faulted: bool,
    ) {
        let mut entries = locked(&self.entries);
        entries.answered += 1;
        if let Some(entry) = entries.ring(is_stranger).entry(number) {
            entry.status = Some(status);
            entry.is_faulted = is_faulted;
        }
        drop(entries);
        self.clock.changes().note();
    }

    /// Grows with each change of the log.
    pub(crate) fn revision(&self) -> u64 {
        let entries = locked(&self.entries);
        entries.arrived + entries.answered
    }

    /// The entries, the newest first.
    pub(crate) fn newest(&self) -> Vec<Entry> {
        let mut all: Vec<Entry> = {
            let entries = locked(&self.entries);
            entries.known.kept.iter().chain(&entries.strange.kept).cloned().collect()
        };
        all.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.number));
        all
    }

    pub(crate) fn all(&self) -> Vec<RequestRecord> {
        let entries = locked(&self.entries);
        let mut all: Vec<&Entry> = entries.known.kept.iter().chain(&entries.strange.kept).collect();
        all.sort_by_key(|entry| entry.number);
        all.into_iter().map(Entry::record).collect()
    }

    pub(crate) fn strangers(&self) -> u64 {
        locked(&self.entries).strangers
    }
}

impl Entries {
    fn ring(&mut self, of_strangers: bool) -> &mut Ring {
        if of_strangers { &mut self.strange } else { &mut self.known }
    }
}

fn without_key(query: &str) -> String {
    let kept: Vec<&str> = query.split('&').filter(|piece| !is_key(piece)).collect();
    kept.join("&")
}

/// Whether a piece of a query is the API key, its name escaped or not.
fn is_key(piece: &str) -> bool {
    format!("/?{piece}")
        .parse::<Uri>()
        .is_ok_and(|uri| QueryParameters::of(&uri).get("api_key").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_requests_are_kept_and_responses_find_theirs() {
        let log = RequestLog::new(Clock::manual());
        let late = KEPT.entries + 3;
        let arrivals: Vec<_> = (0..late)
            .map(|number| {
                let uri = Uri::try_from(format!("/{number}")).unwrap_or_default();
                log.arrived(&Method::GET, &uri, false)
            })
            .collect();
        // One that has been dropped, and one that is still there.
        log.answered(arrivals[2], 500, false);
        log.answered(arrivals[4], 200, false);
        let kept = log.all();
        assert_eq!(kept.len(), KEPT.entries);
        assert_eq!((kept[0].path.as_str(), kept[0].status), ("/3", None));
        assert_eq!((kept[1].path.as_str(), kept[1].status), ("/4", Some(200)));
    }

    #[test]
    fn long_requests_are_bounded_in_bytes() {
        let log = RequestLog::new(Clock::manual());
        let long = "A".repeat(60_000);
        let uri = Uri::try_from(format!("/{long}")).unwrap_or_default();
        let method = Method::from_bytes(long.as_bytes()).unwrap_or_default();
        for turn in 0..2_000 {
            for is_stranger in [true, false] {
                if turn % 2 == 0 {
                    log.arrived(&Method::GET, &uri, is_stranger);
                } else {
                    log.arrived(&method, &Uri::default(), is_stranger);
                }
            }
        }
        let entries = locked(&log.entries);
        assert!(entries.known.bytes <= KEPT.bytes && entries.known.kept.len() > 200);
        assert!(entries.strange.bytes <= KEPT_OF_STRANGERS.bytes);
        assert_eq!(
            entries.known.kept.iter().map(Entry::length).sum::<usize>(),
            entries.known.bytes
        );
    }
}
