//! How long an attempt may take.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

/// The time of one attempt, all of its steps together.
#[derive(Clone, Copy)]
pub(super) struct Time {
    given: Duration,
    /// `None` where it is longer than any clock can tell.
    until: Option<Instant>,
}

/// The time is over.
#[derive(Debug)]
pub(super) struct Late {
    given: Duration,
}

impl Time {
    /// So much, from now on.
    pub(super) fn of(given: Duration) -> Self {
        Self { given, until: Instant::now().checked_add(given) }
    }

    /// What a step comes to, unless the time is over before.
    pub(super) async fn limit<F: Future>(self, step: F) -> Result<F::Output, Late> {
        match self.until {
            Some(until) => timeout_at(until, step).await.map_err(|_| Late { given: self.given }),
            None => Ok(step.await),
        }
    }
}

impl Late {
    pub(super) fn no_answer(&self) -> String {
        format!("no answer within {:?}", self.given)
    }

    pub(super) fn not_sent(&self) -> String {
        format!("timed out after {:?}, before the HTTP client had sent the request", self.given)
    }

    pub(super) fn no_whole_answer(&self) -> String {
        format!("no whole answer within {:?}", self.given)
    }
}
