//! Rate limits of the emulated service (interface: "Rate limits (per endpoint, per user)"): a
//! sliding-window log, or a fixed window, and a concurrency limit for each user, endpoint and
//! operation.
//!
//! [`RateLimits::documented`] has the table. The rate limiter of the client is unrelated, so that
//! each is tested against the other.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::clock::{Clock, Moment};
use crate::error::Refusal;
use crate::operation::Operation;
use crate::tasks::locked;

/// The length of the window.
const WINDOW: Duration = Duration::from_secs(10);

/// The limits of one operation, for each user and endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of requests allowed in 10 seconds.
    pub requests: usize,
    /// The number of requests that may be in flight at once; `None` for no limit.
    pub concurrent: Option<usize>,
}

/// The 10-second windows over which requests are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateWindow {
    /// Any span of 10 seconds: the strictest interpretation of the table.
    #[default]
    Sliding,
    /// Consecutive windows, the first of which ends this long after the service's clock started.
    Fixed(Duration),
}

/// The rate limits of a service, for [`Builder::rate_limits`](crate::Builder::rate_limits).
///
/// ```
/// use podqueue_local::{LocalService, Operation, RateLimits, RateWindow};
///
/// let builder = LocalService::builder().rate_limits(
///     RateLimits::documented().window(RateWindow::Sliding).requests_per_worker(100),
/// );
/// assert_eq!(RateLimits::documented().of(Operation::PurgeQueue).unwrap().requests, 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimits {
    table: BTreeMap<Operation, RateLimit>,
    window: RateWindow,
    requests_per_worker: usize,
    retry_after: bool,
    account: Option<[u64; 3]>,
}

impl RateLimits {
    /// Returns the documented limits. Operations that the documentation does not list have none.
    pub fn documented() -> Self {
        let table = [
            (Operation::RunSync, 2000, Some(400)),
            (Operation::Run, 1000, Some(200)),
            (Operation::Status, 2000, Some(400)),
            (Operation::Stream, 2000, Some(400)),
            (Operation::Cancel, 100, Some(20)),
            (Operation::PurgeQueue, 2, None),
            (Operation::OpenAi, 2000, Some(400)),
            (Operation::Requests, 10, Some(2)),
        ];
        let limit =
            |(operation, requests, concurrent)| (operation, RateLimit { requests, concurrent });
        Self {
            table: table.into_iter().map(limit).collect(),
            window: RateWindow::default(),
            requests_per_worker: 0,
            retry_after: true,
            account: Some([60, 3_000, 50_000]),
        }
    }

    /// Sets the limits of one operation of the queue.
    #[must_use]
    pub fn limit(mut self, operation: Operation, limit: RateLimit) -> Self {
        self.table.insert(operation, limit);
        self
    }

    /// Sets how many requests to the account interface each user may send a minute, an hour and a
    /// day, in fixed windows that begin with the service's clock: 60, 3,000 and 50,000 by default.
    /// Its responses announce them, and what remains.
    #[must_use]
    pub fn account_requests(mut self, minute: u64, hour: u64, day: u64) -> Self {
        self.account = Some([minute, hour, day]);
        self
    }

    /// Exempts the account interface: its responses announce no limits.
    #[must_use]
    pub fn without_account_limits(mut self) -> Self {
        self.account = None;
        self
    }

    pub(crate) fn account_quota(&self) -> Option<[u64; 3]> {
        self.account
    }

    /// Sets the windows over which requests are counted.
    #[must_use]
    pub fn window(mut self, window: RateWindow) -> Self {
        self.window = window;
        self
    }

    /// Sets the factor of the dynamic rule: the allowed number of requests is at least this many
    /// for each running worker. The interface does not document the value; it is 0 by default,
    /// which disables the rule.
    #[must_use]
    pub fn requests_per_worker(mut self, requests: usize) -> Self {
        self.requests_per_worker = requests;
        self
    }

    /// Omits the `Retry-After` header from 429 responses.
    #[must_use]
    pub fn without_retry_after(mut self) -> Self {
        self.retry_after = false;
        self
    }

    /// Returns the limits of an operation, if it has any.
    pub fn of(&self, operation: Operation) -> Option<RateLimit> {
        self.table.get(&operation).copied()
    }
}

/// A counter: for a user, an endpoint and an operation.
type CounterKey = (usize, Arc<str>, Operation);

/// Admits the requests that the limits allow.
pub(crate) struct RateLimiter {
    limits: RateLimits,
    clock: Clock,
    counters: Arc<Mutex<HashMap<CounterKey, Usage>>>,
    /// Grows with each request that is admitted or refused.
    revision: AtomicU64,
}

#[derive(Debug, Default)]
struct Usage {
    /// The window log: the times at which the requests of the window were admitted.
    admitted: VecDeque<Moment>,
    in_flight: usize,
    /// The number of all refused requests.
    refused: u64,
}

/// The usage of the limits of an operation of an endpoint.
#[derive(Clone, Debug)]
pub(crate) struct LimitUsage {
    pub(crate) endpoint: Arc<str>,
    pub(crate) operation: Operation,
    /// The requests in the window, of the user with the most.
    pub(crate) used: usize,
    pub(crate) refused: u64,
}

/// Permit of an admitted request, which is in flight until this is dropped.
pub(crate) struct Permit {
    key: CounterKey,
    counters: Arc<Mutex<HashMap<CounterKey, Usage>>>,
}

impl RateLimiter {
    pub(crate) fn new(limits: RateLimits, clock: Clock) -> Self {
        Self { limits, clock, counters: Arc::default(), revision: AtomicU64::new(0) }
    }

    /// Admits a request, or refuses it with the time to retry after. Without a limit there is no
    /// permit.
    pub(crate) fn admit(
        &self,
        user: usize,
        endpoint: &Arc<str>,
        operation: Operation,
        running_workers: impl FnOnce() -> usize,
    ) -> Result<Option<Permit>, Refusal> {
        let Some(limit) = self.limits.of(operation) else { return Ok(None) };
        let requests = self.allowed(limit, running_workers);
        let key = (user, endpoint.clone(), operation);
        let admitted = self.try_admit(limit, requests, key);
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.clock.changes().notify();
        admitted.map(Some)
    }

    /// The number of requests that a limit allows in the window.
    fn allowed(&self, limit: RateLimit, running_workers: impl FnOnce() -> usize) -> usize {
        match self.limits.requests_per_worker {
            0 => limit.requests,
            factor => limit.requests.max(factor.saturating_mul(running_workers())),
        }
    }

    fn try_admit(
        &self,
        limit: RateLimit,
        requests: usize,
        key: CounterKey,
    ) -> Result<Permit, Refusal> {
        let mut counters = locked(&self.counters);
        let now = self.clock.now();
        let usage = counters.entry(key.clone()).or_default();
        usage.expire(self.limits.window, now);
        if usage.admitted.len() >= requests {
            usage.refused += 1;
            let wait = usage.retry_after(self.limits.window, requests, now);
            let what = format!("{requests} requests in 10 seconds");
            return Err(self.refuse(&what, wait));
        }
        if let Some(concurrent) = limit.concurrent
            && usage.in_flight >= concurrent
        {
            usage.refused += 1;
            let what = format!("{concurrent} requests in flight");
            return Err(self.refuse(&what, Duration::from_secs(1)));
        }
        usage.admitted.push_back(now);
        usage.in_flight += 1;
        Ok(Permit { key, counters: self.counters.clone() })
    }

    /// Grows with each request that is admitted or refused.
    pub(crate) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Relaxed)
    }

    /// The usage of each operation by the user with the most requests.
    pub(crate) fn usage(&self) -> Vec<LimitUsage> {
        let mut counters = locked(&self.counters);
        let now = self.clock.now();
        let mut all: BTreeMap<(Arc<str>, Operation), LimitUsage> = BTreeMap::new();
        for ((_, endpoint, operation), usage) in counters.iter_mut() {
            usage.expire(self.limits.window, now);
            let (endpoint, operation) = (endpoint.clone(), *operation);
            let total = all.entry((endpoint.clone(), operation));
            let total = total.or_insert(LimitUsage { endpoint, operation, used: 0, refused: 0 });
            total.used = total.used.max(usage.admitted.len());
            total.refused += usage.refused;
        }
        all.into_values().collect()
    }

    /// The number of requests of an operation that are allowed in the window, and its length.
    pub(crate) fn allowance(
        &self,
        operation: Operation,
        running_workers: impl FnOnce() -> usize,
    ) -> (usize, Duration) {
        let limit = self.limits.of(operation);
        (limit.map_or(0, |limit| self.allowed(limit, running_workers)), WINDOW)
    }

    fn refuse(&self, what: &str, wait: Duration) -> Refusal {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let message = format!("rate limit exceeded: {what} for this operation, endpoint and user");
        Refusal::too_many_requests(message, self.limits.retry_after.then_some(seconds))
    }
}

impl Usage {
    /// Removes the requests that are no longer in the window.
    fn expire(&mut self, window: RateWindow, now: Moment) {
        let counted = |at: Moment| match window {
            RateWindow::Sliding => at.saturating_add(WINDOW) > now,
            RateWindow::Fixed(phase) => window_end(at, phase) > now,
        };
        while self.admitted.front().is_some_and(|at| !counted(*at)) {
            self.admitted.pop_front();
        }
    }

    /// The time until the next request is admitted.
    fn retry_after(&self, window: RateWindow, requests: usize, now: Moment) -> Duration {
        let free_at = match window {
            RateWindow::Sliding => {
                // After the limit was lowered, several requests must leave the window first.
                let index = self.admitted.len().saturating_sub(requests.max(1));
                self.admitted.get(index).map_or(now, |at| at.saturating_add(WINDOW))
            }
            RateWindow::Fixed(phase) => window_end(now, phase),
        };
        free_at.saturating_sub(now)
    }
}

/// The end of the fixed window of a moment.
fn window_end(at: Moment, phase: Duration) -> Moment {
    let (window, phase) = (WINDOW.as_nanos(), phase.as_nanos() % WINDOW.as_nanos());
    let since_phase = (at.as_nanos() + window - phase) % window;
    let left = u64::try_from(window - since_phase).unwrap_or(u64::MAX);
    at.saturating_add(Duration::from_nanos(left))
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(usage) = locked(&self.counters).get_mut(&self.key) {
            usage.in_flight = usage.in_flight.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_window_ends_at_its_phase() {
        let ms = Duration::from_millis;
        assert_eq!(window_end(ms(0), ms(0)), ms(10_000));
        assert_eq!(window_end(ms(9_999), ms(0)), ms(10_000));
        assert_eq!(window_end(ms(10_000), ms(0)), ms(20_000));
        assert_eq!(window_end(ms(0), ms(3_000)), ms(3_000));
        assert_eq!(window_end(ms(3_000), ms(3_000)), ms(13_000));
        assert_eq!(window_end(ms(3_000), ms(23_000)), ms(13_000));
    }
}
