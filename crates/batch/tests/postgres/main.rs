//! Batches on PostgreSQL, against the local service: what is true of any journal, and what is of one
//! that several processes share.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod connecting;
#[path = "../batch/durability.rs"]
mod durability;
#[path = "../batch/endings.rs"]
mod endings;
#[path = "../batch/features.rs"]
mod features;
#[path = "../batch/growing.rs"]
mod growing;
mod interrupted;
mod journal;
#[path = "../batch/kill.rs"]
mod kill;
mod limits;
mod machines;
mod merging;
#[path = "../batch/resuming.rs"]
mod resuming;
#[path = "../batch/store/rules.rs"]
mod rules;
#[path = "../batch/running.rs"]
mod running;
mod sharing;
mod store;
#[path = "../batch/support.rs"]
mod support;
#[path = "../batch/webhooks.rs"]
mod webhooks;
