//! The program as a person or a script uses it: as a process, against the local service.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod batch;
mod continued;
mod doctor;
mod endings;
mod help;
#[cfg(unix)]
mod interruptions;
mod jobs;
mod json;
mod manage;
#[cfg(target_os = "linux")]
#[path = "../../../batch/tests/batch/preload.rs"]
mod preload;
mod receiving;
mod run;
mod secrecy;
mod settings;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod tls;
mod verbatim;
mod webhooks;
