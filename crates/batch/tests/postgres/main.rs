//! Batches on PostgreSQL, against the local service: what is true of any journal, and what is of one
//! that several processes share.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

#[path = "../batch/attacks.rs"]
mod attacks;
#[path = "../batch/beginnings.rs"]
mod beginnings;
mod connecting;
#[path = "../batch/durability.rs"]
mod durability;
#[path = "../batch/endings.rs"]
mod endings;
#[path = "../batch/features.rs"]
mod features;
#[path = "../batch/files.rs"]
mod files;
#[path = "../batch/flaws.rs"]
mod flaws;
#[path = "../batch/full_disk.rs"]
mod full_disk;
#[path = "../batch/growing.rs"]
mod growing;
mod interrupted;
mod journal;
#[path = "../batch/kill.rs"]
mod kill;
mod limits;
mod machines;
mod merging;
#[path = "../batch/misbehaving.rs"]
mod misbehaving;
mod opening;
mod outages;
#[path = "../batch/polling.rs"]
mod polling;
mod recovery;
#[path = "../batch/resuming.rs"]
mod resuming;
#[path = "../batch/store/rules.rs"]
mod rules;
#[path = "../batch/running.rs"]
mod running;
mod sharing;
mod sharing_calls;
mod store;
#[path = "../batch/support.rs"]
mod support;
#[path = "../batch/webhooks.rs"]
mod webhooks;
#[path = "../batch/without_inputs.rs"]
mod without_inputs;
