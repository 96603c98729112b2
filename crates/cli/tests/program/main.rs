//! Tests of the program as a process, against the local service.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod account_interface;
mod account_on_local;
mod account_server;
mod batch;
mod batch_formats;
mod batch_lifecycle;
#[cfg(unix)]
mod batch_serve;
mod batch_storage;
mod batch_webhooks;
mod canaries;
mod doctor;
#[cfg(target_os = "linux")]
mod doctor_tls;
mod help;
#[cfg(unix)]
mod interruptions;
mod jobs;
mod json;
mod keep_warm;
mod listen_and_trigger;
#[cfg(unix)]
mod local_service;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_adversary;
mod mcp_batches;
mod mcp_session;
#[cfg(target_os = "linux")]
mod memory;
mod openai;
#[cfg(target_os = "linux")]
#[path = "../../../batch/tests/batch/preload.rs"]
mod preload;
#[cfg(target_os = "linux")]
#[path = "../../../local/tests/interface/preloaded_signal.rs"]
mod preloaded_signal;
mod queued_job;
mod run;
#[cfg(unix)]
mod serving;
mod settings;
#[cfg(unix)]
#[path = "../../../local/tests/interface/signal_dispositions.rs"]
mod signal_dispositions;
#[cfg(target_os = "linux")]
mod signal_state;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
