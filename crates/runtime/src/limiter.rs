//! Rate limiter: no request above the documented rates and concurrencies, and almost all of them
//! used.
//!
//! Each pair of a scope and an operation has an [`OperationLimiter`](operation::OperationLimiter),
//! shared by all clones of a service. Requests wait in its [fair queue](crate::fair_queue) until
//! four parts agree:
//!
//! - the [sliding-window log](window_log): the service can still count fewer than N requests;
//! - the [concurrency limit](concurrency): fewer requests are open than the documented concurrency;
//! - the [token bucket](token_bucket): after a burst, requests are spaced evenly instead of being
//!   sent all at once every ten seconds;
//! - the [throttle backoff](throttle_backoff): the service has not just returned a 429, which
//!   happens if other clients use the same account.
//!
//! If several processes [share](shared) a limit, a request also needs one of the permits that its
//! process was granted.
//!
//! Beside the operations' limits, all requests to a service together keep the limits that it
//! [announces](announced).
//!
//! # States of a request
//!
//! ```text
//! waiting -> admitted -> sent -> answered -> finished
//!                |         |         |
//!                |         +---------+-> abandoned: occupies its slot for ABANDONED_GRACE, counts like an answered request
//!                +-> withdrawn: never sent, refunded
//! ```
//!
//! # Invariant
//!
//! In any ten seconds, fixed or sliding, the service counts at most N requests of an operation,
//! however it counts and whatever the network does.
//!
//! A request counts from its send until ten seconds after the head of its response arrived. The
//! service has counted it at some moment in between. Of any N + 1 requests the last was sent when
//! the first no longer counted, so no window of ten seconds contains all of them. Counting only
//! until the request has arrived would require a report of its arrival, which the HTTP client does
//! not make: it may still be connecting.
//!
//! The price is the round trip: N requests in ten seconds and a round trip. If the service holds
//! requests open, it costs more: a sixth of the rate at worst, with responses after two seconds,
//! and nothing below a few dozen milliseconds or above two and a half seconds, where the
//! concurrency is the bound.
//!
//! A caller that is not polled cannot report the progress of its request. The request is
//! [in flight](crate::in_flight) until its timeout, and is then taken for abandoned.
//!
//! Checked by: `tests::explored` explores all short runs, `tests::simulation` measures against a
//! simulated service that counts by several algorithms at once, `tests` has the transitions above.

#[cfg(feature = "announced-limits")]
mod announced;
mod concurrency;
mod operation;
mod registry;
#[cfg(feature = "shared-limits")]
mod shared;
mod throttle_backoff;
mod token_bucket;
mod window_log;

#[cfg(test)]
mod tests;

#[cfg(feature = "announced-limits")]
pub(crate) use announced::{AnnouncedLimits, AnnouncedPermit};
pub(crate) use operation::Permit;
pub(crate) use registry::Limiter;
#[cfg(feature = "shared-limits")]
pub use shared::{ChangeRecords, LimitStore, SharedLimits, StoreError};

use std::time::Duration;

/// A rate limit: the rate and the concurrency that the service admits for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Requests in ten seconds.
    pub(crate) requests: u64,
    /// Requests at the same time.
    pub(crate) concurrent: Option<u64>,
}

impl Limit {
    /// A limit of this many requests in any ten seconds.
    #[must_use]
    pub const fn new(requests: u64) -> Self {
        Self { requests, concurrent: None }
    }

    /// Limits the requests at the same time, too.
    #[must_use]
    pub const fn concurrent(mut self, requests: u64) -> Self {
        self.concurrent = Some(requests);
        self
    }
}

/// Settings of the rate limiter: calls whose operation has a limit ([`Operation::limit`]) wait on
/// the client side instead of getting a 429.
///
/// The limits of an operation hold for each [scope](crate::Call::scope), both in requests per ten
/// seconds and in concurrent requests. Calls are sent first in, first out; a call that could exceed
/// a limit is held back. More than 99 % of the allowed rate is reached as long as the service
/// responds within 100 ms. A request counts until ten seconds after its response, so slow responses
/// cost throughput: a sixth of the rate at worst, if they take two seconds. After an idle period,
/// up to a quarter of the requests are sent at once and all further requests evenly spaced. Waiting
/// for the rate limiter does not count towards [`timeout`](crate::ServiceBuilder::timeout). A call
/// that is not polled while it waits is skipped, and gets its place back when it is polled. Urgent
/// calls go first, but at most seven in a row while other calls wait, too.
///
/// If other clients use the same account, the service may still return a 429. The operation is then
/// paused briefly in that scope, and its rate is lowered by 30 % and raised again step by step; the
/// calls are retried according to the [`RetryPolicy`](crate::RetryPolicy). Give each client a
/// [share](Self::share) to avoid that.
///
/// With the feature `announced-limits`, calls also wait for the limits that a service announces in
/// `RateLimit` and `RateLimit-Policy` fields of its responses, such as 60 requests a minute and
/// 3,000 an hour, which all operations share. Such a wait may be long: until the next hour. The
/// [`call_timeout`](crate::ServiceBuilder::call_timeout) bounds it. A service that announces nothing
/// is not limited.
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

    fn are_on(&self) -> bool {
        self.on
    }

    /// The limit to keep if the service admits at least `least` requests.
    fn effective(&self, documented: Limit, least: u64) -> Limit {
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

/// The window of all documented rates.
const WINDOW: Duration = Duration::from_secs(10);

/// The time after which the service no longer receives a request that the client has abandoned.
pub(crate) const ABANDONED_GRACE: Duration = Duration::from_millis(250);
