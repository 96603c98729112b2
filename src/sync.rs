//! Locks: those of the standard library; in `scripts/threads.sh` those of shuttle, which runs one
//! thread at a time and decides at each of their operations which is next.

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::sync::{Condvar, Mutex};
#[cfg(not(all(test, shuttle)))]
pub(crate) use std::sync::{Condvar, Mutex};

#[cfg(test)]
#[cfg(shuttle)]
#[path = "../crates/runtime/src/sync/schedules.rs"]
pub(crate) mod schedules;
