//! How long an attempt may take.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

/// The time of one attempt, all of its steps together.
#[derive(Clone, Copy)]
pub(super) struct Time {
    given: Duration,
    /// How long nothing may arrive.
    silence: Option<Duration>,
    /// `None` where it is longer than any clock can tell.
    until: Option<Instant>,
}

/// The time is over.
#[derive(Debug)]
pub(super) struct Late {
    given: Duration,
}

impl Time {
    /// So much, from now on, and each step no more than `silence` of it.
    pub(super) fn of(given: Duration, silence: Option<Duration>) -> Self {
        Self { given, silence, until: Instant::now().checked_add(given) }
    }

    /// What a step comes to, unless the time is over before.
    pub(super) async fn limit<F: Future>(self, step: F) -> Result<F::Output, Late> {
        let step_until = self.silence.and_then(|time| Instant::now().checked_add(time));
        let (until, given) = match (self.until, step_until, self.silence) {
            (until, Some(step_until), Some(silence)) if until.is_none_or(|at| step_until < at) => {
                (Some(step_until), silence)
            }
            (until, ..) => (until, self.given),
        };
        match until {
            Some(until) => timeout_at(until, step).await.map_err(|_| Late { given }),
            None => Ok(step.await),
        }
    }
}

impl Late {
    pub(super) fn after(given: Duration) -> Self {
        Self { given }
    }

    pub(super) fn no_answer(&self) -> String {
        format!("timed out after {:?} waiting for the response", self.given)
    }

    pub(super) fn not_sent(&self) -> String {
        format!("timed out after {:?}, before the HTTP client had sent the request", self.given)
    }

    pub(super) fn no_whole_answer(&self) -> String {
        format!("timed out after {:?} while reading the response", self.given)
    }
}
