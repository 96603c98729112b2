//! A clock that all processes of a machine have in common, and that nobody sets.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The time since the machine was started, or since another moment that stays the same until then.
pub(crate) fn now() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// What is different after the machine was started again; empty where the system does not tell.
pub(crate) fn boot() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    boot.trim().to_owned()
}
