//! Settings of the rate limiter.

use super::Limit;

/// How calls stay within the rate limits of their operations ([`Operation::limit`]): they wait on the
/// client side instead of getting a 429.
///
/// The limits of an operation hold for each [scope](crate::Call::scope), both in requests per ten
/// seconds and in concurrent requests. Calls are sent first in, first out; any that could exceed a
/// limit is held back. More than 99 % of the allowed rate is reached as long as the service responds
/// within 100 ms. A request counts until ten seconds after its response, so slow responses cost
/// throughput: a sixth of the rate at worst, if they take two seconds. After an idle period, up to a
/// quarter of the requests are sent at once and the others evenly spaced. Waiting for the rate limiter
/// does not count towards [`timeout`](crate::ServiceBuilder::timeout). A call that is not polled
/// while it waits is skipped, and gets its place back when it is polled. Urgent calls go first, but at
/// most seven in a row while other calls wait, too.
///
/// If other clients use the same account, the service may still return a 429. The operation is then
/// paused briefly in that scope, and its rate is lowered by 30 % and raised again step by step; the
/// calls are retried according to the [`RetryPolicy`](crate::RetryPolicy). Give each client a
/// [share](Self::share) to avoid that.
///
/// [`Operation::limit`]: crate::Operation::limit
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a setting does nothing until it is passed to a builder"]
pub struct RateLimits {
    on: bool,
    share: f64,
}

impl RateLimits {
    /// The operations' limits, all for this client.
    pub fn new() -> Self {
        Self { on: true, share: 1.0 }
    }

    /// No limits: each call is sent at once.
    pub fn off() -> Self {
        Self { on: false, ..Self::new() }
    }

    /// The share of the account's limits that this client may use, above 0 and up to 1; 1 by
    /// default. Each resulting limit is rounded down, but is at least one request. Any other value
    /// is an error when the service is built.
    pub fn share(mut self, share: f64) -> Self {
        self.share = share;
        self
    }

    pub(crate) fn share_is_usable(&self) -> bool {
        self.share > 0.0 && self.share <= 1.0
    }

    pub(super) fn are_on(&self) -> bool {
        self.on
    }

    /// The limit to keep, where the service admits at least `least` requests.
    pub(super) fn effective(&self, documented: Limit, least: u64) -> Limit {
        Limit {
            requests: self.part_of(documented.requests.max(least)),
            concurrent: documented.concurrent.map(|concurrent| self.part_of(concurrent)),
        }
    }

    fn part_of(&self, limit: u64) -> u64 {
        // 0.29 of 100 is 28.999…
        ((limit as f64 * self.share + 1e-6) as u64).max(1)
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self::new()
    }
}
