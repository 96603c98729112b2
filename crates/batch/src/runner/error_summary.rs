//! Persistent errors of a run: what has failed for five seconds or longer.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// Errors are reported after this time: most are transient.
const PERSISTENT: Duration = Duration::from_secs(5);

/// Errors since the last success, of submissions and of polls.
#[derive(Default)]
pub(super) struct ErrorSummary {
    submitting: Option<Since>,
    polling: Option<Since>,
    /// The inputs whose last poll failed.
    unseen: HashSet<u64>,
}

/// A failure, and when the first one of its kind was.
struct Since {
    at: Instant,
    error: String,
}

impl ErrorSummary {
    pub(super) fn submitted(&mut self) {
        self.submitting = None;
    }

    pub(super) fn not_submitted(&mut self, error: String) {
        renew(&mut self.submitting, error);
    }

    pub(super) fn seen(&mut self, index: u64) {
        self.unseen.remove(&index);
        if self.unseen.is_empty() {
            self.polling = None;
        }
    }

    pub(super) fn unseen(&mut self, index: u64, error: String) {
        self.unseen.insert(index);
        renew(&mut self.polling, error);
    }

    /// Describes the errors that persist.
    pub(super) fn summary(&self) -> Option<String> {
        let is_persistent = |since: &&Since| since.at.elapsed() >= PERSISTENT;
        let submitting = self.submitting.as_ref().filter(is_persistent);
        let submitting = submitting.map(|since| format!("no input is accepted: {}", since.error));
        let polling = self.polling.as_ref().filter(is_persistent);
        let polling = polling.map(|since| {
            let jobs = match self.unseen.len() {
                1 => "1 job".to_owned(),
                jobs => format!("{jobs} jobs"),
            };
            format!("the status of {jobs} cannot be read: {}", since.error)
        });
        let summaries: Vec<_> = submitting.into_iter().chain(polling).collect();
        (!summaries.is_empty()).then(|| summaries.join("; "))
    }
}

fn renew(since: &mut Option<Since>, error: String) {
    match since {
        Some(since) => since.error = error,
        None => *since = Some(Since { at: Instant::now(), error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn errors_are_reported_after_five_seconds_and_not_once_recovered() {
        let mut errors = ErrorSummary::default();
        errors.not_submitted("full".to_owned());
        errors.unseen(1, "late".to_owned());
        errors.unseen(2, "later".to_owned());
        assert_eq!(errors.summary(), None, "it may pass");
        tokio::time::advance(PERSISTENT).await;
        let polling = "the status of 2 jobs cannot be read: later";
        assert_eq!(errors.summary(), Some(format!("no input is accepted: full; {polling}")));
        errors.submitted();
        assert_eq!(errors.summary().as_deref(), Some(polling));
        errors.seen(1);
        assert_eq!(errors.summary(), Some(polling.replace("2 jobs", "1 job")));
        errors.seen(2);
        assert_eq!(errors.summary(), None);
    }
}
