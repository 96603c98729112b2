//! How many workers an endpoint has: a setting.

use std::time::Duration;

/// How many workers an endpoint has, and how it gets and loses them.
///
/// ```
/// use std::time::Duration;
/// use podqueue_local::Workers;
///
/// let slow_to_start = Workers::between(0, 2).cold_start(Duration::from_secs(8));
/// assert_eq!(slow_to_start.max(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    min: usize,
    max: usize,
    pub(super) cold_start: Duration,
    pub(super) idle_timeout: Duration,
    ping_interval: Duration,
}

impl Default for Workers {
    /// At least one worker and at most three.
    fn default() -> Self {
        Self::between(1, 3)
    }
}

impl Workers {
    /// At least `min` and at most `max` workers; a `min` above `max` counts as `max`. With
    /// `between(0, 0)` every job stays in the queue.
    ///
    /// By default a new worker is ready immediately, and an idle one above `min` stops after 5 seconds.
    pub const fn between(min: usize, max: usize) -> Self {
        Self {
            min: if min < max { min } else { max },
            max,
            cold_start: Duration::ZERO,
            idle_timeout: Duration::from_secs(5),
            ping_interval: Duration::from_secs(10),
        }
    }

    /// Sets how long a new worker takes until it can run a job. The first `min` workers are ready when
    /// the service starts.
    #[must_use]
    pub const fn cold_start(mut self, time: Duration) -> Self {
        self.cold_start = time;
        self
    }

    /// Sets how long an idle worker above `min` stays.
    #[must_use]
    pub const fn idle_timeout(mut self, time: Duration) -> Self {
        self.idle_timeout = time;
        self
    }

    /// Sets how often a worker that attaches over HTTP reports that it is alive: every 10 seconds by
    /// default. One that misses three reports is lost, and its jobs run on another one.
    #[must_use]
    pub const fn ping_interval(mut self, interval: Duration) -> Self {
        self.ping_interval = interval;
        self
    }

    pub(crate) fn pings(&self) -> Duration {
        self.ping_interval
    }

    /// Returns the smallest number of workers.
    pub const fn min(&self) -> usize {
        self.min
    }

    /// Returns the largest number of workers.
    pub const fn max(&self) -> usize {
        self.max
    }
}
