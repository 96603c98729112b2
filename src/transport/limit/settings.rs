//! The settings of the limiter.

use super::Limit;

/// How the client stays within the service's rate limits ([Rate limits](crate#the-interface)):
/// calls wait on the client side instead of getting a 429.
///
/// The service limits each operation of the queue interface per endpoint and user, both in requests
/// per ten seconds and in concurrent requests: `/run`, for example, to 1000 and 200. The client
/// counts the calls of all its clones and sends none that could exceed these limits, first in,
/// first out, at more than 99 % of the allowed rate while the service responds within 100 ms. A
/// request counts until ten seconds after its response, so slow responses cost throughput:
/// `/runsync` with jobs of two seconds reaches five sixths of the allowed rate at worst. After an
/// idle period, up to a quarter of the requests are sent at once and the others evenly spaced.
/// Waiting for the rate limiter does not count towards
/// [`ClientBuilder::timeout`](crate::ClientBuilder::timeout). A call that is not polled while it
/// waits is skipped, and returns to its place when it is polled. The status reads of a wait or a
/// stream go first once a result could otherwise expire unread, but at most seven in a row while
/// other calls wait, too. `/retry`, `/health` and the other interfaces have no documented limit and
/// do not wait.
///
/// If other clients use the same account, the service may still return a 429. The client then
/// pauses the operation on that endpoint briefly, lowers its rate by 30 %, and raises it again step
/// by step; the calls are retried according to the [`RetryPolicy`](crate::RetryPolicy). Give each
/// client a [share](Self::share) to avoid that.
///
/// ```
/// use podqueue::{Client, RateLimits};
///
/// let client = Client::builder()
///     .api_key("the-key")
///     .base_url("https://queue.example")
///     .rate_limits(RateLimits::new().share(0.5))
///     .build()?;
/// # let _ = client;
/// # Ok::<(), podqueue::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a setting does nothing until it is passed to a client's builder"]
pub struct RateLimits {
    on: bool,
    share: f64,
    requests_per_worker: u64,
}

impl RateLimits {
    /// The documented limits, all for this client.
    pub fn new() -> Self {
        Self { on: true, share: 1.0, requests_per_worker: 0 }
    }

    /// No limits: each call is sent at once.
    pub fn off() -> Self {
        Self { on: false, ..Self::new() }
    }

    /// The share of the account's limits that this client may use, above 0 and up to 1; 1 by
    /// default. Each resulting limit is rounded down, but is at least one request. Any other value
    /// is an error when the client is built.
    pub fn share(mut self, share: f64) -> Self {
        self.share = share;
        self
    }

    /// How many requests per ten seconds the service allows for each running worker. The effective
    /// rate is the higher of the documented one and `running workers × requests_per_worker`.
    ///
    /// The interface does not document this number; it is 0 by default, so that the documented
    /// rates apply. The number of running workers is taken from the responses to
    /// [`Endpoint::health`](crate::Endpoint::health) on this client or its clones; the limits
    /// follow each response at once, also for calls that already wait. Call it as often as the
    /// number of workers changes. It is forgotten along with the endpoint, once that has been idle
    /// for ten seconds and many others are in use.
    pub fn requests_per_worker(mut self, requests: u64) -> Self {
        self.requests_per_worker = requests;
        self
    }

    pub(crate) fn share_is_usable(&self) -> bool {
        self.share > 0.0 && self.share <= 1.0
    }

    pub(super) fn are_on(&self) -> bool {
        self.on
    }

    pub(super) fn depend_on_workers(&self) -> bool {
        self.on && self.requests_per_worker > 0
    }

    /// The limit to keep while so many workers run.
    pub(super) fn effective(&self, documented: Limit, running_workers: u64) -> Limit {
        let by_workers = running_workers.saturating_mul(self.requests_per_worker);
        Limit {
            requests: self.part_of(documented.requests.max(by_workers)),
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
