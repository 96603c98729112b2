//! The operations of the queue interface, as data: method, and whether a call may be sent again when
//! it is not known whether it took effect.

use reqwest::Method;

use crate::transport::Operation;
use crate::transport::Repeat::{Once, Safe};

pub(super) static RUN: Operation = Operation { name: "run", method: Method::POST, repeat: Once };
pub(super) static RUN_SYNC: Operation =
    Operation { name: "runsync", method: Method::POST, repeat: Once };
pub(super) static STATUS: Operation =
    Operation { name: "status", method: Method::GET, repeat: Safe };
pub(super) static STREAM: Operation =
    Operation { name: "stream", method: Method::GET, repeat: Safe };
pub(super) static CANCEL: Operation =
    Operation { name: "cancel", method: Method::POST, repeat: Safe };
/// An unanswered retry is settled by a look at the status: see `Job::retry`.
pub(super) static RETRY: Operation =
    Operation { name: "retry", method: Method::POST, repeat: Once };
/// A second purge could remove what was queued in between.
pub(super) static PURGE_QUEUE: Operation =
    Operation { name: "purge-queue", method: Method::POST, repeat: Once };
pub(super) static HEALTH: Operation =
    Operation { name: "health", method: Method::GET, repeat: Safe };
pub(super) static OPENAI: Operation =
    Operation { name: "openai", method: Method::POST, repeat: Once };
pub(super) static REQUESTS: Operation =
    Operation { name: "requests", method: Method::GET, repeat: Safe };
