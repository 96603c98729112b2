//! Observations: events for metrics, of each call, retry, 429, poll and wait.
//!
//! Those of calls are the runtime's (its own `observe.rs`), with the endpoint added.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::ErrorKind;

/// An event reported to [`ClientBuilder::observe`](crate::ClientBuilder::observe), for counters and
/// histograms of any metrics library.
///
/// A call that is dropped before its response arrives, such as by a timeout around it, reports no
/// `CallEnded`. No field is secret. `operation` is the last literal path segment for the queue
/// interface (`run`, `status`, `purge-queue`), the call's name for the REST interface, and `query`
/// or `mutation` for GraphQL. It has few distinct values, as has `endpoint_id`, so both are
/// suitable as labels; `job_id` is not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Observation<'a> {
    /// A call has ended, with or without a response. Reported once per call, however often it was
    /// retried.
    #[non_exhaustive]
    CallEnded {
        /// The operation.
        operation: &'static str,
        /// The endpoint, for calls of the queue interface.
        endpoint_id: Option<&'a str>,
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
        /// The endpoint, for calls of the queue interface.
        endpoint_id: Option<&'a str>,
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
        /// The endpoint, for calls of the queue interface.
        endpoint_id: Option<&'a str>,
        /// `Retry-After`, if the service sent it.
        retry_after: Option<Duration>,
    },
    /// A call has waited a second for the rate limiter, and continues to wait. Reported once for
    /// each such wait, and again whenever announced limits have started anew without admitting it.
    #[non_exhaustive]
    Limited {
        /// The operation.
        operation: &'static str,
        /// The endpoint, for calls of the queue interface.
        endpoint_id: Option<&'a str>,
        /// The time until the limits that the service announces start anew, if the call waits for
        /// those.
        reset: Option<Duration>,
    },
    /// A wait is about to poll its job's status, or a stream its chunks or the status.
    #[non_exhaustive]
    Polled {
        /// `status` or `stream`.
        operation: &'static str,
        /// The endpoint.
        endpoint_id: &'a str,
        /// The job.
        job_id: &'a str,
    },
    /// A wait for a job has ended: by a response, by a webhook, or at its deadline. A wait that is
    /// dropped is not reported.
    #[non_exhaustive]
    WaitEnded {
        /// The endpoint.
        endpoint_id: &'a str,
        /// The job.
        job_id: &'a str,
        /// The number of polls of the status.
        polls: u64,
        /// The duration of the wait.
        elapsed: Duration,
        /// The kind of failure; `None` for a completed job.
        error: Option<ErrorKind>,
    },
}

impl<'a> Observation<'a> {
    /// A call's observation; `None` for an observation unknown to this version.
    fn of_call(observation: &podqueue_runtime::Observation<'a>) -> Option<Self> {
        use podqueue_runtime::Observation as Of;
        Some(match *observation {
            Of::CallEnded {
                operation,
                scope,
                attempts,
                limiter_wait,
                elapsed,
                status,
                error,
                ..
            } => Self::CallEnded {
                operation,
                endpoint_id: scope,
                attempts,
                limiter_wait,
                elapsed,
                status,
                error: error.map(Into::into),
            },
            Of::Retried { operation, scope, error, pause, .. } => {
                Self::Retried { operation, endpoint_id: scope, error: error.into(), pause }
            }
            Of::Throttled { operation, scope, retry_after, .. } => {
                Self::Throttled { operation, endpoint_id: scope, retry_after }
            }
            Of::Limited { operation, scope, reset, .. } => {
                Self::Limited { operation, endpoint_id: scope, reset }
            }
            // The runtime's events may grow; `tests/client/observations.rs` checks this list.
            _ => return None,
        })
    }
}

type Report = dyn Fn(&Observation<'_>) + Send + Sync;

/// The function that receives observations, if any.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<Report>>);

impl Observer {
    pub(crate) fn new(report: impl Fn(&Observation<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(report)))
    }

    /// The runtime's observer, which calls the same function.
    pub(crate) fn of_calls(&self) -> podqueue_runtime::__private::Observer {
        match self.0.clone() {
            None => Default::default(),
            Some(report) => podqueue_runtime::__private::Observer::new(move |observation| {
                if let Some(observation) = Observation::of_call(observation) {
                    report(&observation);
                }
            }),
        }
    }

    /// Makes the observation only if there is a function to call.
    pub(crate) fn report<'a>(&self, observation: impl FnOnce() -> Observation<'a>) {
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
