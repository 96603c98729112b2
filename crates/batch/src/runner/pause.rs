//! How long nothing is submitted.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A pause of all submissions. It is begun before what caused it is recorded, because a claim may find
/// the input pending again as soon as it is.
#[derive(Default)]
pub(super) struct Pause(Mutex<Option<Instant>>);

impl Pause {
    /// Nothing is submitted for so long, or as long as before if that is longer.
    pub(super) fn at_least(&self, time: Duration) {
        let at = Instant::now() + time;
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *ends = Some(ends.map_or(at, |it| it.max(at)));
    }

    /// When it ends, if it has not.
    pub(super) fn ends(&self) -> Option<Instant> {
        let ends = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ends.filter(|at| *at > Instant::now())
    }
}
