//! Batches, against the local service.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod admission;
mod attacks;
mod creation;
mod damage;
mod duplicates;
mod durability;
mod faulty_services;
mod features;
mod files;
#[cfg(target_os = "linux")]
mod full_disk;
mod growing_last_line;
mod invalid_inputs;
mod journal;
mod journal_file;
#[cfg(target_os = "linux")]
mod journal_room;
mod kill;
mod large;
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
mod resuming;
mod run_ending;
mod running;
mod store;
mod support;
mod webhooks;
mod window;
mod without_inputs;
