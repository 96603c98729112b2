//! The workers that are attached over HTTP: what each has, and how it is known to be alive.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::job::JobId;
use super::submission::Submission;
use crate::worker::WorkerId;

/// A worker that missed so many pings in a row is lost.
const TOLERATED_MISSES: u32 = 3;

/// A job that was given to a worker.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) id: JobId,
    pub(crate) attempt: u64,
    pub(crate) submission: Arc<Submission>,
}

/// A request of a worker that waits for jobs.
#[derive(Debug)]
pub(super) struct Taker {
    pub(super) worker: WorkerId,
    /// How many jobs it takes at most.
    pub(super) most: usize,
    pub(super) to: oneshot::Sender<Vec<Taken>>,
}

/// Which check a worker failed, and why, as it reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Unhealthy {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug)]
pub(super) struct Worker {
    pub(super) name: Arc<str>,
    /// The jobs that it runs.
    pub(super) jobs: BTreeSet<JobId>,
    /// The jobs that it is to stop, and does not know it yet.
    pub(super) to_stop: Vec<JobId>,
    pub(super) missed_pings: u32,
    /// It wants to be replaced once its jobs are done.
    pub(super) is_leaving: bool,
    pub(super) unhealthy: Option<Unhealthy>,
    /// Ends its program, if the service has started one, when the worker is removed.
    _stop: DropGuard,
}

/// The attached workers of an endpoint, and those that were started and are expected.
#[derive(Debug, Default)]
pub(super) struct Attached {
    workers: BTreeMap<WorkerId, Worker>,
    by_name: HashMap<Arc<str>, WorkerId>,
    pub(super) takers: VecDeque<Taker>,
    /// Wakes those that wait to be told which jobs to stop.
    pub(super) stops: Arc<Notify>,
}

impl Attached {
    /// Adds a worker. The token is cancelled when it is removed.
    pub(super) fn add(&mut self, id: WorkerId, name: Arc<str>) -> CancellationToken {
        let stop = CancellationToken::new();
        self.by_name.insert(name.clone(), id);
        let worker = Worker {
            name,
            jobs: BTreeSet::new(),
            to_stop: Vec::new(),
            missed_pings: 0,
            is_leaving: false,
            unhealthy: None,
            _stop: stop.clone().drop_guard(),
        };
        self.workers.insert(id, worker);
        stop
    }

    pub(super) fn remove(&mut self, id: WorkerId) -> Option<Worker> {
        let worker = self.workers.remove(&id)?;
        self.by_name.remove(&worker.name);
        Some(worker)
    }

    pub(super) fn id_of(&self, name: &str) -> Option<WorkerId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn get(&mut self, id: WorkerId) -> Option<&mut Worker> {
        self.workers.get_mut(&id)
    }

    pub(super) fn named(&mut self, name: &str) -> Option<&mut Worker> {
        self.get(self.id_of(name)?)
    }

    pub(super) fn len(&self) -> usize {
        self.workers.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (WorkerId, &Worker)> {
        self.workers.iter().map(|(id, worker)| (*id, worker))
    }

    /// A worker was given a job.
    pub(super) fn begin(&mut self, id: WorkerId, job: &JobId) {
        if let Some(worker) = self.get(id) {
            worker.jobs.insert(job.clone());
            // From an earlier attempt: that would stop this one.
            worker.to_stop.retain(|stopped| stopped != job);
        }
    }

    /// A worker has nothing to do with a job any more, and knows it.
    pub(super) fn end(&mut self, id: WorkerId, job: &JobId) {
        if let Some(worker) = self.get(id) {
            worker.jobs.remove(job);
        }
    }

    /// The job of a worker is over. Where that is not the worker's doing, it will be told.
    pub(super) fn interrupt(&mut self, id: WorkerId, job: &JobId) {
        if let Some(worker) = self.get(id)
            && worker.jobs.remove(job)
        {
            worker.to_stop.push(job.clone());
            self.stops.notify_waiters();
        }
    }
}

impl Worker {
    /// Notes that a ping did not come. Says whether the worker is lost.
    pub(super) fn miss_ping(&mut self) -> bool {
        self.missed_pings += 1;
        self.missed_pings >= TOLERATED_MISSES
    }

    /// Whether it can go: it wants to, and has no jobs.
    pub(super) fn is_done(&self) -> bool {
        self.is_leaving && self.jobs.is_empty()
    }
}
