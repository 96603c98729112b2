//! The settings of the limiter.

use super::Limit;

/// How the client keeps to the service's rate limits ([Rate limits](crate#the-interface)): calls wait
/// for their turn instead of being answered 429.
///
/// The service limits each operation of the queue interface per endpoint and user, both in requests
/// in ten seconds and in requests at the same time: `/run`, for one, to 1000 and 200. The client
/// counts the calls of all its clones and sends none that could exceed that, first in, first out, at
/// more than 99 % of the allowed rate while the service answers within a tenth of a second. A request
/// counts until ten seconds after its answer, so a slow answer costs rate: `/runsync` with jobs of two
/// seconds gets five sixths, at worst. After a pause it sends up to a quarter of the requests at
/// once, and the others evenly. The time that a call waits for its turn does not count for
/// [`ClientBuilder::timeout`](crate::ClientBuilder::timeout). A call that is not polled while it waits
/// is passed over, and gets back to its place when it is polled. The status reads of a wait or a
/// stream go first once a result could otherwise expire unread; seven in a row at most, while other
/// calls wait, too. `/retry`, `/health` and the other
/// interfaces have no documented limit, and do not wait.
///
/// Where others use the same account, the service can answer 429 nevertheless. The client then halts
/// the operation on that endpoint for a moment, lowers its rate by 30 %, and raises it again step by
/// step; the calls are sent again by the [`RetryPolicy`](crate::RetryPolicy). With a
/// [share](Self::share) for each it does not come to that.
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
#[must_use = "a setting does nothing until it is given to a client's builder"]
pub struct RateLimits {
    on: bool,
    share: f64,
    requests_per_worker: u64,
}

impl RateLimits {
    /// The documented limits, all of them for this client.
    pub fn new() -> Self {
        Self { on: true, share: 1.0, requests_per_worker: 0 }
    }

    /// No limits: each call is sent at once.
    pub fn off() -> Self {
        Self { on: false, ..Self::new() }
    }

    /// The share of the account's limits that this client may use, above 0 and up to 1; 1 by default.
    /// Of each limit it is rounded down, but never to less than one request. Another value is refused
    /// when the client is built.
    pub fn share(mut self, share: f64) -> Self {
        self.share = share;
        self
    }

    /// How many requests in ten seconds the service allows for each running worker. The effective rate
    /// is the higher of the documented one and `running workers × requests_per_worker`.
    ///
    /// The interface does not show this number; 0 by default, so that the documented rates hold. How
    /// many workers run is taken from the answers to [`Endpoint::health`](crate::Endpoint::health), on
    /// this client or its clones: the limits follow each of them at once, those of calls that wait
    /// included. Ask for it as often as the workers change. It is forgotten with the endpoint, once
    /// that has been idle for ten seconds and many others are in use.
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
