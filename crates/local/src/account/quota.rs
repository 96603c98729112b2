//! Request quota of the account interface: fixed windows of a minute, an hour and a day on the
//! service's clock, for each user.
//!
//! Every response to a user with a quota announces what is left, in the structured fields
//! `RateLimit` and `RateLimit-Policy`. A request that is refused with 429 uses nothing.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::clock::{Clock, Moment};
use crate::tasks::locked;

/// The windows: their names, and their lengths in seconds.
const WINDOWS: [(&str, u64); 3] = [("minute", 60), ("hour", 3_600), ("day", 86_400)];

/// The number of requests that each window admits.
pub(super) type Quota = [u64; 3];

/// Admits the requests that a quota allows.
pub(crate) struct QuotaLimiter {
    quota: Quota,
    clock: Clock,
    users: Mutex<HashMap<usize, [Used; 3]>>,
}

/// The requests in a window.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    /// The number of windows before it.
    window: u64,
    requests: u64,
}

/// The limits that a response announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuotaHeaders {
    pub(crate) limit: String,
    pub(crate) policy: String,
    /// Seconds until a request would be admitted; none if this one was.
    pub(crate) retry_after: Option<u64>,
}

impl QuotaLimiter {
    pub(crate) fn new(quota: Quota, clock: Clock) -> Self {
        Self { quota, clock, users: Mutex::default() }
    }

    /// Admits a request of a user, or refuses it.
    pub(crate) fn admit(&self, user: usize) -> QuotaHeaders {
        let now = self.clock.now();
        let mut users = locked(&self.users);
        let used = users.entry(user).or_default();
        for (used, (_, length)) in used.iter_mut().zip(WINDOWS) {
            let window = now.as_secs() / length;
            if used.window != window {
                *used = Used { window, requests: 0 };
            }
        }
        let windows = || WINDOWS.iter().zip(self.quota).enumerate();
        let exhausted = windows().filter(|(index, (_, quota))| used[*index].requests >= *quota);
        let retry_after = exhausted.map(|(_, ((_, length), _))| left(now, *length)).max();
        if retry_after.is_none() {
            used.iter_mut().for_each(|used| used.requests += 1);
        }
        let limits = windows().map(|(index, ((name, length), quota))| {
            let remaining = quota.saturating_sub(used[index].requests);
            format!("\"{name}\";r={remaining};t={}", left(now, *length))
        });
        let policies = windows()
            .map(|(_, ((name, length), quota))| format!("\"{name}\";q={quota};w={length}"));
        QuotaHeaders {
            limit: limits.collect::<Vec<_>>().join(", "),
            policy: policies.collect::<Vec<_>>().join(", "),
            retry_after,
        }
    }
}

/// The seconds until the next window of a length, rounded up.
fn left(now: Moment, length: u64) -> u64 {
    let end = Duration::from_secs((now.as_secs() / length + 1) * length);
    let left = end - now;
    left.as_secs() + u64::from(left.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_fixed_and_a_refused_request_uses_nothing() {
        let clock = Clock::manual();
        let limiter = QuotaLimiter::new([2, 3, 100], clock.clone());
        clock.advance(Duration::from_millis(15_500));
        let admitted = |remaining: [u64; 3], times: [u64; 3], retry_after| {
            let headers = limiter.admit(0);
            let [minute, hour, day] = remaining;
            let [a, b, c] = times;
            let limit = format!(
                "\"minute\";r={minute};t={a}, \"hour\";r={hour};t={b}, \"day\";r={day};t={c}"
            );
            assert_eq!((headers.limit, headers.retry_after), (limit, retry_after));
        };
        admitted([1, 2, 99], [45, 3_585, 86_385], None);
        admitted([0, 1, 98], [45, 3_585, 86_385], None);
        admitted([0, 1, 98], [45, 3_585, 86_385], Some(45));
        clock.advance(Duration::from_millis(44_500));
        admitted([1, 0, 97], [60, 3_540, 86_340], None);
        admitted([1, 0, 97], [60, 3_540, 86_340], Some(3_540));
        assert_eq!(limiter.admit(1).retry_after, None);
        let policy = "\"minute\";q=2;w=60, \"hour\";q=3;w=3600, \"day\";q=100;w=86400";
        assert_eq!(limiter.admit(2).policy, policy);
    }
}
