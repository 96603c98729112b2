//! The local service against the interface, over raw HTTP: one module for each table or set of
//! rules, one test for each row, named after it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arbitrary;
mod attached;
mod auth;
mod control;
mod descriptions;
#[cfg(unix)]
mod dispositions;
mod faults;
mod graphql;
mod graphql_bounds;
mod handlers;
mod hostile;
mod hosts;
mod kinds;
mod lifetimes;
mod limits;
mod liveness;
mod openai;
mod page;
mod page_events;
mod page_jobs;
mod page_logs;
mod page_streams;
#[cfg(target_os = "linux")]
mod preloaded_signal;
mod program;
mod programs;
mod properties;
mod requests;
mod rest;
mod running;
#[cfg(target_os = "linux")]
mod signals;
mod states;
mod streaming;
mod support;
mod webhooks;
mod workers;
