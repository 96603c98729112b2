//! How often to ask while waiting.

use std::time::Duration;

/// How often the status of a job is asked for while waiting, and new chunks while streaming.
///
/// The first question is asked at once. The pause after it starts at `first` and grows by half each
/// time up to `longest`, and every pause is drawn between three quarters of that and the whole, so
/// that many waits do not ask in step.
///
/// However many jobs of an endpoint are waited for or streamed from at once, all these waits and
/// streams take turns, and together ask no more than [`per_second`](Polling::per_second) times: with
/// ten thousand jobs and the 150 questions per second that are the default, each job is asked about
/// every 67 seconds, and a quarter of what the service allows stays free for other calls. A stream
/// that gets nothing new asks for the status, too, which takes a turn of its own. That is where
/// politeness ends: a job whose result could expire unread is asked about without waiting for a turn, a
/// synchronous one 20 seconds after the last question, any other 10 minutes after it, and before all
/// other calls that wait for the rate limits. Then the limit of the service itself is what limits, and
/// all still ask in turn: at 200 questions per second, the results of some
/// 11,000 synchronous jobs are read within the minute for which they are kept, or those of 350,000
/// other jobs within their half hour. Above that some expire unread: use
/// [webhooks](crate::Run::webhook), or fewer jobs at a time.
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
    per_second: u32,
}

/// What the second pause is at least, so that pauses grow from zero too.
const LEAST_GROWN: Duration = Duration::from_millis(10);

/// Nobody polls without any pause for ever.
const LEAST_LONGEST: Duration = Duration::from_millis(1);

impl Polling {
    /// 100 ms at first, 3 s at the longest, and 150 questions per second about all jobs of an
    /// endpoint.
    pub fn new() -> Self {
        Self { first: Duration::from_millis(100), longest: Duration::from_secs(3), per_second: 150 }
    }

    /// The first pause. Zero polls again at once, and the pauses after it grow from 10 ms.
    pub fn first(mut self, pause: Duration) -> Self {
        self.first = pause;
        self
    }

    /// The longest pause. For a synchronous job, whose result is kept for a minute, more than 20
    /// seconds count as 20; for any other, kept for half an hour, more than 10 minutes count as 10:
    /// a result must not expire between two questions. Less than a millisecond counts as one.
    pub fn longest(mut self, pause: Duration) -> Self {
        self.longest = pause;
        self
    }

    /// How often all waits and streams on an endpoint together poll in a second. Zero counts as one.
    /// The service allows 200 reads of a status and 200 of a stream in a second, or more where many
    /// workers run.
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
