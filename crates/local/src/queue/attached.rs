//! The workers that are attached over HTTP: what each has, and how it is known to be alive.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::job::JobId;
use super::submission::Submission;
use crate::clock::Moment;
use crate::worker::WorkerId;

/// A worker that missed so many pings in a row is lost, and one that was started is replaced if it
/// says so often in a row that it is not well.
const TOLERATED: u32 = 3;
/// How many jobs a worker is told to stop at once. Its pings name what it runs beyond that.
const MAX_STOPS: usize = 1000;
/// Of how many workers that are not attached it is known what they are to stop.
const MAX_ABSENT: usize = 1000;

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
    pub(super) missed_pings: u32,
    pub(super) last_ping: Option<Moment>,
    /// How many of its last pings, in a row, said that it is not well.
    unhealthy_pings: u32,
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
    /// The jobs that workers are to stop, and do not know it yet. By name, because one that is lost
    /// may be alive.
    to_stop: HashMap<Arc<str>, Vec<JobId>>,
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
            missed_pings: 0,
            last_ping: None,
            unhealthy_pings: 0,
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
        for job in &worker.jobs {
            self.stop(&worker.name, job.clone());
        }
        Some(worker)
    }

    pub(super) fn id_of(&self, name: &str) -> Option<WorkerId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn name_of(&self, id: WorkerId) -> Option<Arc<str>> {
        self.workers.get(&id).map(|worker| worker.name.clone())
    }

    /// How many workers say that they are not well.
    pub(super) fn unhealthy(&self) -> usize {
        self.workers.values().filter(|worker| worker.unhealthy.is_some()).count()
    }

    pub(super) fn get(&mut self, id: WorkerId) -> Option<&mut Worker> {
        self.workers.get_mut(&id)
    }

    pub(super) fn len(&self) -> usize {
        self.workers.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (WorkerId, &Worker)> {
        self.workers.iter().map(|(id, worker)| (*id, worker))
    }

    /// A worker was given a job.
    pub(super) fn begin(&mut self, id: WorkerId, job: &JobId) {
        let Some(worker) = self.workers.get_mut(&id) else { return };
        worker.jobs.insert(job.clone());
        let name = worker.name.clone();
        // From an earlier attempt: that would stop this one.
        self.has_stopped(&name, job);
    }

    /// A worker has nothing to do with a job any more, and knows it.
    pub(super) fn end(&mut self, id: WorkerId, job: &JobId) {
        if let Some(worker) = self.get(id) {
            worker.jobs.remove(job);
        }
    }

    /// The job of a worker is over. Where that is not the worker's doing, it will be told.
    pub(super) fn interrupt(&mut self, id: WorkerId, job: &JobId) {
        if let Some(worker) = self.workers.get_mut(&id)
            && worker.jobs.remove(job)
        {
            let name = worker.name.clone();
            self.stop(&name, job.clone());
        }
    }

    /// Whether a worker has a job.
    pub(super) fn has(&self, name: &str, job: &str) -> bool {
        let worker = self.id_of(name).and_then(|id| self.workers.get(&id));
        worker.is_some_and(|worker| worker.jobs.contains(job))
    }

    /// A worker is to stop a job.
    pub(super) fn stop(&mut self, name: &str, job: JobId) {
        if self.to_stop.len() > MAX_ABSENT + 2 * self.by_name.len() {
            self.to_stop.retain(|name, _| self.by_name.contains_key(name));
        }
        let jobs = self.to_stop.entry(name.into()).or_default();
        if !jobs.contains(&job) {
            if jobs.len() >= MAX_STOPS {
                jobs.remove(0);
            }
            jobs.push(job);
            self.stops.notify_waiters();
        }
    }

    /// A worker does not run a job, or is not to stop it after all.
    pub(super) fn has_stopped(&mut self, name: &str, job: &str) {
        if let Some(jobs) = self.to_stop.get_mut(name) {
            jobs.retain(|stopped| **stopped != *job);
        }
    }

    /// Takes out what a worker is to stop.
    pub(super) fn take_stops(&mut self, name: &str) -> Vec<JobId> {
        self.to_stop.remove(name).unwrap_or_default()
    }
}

impl Worker {
    /// Notes that a ping did not come. Says whether the worker is lost.
    pub(super) fn miss_ping(&mut self) -> bool {
        self.missed_pings += 1;
        self.missed_pings >= TOLERATED
    }

    /// Notes whether it says that it is well. Says whether it has not been for too long.
    pub(super) fn note_health(&mut self, unhealthy: Option<Unhealthy>) -> bool {
        self.unhealthy_pings = if unhealthy.is_some() { self.unhealthy_pings + 1 } else { 0 };
        self.unhealthy = unhealthy;
        self.unhealthy_pings >= TOLERATED
    }

    /// Whether it can go: it wants to, and has no jobs.
    pub(super) fn is_done(&self) -> bool {
        self.is_leaving && self.jobs.is_empty()
    }
}
