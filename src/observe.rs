//! What a client does, for those who count it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::ErrorKind;

/// Something that a client did, as [`ClientBuilder::observe`](crate::ClientBuilder::observe) tells
/// it: for counters and histograms of any metrics library.
///
/// A call that is dropped before it is answered, as by a deadline around it, tells of no end. None of
/// it is secret. `operation` is the last literal part of the path for the queue interface (`run`,
/// `status`, `purge-queue`), the call's name for the REST interface, and `query` or `mutation` for
/// GraphQL; it has few values, and so has `endpoint_id`: both serve as labels. A `job_id` does not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Observation<'a> {
    /// A call has been answered, or given up. There is one for each call, however often it was sent.
    #[non_exhaustive]
    CallEnded {
        /// The operation.
        operation: &'static str,
        /// The endpoint, for calls of the queue interface.
        endpoint_id: Option<&'a str>,
        /// How often it was sent.
        attempts: u32,
        /// How long it waited for its turn at the rate limits, in all.
        limiter_wait: Duration,
        /// How long it took, with all attempts and all waiting.
        elapsed: Duration,
        /// The last HTTP status, where an answer came.
        status: Option<u16>,
        /// How it failed; `None` for a success.
        error: Option<ErrorKind>,
    },
    /// An attempt has failed, and the call is sent again after `pause`.
    #[non_exhaustive]
    Retried {
        /// The operation.
        operation: &'static str,
        /// The endpoint, for calls of the queue interface.
        endpoint_id: Option<&'a str>,
        /// How the attempt failed; a 429 is [`ErrorKind::RateLimited`].
        error: ErrorKind,
        /// How long the client waits before the next attempt.
        pause: Duration,
    },
    /// An attempt was answered 429, whether it is sent again or not.
    #[non_exhaustive]
    Throttled {
        /// The operation.
        operation: &'static str,
        /// The endpoint, for calls of the queue interface.
        endpoint_id: Option<&'a str>,
        /// `Retry-After`, where the service said so.
        retry_after: Option<Duration>,
    },
    /// A wait is about to poll the status of its job, or a stream its chunks or the status.
    #[non_exhaustive]
    Polled {
        /// `status` or `stream`.
        operation: &'static str,
        /// The endpoint.
        endpoint_id: &'a str,
        /// The job.
        job_id: &'a str,
    },
    /// A wait for a job has ended: by a response, by a webhook, or at its deadline. One that is dropped
    /// is not reported.
    #[non_exhaustive]
    WaitEnded {
        /// The endpoint.
        endpoint_id: &'a str,
        /// The job.
        job_id: &'a str,
        /// How often the status was asked for.
        polls: u64,
        /// How long it took.
        elapsed: Duration,
        /// How it failed; `None` for a completed job.
        error: Option<ErrorKind>,
    },
}

type Tell = dyn Fn(&Observation<'_>) + Send + Sync;

/// The function that is told, where there is one.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<Tell>>);

impl Observer {
    pub(crate) fn new(tell: impl Fn(&Observation<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(crate) fn tell(&self, observation: &Observation<'_>) {
        if let Some(tell) = &self.0 {
            tell(observation);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(..)" } else { "None" })
    }
}
