//! Clock of a fake, the only source of time: the delays of faults are measured on it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// The clock of a fake. It follows real time, or is manual: then it stands still until it is
/// advanced. A clone is the same clock.
#[derive(Clone, Debug)]
pub struct Clock {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The start of the clock in real time; none for a manual clock.
    origin: Option<Instant>,
    advanced: Mutex<Duration>,
    changed: watch::Sender<()>,
}

impl Clock {
    pub(crate) fn real() -> Self {
        Self::new(Some(Instant::now()))
    }

    pub(crate) fn manual() -> Self {
        Self::new(None)
    }

    fn new(origin: Option<Instant>) -> Self {
        let (advanced, changed) = (Mutex::default(), watch::Sender::new(()));
        Self { inner: Arc::new(Inner { origin, advanced, changed }) }
    }

    /// Moves the clock forward, and wakes everything that sleeps on it until then. A real clock can
    /// be advanced too, and continues from there.
    pub fn advance(&self, by: Duration) {
        {
            let mut advanced = self.inner.advanced.lock().unwrap_or_else(PoisonError::into_inner);
            *advanced = advanced.saturating_add(by);
        }
        self.inner.changed.send_replace(());
    }

    /// Returns the time that has passed on this clock since it was created.
    pub fn now(&self) -> Duration {
        let advanced = *self.inner.advanced.lock().unwrap_or_else(PoisonError::into_inner);
        self.inner.origin.map_or(Duration::ZERO, |it| it.elapsed()).saturating_add(advanced)
    }

    /// Waits until `duration` has passed on this clock.
    pub async fn sleep(&self, duration: Duration) {
        let deadline = self.now().saturating_add(duration);
        let mut changed = self.inner.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let now = self.now();
            if now >= deadline {
                return;
            }
            // The sender lives in `self`, so waiting for a change never fails.
            if self.inner.origin.is_none() {
                let _ = changed.changed().await;
            } else {
                let _ = tokio::time::timeout(deadline - now, changed.changed()).await;
            }
        }
    }
}
