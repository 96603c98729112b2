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
    kept: VecDeque<RequestRecord>,
}

impl RequestLog {
    /// Notes a request, and says under which number.
    pub(crate) fn arrived(&self, method: &Method, uri: &Uri) -> u64 {
        let record = RequestRecord {
            method: method.to_string(),
            path: uri.path().to_owned(),
            query: without_key(uri),
            status: None,
        };
        let mut entries = locked(&self.entries);
        if entries.kept.len() == LENGTH {
            entries.kept.pop_front();
            entries.first += 1;
        }
        entries.kept.push_back(record);
        entries.first + entries.kept.len() as u64 - 1
    }

    pub(crate) fn answered(&self, number: u64, status: u16) {
        let mut entries = locked(&self.entries);
        let index = number.checked_sub(entries.first).and_then(|index| usize::try_from(index).ok());
        if let Some(record) = index.and_then(|index| entries.kept.get_mut(index)) {
            record.status = Some(status);
        }
    }

    pub(crate) fn all(&self) -> Vec<RequestRecord> {
        locked(&self.entries).kept.iter().cloned().collect()
    }
}

fn without_key(uri: &Uri) -> String {
    let Some(query) = uri.query() else { return String::new() };
    let kept: Vec<&str> = query.split('&').filter(|piece| !is_key(piece)).collect();
    kept.join("&")
}

/// Whether a piece of a query is the API key, its name escaped or not.
fn is_key(piece: &str) -> bool {
    format!("/?{piece}")
        .parse::<Uri>()
        .is_ok_and(|uri| QueryParameters::of(&uri).get("api_key").is_some())
}
