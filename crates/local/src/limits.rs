//! Rate limits (interface: "Rate limits (per endpoint, per user)").

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::clock::{Clock, Moment};
use crate::operation::Operation;
use crate::refusal::Refusal;
use crate::sync::locked;

const SPAN: Duration = Duration::from_secs(10);

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
        }
    }

    /// Sets the limits of one operation of the queue.
    #[must_use]
    pub fn limit(mut self, operation: Operation, limit: RateLimit) -> Self {
        self.table.insert(operation, limit);
        self
    }

    /// Sets the windows over which requests are counted.
    #[must_use]
    pub fn window(mut self, window: RateWindow) -> Self {
        self.window = window;
        self
    }

    /// Sets the factor of the dynamic rule: the allowed number of requests is at least this many for
    /// each running worker. The interface does not document the value; it is 0 by default, which
    /// disables the rule.
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

/// Who is counted together: a user, an endpoint, an operation.
type Account = (usize, Arc<str>, Operation);

/// Counts requests, and lets those through that the limits allow.
pub(crate) struct Limiter {
    limits: RateLimits,
    clock: Clock,
    accounts: Arc<Mutex<HashMap<Account, Usage>>>,
    /// Grows with each request that is let through or refused.
    revision: AtomicU64,
}

#[derive(Debug, Default)]
struct Usage {
    /// When the requests of the last 10 seconds were let through.
    admitted: VecDeque<Moment>,
    under_way: usize,
    /// How many were not let through, ever.
    refused: u64,
}

/// How far a user has used the limits of an operation of an endpoint.
#[derive(Clone, Debug)]
pub(crate) struct LimitUse {
    pub(crate) endpoint: Arc<str>,
    pub(crate) operation: Operation,
    /// The requests that count now.
    pub(crate) used: usize,
    pub(crate) refused: u64,
}

/// A request that was let through. It counts as under way until this is dropped.
pub(crate) struct Slot {
    account: Account,
    accounts: Arc<Mutex<HashMap<Account, Usage>>>,
}

impl Limiter {
    pub(crate) fn new(limits: RateLimits, clock: Clock) -> Self {
        Self { limits, clock, accounts: Arc::default(), revision: AtomicU64::new(0) }
    }

    /// Lets a request through, or says when to come again. Without a limit there is no slot.
    pub(crate) fn admit(
        &self,
        user: usize,
        endpoint: &Arc<str>,
        operation: Operation,
        running_workers: impl FnOnce() -> usize,
    ) -> Result<Option<Slot>, Refusal> {
        let Some(limit) = self.limits.of(operation) else { return Ok(None) };
        let requests = self.allowed(limit, running_workers);
        let account = (user, endpoint.clone(), operation);
        let admitted = self.count(limit, requests, account);
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.clock.changes().note();
        admitted.map(Some)
    }

    /// How many requests a limit allows.
    fn allowed(&self, limit: RateLimit, running_workers: impl FnOnce() -> usize) -> usize {
        match self.limits.requests_per_worker {
            0 => limit.requests,
            factor => limit.requests.max(factor.saturating_mul(running_workers())),
        }
    }

    fn count(&self, limit: RateLimit, requests: usize, account: Account) -> Result<Slot, Refusal> {
        let mut accounts = locked(&self.accounts);
        let now = self.clock.now();
        let usage = accounts.entry(account.clone()).or_default();
        usage.forget(self.limits.window, now);
        if usage.admitted.len() >= requests {
            usage.refused += 1;
            let wait = usage.until_free(self.limits.window, requests, now);
            let what = format!("{requests} requests in 10 seconds");
            return Err(self.refuse(&what, wait));
        }
        if let Some(concurrent) = limit.concurrent
            && usage.under_way >= concurrent
        {
            usage.refused += 1;
            let what = format!("{concurrent} requests in flight");
            return Err(self.refuse(&what, Duration::from_secs(1)));
        }
        usage.admitted.push_back(now);
        usage.under_way += 1;
        Ok(Slot { account, accounts: self.accounts.clone() })
    }

    /// Grows with each request that is let through or refused.
    pub(crate) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Relaxed)
    }

    /// How far each operation's limits are used by the user that has used most of them.
    pub(crate) fn usage(&self) -> Vec<LimitUse> {
        let mut accounts = locked(&self.accounts);
        let now = self.clock.now();
        let mut all: BTreeMap<(Arc<str>, Operation), LimitUse> = BTreeMap::new();
        for ((_, endpoint, operation), usage) in accounts.iter_mut() {
            usage.forget(self.limits.window, now);
            let (endpoint, operation) = (endpoint.clone(), *operation);
            let of_all = all.entry((endpoint.clone(), operation));
            let of_all = of_all.or_insert(LimitUse { endpoint, operation, used: 0, refused: 0 });
            of_all.used = of_all.used.max(usage.admitted.len());
            of_all.refused += usage.refused;
        }
        all.into_values().collect()
    }

    /// How many requests of an operation are allowed in the window, and how long that is.
    pub(crate) fn allowance(
        &self,
        operation: Operation,
        running_workers: impl FnOnce() -> usize,
    ) -> (usize, Duration) {
        let limit = self.limits.of(operation);
        (limit.map_or(0, |limit| self.allowed(limit, running_workers)), SPAN)
    }

    fn refuse(&self, what: &str, wait: Duration) -> Refusal {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let message = format!("rate limit exceeded: {what} for this operation, endpoint and user");
        Refusal::too_many_requests(message, self.limits.retry_after.then_some(seconds))
    }
}

impl Usage {
    /// Drops what the window no longer counts.
    fn forget(&mut self, window: RateWindow, now: Moment) {
        let counted = |at: Moment| match window {
            RateWindow::Sliding => at.saturating_add(SPAN) > now,
            RateWindow::Fixed(phase) => span_end(at, phase) > now,
        };
        while self.admitted.front().is_some_and(|at| !counted(*at)) {
            self.admitted.pop_front();
        }
    }

    /// How long until another request is let through.
    fn until_free(&self, window: RateWindow, requests: usize, now: Moment) -> Duration {
        let free_at = match window {
            RateWindow::Sliding => {
                // After the limit has fallen, more than one must go.
                let index = self.admitted.len().saturating_sub(requests.max(1));
                self.admitted.get(index).map_or(now, |at| at.saturating_add(SPAN))
            }
            RateWindow::Fixed(phase) => span_end(now, phase),
        };
        free_at.saturating_sub(now)
    }
}

/// The end of the fixed span that a moment lies in.
fn span_end(at: Moment, phase: Duration) -> Moment {
    let (span, phase) = (SPAN.as_nanos(), phase.as_nanos() % SPAN.as_nanos());
    let since_phase = (at.as_nanos() + span - phase) % span;
    let left = u64::try_from(span - since_phase).unwrap_or(u64::MAX);
    at.saturating_add(Duration::from_nanos(left))
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(usage) = locked(&self.accounts).get_mut(&self.account) {
            usage.under_way = usage.under_way.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_span_ends_at_its_phase() {
        let ms = Duration::from_millis;
        assert_eq!(span_end(ms(0), ms(0)), ms(10_000));
        assert_eq!(span_end(ms(9_999), ms(0)), ms(10_000));
        assert_eq!(span_end(ms(10_000), ms(0)), ms(20_000));
        assert_eq!(span_end(ms(0), ms(3_000)), ms(3_000));
        assert_eq!(span_end(ms(3_000), ms(3_000)), ms(13_000));
        assert_eq!(span_end(ms(3_000), ms(23_000)), ms(13_000));
    }
}
