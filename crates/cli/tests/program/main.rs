//! The program as a person or a script uses it: as a process, against the local service.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod batch;
mod continued;
#[cfg(unix)]
#[path = "../../../local/tests/interface/dispositions.rs"]
mod dispositions;
mod doctor;
mod endings;
mod help;
#[cfg(unix)]
mod interruptions;
mod jobs;
mod json;
mod manage;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
#[path = "../../../batch/tests/batch/preload.rs"]
mod preload;
#[cfg(target_os = "linux")]
#[path = "../../../local/tests/interface/preloaded_signal.rs"]
mod preloaded_signal;
mod receiving;
mod run;
mod secrecy;
mod settings;
#[cfg(target_os = "linux")]
mod signals;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod tls;
mod verbatim;
mod webhooks;
