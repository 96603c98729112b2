//! Recovery of peers: a run recovers the jobs of processes whose lease has expired.

use std::time::Duration;

use tokio::time::Instant;

use super::core::Runner;
use super::schedule::DEFAULT_TTL;
use crate::progress::Stopped;
use crate::state::State;
use crate::store::{Input, RunRecord};

/// Interval of recovery, and its jitter: about once a second, and not all processes at once.
const OFTEN: (Duration, u32) = (Duration::from_millis(800), 400);

/// Peers, and what was recovered of them.
pub(super) struct Recovery {
    /// The inputs that were recovered, and all runs, if there are any.
    taken: Vec<Input>,
    runs: Vec<(u64, RunRecord)>,
    processes: u64,
}

impl Runner {
    /// Recovers the inputs of peers whose lease has expired.
    pub(super) async fn recover_peers(&mut self) {
        let now = Instant::now();
        if self.peers.check_at.is_none_or(|at| now < at) {
            return;
        }
        self.peers.check_at = Some(now + OFTEN.0 + jitter());
        let checked = self.shared.journal.with(|state| {
            let (mut taken, mut processes) = (Vec::new(), 0);
            if let Some(sharing) = state.store.sharing() {
                // In this order: a process that leaves in between is still counted.
                processes = sharing.others()?;
                taken = sharing.take_over()?;
            }
            let runs = if taken.is_empty() { Vec::new() } else { state.store.runs()? };
            Ok(Recovery { taken, runs, processes })
        });
        match checked.await {
            Ok(recovery) => self.recovered(recovery),
            Err(error) => self.fail(error),
        }
    }

    fn recovered(&mut self, recovery: Recovery) {
        self.register_runs(&recovery.runs);
        for input in recovery.taken.into_iter().filter(|input| input.run.is_some()) {
            let index = input.index;
            if !self.schedule.has(index) {
                self.resume(input);
            }
            if let Some(cancelling) = &mut self.cancelling {
                cancelling.left.push(index);
            }
        }
        self.peers.processes = recovery.processes;
        // They may have returned inputs.
        if self.peers.processes > 0 && self.counts.of(State::Pending) > 0 {
            self.submissions.is_exhausted = false;
        }
    }

    /// Remembers where the jobs of these runs are.
    pub(super) fn register_runs(&mut self, runs: &[(u64, RunRecord)]) {
        for (run, record) in runs {
            if let Some(endpoint) = self.settings.endpoint_of(record) {
                let ttl = record.ttl.unwrap_or(DEFAULT_TTL);
                self.endpoints.insert(*run, (endpoint, ttl));
            }
        }
    }

    /// Whether this run continues only because it may have to recover the inputs of a peer.
    pub(super) fn waits_for_peers(&self) -> bool {
        let is_wanted = self.may_submit() || self.stopped == Some(Stopped::Cancelled);
        // Peers collect what cannot be collected here.
        is_wanted && self.peers.processes > 0 && self.counts.open() > self.not_collected
    }
}

fn jitter() -> Duration {
    let mut random = [0; 4];
    // Without jitter, all processes would check at the same time, and wait for each other.
    let _ = getrandom::fill(&mut random);
    Duration::from_millis((u32::from_ne_bytes(random) % OFTEN.1).into())
}
