//! What a run does for the processes that share its batch.

use std::time::Duration;

use tokio::time::Instant;

use super::core::Runner;
use super::schedule::DEFAULT_TTL;
use crate::progress::Stopped;
use crate::state::State;
use crate::store::{Input, RunRecord};

/// How often processes look whether others are gone: about once a second, and not all at once.
const OFTEN: (Duration, u32) = (Duration::from_millis(800), 400);

/// What a look at the others showed.
pub(super) struct Seen {
    /// The inputs that were taken over, and all runs, if there are any.
    taken: Vec<Input>,
    runs: Vec<(u64, RunRecord)>,
    processes: u64,
}

impl Runner {
    /// Takes over what others have left, every now and then.
    pub(super) async fn look_after_others(&mut self) {
        let now = Instant::now();
        if self.others.look_at.is_none_or(|at| now < at) {
            return;
        }
        self.others.look_at = Some(now + OFTEN.0 + jitter());
        let looked = self.shared.journal.with(|keeper| {
            let (mut taken, mut processes) = (Vec::new(), 0);
            if let Some(sharing) = keeper.store.sharing() {
                // In this order: whoever leaves in between is still counted.
                processes = sharing.others()?;
                taken = sharing.take_over()?;
            }
            let runs = if taken.is_empty() { Vec::new() } else { keeper.store.runs()? };
            Ok(Seen { taken, runs, processes })
        });
        match looked.await {
            Ok(seen) => self.saw(seen),
            Err(error) => self.fail(error),
        }
    }

    fn saw(&mut self, seen: Seen) {
        self.know(&seen.runs);
        for input in seen.taken.into_iter().filter(|input| input.run.is_some()) {
            let index = input.index;
            if !self.schedule.has(index) {
                self.resume(input);
            }
            if let Some(cancelling) = &mut self.cancelling {
                cancelling.left.push(index);
            }
        }
        self.others.processes = seen.processes;
        // Others may have given some back.
        if self.others.processes > 0 && self.counts.of(State::Pending) > 0 {
            self.submitting.is_exhausted = false;
        }
    }

    /// Remembers where the jobs of these runs are.
    pub(super) fn know(&mut self, runs: &[(u64, RunRecord)]) {
        for (run, record) in runs {
            if let Some(endpoint) = self.settings.endpoint_of(record) {
                let ttl = record.ttl.unwrap_or(DEFAULT_TTL);
                self.endpoints.insert(*run, (endpoint, ttl));
            }
        }
    }

    /// Whether this run stays only because others may die, whose inputs it would take over.
    pub(super) fn stays_for_others(&self) -> bool {
        let is_wanted = self.may_submit() || self.stopped == Some(Stopped::Cancelled);
        // What cannot be collected here is left to them.
        is_wanted && self.others.processes > 0 && self.counts.open() > self.not_collected
    }
}

fn jitter() -> Duration {
    let mut random = [0; 4];
    // Without it, they look at the same time, and wait for each other.
    let _ = getrandom::fill(&mut random);
    Duration::from_millis((u32::from_ne_bytes(random) % OFTEN.1).into())
}
