//! Batches, against the local service, and the Batch API in front of it.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod admission;
mod budget;
mod creation;
mod damage;
mod duplicates;
mod durability;
mod equal_inputs;
mod faulty_services;
mod files;
mod formats;
#[cfg(target_os = "linux")]
mod full_disk;
#[cfg(target_os = "linux")]
mod full_disk_journal;
mod growing_last_line;
mod invalid_inputs;
mod journal;
mod journal_file;
mod kill;
mod large;
mod last_run;
mod lifecycle;
#[cfg(target_os = "linux")]
mod open_files;
mod paced;
mod polling;
#[cfg(target_os = "linux")]
mod power;
#[cfg(target_os = "linux")]
mod preload;
#[cfg(target_os = "linux")]
mod recorded_calls;
mod result_files;
mod resume;
mod retry;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "s3")]
mod storage;
mod store;
mod support;
mod unknown_outcomes;
mod webhook_calls;
mod window;
mod without_inputs;
