//! The operations of the queue interface, as data: method, whether a call may be sent again when it is
//! not known whether it took effect, and the documented limits per endpoint and user ([Rate
//! limits](crate#the-interface)). The service states none for `retry` and `health`.

use reqwest::Method;

use crate::transport::Repeat::{Once, Safe};
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
pub(super) static STREAM: Operation = Operation {
    name: "stream",
    method: Method::GET,
    repeat: Safe,
    limit: Some(Limit { requests: 2_000, concurrent: Some(400) }),
};
pub(super) static CANCEL: Operation = Operation {
    name: "cancel",
    method: Method::POST,
    repeat: Safe,
    limit: Some(Limit { requests: 100, concurrent: Some(20) }),
};
/// An unanswered retry is settled by a look at the status: see `Job::retry`.
pub(super) static RETRY: Operation =
    Operation { name: "retry", method: Method::POST, repeat: Once, limit: None };
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
