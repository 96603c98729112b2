//! Locks, atomics and threads: those of the standard library; in `scripts/threads.sh` those of
//! shuttle, which runs one thread at a time and decides at each of their operations which is next.

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};
#[cfg(not(all(test, shuttle)))]
pub(crate) use std::sync::{Mutex, MutexGuard};

#[cfg(all(feature = "shared-limits", not(all(test, shuttle))))]
pub(crate) use std::{sync::atomic, thread};
#[cfg(all(feature = "shared-limits", test, shuttle))]
pub(crate) use {self::schedules::thread, shuttle::sync::atomic};

#[cfg(test)]
#[cfg(shuttle)]
pub(crate) mod schedules;
