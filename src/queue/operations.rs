//! Operations of the queue interface as data: method, idempotency, and the documented limits per
//! endpoint and user ([Rate limits](crate#the-interface)). None are documented for `retry` and
//! `health`.

use podqueue_runtime::Idempotency::{Idempotent, IdempotentEffect, NonIdempotent};
use podqueue_runtime::{Limit, Method, Operation};

pub(super) static RUN: Operation =
    Operation::new("run", Method::POST, NonIdempotent).limit(Limit::new(1_000).concurrent(200));
pub(super) static RUN_SYNC: Operation =
    Operation::new("runsync", Method::POST, NonIdempotent).limit(Limit::new(2_000).concurrent(400));
pub(super) static STATUS: Operation =
    Operation::new("status", Method::GET, Idempotent).limit(Limit::new(2_000).concurrent(400));
/// A lost response may have carried chunks, which the service delivers once.
pub(super) static STREAM: Operation = Operation::new("stream", Method::GET, IdempotentEffect)
    .limit(Limit::new(2_000).concurrent(400));
pub(super) static CANCEL: Operation =
    Operation::new("cancel", Method::POST, Idempotent).limit(Limit::new(100).concurrent(20));
/// Sent twice, it could retry a job twice; [`Job::retry`](super::Job::retry) reads the status
/// instead.
pub(super) static RETRY: Operation = Operation::new("retry", Method::POST, NonIdempotent);
/// A second purge could remove jobs that were queued in between.
pub(super) static PURGE_QUEUE: Operation =
    Operation::new("purge-queue", Method::POST, NonIdempotent).limit(Limit::new(2));
pub(super) static HEALTH: Operation = Operation::new("health", Method::GET, Idempotent);
pub(super) static OPENAI: Operation =
    Operation::new("openai", Method::POST, NonIdempotent).limit(Limit::new(2_000).concurrent(400));
pub(super) static REQUESTS: Operation =
    Operation::new("requests", Method::GET, Idempotent).limit(Limit::new(10).concurrent(2));
