//! The log of received requests.

use std::collections::VecDeque;
use std::sync::Mutex;

use axum::http::{Method, Uri};
use serde::Serialize;

use super::QueryParameters;
use crate::sync::locked;

/// How many requests the log keeps: the last ones.
const LENGTH: usize = 10_000;

/// A request that the service received. Credentials are no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RequestRecord {
    /// The HTTP method.
    pub method: String,
    /// The path, as it was sent: escapes are not decoded.
    pub path: String,
    /// The query as it was sent, without its `api_key`; empty when there was none.
    pub query: String,
    /// The status of the answer; none while there is no answer yet, and when the client went
    /// away before there was one.
    pub status: Option<u16>,
}

/// The last requests, in the order in which they arrived.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// The number of the first entry that is kept.
    first: u64,
    kept: VecDeque<Entry>,
}

/// A request as it is kept: what most tests never ask for is put together when one does.
#[derive(Debug)]
struct Entry {
    method: Method,
    /// Path and query, without credentials.
    target: Box<str>,
    path_length: usize,
    status: Option<u16>,
}

impl Entry {
    fn record(&self) -> RequestRecord {
        let (path, query) = self.target.split_at(self.path_length);
        RequestRecord {
            method: self.method.to_string(),
            path: path.to_owned(),
            query: query.strip_prefix('?').unwrap_or_default().to_owned(),
            status: self.status,
        }
    }
}

impl RequestLog {
    /// Notes a request, and says under which number.
    pub(crate) fn arrived(&self, method: &Method, uri: &Uri) -> u64 {
        let path = uri.path();
        let target = match uri.query() {
            None => path.into(),
            Some(query) => format!("{path}?{}", without_key(query)).into_boxed_str(),
        };
        let entry = Entry { method: method.clone(), target, path_length: path.len(), status: None };
        let mut entries = locked(&self.entries);
        if entries.kept.len() == LENGTH {
            entries.kept.pop_front();
            entries.first += 1;
        }
        entries.kept.push_back(entry);
        entries.first + entries.kept.len() as u64 - 1
    }

    pub(crate) fn answered(&self, number: u64, status: u16) {
        let mut entries = locked(&self.entries);
        let index = number.checked_sub(entries.first).and_then(|index| usize::try_from(index).ok());
        if let Some(entry) = index.and_then(|index| entries.kept.get_mut(index)) {
            entry.status = Some(status);
        }
    }

    pub(crate) fn all(&self) -> Vec<RequestRecord> {
        locked(&self.entries).kept.iter().map(Entry::record).collect()
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
    fn the_last_requests_are_kept_and_answers_find_theirs() {
        let log = RequestLog::default();
        let late = LENGTH + 3;
        for number in 0..late {
            let uri = Uri::try_from(format!("/{number}")).unwrap_or_default();
            assert_eq!(log.arrived(&Method::GET, &uri), number as u64);
        }
        // One that is kept no longer, and one that is.
        log.answered(2, 500);
        log.answered(4, 200);
        let kept = log.all();
        assert_eq!(kept.len(), LENGTH);
        assert_eq!((kept[0].path.as_str(), kept[0].status), ("/3", None));
        assert_eq!((kept[1].path.as_str(), kept[1].status), ("/4", Some(200)));
    }
}
