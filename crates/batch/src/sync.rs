//! Locks, channels and threads: those of the standard library; in `scripts/threads.sh` those of
//! shuttle, which runs one thread at a time and decides at each of their operations which is next.

#[cfg(all(test, shuttle))]
pub(crate) use self::schedules::mpsc;
#[cfg(all(test, shuttle))]
pub(crate) use shuttle::{
    sync::{Mutex, MutexGuard},
    thread,
};
#[cfg(not(all(test, shuttle)))]
pub(crate) use std::sync::{Mutex, MutexGuard, mpsc};
#[cfg(not(all(test, shuttle)))]
pub(crate) use std::thread;

#[cfg(test)]
#[cfg(shuttle)]
#[path = "../../runtime/src/sync/schedules.rs"]
pub(crate) mod schedules;
