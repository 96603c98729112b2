//! Throttle backoff: additive increase, multiplicative decrease after an unexpected 429.

use std::time::Duration;

use tokio::time::Instant;

use super::WINDOW;

/// What is left after a cut, in percent of what there was.
const CUT: u64 = 70;

/// What comes back with each [`WINDOW`] without a 429, in percent of the limit.
const STEP: u64 = 10;

/// What is always left, in percent of the limit.
const LEAST: u64 = 5;

/// How long nothing is sent after the first 429 of a row. It doubles with each more, up to
/// [`LONGEST_HOLD`].
const FIRST_HOLD: Duration = Duration::from_millis(250);
const LONGEST_HOLD: Duration = Duration::from_secs(4);

pub(super) struct ThrottleBackoff {
    /// How much of the limit is used.
    percent: u64,
    /// When `percent` last changed, or a 429 kept it from growing.
    since: Instant,
    /// When the limit was last cut.
    cut_at: Option<Instant>,
    /// When the last 429 came that was not for a request from before the one before it.
    pulled_at: Option<Instant>,
    hold: Duration,
    held_until: Instant,
}

impl ThrottleBackoff {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            percent: 100,
            since: now,
            cut_at: None,
            pulled_at: None,
            hold: FIRST_HOLD,
            held_until: now,
        }
    }

    /// A request that was sent at `sent_at` was answered 429; `asked` is its `Retry-After`. Whether
    /// that is news: requests that were on their way already at the last 429 tell nothing new.
    pub(super) fn pull(&mut self, sent_at: Instant, now: Instant, asked: Option<Duration>) -> bool {
        if self.pulled_at.is_some_and(|pulled_at| sent_at <= pulled_at) {
            return false;
        }
        self.recover(now);
        self.pulled_at = Some(now);
        self.since = now;
        // What a cut does shows in the service's count only a window later.
        if self.cut_at.is_none_or(|cut_at| now - cut_at >= WINDOW) {
            self.percent = (self.percent * CUT / 100).max(LEAST);
            self.cut_at = Some(now);
        }
        self.held_until = now + asked.unwrap_or(self.hold).min(WINDOW);
        self.hold = (self.hold * 2).min(LONGEST_HOLD);
        true
    }

    /// When sending goes on; `None` for now.
    pub(super) fn held(&self, now: Instant) -> Option<Instant> {
        (now < self.held_until).then_some(self.held_until)
    }

    /// What is used of a limit now.
    pub(super) fn part_of(&mut self, limit: u64, now: Instant) -> u64 {
        if self.is_off(now) {
            return limit;
        }
        (limit.saturating_mul(self.percent) / 100).max(1)
    }

    /// Whether no 429 has any effect any more.
    pub(super) fn is_off(&mut self, now: Instant) -> bool {
        if self.percent < 100 {
            self.recover(now);
        }
        self.percent == 100
    }

    fn recover(&mut self, now: Instant) {
        let windows = (now - self.since).as_secs() / WINDOW.as_secs();
        if windows > 0 {
            self.hold = FIRST_HOLD;
            self.since = now;
            self.percent = windows.saturating_mul(STEP).saturating_add(self.percent).min(100);
        }
    }
}
