//! Randomized tests: the [`client`] against a random peer and random callers, and [`batches`] under
//! random crashes and faults. [`search`] plays many seeds, and shrinks a plan that violates an
//! invariant.

#![expect(missing_docs, reason = "a test tool of this workspace without a stable API")]

pub mod batches;
pub mod client;
pub mod search;
