//! Limits that several processes keep together, by permits from a [store](store).
//!
//! The [ledger] is all that processes agree upon; a [holding] is what one process has of it, and
//! belongs to a gate. Between them, [members](member) exchange reports for permits, on a
//! [thread](thread) of their own, because a store blocks and a caller's runtime may stand still.

mod bell;
mod holding;
mod ledger;
mod member;
mod store;
mod thread;

#[cfg(test)]
mod model;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

pub(super) use holding::{Holding, State};
pub(crate) use member::Unreachable;
pub use store::{ChangeRecords, LimitStore, SharedLimits, StoreError};
pub(super) use thread::Shared;
