//! Token bucket: a burst, then an even rate.

use std::time::Duration;

use tokio::time::Instant;

use super::WINDOW;

/// The lateness of a waiting call, because of timers and schedulers, that costs no rate.
const LATENESS: Duration = Duration::from_millis(50);

/// Credit for requests, in tokens: it grows by the rate, and each request spends one.
///
/// While no call waits it grows up to a quarter of the limit, the initial burst of a client. While
/// calls wait, time earns no new burst: the requests of the last burst stop counting all at once,
/// and would otherwise be sent at once again, every ten seconds.
pub(super) struct TokenBucket {
    credit: f64,
    /// The largest burst.
    burst: f64,
    counted_at: Instant,
}

impl TokenBucket {
    pub(super) fn new(now: Instant, requests: u64) -> Self {
        Self { credit: burst(requests), burst: burst(requests), counted_at: now }
    }

    /// Counts the credit that has grown since the last time; `requests` is the limit.
    pub(super) fn grow(&mut self, now: Instant, requests: u64, calls_wait: bool) {
        let earned = (now - self.counted_at).as_secs_f64() * per_second(requests);
        self.counted_at = now;
        self.burst = burst(requests);
        let most = if calls_wait {
            1.0 + LATENESS.as_secs_f64() * per_second(requests)
        } else {
            self.burst
        };
        self.credit = self.credit.max(most.min(self.credit + earned));
    }

    /// The time at which there is credit for `calls` at a rate of `requests`; `None` if there is
    /// credit now.
    pub(super) fn next(&self, calls: u64, requests: u64) -> Option<Instant> {
        let missing = calls as f64 - self.credit;
        // A tolerance for rounding errors.
        (missing > 1e-6)
            .then(|| self.counted_at + Duration::from_secs_f64(missing / per_second(requests)))
    }

    pub(super) fn spend(&mut self) {
        self.credit -= 1.0;
    }

    /// Returns the token of a request that was not sent after all, up to a burst.
    pub(super) fn refund(&mut self) {
        self.credit = self.credit.max(self.burst.min(self.credit + 1.0));
    }

    /// Removes all credit, after a 429.
    pub(super) fn forfeit(&mut self) {
        self.credit = self.credit.min(0.0);
    }
}

fn per_second(requests: u64) -> f64 {
    requests as f64 / WINDOW.as_secs_f64()
}

pub(super) fn burst(requests: u64) -> f64 {
    (requests / 4).max(2).min(requests) as f64
}
