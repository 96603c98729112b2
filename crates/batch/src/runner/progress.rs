//! Progress reports of a run, also while the journal is unreachable.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::interval;

use crate::progress::Progress;
use crate::run::settings::Stop;
use crate::shared::Shared;

/// An outage is reported after this time: most are transient.
const PERSISTENT: Duration = Duration::from_secs(5);

/// Sender of progress reports. Clones share the last report.
#[derive(Clone)]
pub(super) struct ProgressReporter {
    to: mpsc::Sender<Progress>,
    last: Arc<Mutex<Option<Progress>>>,
}

impl ProgressReporter {
    pub(super) fn to(to: mpsc::Sender<Progress>) -> Self {
        Self { to, last: Arc::default() }
    }

    pub(super) fn report(&self, progress: Progress) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        // A report that is not read is dropped.
        let _ = self.to.try_send(progress);
    }

    /// Repeats the last report, with this error.
    fn report_outage(&self, trouble: String) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(last) = last {
            let _ = self.to.try_send(Progress { trouble: Some(trouble), ..last });
        }
    }

    /// Reports an outage of the journal as long as it lasts, and shortens the patience once the run must
    /// stop.
    pub(super) async fn watch(
        &self,
        shared: &Shared,
        mut stop: watch::Receiver<Stop>,
    ) -> Infallible {
        let found = shared.journal.with(|state| Ok(state.store.sharing().map(|it| it.outage())));
        let Ok(Some(outage)) = found.await else { return std::future::pending().await };
        let mut ticks = interval(Duration::from_secs(1));
        loop {
            outage.wait(*stop.borrow_and_update() < Stop::Collecting);
            if let Some((time, why)) = outage.so_far().filter(|(time, _)| *time >= PERSISTENT) {
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
