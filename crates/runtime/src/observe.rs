//! Observations: events for metrics, of each call, retry and 429.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::ErrorKind;

/// An event reported to [`ServiceBuilder::observe`](crate::ServiceBuilder::observe), for counters
/// and histograms of any metrics library.
///
/// A call that is dropped before its response arrives, such as by a timeout around it, reports no
/// `CallEnded`. No field is secret. `operation` is the name of the operation, and `query` or
/// `mutation` for GraphQL.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Observation<'a> {
    /// A call has ended, with or without a response. Reported once per call, however often it was
    /// retried.
    #[non_exhaustive]
    CallEnded {
        /// The operation.
        operation: &'static str,
        /// The [scope](crate::Call::scope) of the call's rate limit, if it has one.
        scope: Option<&'a str>,
        /// The number of attempts.
        attempts: u32,
        /// The total time spent waiting for the rate limiter.
        limiter_wait: Duration,
        /// The total duration, all attempts and waiting included.
        elapsed: Duration,
        /// The last HTTP status, if there was a response.
        status: Option<u16>,
        /// The kind of failure; `None` for a success.
        error: Option<ErrorKind>,
    },
    /// An attempt has failed, and the call is retried after `pause`.
    #[non_exhaustive]
    Retried {
        /// The operation.
        operation: &'static str,
        /// The [scope](crate::Call::scope) of the call's rate limit, if it has one.
        scope: Option<&'a str>,
        /// The kind of failure; a 429 is [`ErrorKind::RateLimited`].
        error: ErrorKind,
        /// The time before the next attempt.
        pause: Duration,
    },
    /// An attempt got a 429, whether or not it is retried.
    #[non_exhaustive]
    Throttled {
        /// The operation.
        operation: &'static str,
        /// The [scope](crate::Call::scope) of the call's rate limit, if it has one.
        scope: Option<&'a str>,
        /// `Retry-After`, if the service sent it.
        retry_after: Option<Duration>,
    },
    /// A call has waited a second for the rate limiter, and continues to wait. Reported once for
    /// each such wait, and again whenever announced limits have started anew without admitting it.
    #[non_exhaustive]
    Limited {
        /// The operation.
        operation: &'static str,
        /// The [scope](crate::Call::scope) of the call's rate limit, if it has one.
        scope: Option<&'a str>,
        /// The time until the limits that the service announces start anew, if the call waits for
        /// those.
        reset: Option<Duration>,
    },
}

type Report = dyn Fn(&Observation<'_>) + Send + Sync;

/// The function that receives observations, if any.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<Report>>);

impl Observer {
    /// Reports to this function.
    pub fn new(report: impl Fn(&Observation<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(report)))
    }

    /// Makes the observation only if there is a function to call.
    pub fn report<'a>(&self, observation: impl FnOnce() -> Observation<'a>) {
        if let Some(report) = &self.0 {
            report(&observation());
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(..)" } else { "None" })
    }
}
