//! Batches, against the local service.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod durability;
mod features;
mod flaws;
mod kill;
mod resuming;
mod running;
mod store;
mod support;
mod webhooks;
