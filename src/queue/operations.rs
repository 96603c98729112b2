//! The operations of the queue interface, as data: method, what a second request would do (the
//! retry table is in `src/transport/repeat.rs`), and the documented limits per endpoint and user
//! ([Rate limits](crate#the-interface)). None are documented for `retry` and `health`.

use reqwest::Method;

use crate::transport::Repeat::{Looked, Noted, Once, Safe};
use crate::transport::{Limit, Operation};

pub(super) static RUN: Operation = Operation {
    name: "run",
    method: Method::POST,
    repeat: Once,
    limit: Some(Limit { requests: 1_000, concurrent: Some(200) }),
};
pub(super) static RUN_SYNC: Operation = Operation {
    name: "runsync",
    method: Method::POST,
    repeat: Once,
    limit: Some(Limit { requests: 2_000, concurrent: Some(400) }),
};
pub(super) static STATUS: Operation = Operation {
    name: "status",
    method: Method::GET,
    repeat: Safe,
    limit: Some(Limit { requests: 2_000, concurrent: Some(400) }),
};
/// A lost answer may have carried chunks, which do not come again.
pub(super) static STREAM: Operation = Operation {
    name: "stream",
    method: Method::GET,
    repeat: Noted,
    limit: Some(Limit { requests: 2_000, concurrent: Some(400) }),
};
pub(super) static CANCEL: Operation = Operation {
    name: "cancel",
    method: Method::POST,
    repeat: Safe,
    limit: Some(Limit { requests: 100, concurrent: Some(20) }),
};
/// The job's status tells: see `Job::retry`.
pub(super) static RETRY: Operation =
    Operation { name: "retry", method: Method::POST, repeat: Looked, limit: None };
/// A second purge could remove what was queued in between.
pub(super) static PURGE_QUEUE: Operation = Operation {
    name: "purge-queue",
    method: Method::POST,
    repeat: Once,
    limit: Some(Limit { requests: 2, concurrent: None }),
};
pub(super) static HEALTH: Operation =
    Operation { name: "health", method: Method::GET, repeat: Safe, limit: None };
pub(super) static OPENAI: Operation = Operation {
    name: "openai",
    method: Method::POST,
    repeat: Once,
    limit: Some(Limit { requests: 2_000, concurrent: Some(400) }),
};
pub(super) static REQUESTS: Operation = Operation {
    name: "requests",
    method: Method::GET,
    repeat: Safe,
    limit: Some(Limit { requests: 10, concurrent: Some(2) }),
};
