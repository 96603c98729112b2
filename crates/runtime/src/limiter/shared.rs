//! Shared limits: several processes stay within one limit by permits from a [store].
//!
//! The [allocation](allocation) is the record that processes agree upon; [local permits](local_permits)
//! are what one process was granted of it, and belong to an operation limiter. Between them,
//! [participants](participant) exchange reports for permits on a [thread](thread) of their own, because a
//! store blocks and a caller's runtime may be idle.

mod allocation;
mod local_permits;
mod participant;
mod store;
mod thread;
mod waker;

#[cfg(test)]
mod tests;

pub(super) use local_permits::{LimiterState, LocalPermits};
pub(crate) use participant::Unreachable;
pub use store::{ChangeRecords, LimitStore, SharedLimits, StoreError};
pub(super) use thread::Shared;
