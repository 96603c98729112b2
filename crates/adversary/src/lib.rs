//! Randomized tests: the client against a random peer and random callers, and [`batches`] under
//! random crashes and faults.
//!
//! A run of the client is a pure function of a seed: [`plan::plan`] draws the settings, the steps
//! of the callers and the fault of each request; [`run()`] plays the plan over real sockets with
//! paused time; and the [`invariants`] compare the outcomes that calls reported with what the peer
//! recorded. [`search`] plays many seeds, and shrinks a plan that violates an invariant.
//!
//! ```text
//! plan ──> caller ──> podqueue ──> socket ──> peer ──> service
//!             │                                │          │
//!             └────────> invariants <──────────┴──────────┘
//! ```

#![expect(missing_docs, reason = "a test tool of this workspace without a stable API")]

pub mod batches;
mod call_log;
mod caller;
pub mod client_driver;
pub mod invariants;
mod leaks;
mod peer;
pub mod plan;
mod run;
pub mod search;
mod service;
pub mod several_runtimes;
pub mod shared_limits;

pub use run::{Run, run};
