//! A store that is out of reach.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A failure this long after the one before is not of the same outage: in between, nobody knows.
const APART: Duration = Duration::from_secs(60);

/// The part of its patience that a store is waited for by those in haste.
const HASTE: u32 = 30;

/// Whether a [shared store](super::Sharing) is out of reach. The store [tells](Self::failed) it, and
/// those who wait for the store see why, and can be in haste. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Outage(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// The first failure, if nothing has succeeded since, and the last one.
    failed: Option<(Instant, Instant)>,
    why: String,
    is_given_up: bool,
    is_in_haste: bool,
}

impl Outage {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the store has been out of reach, and why. `None` if it answered last.
    #[must_use]
    pub fn so_far(&self) -> Option<(Duration, String)> {
        let known = self.known();
        known.failed.map(|(first, _)| (first.elapsed(), known.why.clone()))
    }

    /// Whether the store is to be waited for as long as its patience lasts (as at first), or for a
    /// thirtieth of that: ten seconds of five minutes.
    pub fn wait(&self, patiently: bool) {
        self.known().is_in_haste = !patiently;
    }

    /// Tells that something could not be done for this reason, in a store that is waited for this
    /// long. Whether it should be tried again.
    pub fn failed(&self, why: String, patience: Duration) -> bool {
        let mut known = self.known();
        let now = Instant::now();
        let first = match known.failed {
            Some((first, last)) if now - last < APART => first,
            _ => now,
        };
        (known.failed, known.why) = (Some((first, now)), why);
        let patience = if known.is_in_haste { patience / HASTE } else { patience };
        let is_over = now - first >= patience;
        // Who does not wait at all says nothing about others.
        known.is_given_up |= is_over && patience > Duration::ZERO;
        !is_over
    }

    /// Tells that the store has answered.
    pub fn ended(&self) {
        let mut known = self.known();
        (known.failed, known.is_given_up) = (None, false);
    }

    /// Whether it has been waited for in vain: what is still to be done is tried once, briefly.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.known().is_given_up
    }
}
