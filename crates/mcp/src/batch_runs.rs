//! Batch runs: the batches that this server runs, each in a task of its own, so that a run continues
//! when its caller leaves.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::reply::Failure;

/// Phase of a run.
#[derive(Clone, Debug)]
pub(crate) enum Phase {
    Running,
    /// Ended, with its failure if it failed.
    Ended(Option<Failure>),
}

/// The runs of a server, by the names of their batches.
#[derive(Debug, Default)]
pub(crate) struct BatchRuns {
    runs: Mutex<HashMap<String, watch::Receiver<Phase>>>,
    /// True once the server ends.
    closing: watch::Sender<bool>,
}

impl BatchRuns {
    /// The run of a batch, which is started if there is none.
    pub(crate) fn start(
        &self,
        name: &str,
        run: impl Future<Output = Result<(), Failure>> + Send + 'static,
    ) -> watch::Receiver<Phase> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(phase) = runs.get(name).filter(|phase| is_running(phase)) {
            return phase.clone();
        }
        let (sender, phase) = watch::channel(Phase::Running);
        runs.insert(name.to_owned(), phase.clone());
        drop(runs);
        let run = tokio::spawn(run);
        tokio::spawn(async move {
            let interrupted = |_| Err(Failure::new("the run was interrupted"));
            let ended = run.await.unwrap_or_else(interrupted);
            sender.send_replace(Phase::Ended(ended.err()));
        });
        phase
    }

    /// The phase of the last run of a batch; `None` if this server has not run it.
    pub(crate) fn phase(&self, name: &str) -> Option<Phase> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.get(name).map(|phase| phase.borrow().clone())
    }

    /// Changes to true when the server ends: runs then stop in an orderly way.
    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Stops all runs, and waits for their ends.
    pub(crate) async fn close(&self) {
        self.closing.send_replace(true);
        let runs: Vec<_> = {
            let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            runs.values().cloned().collect()
        };
        for mut phase in runs {
            let _ = phase.wait_for(|phase| matches!(phase, Phase::Ended(_))).await;
        }
    }
}

fn is_running(phase: &watch::Receiver<Phase>) -> bool {
    matches!(*phase.borrow(), Phase::Running)
}
