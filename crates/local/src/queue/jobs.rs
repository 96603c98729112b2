//! The jobs of an endpoint by their ids, and how many there are in each state.

use std::collections::HashMap;

use super::calendar::shrink;
use super::job::{Job, JobId, Status};

#[derive(Debug, Default)]
pub(super) struct Jobs {
    by_id: HashMap<JobId, Job>,
    counts: [usize; Status::ALL.len()],
}

impl Jobs {
    pub(super) fn get(&self, id: &str) -> Option<&Job> {
        self.by_id.get(id)
    }

    /// A job whose state does not change; see [`change`](Self::change).
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Job> {
        self.by_id.get_mut(id)
    }

    /// Changes a job in place, which may change its state.
    pub(super) fn change<R>(
        &mut self,
        id: &str,
        change: impl FnOnce(&mut Job) -> R,
    ) -> Option<(&Job, R)> {
        let job = self.by_id.get_mut(id)?;
        self.counts[job.status() as usize] -= 1;
        let result = change(job);
        self.counts[job.status() as usize] += 1;
        Some((job, result))
    }

    pub(super) fn insert(&mut self, job: Job) {
        self.counts[job.status() as usize] += 1;
        self.by_id.insert(job.id.clone(), job);
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Job> {
        let job = self.by_id.remove(id)?;
        self.counts[job.status() as usize] -= 1;
        Some(job)
    }

    /// Gives back memory after removals for good.
    pub(super) fn shrink(&mut self) {
        shrink(&mut self.by_id);
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Job> {
        self.by_id.values()
    }

    /// How many jobs have a state.
    pub(super) fn count(&self, status: Status) -> usize {
        self.counts[status as usize]
    }
}
