//! Polling: the intervals between two polls of a job, and the timeouts of a poll.
//!
//! Each wait and stream polls at [`PollIntervals`], a capped exponential backoff with jitter. The
//! cap is at most [`max_interval`], a third of the time for which the service keeps a result, so
//! that no result expires between two polls. All waits and streams on an endpoint together are
//! bounded by a [`PollRate`](super::poll_rate::PollRate).

use std::time::Duration;

use super::lifespan::min_retention;

/// The intervals at which waits poll the status of a job, and streams poll for new chunks.
///
/// The first poll is immediate. The pause after it starts at `initial_interval` and grows by half
/// each time, up to `max_interval`. Each pause is jittered down to between 75 % and 100 % of that,
/// so that many waits do not poll in step.
///
/// All waits and streams on an endpoint share one poll rate, and together poll at most
/// [`per_second`](Polling::per_second) times per second, however many there are. With ten thousand
/// jobs and the default of 150 polls per second, each job is polled every 67 seconds, and a quarter
/// of what the service allows stays free for other calls. A stream that gets nothing new also polls
/// the status, which takes a separate permit. The exception: a job whose result could expire unread
/// is polled without waiting for a permit, a synchronous job 20 seconds after its last poll, any
/// other job 10 minutes after it, and ahead of all other calls that wait for the rate limiter. From
/// then on only the service's own limit applies, first in, first out: at 200 polls per
/// second, the results of some 11,000 synchronous jobs are read within the minute for which they
/// are kept, or those of 350,000 other jobs within their half hour. Beyond that some expire unread:
/// use [webhooks](crate::Run::webhook), or fewer jobs at a time.
///
/// The setting does not apply to batches of `podqueue-batch`, which have a poll schedule of their
/// own.
///
/// ```
/// use std::time::Duration;
/// use podqueue::Polling;
///
/// let relaxed = Polling::new()
///     .initial_interval(Duration::from_secs(1))
///     .max_interval(Duration::from_secs(15));
/// # let _ = relaxed;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a polling setting does nothing until it is passed to a client or a wait"]
pub struct Polling {
    initial_interval: Duration,
    max_interval: Duration,
    per_second: u32,
}

/// The minimum of the second interval, so that intervals grow from zero too.
const MIN_GROWN: Duration = Duration::from_millis(10);

/// The minimum of the longest interval: without it, a wait could poll in a busy loop.
const MIN_LONGEST: Duration = Duration::from_millis(1);

impl Polling {
    /// The default: an initial interval of 100 ms, a maximum of 3 s, and 150 polls per second for
    /// all jobs of an endpoint together.
    pub fn new() -> Self {
        Self {
            initial_interval: Duration::from_millis(100),
            max_interval: Duration::from_secs(3),
            per_second: 150,
        }
    }

    /// The first interval. With zero, the second poll follows at once, and the pauses after it grow
    /// from 10 ms.
    pub fn initial_interval(mut self, interval: Duration) -> Self {
        self.initial_interval = interval;
        self
    }

    /// The maximum interval. It is capped at 20 seconds for a synchronous job, whose result is kept
    /// for a minute, and at 10 minutes for any other job, whose result is kept for half an hour, so
    /// that a result cannot expire between two polls. The minimum is one millisecond.
    pub fn max_interval(mut self, interval: Duration) -> Self {
        self.max_interval = interval;
        self
    }

    /// The maximum number of polls per second for all waits and streams on an endpoint together.
    /// Zero counts as one. The service allows 200 status reads and 200 stream reads per second, or
    /// more if many workers run.
    pub fn per_second(mut self, polls: u32) -> Self {
        self.per_second = polls;
        self
    }

    /// The intervals of one wait or stream, none of them above `max_interval`.
    pub(crate) fn intervals(&self, max_interval: Duration) -> PollIntervals {
        let longest = self.max_interval.max(MIN_LONGEST).min(max_interval);
        PollIntervals { next: self.initial_interval, longest, first: self.initial_interval }
    }

    /// The time between two polls of an endpoint, over all of its waits and streams.
    pub(crate) fn spacing(&self) -> Duration {
        Duration::from_secs(1) / self.per_second.max(1)
    }
}

impl Default for Polling {
    fn default() -> Self {
        Self::new()
    }
}

/// The poll intervals of one wait or stream.
#[derive(Debug)]
pub(crate) struct PollIntervals {
    next: Duration,
    first: Duration,
    longest: Duration,
}

impl PollIntervals {
    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.next.min(self.longest);
        self.next = (pause.saturating_mul(3) / 2).max(MIN_GROWN);
        pause.mul_f64(0.75 + 0.25 * fastrand::f64())
    }

    /// Restarts at the first interval, after a poll that brought something new.
    pub(crate) fn restart(&mut self) {
        self.next = self.first;
    }
}

/// The maximum poll interval: a third of the guaranteed retention of a result, which is one minute
/// for a synchronous job and half an hour for any other job.
pub(super) fn max_interval(job_id: &str) -> Duration {
    min_retention(job_id) / 3
}

/// The timeout of a poll without a byte of the response: short enough that three polls in a row can
/// be lost before a result expires.
pub(super) fn poll_timeout(job_id: &str) -> Duration {
    (min_retention(job_id) / 4).min(Duration::from_secs(30))
}

/// The timeout of a poll with `left` until the deadline: three polls fit into `left`, unless it is
/// below three seconds.
pub(super) fn poll_timeout_within(job_id: &str, left: Duration) -> Duration {
    poll_timeout(job_id).min((left / 3).max(Duration::from_secs(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_INTERVAL: Duration = Duration::from_secs(600);

    #[test]
    fn pauses_start_short_grow_by_half_and_stay_below_the_longest() {
        let polling = Polling::new();
        let mut pauses = polling.intervals(MAX_INTERVAL);
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
        let mut pauses = Polling::new().initial_interval(Duration::ZERO).intervals(MAX_INTERVAL);
        assert_eq!(pauses.next(), Duration::ZERO);
        for _ in 0..30 {
            pauses.next();
        }
        assert!(pauses.next() >= Duration::from_secs(2), "the longest is three seconds");
        let mut busy = Polling::new()
            .initial_interval(Duration::ZERO)
            .max_interval(Duration::ZERO)
            .intervals(MAX_INTERVAL);
        busy.next();
        assert!(busy.next() > Duration::ZERO);
    }

    #[test]
    fn an_interval_is_never_so_long_that_a_result_expires_unread() {
        let hour = Duration::from_secs(3_600);
        let polling = Polling::new().initial_interval(hour).max_interval(hour);
        for (job_id, kept) in [("sync-j", 60), ("j", 30 * 60)] {
            let pause = polling.intervals(max_interval(job_id)).next();
            assert!(pause <= Duration::from_secs(kept) / 3, "{job_id}: {pause:?}");
        }
    }
}
