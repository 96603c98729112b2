//! Throttle backoff: additive increase, multiplicative decrease after an unexpected 429.

use std::time::Duration;

use tokio::time::Instant;

use super::WINDOW;

/// The multiplicative decrease after a 429, in percent of the current rate.
const DECREASE: u64 = 70;

/// The additive increase with each [`WINDOW`] without a 429, in percent of the limit.
const INCREASE: u64 = 10;

/// The minimum rate, in percent of the limit.
const MINIMUM: u64 = 5;

/// The pause after the first of several 429s in a row. It doubles with each further 429, up to
/// [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

pub(super) struct ThrottleBackoff {
    /// The part of the limit that is used.
    percent: u64,
    /// The time at which `percent` last changed, or a 429 kept it from growing.
    since: Instant,
    /// The time of the last decrease of the rate.
    decreased_at: Option<Instant>,
    /// The arrival of the last 429 for a request that was sent after the 429 before it.
    throttled_at: Option<Instant>,
    pause: Duration,
    paused_until: Instant,
}

impl ThrottleBackoff {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            percent: 100,
            since: now,
            decreased_at: None,
            throttled_at: None,
            pause: FIRST_PAUSE,
            paused_until: now,
        }
    }

    /// Records a 429 for a request that was sent at `sent_at`, with its `Retry-After`. Returns true
    /// if it counts: requests that were in flight at the last 429 are ignored.
    pub(super) fn throttle(
        &mut self,
        sent_at: Instant,
        now: Instant,
        retry_after: Option<Duration>,
    ) -> bool {
        if self.throttled_at.is_some_and(|throttled_at| sent_at <= throttled_at) {
            return false;
        }
        self.recover(now);
        self.throttled_at = Some(now);
        self.since = now;
        // The effect of a decrease shows in the service's count only a window later.
        if self.decreased_at.is_none_or(|decreased_at| now - decreased_at >= WINDOW) {
            self.percent = (self.percent * DECREASE / 100).max(MINIMUM);
            self.decreased_at = Some(now);
        }
        self.paused_until = now + retry_after.unwrap_or(self.pause).min(WINDOW);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }

    /// The end of the pause; `None` if there is none.
    pub(super) fn paused_until(&self, now: Instant) -> Option<Instant> {
        (now < self.paused_until).then_some(self.paused_until)
    }

    /// The part of a limit that may be used now.
    pub(super) fn part_of(&mut self, limit: u64, now: Instant) -> u64 {
        if self.recover_fully(now) {
            return limit;
        }
        (limit.saturating_mul(self.percent) / 100).max(1)
    }

    /// Returns true if the rate has fully recovered.
    pub(super) fn recover_fully(&mut self, now: Instant) -> bool {
        if self.percent < 100 {
            self.recover(now);
        }
        self.percent == 100
    }

    fn recover(&mut self, now: Instant) {
        let windows = (now - self.since).as_secs() / WINDOW.as_secs();
        if windows > 0 {
            self.pause = FIRST_PAUSE;
            self.since = now;
            self.percent = windows.saturating_mul(INCREASE).saturating_add(self.percent).min(100);
        }
    }
}
