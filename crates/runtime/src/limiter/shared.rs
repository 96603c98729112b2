//! Shared limits: several processes stay within one limit by permits from a [store](store).
//!
//! The [allocation](allocation) is all that processes agree upon; a [local_permits](local_permits) is what one process has of it, and
//! belongs to a operation_limiter. Between them, [members](participant) exchange reports for permits, on a
//! [thread](thread) of their own, because a store blocks and a caller's runtime may stand still.

mod allocation;
mod local_permits;
mod participant;
mod store;
mod thread;
mod waker;

#[cfg(test)]
mod tests;

pub(super) use local_permits::{LocalPermits, State};
pub(crate) use participant::Unreachable;
pub use store::{ChangeRecords, LimitStore, SharedLimits, StoreError};
pub(super) use thread::Shared;
