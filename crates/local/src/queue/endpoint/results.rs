//! What becomes of the jobs that run: their chunks, their progress and their ends.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Endpoint;
use super::state::State;
use crate::clock::Moment;
use crate::queue::history::ShownChunk;
use crate::queue::job::{Ending, Job, Place};
use crate::worker::{Outcome, Reports};

impl Endpoint {
    /// Takes a handler's result, unless its attempt is over already.
    pub(super) fn finish(self: &Arc<Self>, id: &str, attempt: u64, outcome: Outcome) {
        self.access(|state, now| {
            if state.running(id, attempt).is_none() {
                return;
            }
            if outcome.worker_lost
                && let Some(Place::Worker(worker)) = state.jobs.get(id).map(Job::place)
            {
                state.dismiss(worker);
            }
            let ending = Ending { output: outcome.output, error: outcome.error };
            self.conclude(state, id, ending, now);
        });
    }

    /// Ends a job that runs.
    pub(super) fn conclude(&self, state: &mut State, id: &str, ending: Ending, now: Moment) {
        let Some(mut job) = state.jobs.remove(id) else { return };
        state.leave(&job, now);
        match ending.error {
            None => state.totals.completed += 1,
            Some(_) => state.totals.fail(),
        }
        job.finish(ending, now);
        self.announce(&job, now);
        state.schedule(&job);
        state.jobs.insert(job);
    }

    /// A chunk as it is kept to be shown, if it is. Not to be made while others wait.
    pub(super) fn to_show(&self, output: &Value) -> Option<ShownChunk> {
        self.settings.keeps_history.then(|| ShownChunk::of(output)).flatten()
    }
}

impl Reports for Endpoint {
    fn emit(self: Arc<Self>, id: &str, attempt: u64, output: Value, metrics: Map<String, Value>) {
        let shown = self.to_show(&output);
        self.access(|state, _| {
            if state.running(id, attempt).is_some() {
                state.emit(id, output, metrics, shown);
            }
        });
    }

    fn progress(self: Arc<Self>, id: &str, attempt: u64, value: Value) {
        self.access(|state, _| {
            if let Some(job) = state.running(id, attempt) {
                job.progress(value);
                state.revision += 1;
            }
        });
    }
}
