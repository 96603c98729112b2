//! Shared limits: several processes stay within one limit by permits from a [store].
//!
//! The [allocation](allocation) is the record that processes agree upon;
//! [local permits](local_permits) are what one process was granted of it, and belong to an
//! operation limiter. Between them, [participants](participant) exchange reports for permits on a
//! thread of their own, because a store blocks and a caller's runtime may be idle.

mod allocation;
mod local_permits;
mod participant;
mod store;

#[cfg(test)]
mod tests;

pub(super) use local_permits::{LimiterState, LocalPermits};
pub(super) use participant::Shared;
pub(crate) use participant::Unreachable;
pub use store::{ChangeRecords, LimitStore, SharedLimits, StoreError};
