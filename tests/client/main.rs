//! Client tests over real HTTP, one file per concern: against a scripted server and, in `local`,
//! against the local service. `tests/README.md` lists the tests of each row
//! of the interface's tables.

#![recursion_limit = "256"]
#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod support;

#[cfg(feature = "account")]
mod account;
mod auth;
#[cfg(feature = "blocking")]
mod blocking;
mod errors;
mod events;
mod extreme_values;
mod foreign_records;
mod generated_objects;
mod graphql;
mod health;
mod http;
mod http2;
mod jobs;
mod local;
mod malformed_json;
mod observations;
mod partial_responses;
mod poll_rate;
mod protocol_violations;
mod random_service;
mod rate_limits;
mod redaction;
mod rest;
mod retries;
mod retry_table;
mod run_all;
mod runtime;
mod secrecy;
mod stream;
mod stream_gaps;
mod submission;
mod templates_and_secrets;
mod timeouts;
mod unpolled;
mod validation;
mod wait;
#[cfg(feature = "webhook")]
mod webhook_deliveries;
#[cfg(feature = "webhook")]
mod webhook_sender;
#[cfg(feature = "webhook")]
mod webhooks;
