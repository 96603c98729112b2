//! Batches on PostgreSQL, against the local service: the tests of any journal, and those of a
//! shared one.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

#[path = "../batch/budget.rs"]
mod budget;
mod connecting;
#[path = "../batch/creation.rs"]
mod creation;
#[path = "../batch/durability.rs"]
mod durability;
#[path = "../batch/equal_inputs.rs"]
mod equal_inputs;
#[path = "../batch/faulty_services.rs"]
mod faulty_services;
#[path = "../batch/files.rs"]
mod files;
#[path = "../batch/full_disk.rs"]
mod full_disk;
#[path = "../batch/growing_last_line.rs"]
mod growing_last_line;
mod interleavings;
#[path = "../batch/invalid_inputs.rs"]
mod invalid_inputs;
mod journal;
#[path = "../batch/kill.rs"]
mod kill;
#[path = "../batch/last_run.rs"]
mod last_run;
#[path = "../batch/lifecycle.rs"]
mod lifecycle;
mod limits;
mod lost_lease;
mod machines;
mod merging;
mod opening;
mod outages;
#[path = "../batch/polling.rs"]
mod polling;
mod promotions;
#[cfg(feature = "object-storage")]
mod publishing;
mod recovery;
#[path = "../batch/result_files.rs"]
mod result_files;
#[path = "../batch/resume.rs"]
mod resume;
#[path = "../batch/retry.rs"]
mod retry;
#[path = "../batch/store/rules.rs"]
mod rules;
mod sharing;
mod sharing_calls;
mod store;
#[path = "../batch/support.rs"]
mod support;
#[path = "../batch/unknown_outcomes.rs"]
mod unknown_outcomes;
#[path = "../batch/webhook_calls.rs"]
mod webhook_calls;
#[path = "../batch/without_inputs.rs"]
mod without_inputs;
