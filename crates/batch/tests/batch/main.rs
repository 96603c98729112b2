//! Batches, against the local service.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

#[cfg(target_os = "linux")]
mod acts;
mod attacks;
mod beginnings;
mod damage;
mod duplicates;
mod durability;
mod endings;
mod features;
mod files;
mod flaws;
#[cfg(target_os = "linux")]
mod full_disk;
mod growing;
mod journal;
mod journal_file;
#[cfg(target_os = "linux")]
mod journal_room;
mod kill;
mod large;
mod misbehaving;
#[cfg(target_os = "linux")]
mod open_files;
mod paced;
mod pacing;
mod polling;
#[cfg(target_os = "linux")]
mod power;
#[cfg(target_os = "linux")]
mod preload;
mod resuming;
mod running;
mod store;
mod support;
mod webhooks;
mod window;
mod without_inputs;
