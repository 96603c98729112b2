//! When a call is sent again, and how long to wait before.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::attempt::Failure;
use super::repeat::Fate;

/// How often and how soon a call is sent again, where sending it again is safe.
///
/// What is safe does not depend on this policy, and is the same for all three interfaces:
///
/// | call | 429, or it never left | 500, 502 and above | sent, and no answer | a success that cannot be read |
/// |---|---|---|---|---|
/// | status, health, REST reads, GraphQL queries | again | again | again | error |
/// | stream | again | again | again, with [a gap](crate::StreamChunk::after_gap) | again, with a gap |
/// | run, runsync, openai | again | [outcome unknown](crate::ErrorKind::OutcomeUnknown) | outcome unknown | outcome unknown |
/// | run, runsync [at least once](crate::Run::at_least_once) | again | again | again | outcome unknown |
/// | cancel | again | again | again | error |
/// | retry | again | the job's status tells | the same | the same |
/// | purge-queue | again | outcome unknown | outcome unknown | outcome unknown |
/// | changing a template | again | again | again | error |
/// | deleting a template or a secret | again | again; what is clearly not found then is deleted, and after any other refusal the outcome is unknown | the same | outcome unknown |
/// | creating a template or a secret, any other mutation | again | outcome unknown | outcome unknown | outcome unknown |
///
/// The wait before attempt *n* + 1 is drawn between zero and `base × 2^(n-1)` (full jitter), capped,
/// and never shorter than the service's `Retry-After`, in seconds or as a date. All calls of a client share a budget: when
/// most of them fail, they stop repeating instead of multiplying the load.
///
/// ```
/// use std::time::Duration;
/// use podqueue::RetryPolicy;
///
/// let patient = RetryPolicy::new().attempts(6).cap(Duration::from_secs(60));
/// let none = RetryPolicy::never();
/// # let _ = (patient, none);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RetryPolicy {
    attempts: u32,
    base: Duration,
    throttled_base: Duration,
    cap: Duration,
    longest_retry_after: Duration,
}

impl RetryPolicy {
    /// Three attempts; 50 ms as the base after a network or server failure, 1 s after 429; waits of
    /// at most 20 s; a `Retry-After` above 120 s is not waited for.
    #[must_use]
    pub fn new() -> Self {
        Self {
            attempts: 3,
            base: Duration::from_millis(50),
            throttled_base: Duration::from_secs(1),
            cap: Duration::from_secs(20),
            longest_retry_after: Duration::from_secs(120),
        }
    }

    /// Every call is sent once.
    #[must_use]
    pub fn never() -> Self {
        Self { attempts: 1, ..Self::new() }
    }

    /// How often a call is sent at most, the first time included. Zero counts as one.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// The base of the waits after a network or server failure.
    #[must_use]
    pub fn base(mut self, base: Duration) -> Self {
        self.base = base;
        self
    }

    /// The base of the waits after a 429.
    #[must_use]
    pub fn throttled_base(mut self, base: Duration) -> Self {
        self.throttled_base = base;
        self
    }

    /// The longest wait that the policy itself draws. A `Retry-After` may be longer.
    #[must_use]
    pub fn cap(mut self, cap: Duration) -> Self {
        self.cap = cap;
        self
    }

    /// The longest `Retry-After` that is waited for; above it, the error is returned at once.
    #[must_use]
    pub fn longest_retry_after(mut self, longest: Duration) -> Self {
        self.longest_retry_after = longest;
        self
    }

    /// How long to wait before the attempt after attempt number `attempt`, or `None` to give up: also
    /// where the service asks for more than `longest`, or than this policy allows.
    pub(super) fn pause(
        &self,
        attempt: u32,
        longest: Duration,
        failure: &Failure,
        budget: &Budget,
    ) -> Option<Duration> {
        let asked = failure.error.retry_after().unwrap_or_default();
        if attempt >= self.attempts || asked > self.longest_retry_after.min(longest) {
            return None;
        }
        if !budget.take(failure.fate) {
            return None;
        }
        let base = if failure.fate == Fate::Throttled { self.throttled_base } else { self.base };
        let ceiling = base.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(self.cap);
        Some(ceiling.mul_f64(fastrand::f64()).max(asked).min(longest))
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new()
    }
}

const FULL: i64 = 500;
const COST: i64 = 14;
const COST_THROTTLED: i64 = 5;

/// What all calls of a client may spend on repeating. Successes pay it back.
#[derive(Debug)]
pub(crate) struct Budget(AtomicI64);

impl Budget {
    pub(crate) fn new() -> Self {
        Self(AtomicI64::new(FULL))
    }

    fn take(&self, fate: Fate) -> bool {
        let cost = if fate == Fate::Throttled { COST_THROTTLED } else { COST };
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                (left >= cost).then_some(left - cost)
            })
            .is_ok()
    }

    pub(super) fn refill(&self) {
        // A full budget is the common case, and a plain read of it costs no contention.
        if self.0.load(Ordering::Relaxed) < FULL {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};

    fn failure(fate: Fate, retry_after: Option<Duration>) -> Failure {
        let error = Error::new(ErrorKind::Server, "a call", "failed").with_retry_after(retry_after);
        Failure { fate, error }
    }

    #[test]
    fn waits_grow_with_full_jitter_up_to_the_cap() {
        let policy = RetryPolicy::new().attempts(40).cap(Duration::from_secs(2));
        for attempt in 1..40 {
            let ceiling = Duration::from_millis(50) * 2_u32.saturating_pow(attempt - 1).min(1_000);
            let pause = policy
                .pause(attempt, Duration::MAX, &failure(Fate::NoAnswer, None), &Budget::new())
                .expect("attempts are left");
            assert!(pause <= ceiling.min(Duration::from_secs(2)), "{attempt}: {pause:?}");
        }
    }

    #[test]
    fn retry_after_is_honoured_and_refused_above_the_longest() {
        let policy = RetryPolicy::new();
        let asked = |seconds| failure(Fate::Throttled, Some(Duration::from_secs(seconds)));
        let pause = policy.pause(1, Duration::MAX, &asked(30), &Budget::new());
        assert_eq!(pause, Some(Duration::from_secs(30)));
        assert_eq!(policy.pause(1, Duration::MAX, &asked(121), &Budget::new()), None);
    }

    #[test]
    fn a_call_may_allow_less_than_the_policy() {
        let patient = Duration::from_secs(3_600);
        let policy = RetryPolicy::new().attempts(40).base(patient).cap(patient);
        let longest = Duration::from_secs(20);
        let asked = |seconds| failure(Fate::NoAnswer, Some(Duration::from_secs(seconds)));
        for attempt in 1..10 {
            let pause = policy.pause(attempt, longest, &asked(0), &Budget::new());
            assert!(pause.is_some_and(|pause| pause <= longest), "{pause:?}");
        }
        assert_eq!(policy.pause(1, longest, &asked(20), &Budget::new()), Some(longest));
        assert_eq!(policy.pause(1, longest, &asked(21), &Budget::new()), None);
    }

    #[test]
    fn the_budget_ends_repeating_and_successes_pay_it_back() {
        let (policy, budget) = (RetryPolicy::new(), Budget::new());
        let failed = failure(Fate::NoAnswer, None);
        let repeats = (0..1_000)
            .filter(|_| policy.pause(1, Duration::MAX, &failed, &budget).is_some())
            .count();
        assert_eq!(repeats, 35);
        for _ in 0..COST {
            budget.refill();
        }
        assert!(policy.pause(1, Duration::MAX, &failed, &budget).is_some());
    }

    #[test]
    fn never_gives_up_at_once() {
        let pause = RetryPolicy::never().pause(
            1,
            Duration::MAX,
            &failure(Fate::Throttled, None),
            &Budget::new(),
        );
        assert_eq!(pause, None);
    }
}
