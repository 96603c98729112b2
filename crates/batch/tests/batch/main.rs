//! Batches, against the local service.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod resuming;
mod running;
mod store;
mod support;
