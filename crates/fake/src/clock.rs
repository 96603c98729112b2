//! Clock of a fake, the only source of time: the delays of faults are measured on it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// The clock of a fake. It follows real time, and can be moved forward. A clone is the same clock.
#[derive(Clone, Debug)]
pub struct Clock {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    started: Instant,
    advanced: Mutex<Duration>,
    changed: watch::Sender<()>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        let (started, advanced) = (Instant::now(), Mutex::default());
        Self { inner: Arc::new(Inner { started, advanced, changed: watch::Sender::new(()) }) }
    }

    /// Moves the clock forward, and ends each delay that is over then.
    pub fn advance(&self, by: Duration) {
        {
            let mut advanced = self.inner.advanced.lock().unwrap_or_else(PoisonError::into_inner);
            *advanced = advanced.saturating_add(by);
        }
        self.inner.changed.send_replace(());
    }

    /// Returns the time that has passed on this clock since the fake was started.
    pub fn now(&self) -> Duration {
        let advanced = *self.inner.advanced.lock().unwrap_or_else(PoisonError::into_inner);
        self.inner.started.elapsed().saturating_add(advanced)
    }

    /// Waits until `duration` has passed on this clock.
    pub(crate) async fn sleep(&self, duration: Duration) {
        let deadline = self.now().saturating_add(duration);
        let mut changed = self.inner.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let now = self.now();
            if now >= deadline {
                return;
            }
            // The sender lives in `self`, so waiting for a change never fails.
            let _ = tokio::time::timeout(deadline - now, changed.changed()).await;
        }
    }
}
