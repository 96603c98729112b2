//! How often to ask while waiting.

use std::time::Duration;

/// How often the status of a job is asked for while waiting, and new chunks while streaming.
///
/// The first question is asked at once. The pause after it starts at `first` and grows by half each
/// time up to `longest`, and every pause is drawn between three quarters of that and the whole, so
/// that many waits do not ask in step.
///
/// ```
/// use std::time::Duration;
/// use podqueue::Polling;
///
/// let relaxed = Polling::new().first(Duration::from_secs(1)).longest(Duration::from_secs(15));
/// # let _ = relaxed;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a polling setting does nothing until it is given to a client or a wait"]
pub struct Polling {
    first: Duration,
    longest: Duration,
}

/// A synchronous job's result is kept for one minute: polling more rarely could miss it.
const RAREST: Duration = Duration::from_secs(20);

impl Polling {
    /// 100 ms at first, 3 s at the longest.
    pub fn new() -> Self {
        Self { first: Duration::from_millis(100), longest: Duration::from_secs(3) }
    }

    /// The first pause.
    pub fn first(mut self, pause: Duration) -> Self {
        self.first = pause;
        self
    }

    /// The longest pause. More than 20 seconds count as 20: the result of a synchronous job is kept
    /// for a minute only, and must not expire between two questions.
    pub fn longest(mut self, pause: Duration) -> Self {
        self.longest = pause;
        self
    }

    pub(super) fn pauses(&self) -> Pauses {
        Pauses { next: self.first, polling: self.clone() }
    }
}

impl Default for Polling {
    fn default() -> Self {
        Self::new()
    }
}

/// The pauses of one wait.
#[derive(Debug)]
pub(super) struct Pauses {
    next: Duration,
    polling: Polling,
}

impl Pauses {
    pub(super) fn next(&mut self) -> Duration {
        let longest = self.polling.longest.min(RAREST);
        let pause = self.next.min(longest);
        self.next = pause.saturating_mul(3) / 2;
        pause.mul_f64(0.75 + 0.25 * fastrand::f64())
    }

    /// Starts again at the first pause: something has just happened.
    pub(super) fn restart(&mut self) {
        self.next = self.polling.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_start_short_grow_by_half_and_stay_below_the_longest() {
        let polling = Polling::new();
        let mut pauses = polling.pauses();
        let mut expected = 0.1;
        for _ in 0..30 {
            let pause = pauses.next().as_secs_f64();
            assert!(pause <= expected + 1e-9 && pause >= expected * 0.75 - 1e-9, "{pause}");
            expected = f64::min(expected * 1.5, 3.0);
        }
        pauses.restart();
        assert!(pauses.next() <= Duration::from_millis(100));
    }

    #[test]
    fn a_pause_is_never_so_long_that_a_result_expires_unread() {
        let hour = Duration::from_secs(3_600);
        let mut pauses = Polling::new().first(hour).longest(hour).pauses();
        assert!(pauses.next() <= RAREST);
    }
}
