//! The client over real HTTP, one file per concern. `tests/README.md` leads from each row of the
//! interface's tables to the test that holds it.

#![recursion_limit = "256"]
#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod support;

mod auth;
#[cfg(feature = "blocking")]
mod blocking;
mod cut_off;
#[cfg(feature = "webhook")]
mod deliveries;
mod echoes;
mod errors;
mod events;
mod execute;
mod extremes;
mod flawed;
mod foreign;
mod health;
mod hostile;
mod http;
mod http2;
mod jobs;
mod limits;
mod many;
mod objects;
mod observing;
mod random;
mod refused;
mod repeats;
mod rest;
mod retries;
mod runtime;
mod secrecy;
mod starved;
mod stream;
mod stream_gaps;
mod submission;
mod templates_and_secrets;
mod timeouts;
mod turns;
mod wait;
#[cfg(feature = "webhook")]
mod webhook_sender;
#[cfg(feature = "webhook")]
mod webhooks;
