//! Tests of the interface of the local service, over raw HTTP: one module for each table or set of
//! rules, one test for each row, named after it. `browser` has those of its page.
//!
//! All tests are one program, so that the waits of some overlap with the work of others.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod account_endpoints;
mod account_operations;
mod account_pods;
mod account_requests;
mod authentication;
mod browser;
mod control_plane;
mod faults;
mod graphql;
mod graphql_cost_limits;
mod handlers;
mod host_check;
mod hostile_peers;
mod lifetimes;
mod openai;
mod openapi_descriptions;
mod page_access;
mod page_events;
mod page_jobs;
mod page_lists;
#[cfg(target_os = "linux")]
mod preloaded_signal;
mod program;
mod properties;
mod rate_limits;
mod requests;
mod rest;
mod scenarios;
mod service_lifecycle;
#[cfg(unix)]
mod sessions;
#[cfg(unix)]
mod signal_dispositions;
#[cfg(target_os = "linux")]
mod signals;
mod states;
mod strategies;
mod streaming;
mod support;
mod webhooks;
mod worker_kinds;
mod worker_liveness;
mod worker_processes;
mod worker_protocol;
mod workers;
