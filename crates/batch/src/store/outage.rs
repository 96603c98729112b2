//! Outage: how long a shared store has been unreachable, and how patiently it is waited for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A failure this long after the one before is another outage: the time in between is unknown.
const APART: Duration = Duration::from_secs(60);

/// The divisor of the patience of a process that must stop.
const SHORTENED: u32 = 30;

/// Whether a [shared store](super::Sharing) is unreachable. The store [reports](Self::failed) it; its
/// waiters see why, and can shorten the wait. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Outage(Arc<Mutex<OutageState>>);

#[derive(Debug, Default)]
struct OutageState {
    /// The first failure, if nothing has succeeded since, and the last one.
    failed: Option<(Instant, Instant)>,
    why: String,
    is_given_up: bool,
    is_shortened: bool,
}

impl Outage {
    fn known(&self) -> MutexGuard<'_, OutageState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the store has been unreachable, and why. `None` if it responded last.
    #[must_use]
    pub fn so_far(&self) -> Option<(Duration, String)> {
        let known = self.known();
        known.failed.map(|(first, _)| (first.elapsed(), known.why.clone()))
    }

    /// Whether the store is to be waited for as long as its patience lasts (as at first), or for a
    /// thirtieth of that: ten seconds of five minutes.
    pub fn wait(&self, patiently: bool) {
        self.known().is_shortened = !patiently;
    }

    /// Reports a failure, in a store with this patience. Whether to retry.
    pub fn failed(&self, why: String, patience: Duration) -> bool {
        let mut known = self.known();
        let now = Instant::now();
        let first = match known.failed {
            Some((first, last)) if now - last < APART => first,
            _ => now,
        };
        (known.failed, known.why) = (Some((first, now)), why);
        let patience = if known.is_shortened { patience / SHORTENED } else { patience };
        let is_over = now - first >= patience;
        // An attempt without patience tells nothing about the outage.
        known.is_given_up |= is_over && patience > Duration::ZERO;
        !is_over
    }

    /// Reports that the store has responded.
    pub fn ended(&self) {
        let mut known = self.known();
        (known.failed, known.is_given_up) = (None, false);
    }

    /// Whether patience has ended: remaining work is attempted once, briefly.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.known().is_given_up
    }
}
