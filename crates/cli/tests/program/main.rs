//! Tests of the program as a process, against the local service.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod batch;
mod batch_lifecycle;
#[cfg(unix)]
#[path = "../../../local/tests/interface/dispositions.rs"]
mod dispositions;
mod doctor;
#[cfg(target_os = "linux")]
mod doctor_tls;
mod help;
#[cfg(unix)]
mod interruptions;
mod jobs;
mod json;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
#[path = "../../../batch/tests/batch/preload.rs"]
mod preload;
#[cfg(target_os = "linux")]
#[path = "../../../local/tests/interface/preloaded_signal.rs"]
mod preloaded_signal;
mod run;
mod secrecy;
mod settings;
#[cfg(target_os = "linux")]
mod signals;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod webhook_receiver;
mod webhooks;
