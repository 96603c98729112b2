//! Queue context: state shared by all calls to the queue interface.

use podqueue_runtime::Service;

use super::poll_rate::PollRates;
use super::polling::Polling;
use super::retry_listeners::RetryListeners;
use crate::observe::Observer;
use crate::rate_limits::RateLimits;

/// State shared by all calls of a client to the queue interface. Created by
/// [`Client`](crate::Client), held by endpoints and their jobs.
pub(crate) struct Context {
    /// The service at the URL of the queue interface, which refuses calls if the URL was not set.
    pub(crate) service: Service,
    pub(crate) rate_limits: RateLimits,
    pub(crate) polling: Polling,
    pub(crate) poll_rates: PollRates,
    /// The largest bodies of `/run` and `/runsync`, in bytes.
    pub(crate) run_limit: usize,
    pub(crate) run_sync_limit: usize,
    pub(crate) retry_listeners: RetryListeners,
    pub(crate) observer: Observer,
}
