//! The Batch API over HTTP, in front of a local service.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod errors;
mod files;
mod lifecycle;
mod peers;
mod restart;
mod support;
mod validation;
