//! Registry of attached workers: their jobs, their pings and health, and the jobs that they have to
//! stop.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::job::JobId;
use super::submission::Submission;
use crate::clock::{Moment, milliseconds};
use crate::worker::WorkerId;

/// After this many missed pings in a row, a worker is lost; after this many unhealthy pings in a
/// row, a worker process is replaced.
const MAX_BAD_PINGS: u32 = 3;
/// The largest number of jobs that a worker is told to stop at once. Its pings name further jobs.
const MAX_STOPS: usize = 1000;
/// The largest number of workers that are not attached, but have jobs to stop.
const MAX_DETACHED: usize = 1000;

/// A job that is assigned to a worker.
#[derive(Debug)]
pub(crate) struct AssignedJob {
    pub(crate) id: JobId,
    pub(crate) attempt: u64,
    pub(crate) submission: Arc<Submission>,
}

/// A request of a worker that waits for jobs.
#[derive(Debug)]
pub(super) struct WaitingWorker {
    pub(super) worker: WorkerId,
    pub(super) max_jobs: usize,
    pub(super) to: oneshot::Sender<Vec<AssignedJob>>,
}

/// The check that a worker failed, and the reason, as it reported them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Unhealthy {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// An attached worker, as the control plane returns it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerRecord {
    id: String,
    status: &'static str,
    jobs: Vec<String>,
    missed_pings: u32,
    last_ping_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unhealthy: Option<Unhealthy>,
}

#[derive(Debug)]
struct AttachedWorker {
    name: Arc<str>,
    /// The jobs that it runs.
    jobs: BTreeSet<JobId>,
    /// The number of pings that it has missed in a row.
    missed_pings: u32,
    last_ping: Option<Moment>,
    /// The number of its last pings, in a row, that reported it as unhealthy.
    unhealthy_pings: u32,
    /// True if it requested replacement, once its jobs have ended.
    wants_replacement: bool,
    unhealthy: Option<Unhealthy>,
    /// Ends the process of the worker, if the service has started it, when the worker is removed.
    _stop: DropGuard,
}

/// The workers of an endpoint that are attached, or were started and will attach.
#[derive(Debug, Default)]
pub(super) struct AttachedWorkers {
    workers: BTreeMap<WorkerId, AttachedWorker>,
    by_name: HashMap<Arc<str>, WorkerId>,
    /// The jobs that workers have to stop, and were not told to yet, by the names of the workers: a
    /// lost worker may still be alive.
    to_stop: HashMap<Arc<str>, Vec<JobId>>,
    waiting: VecDeque<WaitingWorker>,
    /// Wakes the requests that wait for jobs to stop.
    stops: Arc<Notify>,
}

impl AttachedWorkers {
    /// Adds a worker. The token is cancelled when it is removed.
    pub(super) fn add(&mut self, id: WorkerId, name: Arc<str>) -> CancellationToken {
        let stop = CancellationToken::new();
        self.by_name.insert(name.clone(), id);
        let worker = AttachedWorker {
            name,
            jobs: BTreeSet::new(),
            missed_pings: 0,
            last_ping: None,
            unhealthy_pings: 0,
            wants_replacement: false,
            unhealthy: None,
            _stop: stop.clone().drop_guard(),
        };
        self.workers.insert(id, worker);
        stop
    }

    /// Removes a worker, and tells it to stop its jobs, which are returned.
    pub(super) fn remove(&mut self, id: WorkerId) -> BTreeSet<JobId> {
        let Some(worker) = self.workers.remove(&id) else { return BTreeSet::new() };
        self.by_name.remove(&worker.name);
        for job in &worker.jobs {
            self.stop(&worker.name, job.clone());
        }
        worker.jobs
    }

    pub(super) fn id_of(&self, name: &str) -> Option<WorkerId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn name_of(&self, id: WorkerId) -> Option<Arc<str>> {
        self.workers.get(&id).map(|worker| worker.name.clone())
    }

    /// The number of unhealthy workers.
    pub(super) fn unhealthy(&self) -> usize {
        self.workers.values().filter(|worker| worker.unhealthy.is_some()).count()
    }

    /// Returns true if a worker reports itself as unhealthy.
    pub(super) fn is_unhealthy(&self, id: WorkerId) -> bool {
        self.workers.get(&id).is_some_and(|worker| worker.unhealthy.is_some())
    }

    pub(super) fn len(&self) -> usize {
        self.workers.len()
    }

    /// The workers, with the state of each in the pool.
    pub(super) fn records(&self, status: impl Fn(WorkerId) -> &'static str) -> Vec<WorkerRecord> {
        let record = |(id, worker): (&WorkerId, &AttachedWorker)| WorkerRecord {
            id: worker.name.to_string(),
            status: status(*id),
            jobs: worker.jobs.iter().map(|id| id.to_string()).collect(),
            missed_pings: worker.missed_pings,
            last_ping_ms: worker.last_ping.map(milliseconds),
            unhealthy: worker.unhealthy.clone(),
        };
        self.workers.iter().map(record).collect()
    }

    /// Adds a request that waits for jobs.
    pub(super) fn wait(&mut self, waiting: WaitingWorker) {
        self.waiting.retain(|waiting| !waiting.to.is_closed());
        self.waiting.push_back(waiting);
    }

    /// Removes and returns the first waiting request of a worker that is ready.
    pub(super) fn next_waiting(
        &mut self,
        is_ready: impl Fn(WorkerId) -> bool,
    ) -> Option<WaitingWorker> {
        loop {
            let is_next = |it: &WaitingWorker| it.to.is_closed() || is_ready(it.worker);
            let index = self.waiting.iter().position(is_next)?;
            let next = self.waiting.remove(index)?;
            if !next.to.is_closed() {
                return Some(next);
            }
        }
    }

    /// Adds a job to a worker.
    pub(super) fn begin(&mut self, id: WorkerId, job: &JobId) {
        let Some(worker) = self.workers.get_mut(&id) else { return };
        worker.jobs.insert(job.clone());
        let name = worker.name.clone();
        // A stop of an earlier attempt would stop this attempt.
        self.cancel_stop(&name, job);
    }

    /// Removes a job that the worker has ended itself.
    pub(super) fn end(&mut self, id: WorkerId, job: &str) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.jobs.remove(job);
        }
    }

    /// Revokes a job: removes it from its worker, and tells the worker to stop it, unless the
    /// worker has ended it.
    pub(super) fn revoke(&mut self, id: WorkerId, job: &JobId) {
        if let Some(worker) = self.workers.get_mut(&id)
            && worker.jobs.remove(job)
        {
            let name = worker.name.clone();
            self.stop(&name, job.clone());
        }
    }

    /// Returns true if a worker has a job.
    pub(super) fn has(&self, name: &str, job: &str) -> bool {
        let worker = self.id_of(name).and_then(|id| self.workers.get(&id));
        worker.is_some_and(|worker| worker.jobs.contains(job))
    }

    /// Tells a worker to stop a job.
    pub(super) fn stop(&mut self, name: &str, job: JobId) {
        if self.to_stop.len() > MAX_DETACHED + 2 * self.by_name.len() {
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

    /// Withdraws a stop.
    pub(super) fn cancel_stop(&mut self, name: &str, job: &str) {
        if let Some(jobs) = self.to_stop.get_mut(name) {
            jobs.retain(|stopped| **stopped != *job);
        }
    }

    /// Removes and returns the jobs that a worker has to stop.
    pub(super) fn take_stops(&mut self, name: &str) -> Vec<JobId> {
        self.to_stop.remove(name).unwrap_or_default()
    }

    /// Wakes the requests that wait for jobs to stop.
    pub(super) fn stops(&self) -> Arc<Notify> {
        self.stops.clone()
    }

    /// Records that a worker is alive.
    pub(super) fn note_alive(&mut self, id: WorkerId) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.missed_pings = 0;
        }
    }

    /// Records a missed ping. Returns the number of pings missed in a row, and true if the worker
    /// is lost.
    pub(super) fn miss_ping(&mut self, id: WorkerId) -> Option<(u32, bool)> {
        let worker = self.workers.get_mut(&id)?;
        worker.missed_pings += 1;
        Some((worker.missed_pings, worker.missed_pings >= MAX_BAD_PINGS))
    }

    /// Records a ping, with the health of the worker. Returns true if it has been unhealthy for too
    /// long, and has no jobs.
    pub(super) fn note_ping(
        &mut self,
        id: WorkerId,
        unhealthy: Option<Unhealthy>,
        now: Moment,
    ) -> bool {
        let Some(worker) = self.workers.get_mut(&id) else { return false };
        worker.last_ping = Some(now);
        worker.unhealthy_pings = if unhealthy.is_some() { worker.unhealthy_pings + 1 } else { 0 };
        worker.unhealthy = unhealthy;
        worker.unhealthy_pings >= MAX_BAD_PINGS && worker.jobs.is_empty()
    }

    /// Records that a worker requests replacement, once its jobs have ended.
    pub(super) fn request_replacement(&mut self, id: WorkerId) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.wants_replacement = true;
        }
    }

    /// Returns true if a worker requested replacement and has no jobs.
    pub(super) fn can_be_replaced(&self, id: WorkerId) -> bool {
        let worker = self.workers.get(&id);
        worker.is_some_and(|worker| worker.wants_replacement && worker.jobs.is_empty())
    }

    /// Returns true if a worker gets no more jobs: it requested replacement, or is unhealthy.
    pub(super) fn is_retired(&self, id: WorkerId) -> bool {
        let worker = self.workers.get(&id);
        worker.is_some_and(|worker| worker.wants_replacement || worker.unhealthy.is_some())
    }
}
