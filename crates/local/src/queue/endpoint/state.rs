//! Endpoint state, guarded by one lock, and the transitions of its jobs and workers.
//!
//! A job is in [`Jobs`] in any state. Queued, it has a position in `queue`; running, it occupies a
//! worker in `pool`, and if that worker attaches over HTTP it is among the jobs of that worker in
//! `attached`.
//!
//! Invariant: before a job changes its state, [`EndpointState::vacate`] frees what it occupies, and
//! afterwards [`EndpointState::schedule`] sets the only timer of a job. So the queue holds exactly
//! the queued jobs, and the pool counts exactly the running jobs; the property test in
//! `tests/interface/properties.rs` compares them with the health report.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::error::Refusal;
use crate::queue::attached_workers::{AssignedJob, AttachedWorkers, WaitingWorker};
use crate::queue::job::{Job, JobId, Jobs, Occupancy, Status};
use crate::queue::job_view::{History, HistoryChunk};
use crate::queue::pool::{PoolTimer, RestartBackoff, WorkerOrigin, WorkerPool, Workers};
use crate::queue::stream::default_metrics;
use crate::queue::timers::Timers;
use crate::worker::WorkerId;

/// The largest id of a job that a worker reports to run, in bytes. Ids of the service are shorter.
const MAX_REPORTED_ID: usize = 64;

#[derive(Debug)]
pub(super) struct EndpointState {
    /// Grows with each visible change.
    pub(super) revision: u64,
    pub(super) jobs: Jobs,
    /// For the page; none if there is no page.
    pub(super) history: Option<History>,
    /// The queued jobs by their positions.
    queue: BTreeMap<u64, JobId>,
    next_position: u64,
    /// The number of queued jobs that may start a worker.
    scaling_jobs: usize,
    pub(super) pool: WorkerPool,
    pub(super) attached: AttachedWorkers,
    pub(super) totals: Totals,
    timers: Timers<Timer>,
    pub(super) restart_backoff: RestartBackoff,
    /// The timer that the timer task waits for.
    timer_task_until: Option<Moment>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Timer {
    /// The ttl, retention or execution timeout of a job.
    Job(JobId),
    /// The end of a worker's cold start, or its idle timeout.
    Worker(WorkerId),
    /// The next ping of an attached worker.
    Ping(WorkerId),
    /// The end of the restart backoff.
    Start,
}

impl EndpointState {
    pub(super) fn new(workers: Workers, origin: WorkerOrigin, keeps_history: bool) -> Self {
        Self {
            revision: 0,
            jobs: Jobs::default(),
            history: keeps_history.then(History::default),
            queue: BTreeMap::new(),
            next_position: 0,
            scaling_jobs: 0,
            pool: WorkerPool::new(workers, origin),
            attached: AttachedWorkers::default(),
            totals: Totals::default(),
            timers: Timers::default(),
            restart_backoff: RestartBackoff::default(),
            timer_task_until: None,
        }
    }

    /// The position of the next job in the queue.
    pub(super) fn next_position(&mut self) -> u64 {
        let position = self.next_position;
        self.next_position += 1;
        position
    }

    /// The number of queued jobs.
    pub(super) fn queue_len(&self) -> usize {
        self.queue.len()
    }

    /// The queued jobs in the order of the queue.
    pub(super) fn queued_jobs(&self) -> Vec<JobId> {
        self.queue.values().cloned().collect()
    }

    /// Returns true if the queued jobs need another worker.
    pub(super) fn needs_worker(&self) -> bool {
        self.pool.needs_more(self.scaling_jobs)
    }

    pub(super) fn set_timer(&mut self, timer: Timer, due: Moment) {
        self.timers.set(timer, due);
    }

    /// Removes and returns the earliest timer, if it is due by `now`.
    pub(super) fn pop_due_timer(&mut self, now: Moment) -> Option<(Moment, Timer)> {
        self.timers.pop_due(now)
    }

    /// The timers in the order of their due times.
    pub(super) fn timers(&self) -> impl Iterator<Item = &(Moment, Timer)> {
        self.timers.iter()
    }

    /// Returns true if the next timer is due before the timer task runs again, which then has to run
    /// earlier.
    pub(super) fn must_wake_timer_task(&mut self) -> bool {
        let next = self.timers.next();
        let is_earlier = next.is_some_and(|next| self.timer_task_until.is_none_or(|at| next < at));
        if is_earlier {
            self.timer_task_until = next;
        }
        is_earlier
    }

    /// The time until which the timer task waits, if there is a timer.
    pub(super) fn plan_timer_task(&mut self) -> Option<Moment> {
        self.timer_task_until = self.timers.next();
        self.timer_task_until
    }

    /// Moves a job to another state: frees what it occupies, and sets its timer afterwards.
    pub(super) fn transition(
        &mut self,
        id: &str,
        now: Moment,
        change: impl FnOnce(&mut Job),
    ) -> Option<&Job> {
        let mut job = self.jobs.remove(id)?;
        self.vacate(&job, now);
        change(&mut job);
        self.schedule(&job);
        self.jobs.insert(job);
        self.jobs.get(id)
    }

    pub(super) fn job(&self, id: &str) -> Result<&Job, Refusal> {
        self.jobs.get(id).ok_or_else(unknown_job)
    }

    /// A job, if it is running in this attempt.
    pub(super) fn running(&mut self, id: &str, attempt: u64) -> Option<&mut Job> {
        self.jobs
            .get_mut(id)
            .filter(|job| job.attempt == attempt && job.status() == Status::InProgress)
    }

    /// Adds a chunk to the stream of a job, and to the history if there is one.
    pub(super) fn emit(
        &mut self,
        id: &str,
        output: Value,
        metrics: Map<String, Value>,
        kept: Option<HistoryChunk>,
    ) {
        let mut all = default_metrics(self.queue.len(), self.pool.jobs());
        all.extend(metrics);
        if let Some(job) = self.jobs.get_mut(id) {
            job.backlog.push(output, all, job.submission.has_whole_chunks);
            job.changed.notify_waiters();
            self.revision += 1;
            if let (Some(history), Some(kept)) = (&mut self.history, kept) {
                history.add_chunk(job, kept);
            }
        }
    }

    pub(super) fn enqueue(&mut self, position: u64, job: &Job) {
        self.revision += 1;
        self.queue.insert(position, job.id.clone());
        if job.may_start_worker() {
            self.scaling_jobs += 1;
        }
    }

    /// Frees what a job occupies, before it changes its state or is deleted.
    pub(super) fn vacate(&mut self, job: &Job, now: Moment) {
        self.revision += 1;
        match job.occupancy() {
            Occupancy::Queue { position } => {
                self.queue.remove(&position);
                if job.may_start_worker() {
                    self.scaling_jobs -= 1;
                }
            }
            Occupancy::Worker(worker) => {
                self.attached.revoke(worker, &job.id);
                let timer = self.pool.release(worker);
                self.set_pool_timer(worker, timer, now);
                if self.attached.get(worker).is_some_and(|worker| worker.can_be_replaced()) {
                    self.remove_worker(worker);
                }
            }
            Occupancy::None => {}
        }
    }

    /// Removes a worker. Returns the jobs that it had if it was attached.
    pub(super) fn remove_worker(&mut self, worker: WorkerId) -> BTreeSet<JobId> {
        self.revision += 1;
        self.timers.remove(Timer::Worker(worker));
        self.timers.remove(Timer::Ping(worker));
        self.pool.remove(worker);
        self.attached.remove(worker).map(|worker| worker.jobs).unwrap_or_default()
    }

    pub(super) fn delete(&mut self, id: &JobId, now: Moment) {
        if let Some(job) = self.jobs.remove(id) {
            self.vacate(&job, now);
            self.timers.remove(Timer::Job(id.clone()));
            job.delete();
            self.jobs.shrink();
        }
    }

    /// Deletes a job whose ttl or retention is over.
    pub(super) fn expire(&mut self, id: &JobId, at: Moment) {
        if let (Some(history), Some(job)) = (&mut self.history, self.jobs.get(id)) {
            history.expire(job);
        }
        self.delete(id, at);
    }

    /// Sets the timer of a job.
    pub(super) fn schedule(&mut self, job: &Job) {
        self.timers.set(Timer::Job(job.id.clone()), job.timer().0);
    }

    pub(super) fn set_pool_timer(&mut self, worker: WorkerId, timer: PoolTimer, now: Moment) {
        match timer {
            PoolTimer::After(time) => {
                self.timers.set(Timer::Worker(worker), now.saturating_add(time));
            }
            PoolTimer::None => self.timers.remove(Timer::Worker(worker)),
        }
    }

    /// Starts the next job of the queue on a worker.
    pub(super) fn start_next(
        &mut self,
        worker: WorkerId,
        now: Moment,
    ) -> Option<(&Job, CancellationToken)> {
        self.revision += 1;
        let (_, id) = self.queue.pop_first()?;
        let name = self.attached.name_of(worker);
        let (job, stop) = self.jobs.change(&id, |job| job.start(worker, name, now))?;
        if job.may_start_worker() {
            self.scaling_jobs -= 1;
        }
        self.timers.set(Timer::Job(id), job.timer().0);
        Some((job, stop))
    }

    /// Assigns queued jobs to the attached workers that wait for jobs.
    pub(super) fn assign_to_waiting_workers(&mut self, now: Moment) {
        while !self.queue.is_empty() {
            let Self { attached, pool, .. } = self;
            let can_take =
                |waiting: &WaitingWorker| waiting.to.is_closed() || pool.is_ready(waiting.worker);
            let Some(index) = attached.waiting.iter().position(can_take) else { return };
            let Some(WaitingWorker { worker, max_jobs, to }) = attached.waiting.remove(index)
            else {
                return;
            };
            if to.is_closed() {
                continue;
            }
            let mut jobs = Vec::new();
            while jobs.len() < max_jobs
                && let Some((job, _)) = self.start_next(worker, now)
            {
                let assigned = AssignedJob {
                    id: job.id.clone(),
                    attempt: job.attempt,
                    submission: job.submission.clone(),
                };
                self.attached.begin(worker, &assigned.id);
                self.pool.add_job(worker);
                jobs.push(assigned);
            }
            if let Err(jobs) = to.send(jobs) {
                self.requeue_undelivered(worker, jobs, now);
            }
        }
    }

    /// Queues jobs again that did not reach their worker.
    pub(super) fn requeue_undelivered(
        &mut self,
        worker: WorkerId,
        jobs: Vec<AssignedJob>,
        now: Moment,
    ) {
        for AssignedJob { id, attempt, .. } in jobs {
            if self.running(&id, attempt).is_some() {
                self.attached.end(worker, &id);
                self.requeue(&id, now);
            }
        }
    }

    /// Queues a job again that a worker had, at its old position.
    pub(super) fn requeue(&mut self, id: &JobId, now: Moment) {
        let Some(mut job) = self.jobs.remove(id) else { return };
        self.vacate(&job, now);
        if let Some(position) = job.requeue() {
            self.enqueue(position, &job);
        }
        self.schedule(&job);
        self.jobs.insert(job);
    }

    /// Retires a worker that requested replacement: it is removed once its jobs have ended.
    pub(super) fn retire_worker(&mut self, name: &str) {
        let Some(id) = self.attached.id_of(name) else { return };
        self.pool.set_retired(id, true);
        if let Some(worker) = self.attached.get(id) {
            worker.wants_replacement = true;
            if worker.can_be_replaced() {
                self.remove_worker(id);
            }
        }
    }

    /// A worker reports that it runs a job. If it should not, it has to stop it: it may have missed the
    /// response that told it so.
    pub(super) fn check_reported_job(&mut self, worker: &str, job: &str) {
        // A job with a result may have got it from this worker a moment ago.
        let has_result = self.jobs.get(job).is_some_and(|job| job.has_result());
        if job.len() <= MAX_REPORTED_ID && !has_result && !self.attached.has(worker, job) {
            self.attached.stop(worker, job.into());
        }
    }
}

/// Counters over the lifetime of an endpoint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) completed: u64,
    /// The failed jobs, without those that were retried since.
    pub(super) failed: u64,
    pub(super) retried: u64,
    pub(super) submitted: u64,
    /// The failed jobs, with those that were retried since.
    pub(super) failures: u64,
}

impl Totals {
    pub(super) fn count_failure(&mut self) {
        self.failed += 1;
        self.failures += 1;
    }
}

pub(super) fn unknown_job() -> Refusal {
    Refusal::not_found(
        "no such job on this endpoint: the id is unknown, or the job or its result has expired",
    )
}
