//! Progress reports of a run, also while the journal is unreachable, and the errors that they
//! contain: those that have persisted for five seconds.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, interval};

use crate::handle_state::HandleState;
use crate::progress::Progress;
use crate::run::settings::Stop;

/// Errors are reported after this time: most are transient.
const PERSISTENT: Duration = Duration::from_secs(5);

/// Sender of progress reports. Clones share the last report.
#[derive(Clone)]
pub(in crate::runner) struct ProgressReporter {
    to: mpsc::Sender<Progress>,
    last: Arc<Mutex<Option<Progress>>>,
}

impl ProgressReporter {
    pub(in crate::runner) fn to(to: mpsc::Sender<Progress>) -> Self {
        Self { to, last: Arc::default() }
    }

    pub(super) fn report(&self, progress: Progress) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        // A report that is not read is dropped.
        let _ = self.to.try_send(progress);
    }

    /// Repeats the last report, with an error that does not concern the jobs.
    #[cfg(feature = "object-storage")]
    pub(in crate::runner) fn report_beside(&self, error: String) {
        self.report_outage(error);
    }

    /// Repeats the last report, with this error.
    fn report_outage(&self, error: String) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(last) = last {
            let _ = self.to.try_send(Progress { error: Some(error), ..last });
        }
    }

    /// Reports an outage of the journal as long as it lasts, and shortens its timeout once the run
    /// must stop.
    pub(in crate::runner) async fn watch(
        &self,
        shared: &HandleState,
        mut stop: watch::Receiver<Stop>,
    ) -> Infallible {
        let found =
            shared.journal().with(|state| Ok(state.store().sharing().map(|it| it.outage())));
        let Ok(Some(outage)) = found.await else { return std::future::pending().await };
        let mut ticks = interval(Duration::from_secs(1));
        loop {
            outage.set_shortened(*stop.borrow_and_update() >= Stop::Collecting);
            if let Some((time, why)) = outage.elapsed().filter(|(time, _)| *time >= PERSISTENT) {
                let seconds = time.as_secs();
                self.report_outage(format!(
                    "the journal has been unreachable for {seconds} s: nothing is submitted or collected until it can be reached: {why}"
                ));
            }
            tokio::select! {
                _ = ticks.tick() => {}
                Ok(()) = stop.changed() => {}
            }
        }
    }
}

/// Errors since the last success, of submissions and of polls.
#[derive(Default)]
pub(super) struct ErrorSummary {
    submitting: Option<FirstFailure>,
    polling: Option<FirstFailure>,
    /// The inputs whose last poll failed.
    unseen: HashSet<u64>,
}

/// A persistent failure: the time of the first failure since the last success, and the last error.
struct FirstFailure {
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
        let is_persistent = |since: &&FirstFailure| since.at.elapsed() >= PERSISTENT;
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

fn renew(since: &mut Option<FirstFailure>, error: String) {
    match since {
        Some(since) => since.error = error,
        None => *since = Some(FirstFailure { at: Instant::now(), error }),
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
