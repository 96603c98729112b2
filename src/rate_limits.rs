//! Rate limit settings of a client; `queue::operations` has the documented limits.

/// Settings for staying within the service's rate limits ([Rate limits](crate#the-interface)):
/// calls wait on the client side instead of getting a 429.
///
/// The service limits each operation of the queue interface per endpoint and user, both in requests
/// per ten seconds and in concurrent requests: `/run`, for example, to 1000 and 200. The client
/// counts the calls of all its clones, sends them first in, first out, and holds back any call
/// that could exceed these limits. It reaches more than 99 % of the allowed rate as long as the
/// service responds within 100 ms. A request counts until ten seconds after its response, so slow
/// responses cost throughput: `/runsync` with jobs of two seconds reaches five sixths of the
/// allowed rate at worst. After an idle period, up to a quarter of the requests are sent at once
/// and all further requests evenly spaced. Waiting for the rate limiter does not count towards
/// [`ClientBuilder::timeout`](crate::ClientBuilder::timeout). A call that is not polled while it
/// waits is skipped, and gets its place back when it is polled. The status reads of a wait or a
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
    limits: podqueue_runtime::RateLimits,
    requests_per_worker: u64,
}

impl RateLimits {
    /// The documented limits, all for this client.
    pub fn new() -> Self {
        Self { limits: podqueue_runtime::RateLimits::new(), requests_per_worker: 0 }
    }

    /// No limits: each call is sent at once.
    pub fn off() -> Self {
        Self { limits: podqueue_runtime::RateLimits::off(), ..Self::new() }
    }

    /// The share of the account's limits that this client may use, above 0 and up to 1; 1 by
    /// default. Each resulting limit is rounded down, but is at least one request. Any other value
    /// is an error when the client is built.
    pub fn share(mut self, share: f64) -> Self {
        self.limits = self.limits.share(share);
        self
    }

    /// Sets the number of requests per ten seconds that the service allows for each running worker.
    /// The effective rate is the higher of the documented rate and
    /// `running workers × requests_per_worker`.
    ///
    /// The interface does not document this number; it is 0 by default, so that the documented
    /// rates apply. The number of running workers is taken from the responses to
    /// [`Endpoint::health`](crate::Endpoint::health) on this client or its clones; the limits
    /// follow each response at once, also for calls that already wait. Call it whenever the number
    /// of workers may have changed. The number is forgotten along with the endpoint, once the
    /// endpoint has been idle for ten seconds and many other endpoints are in use.
    pub fn requests_per_worker(mut self, requests: u64) -> Self {
        self.requests_per_worker = requests;
        self
    }

    pub(crate) fn limits(&self) -> &podqueue_runtime::RateLimits {
        &self.limits
    }

    /// The least limit of each operation with this number of running workers, if it depends on
    /// them.
    pub(crate) fn least(&self, running_workers: u64) -> Option<u64> {
        (self.requests_per_worker > 0)
            .then(|| running_workers.saturating_mul(self.requests_per_worker))
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self::new()
    }
}
