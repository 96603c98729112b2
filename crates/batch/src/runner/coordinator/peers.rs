//! Peers: the other processes that share a batch, and recovery of those whose lease has expired.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::Result;
use crate::journal::{Journal, JournalState};
use crate::state::State;
use crate::store::{Input, RunRecord};

/// Interval of recovery, and its jitter: about once a second, and not all processes at once.
const INTERVAL: (Duration, u32) = (Duration::from_millis(800), 400);

/// The processes that share a batch with this one.
#[derive(Default)]
pub(in crate::runner) struct Peers {
    /// Number of peers that have a lease, or have crashed and were not recovered yet.
    processes: u64,
    /// The cancel request that stood when this run began, which it ignores.
    standing: Option<String>,
    /// When to count and recover them next; `None` for a store of one process.
    check_at: Option<Instant>,
}

/// Inputs recovered from peers.
#[derive(Default)]
pub(in crate::runner) struct Recovered {
    pub(in crate::runner) inputs: Vec<Input>,
    /// All runs, if there are any inputs.
    pub(in crate::runner) runs: Vec<(u64, RunRecord)>,
    /// A peer may have made inputs pending again.
    pub(in crate::runner) may_be_pending: bool,
}

impl Peers {
    /// `processes` is `None` for a store of one process.
    pub(in crate::runner) fn new(processes: Option<u64>, standing: Option<String>) -> Self {
        let check_at = processes.map(|_| Instant::now());
        Self { processes: processes.unwrap_or(0), standing, check_at }
    }

    pub(super) fn are_at_work(&self) -> bool {
        self.processes > 0
    }

    pub(super) fn standing_request(&self) -> Option<String> {
        self.standing.clone()
    }

    /// Counts the peers, and recovers those whose lease has expired, if that is due.
    pub(super) async fn recover(&mut self, journal: &Journal, pending: u64) -> Result<Recovered> {
        let now = Instant::now();
        if self.check_at.is_none_or(|at| now < at) {
            return Ok(Recovered::default());
        }
        self.check_at = Some(now + INTERVAL.0 + jitter());
        let checked = journal.with(|state| {
            let (mut inputs, mut processes) = (Vec::new(), 0);
            if let Some(sharing) = state.store.sharing() {
                // In this order: a process that exits in between is still counted.
                processes = sharing.peers()?;
                inputs = sharing.recover()?;
            }
            let runs = if inputs.is_empty() { Vec::new() } else { state.store.runs()? };
            inputs.retain(|input| input.run.is_some());
            Ok((inputs, runs, processes))
        });
        let (inputs, runs, processes) = checked.await?;
        self.processes = processes;
        Ok(Recovered { inputs, runs, may_be_pending: processes > 0 && pending > 0 })
    }
}

fn jitter() -> Duration {
    let mut random = [0; 4];
    // Without jitter, all processes would check at the same time, and wait for each other.
    let _ = getrandom::fill(&mut random);
    Duration::from_millis((u32::from_ne_bytes(random) % INTERVAL.1).into())
}

/// Returns the outstanding inputs of this process, and the number of its peers.
pub(in crate::runner) fn outstanding(
    state: &mut JournalState,
) -> Result<(Vec<Input>, Option<u64>)> {
    match state.store.sharing() {
        Some(sharing) => {
            let peers = sharing.peers()?;
            sharing.recover()?;
            Ok((sharing.outstanding()?, Some(peers)))
        }
        None => Ok((state.store.inputs(&[State::Submitted], 0, usize::MAX)?, None)),
    }
}
