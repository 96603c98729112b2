//! Tests of the server through its public API: the SDK's client over HTTP, against the local
//! service.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod batches;
mod files;
mod http;
mod jobs;
mod permissions;
mod repeated_calls;
mod replies;
mod retention;
mod support;
