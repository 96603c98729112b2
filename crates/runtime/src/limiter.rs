//! Rate limiter: no request above the documented rates and concurrencies, and almost all of them used.
//!
//! Each pair of a scope and an operation has a [`OperationLimiter`], which all clones of a service share. A
//! request passes it in the order of its [line](crate::fair_queue), once four parts agree:
//!
//! - the [log](window_log): fewer than N requests can still be counted by the service. A request counts
//!   from its send until ten seconds after the head of its response arrived. The service admitted
//!   it at some moment in between, so whatever ten seconds the service looks at, fixed or sliding,
//!   it finds at most N: of any N + 1 requests the last was sent when the first no longer counted;
//! - the [concurrency](concurrency): fewer requests are open than the documented concurrency;
//! - the [bucket](token_bucket): after a burst, requests go out evenly, and not all at once every ten seconds;
//! - the [backoff](throttle_backoff): the service has not just returned a 429, which happens if others use the
//!   same account.
//!
//! Counting until the response is safe whatever the network does, and costs the round trip: N
//! requests in ten seconds and a round trip. If the response itself comes late, of a request that the service holds open,
//! it costs more: a sixth of the rate at worst, with responses after two seconds, and nothing below a few
//! dozen milliseconds or above two and a half seconds, where the concurrency is what limits.
//! Counting only until the request has arrived would require a report of that, which the HTTP
//! client does not make: it may still be connecting.
//!
//! A request whose caller is not polled cannot tell how it fared. It is [under way](crate::in_flight) until
//! the time of its attempt is over, and then counts as one that was given up.
//!
//! Where several processes [share](shared) a limit, a request also needs one of the permits that
//! its process was given.
//!
//! Nothing in here knows an operation by name, and nothing has a timer unless somebody waits.

mod concurrency;
mod operation;
mod registry;
mod settings;
#[cfg(feature = "shared-limits")]
mod shared;
mod throttle_backoff;
mod token_bucket;
mod window_log;

#[cfg(test)]
mod model;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

pub(crate) use operation::Permit;
pub(crate) use registry::Limiter;
pub use settings::RateLimits;
#[cfg(feature = "shared-limits")]
pub use shared::{ChangeRecords, LimitStore, SharedLimits, StoreError};

use std::time::Duration;

/// A rate limit: how much of an operation the service admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Requests in ten seconds.
    pub(crate) requests: u64,
    /// Requests at the same time.
    pub(crate) concurrent: Option<u64>,
}

impl Limit {
    /// So many requests in any ten seconds.
    #[must_use]
    pub const fn new(requests: u64) -> Self {
        Self { requests, concurrent: None }
    }

    /// So many requests at the same time.
    #[must_use]
    pub const fn concurrent(mut self, requests: u64) -> Self {
        self.concurrent = Some(requests);
        self
    }
}

/// What all documented rates are counted over.
const WINDOW: Duration = Duration::from_secs(10);

/// How long after the client has given a request up the service may still take it up.
pub(crate) const GRACE: Duration = Duration::from_millis(250);
