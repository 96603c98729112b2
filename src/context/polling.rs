//! How often to poll while waiting.

use std::time::Duration;

/// How often waits poll the status of a job, and streams poll for new chunks.
///
/// The first poll is immediate. The pause after it starts at `first` and grows by half each time,
/// up to `longest`. Each pause is jittered down to between 75 % and 100 % of that, so that many
/// waits do not poll in step.
///
/// All waits and streams on an endpoint take turns, and together poll at most
/// [`per_second`](Polling::per_second) times per second, however many there are. With ten thousand
/// jobs and the default of 150 polls per second, each job is polled every 67 seconds, and a quarter
/// of what the service allows stays free for other calls. A stream that gets nothing new also polls
/// the status, which takes a separate turn. The exception: a job whose result could expire unread
/// is polled without waiting for a turn, a synchronous one 20 seconds after its last poll, any
/// other 10 minutes after it, and ahead of all other calls that wait for the rate limiter. From
/// then on only the service's own limit applies, and jobs still take turns: at 200 polls per
/// second, the results of some 11,000 synchronous jobs are read within the minute for which they
/// are kept, or those of 350,000 other jobs within their half hour. Beyond that some expire unread:
/// use [webhooks](crate::Run::webhook), or fewer jobs at a time.
///
/// ```
/// use std::time::Duration;
/// use podqueue::Polling;
///
/// let relaxed = Polling::new().first(Duration::from_secs(1)).longest(Duration::from_secs(15));
/// # let _ = relaxed;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a polling setting does nothing until it is passed to a client or a wait"]
pub struct Polling {
    first: Duration,
    longest: Duration,
    per_second: u32,
}

/// What the second pause is at least, so that pauses grow from zero too.
const LEAST_GROWN: Duration = Duration::from_millis(10);

/// Nobody polls without any pause for ever.
const LEAST_LONGEST: Duration = Duration::from_millis(1);

impl Polling {
    /// The default: a first pause of 100 ms, a longest pause of 3 s, and 150 polls per second for
    /// all jobs of an endpoint together.
    pub fn new() -> Self {
        Self { first: Duration::from_millis(100), longest: Duration::from_secs(3), per_second: 150 }
    }

    /// The first pause. With zero, the second poll follows at once, and the pauses after it grow
    /// from 10 ms.
    pub fn first(mut self, pause: Duration) -> Self {
        self.first = pause;
        self
    }

    /// The longest pause. It is capped at 20 seconds for a synchronous job, whose result is kept
    /// for a minute, and at 10 minutes for any other, whose result is kept for half an hour, so
    /// that a result cannot expire between two polls. The minimum is one millisecond.
    pub fn longest(mut self, pause: Duration) -> Self {
        self.longest = pause;
        self
    }

    /// The maximum number of polls per second for all waits and streams on an endpoint together.
    /// Zero counts as one. The service allows 200 status reads and 200 stream reads per second, or
    /// more if many workers run.
    pub fn per_second(mut self, questions: u32) -> Self {
        self.per_second = questions;
        self
    }

    /// The pauses of a wait, none of them above `rarest`.
    pub(crate) fn pauses(&self, rarest: Duration) -> Pauses {
        let longest = self.longest.max(LEAST_LONGEST).min(rarest);
        Pauses { next: self.first, longest, first: self.first }
    }

    /// What the question of one wait keeps that of the next away.
    pub(crate) fn interval(&self) -> Duration {
        Duration::from_secs(1) / self.per_second.max(1)
    }
}

impl Default for Polling {
    fn default() -> Self {
        Self::new()
    }
}

/// The pauses of one wait.
#[derive(Debug)]
pub(crate) struct Pauses {
    next: Duration,
    first: Duration,
    longest: Duration,
}

impl Pauses {
    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.next.min(self.longest);
        self.next = (pause.saturating_mul(3) / 2).max(LEAST_GROWN);
        pause.mul_f64(0.75 + 0.25 * fastrand::f64())
    }

    /// Starts again at the first pause: something has just happened.
    pub(crate) fn restart(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAREST: Duration = Duration::from_secs(600);

    #[test]
    fn pauses_start_short_grow_by_half_and_stay_below_the_longest() {
        let polling = Polling::new();
        let mut pauses = polling.pauses(RAREST);
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
    fn pauses_that_start_at_zero_grow_too() {
        let mut pauses = Polling::new().first(Duration::ZERO).pauses(RAREST);
        assert_eq!(pauses.next(), Duration::ZERO);
        for _ in 0..30 {
            pauses.next();
        }
        assert!(pauses.next() >= Duration::from_secs(2), "the longest is three seconds");
        let mut busy = Polling::new().first(Duration::ZERO).longest(Duration::ZERO).pauses(RAREST);
        busy.next();
        assert!(busy.next() > Duration::ZERO);
    }
}
