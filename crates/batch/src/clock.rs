//! Clock of a batch: the system's, that of a shared store, or a clock that a test controls.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

type Now = dyn Fn() -> SystemTime + Send + Sync;

#[derive(Clone)]
pub(crate) struct Clock {
    now: Arc<Now>,
    /// Reference clock: a reading, and the instant of the reading.
    followed: Arc<Mutex<Option<(Instant, u64)>>>,
}

impl Clock {
    pub(crate) fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), followed: Arc::default() }
    }

    /// Follows another clock, which shows this time now, in milliseconds of Unix time.
    pub(crate) fn follow(&self, time: u64) {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        *followed = Some((Instant::now(), time));
    }

    /// Milliseconds of Unix time.
    pub(crate) fn now(&self) -> u64 {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        match *self.followed.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((at, time)) => time.saturating_add(milliseconds(at.elapsed())),
            None => milliseconds((self.now)().duration_since(UNIX_EPOCH).unwrap_or_default()),
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
