//! Tells whoever follows a run how it goes, also while everything waits for the journal.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::interval;

use crate::progress::Progress;
use crate::run::settings::Stop;
use crate::shared::Shared;

/// How long the journal must be out of reach before that is worth a word: most of it passes.
const WORTH: Duration = Duration::from_secs(5);

/// Tells how a run goes. Clones are the same.
#[derive(Clone)]
pub(super) struct Teller {
    to: mpsc::Sender<Progress>,
    last: Arc<Mutex<Option<Progress>>>,
}

impl Teller {
    pub(super) fn to(to: mpsc::Sender<Progress>) -> Self {
        Self { to, last: Arc::default() }
    }

    pub(super) fn say(&self, progress: Progress) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        // Whoever does not read it does not need it.
        let _ = self.to.try_send(progress);
    }

    /// The same as before, but for this trouble.
    fn say_trouble(&self, trouble: String) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(last) = last {
            let _ = self.to.try_send(Progress { trouble: Some(trouble), ..last });
        }
    }

    /// Says that the journal is out of reach, as long as it is; and has it waited for briefly once
    /// the run is to be left.
    pub(super) async fn watch(
        &self,
        shared: &Shared,
        mut stop: watch::Receiver<Stop>,
    ) -> Infallible {
        let found = shared.journal.with(|keeper| Ok(keeper.store.sharing().map(|it| it.outage())));
        let Ok(Some(outage)) = found.await else { return std::future::pending().await };
        let mut ticks = interval(Duration::from_secs(1));
        loop {
            outage.wait(*stop.borrow_and_update() < Stop::Collecting);
            if let Some((time, why)) = outage.so_far().filter(|(time, _)| *time >= WORTH) {
                let seconds = time.as_secs();
                self.say_trouble(format!(
                    "the journal has been out of reach for {seconds} s: nothing is submitted or collected until it can be reached: {why}"
                ));
            }
            tokio::select! {
                _ = ticks.tick() => {}
                Ok(()) = stop.changed() => {}
            }
        }
    }
}
