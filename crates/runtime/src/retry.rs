//! Retries: the policy (number of attempts, exponential backoff with full jitter, the `Retry-After`
//! header), and the budget of all calls, a token bucket. `table` decides whether a retry is safe.

mod table;

pub use table::Idempotency;
pub(crate) use table::{AttemptOutcome, FailedAttempt};

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// The number and the delays of retries, if retrying is safe.
///
/// The safety of retrying is up to the call's [`Idempotency`](crate::Idempotency).
///
/// The delay before attempt *n* + 1 is chosen at random between zero and `base × 2^(n-1)`
/// (exponential backoff with full jitter), up to a cap, and is never shorter than the service's
/// `Retry-After` (in seconds or as a date).
///
/// All calls of a service share a retry budget of 100, which every two successes or final refusals
/// replenish by one: it lasts as long as no more than a third of the attempts fail. When nearly
/// everything fails, it runs out, and calls are no longer retried instead of multiplying the load.
/// A retry after a 429 costs half; a retry that is not sent after all, because the call was dropped
/// or had no time left, costs nothing.
///
/// ```
/// use std::time::Duration;
/// use podqueue_runtime::RetryPolicy;
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
    /// The default: three attempts; a base delay of 50 ms after a network or server failure and 1 s
    /// after a 429; a cap of 20 s; and no retry if `Retry-After` exceeds 120 s.
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

    /// Never retries.
    #[must_use]
    pub fn never() -> Self {
        Self { attempts: 1, ..Self::new() }
    }

    /// The maximum number of attempts, the first included. Zero counts as one.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// The base delay after a network or server failure.
    #[must_use]
    pub fn base(mut self, base: Duration) -> Self {
        self.base = base;
        self
    }

    /// The base delay after a 429.
    #[must_use]
    pub fn throttled_base(mut self, base: Duration) -> Self {
        self.throttled_base = base;
        self
    }

    /// The longest backoff delay. A `Retry-After` may be longer.
    #[must_use]
    pub fn cap(mut self, cap: Duration) -> Self {
        self.cap = cap;
        self
    }

    /// The longest `Retry-After` to wait for; if it is longer, the error is returned at once.
    #[must_use]
    pub fn longest_retry_after(mut self, longest: Duration) -> Self {
        self.longest_retry_after = longest;
        self
    }

    /// Returns the time to wait after attempt number `attempt`, or `None` to stop: also if the
    /// service asks for more than `longest`, or than this policy allows.
    pub(crate) fn pause(
        &self,
        attempt: u32,
        longest: Duration,
        failure: &FailedAttempt,
    ) -> Option<Duration> {
        let asked = failure.error.retry_after().unwrap_or_default();
        if attempt >= self.attempts || asked > self.longest_retry_after.min(longest) {
            return None;
        }
        let base = if failure.outcome == AttemptOutcome::Throttled {
            self.throttled_base
        } else {
            self.base
        };
        let ceiling = base.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(self.cap);
        Some(ceiling.mul_f64(fastrand::f64()).max(asked).min(longest))
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new()
    }
}

/// Full budget.
const FULL: i64 = 200;
/// The cost of a retry. A response earns 1, so that with three attempts the budget lasts while
/// fewer than a third of them fail: at a failure rate of p, a call retries p + p² times and
/// succeeds with 1 - p³, and 2(p + p²) < 1 - p³ up to p = 0.35.
const COST: i64 = 2;
/// The cost of a retry after a 429: the limiter slows those down already.
const COST_THROTTLED: i64 = 1;

/// Token bucket for the retries of all calls of a service, which responses refill.
#[derive(Debug)]
pub(crate) struct Budget(AtomicI64);

impl Budget {
    pub(crate) fn new() -> Self {
        Self(AtomicI64::new(FULL))
    }

    /// Reserves the cost of a retry after such an outcome; `None` if too little is left.
    pub(crate) fn reserve(&self, outcome: AttemptOutcome) -> Option<Reserved<'_>> {
        let cost = if outcome == AttemptOutcome::Throttled { COST_THROTTLED } else { COST };
        let take = |left: i64| (left >= cost).then_some(left - cost);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.is_ok().then(|| Reserved { budget: self, cost })
    }

    /// Adds to the budget. Call after a non-transient response.
    pub(crate) fn refill(&self) {
        // A full budget is the common case, and a plain read of it costs no contention.
        if self.0.load(Ordering::Relaxed) < FULL {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The reserved cost of a retry. Returned to the budget if it is dropped before the retry is sent.
pub(crate) struct Reserved<'a> {
    budget: &'a Budget,
    cost: i64,
}

impl Reserved<'_> {
    /// The retry is sent.
    pub(crate) fn spend(mut self) {
        self.cost = 0;
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if self.cost > 0 {
            self.budget.0.fetch_add(self.cost, Ordering::Relaxed);
        }
    }
}

/// Returns the time that the service asks to wait: seconds, or an HTTP date. A date is read against
/// the response's own `Date`, if it has one: the local clock may be off.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let is_time = seconds.is_finite() && seconds >= 0.0;
        // More than a `Duration` holds is no reason to retry at once.
        return is_time.then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let now = date(headers, DATE).unwrap_or_else(SystemTime::now);
    Some(until.duration_since(now).unwrap_or_default())
}

fn date(headers: &HeaderMap, name: HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(headers.get(name)?.to_str().ok()?.trim()).ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;
    use crate::error::{Error, ErrorKind};

    const EPOCH: &str = "Thu, 01 Jan 1970 00:00:00 GMT";

    fn failure(outcome: AttemptOutcome, retry_after: Option<Duration>) -> FailedAttempt {
        let error = Error::new(ErrorKind::Server, "a call", "failed").with_retry_after(retry_after);
        FailedAttempt { outcome, error }
    }

    /// Returns true if the failure is retried and its cost paid.
    fn retries(
        policy: &RetryPolicy,
        attempt: u32,
        failed: &FailedAttempt,
        budget: &Budget,
    ) -> bool {
        let reserved = policy
            .pause(attempt, Duration::MAX, failed)
            .and_then(|_| budget.reserve(failed.outcome));
        reserved.map(Reserved::spend).is_some()
    }

    #[test]
    fn the_reserved_budget_of_an_abandoned_retry_is_returned() {
        let budget = Budget::new();
        for _ in 0..1_000 {
            assert!(
                budget.reserve(AttemptOutcome::Unanswered).is_some(),
                "each is dropped at once"
            );
        }
        let spent =
            std::iter::from_fn(|| budget.reserve(AttemptOutcome::Unanswered).map(Reserved::spend));
        assert_eq!(spent.count(), 100);
        assert!(budget.reserve(AttemptOutcome::Unanswered).is_none());
        assert_eq!(budget.0.into_inner(), 0, "and a refusal gives nothing");
    }

    #[test]
    fn waits_grow_with_full_jitter_up_to_the_cap() {
        let policy = RetryPolicy::new().attempts(40).cap(Duration::from_secs(2));
        for attempt in 1..40 {
            let ceiling = Duration::from_millis(50) * 2_u32.saturating_pow(attempt - 1).min(1_000);
            let pause = policy
                .pause(attempt, Duration::MAX, &failure(AttemptOutcome::Unanswered, None))
                .expect("attempts are left");
            assert!(pause <= ceiling.min(Duration::from_secs(2)), "{attempt}: {pause:?}");
        }
    }

    #[test]
    fn retry_after_is_honored_and_refused_above_the_longest() {
        let policy = RetryPolicy::new();
        let asked =
            |seconds| failure(AttemptOutcome::Throttled, Some(Duration::from_secs(seconds)));
        let pause = policy.pause(1, Duration::MAX, &asked(30));
        assert_eq!(pause, Some(Duration::from_secs(30)));
        assert_eq!(policy.pause(1, Duration::MAX, &asked(121)), None);
    }

    #[test]
    fn a_call_may_allow_less_than_the_policy() {
        let patient = Duration::from_secs(3_600);
        let policy = RetryPolicy::new().attempts(40).base(patient).cap(patient);
        let longest = Duration::from_secs(20);
        let asked =
            |seconds| failure(AttemptOutcome::Unanswered, Some(Duration::from_secs(seconds)));
        for attempt in 1..10 {
            let pause = policy.pause(attempt, longest, &asked(0));
            assert!(pause.is_some_and(|pause| pause <= longest), "{pause:?}");
        }
        assert_eq!(policy.pause(1, longest, &asked(20)), Some(longest));
        assert_eq!(policy.pause(1, longest, &asked(21)), None);
    }

    #[test]
    fn the_budget_ends_retries_and_successes_pay_it_back() {
        let (policy, budget) = (RetryPolicy::new(), Budget::new());
        let failed = failure(AttemptOutcome::Unanswered, None);
        let retried = (0..1_000).filter(|_| retries(&policy, 1, &failed, &budget)).count();
        assert_eq!(retried, 100);
        for _ in 0..COST {
            budget.refill();
        }
        assert!(retries(&policy, 1, &failed, &budget));
    }

    /// Returns the number of calls whose retry the budget denies, and of all attempts, if `failing`
    /// percent of the attempts fail at random.
    fn simulate(calls: u32, failing: u32, seed: u64) -> (u32, u32) {
        let (policy, budget) = (RetryPolicy::new(), Budget::new());
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut denied, mut attempts) = (0, 0);
        for _ in 0..calls {
            for attempt in 1.. {
                attempts += 1;
                if random.u32(0..100) >= failing {
                    budget.refill();
                    break;
                }
                let failed = failure(AttemptOutcome::ServerFailed, None);
                if !retries(&policy, attempt, &failed, &budget) {
                    denied += u32::from(attempt < 3);
                    break;
                }
            }
        }
        (denied, attempts)
    }

    #[test]
    fn the_budget_lasts_below_a_third_of_failures_and_bounds_attempts_if_all_fail() {
        for seed in 0..20 {
            for failing in [5, 10, 20, 30] {
                let (denied, _) = simulate(20_000, failing, seed);
                assert_eq!(denied, 0, "{failing} % fail, seed {seed}");
            }
            let (_, attempts) = simulate(20_000, 100, seed);
            assert_eq!(attempts, 20_100);
            let (_, attempts) = simulate(20_000, 90, seed);
            assert!(attempts < 22_000, "nearly all fails: {attempts} attempts");
        }
    }

    #[test]
    fn the_policy_never_allows_no_retry() {
        let pause =
            RetryPolicy::never().pause(1, Duration::MAX, &failure(AttemptOutcome::Throttled, None));
        assert_eq!(pause, None);
    }

    fn parsed(text: &str, date: Option<&str>) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(text).expect("a header value"));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_str(date).expect("a header value"));
        }
        retry_after(&headers)
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        assert_eq!(parsed("7", None), Some(Duration::from_secs(7)));
        assert_eq!(parsed(" 0.5 ", Some(EPOCH)), Some(Duration::from_millis(500)));
        assert_eq!(parsed(EPOCH, None), Some(Duration::ZERO));
        let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(60));
        for date in [None, Some("no date")] {
            let left = parsed(&later, date).expect("a date");
            assert!(left > Duration::from_secs(50) && left <= Duration::from_secs(60), "{left:?}");
        }
        assert_eq!(parsed(&"9".repeat(30), None), Some(Duration::MAX));
        for nonsense in ["-1", "soon", "inf", "NaN", "1e400"] {
            assert_eq!(parsed(nonsense, None), None, "{nonsense}");
        }
    }

    #[test]
    fn a_date_is_read_against_the_date_of_the_response() {
        let minute_later = "Thu, 01 Jan 1970 00:01:00 GMT";
        assert_eq!(parsed(minute_later, Some(EPOCH)), Some(Duration::from_secs(60)));
        assert_eq!(parsed(EPOCH, Some(minute_later)), Some(Duration::ZERO));
    }
}
