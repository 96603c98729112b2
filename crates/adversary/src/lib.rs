//! A random peer and random callers, and what has to hold between them; and a random driver for batches
//! ([`batches`]).
//!
//! A run is a pure function of a seed: [`plan::plan`] draws the settings, what the callers do and what
//! the peer does to each request; [`run`] plays it over real sockets with a clock that is turned; and
//! [`invariants`] hold what the callers were told against what the peer did. A plan that breaks one is
//! made smaller by `shrink` before it is shown.
//!
//! ```text
//! plan ──> caller ──> podqueue ──> socket ──> peer ──> service
//!             │                                │          │
//!             └────────> invariants <──────────┴──────────┘
//! ```

#![expect(missing_docs, reason = "a tool of this workspace; its modules say what they hold")]

#[cfg(unix)]
pub mod batches;
pub mod caller;
mod canary;
mod capture;
pub mod invariants;
pub mod operation;
pub mod peer;
pub mod plan;
mod run;
pub mod runtimes;
pub mod search;
mod service;
#[cfg(unix)]
pub mod shared;
mod shrink;

pub use run::{Run, run};
