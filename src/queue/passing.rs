//! Which failures are transient, so that a wait or a stream continues after them.

use std::time::Duration;

use tokio::time::Instant;

use super::gateway::{is_about_a_job, is_not_the_services};
use super::lifespan::Lifespan;
use super::looks::rarest;
use crate::error::{Error, ErrorKind};

/// How long nothing but passing failures may come before a wait without a deadline, or a stream, gives
/// up.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// How long a row of failures has lasted, for a caller who may not be polled for any time in between.
#[derive(Default)]
pub(super) struct Patience {
    tried: Duration,
    last: Option<Instant>,
}

impl Patience {
    /// One more failure; whether there have been failures for too long. Between two of them counts
    /// no more than the longest regular pause: beyond that, it was the caller who did not ask.
    pub(super) fn ends(&mut self, job_id: &str) -> bool {
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            self.tried += (now - last).min(rarest(job_id));
        }
        self.tried > PATIENCE
    }

    /// The service has responded.
    pub(super) fn restore(&mut self) {
        *self = Self::default();
    }
}

/// Whether a later look at the job may fare better.
pub(super) fn may_pass(lifespan: &Lifespan, error: &Error) -> bool {
    match error.kind() {
        // A response that is about no job at all was meant for somebody else, or comes from something
        // between the service and here.
        ErrorKind::Decode => error.unredacted_body().is_some_and(|body| !is_about_a_job(body)),
        ErrorKind::NotFound | ErrorKind::JobExpired | ErrorKind::UnexpectedStatus => {
            is_not_the_services(error) && !lifespan.ttl_is_over()
        }
        _ => error.is_retryable(),
    }
}

/// The pause after a failure that may pass: as long as the service asks for, unless a result could
/// expire meanwhile.
pub(super) fn pause_after(error: &Error, pause: Duration, job_id: &str) -> Duration {
    let asked = error.retry_after().unwrap_or_default();
    pause.max(asked.min(rarest(job_id)))
}
