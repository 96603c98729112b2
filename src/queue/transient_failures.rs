//! Transient failures: errors of a poll after which a wait or a stream continues, and for how long.
//!
//! A poll that fails has already been retried by the runtime: its `transport/attempt.rs` classifies
//! the outcome of an attempt, and its `retry/table.rs` decides on the retry.

use std::time::Duration;

use tokio::time::Instant;

use super::gateway::{is_from_gateway, is_job_record};
use super::lifespan::Lifespan;
use super::polling::max_interval;
use crate::error::{Error, ErrorKind};

/// The longest outage, without one successful poll, that a stream or a wait without a deadline
/// survives.
const MAX_OUTAGE: Duration = Duration::from_secs(15 * 60);

/// Duration of an outage: consecutive transient failures. Time in which the wait or stream was not
/// polled does not count.
#[derive(Default)]
pub(super) struct TransientFailures {
    lasted: Duration,
    last_failure: Option<Instant>,
}

impl TransientFailures {
    /// Records a failure, and returns true if the outage has lasted too long. The time between two
    /// failures counts up to the maximum poll interval: if it is longer, the caller did not poll.
    pub(super) fn exceeds_limit(&mut self, job_id: &str) -> bool {
        let now = Instant::now();
        if let Some(last) = self.last_failure.replace(now) {
            self.lasted += (now - last).min(max_interval(job_id));
        }
        self.lasted > MAX_OUTAGE
    }

    /// Ends the outage: the service has responded.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }
}

/// Returns true if a later poll of the job may succeed.
pub(super) fn is_transient(lifespan: &Lifespan, error: &Error) -> bool {
    match error.kind() {
        // A response that is about no job was mixed up with another response, or comes from a
        // gateway.
        ErrorKind::Decode => error.unredacted_body().is_some_and(|body| !is_job_record(body)),
        ErrorKind::NotFound
        | ErrorKind::Gone
        | ErrorKind::JobExpired
        | ErrorKind::UnexpectedStatus => is_from_gateway(error) && !lifespan.is_ttl_expired(),
        _ => error.is_retryable(),
    }
}

/// The poll interval after a transient failure: as long as the service asks for, up to the maximum
/// interval, so that the result does not expire.
pub(super) fn interval_after(error: &Error, pause: Duration, job_id: &str) -> Duration {
    let asked = error.retry_after().unwrap_or_default();
    pause.max(asked.min(max_interval(job_id)))
}
