//! The program as a person or a script uses it: as a process, against the local service.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod doctor;
mod help;
#[cfg(unix)]
mod interruptions;
mod jobs;
mod json;
mod manage;
mod run;
mod secrecy;
mod settings;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod webhooks;
