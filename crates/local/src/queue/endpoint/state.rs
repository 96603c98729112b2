//! Endpoint state: the jobs, the queue, the workers and the timers of an endpoint, guarded by one
//! lock, and all transitions of its jobs and workers.
//!
//! A job is in [`Jobs`] in any state. Queued, it has a position in `queue`; running, it occupies a
//! worker in `pool`, and if that worker attaches over HTTP it is among the jobs of that worker in
//! `attached`.
//!
//! Invariant: apart from the start of a job ([`EndpointState::start_next`]), a job changes its
//! state only in [`EndpointState::transition`], which frees what the job occupies, queues it if it
//! is to run again, sets its only timer, and, if the job has ended, counts it and calls its
//! webhook. So the queue holds exactly the queued jobs, the pool counts exactly the running jobs,
//! and every job that ends calls its webhook. The property test in `tests/interface/properties.rs`
//! compares queue and pool with the health report.
//!
//! The state starts no task and reads no clock: the caller passes the time, and does what a
//! [`TimerRun`] or a [`LostWorker`] asks of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::error::Refusal;
use crate::queue::activity::{Activity, ActivityCounts};
use crate::queue::attached_workers::{
    AssignedJob, AttachedWorkers, Unhealthy, WaitingWorker, WorkerRecord,
};
use crate::queue::job::{
    Job, JobId, JobResult, Jobs, Mode, Occupancy, Receipt, Status, TimerEffect, WebhookEvent,
};
use crate::queue::job_view::{History, HistoryChunk};
use crate::queue::pool::{PoolTimer, RestartBackoff, WorkerOrigin, WorkerPool, Workers};
use crate::queue::stream::default_chunk_metrics;
use crate::queue::submission::Submission;
use crate::queue::timers::Timers;
use crate::webhook::Webhooks;
use crate::worker::WorkerId;

/// The largest id of a job that a worker reports to run, in bytes. Ids of the service are shorter.
const MAX_REPORTED_ID: usize = 64;
/// The largest number of attached workers of an endpoint. It protects the memory of the process.
const MAX_WORKERS: usize = 1000;

pub(super) struct EndpointState {
    /// Grows with each visible change.
    revision: u64,
    jobs: Jobs,
    /// For the page; none if there is no page.
    history: Option<History>,
    /// The queued jobs by their positions.
    queue: BTreeMap<u64, JobId>,
    next_position: u64,
    /// The number of queued jobs that may start a worker.
    scaling_jobs: usize,
    pool: WorkerPool,
    attached: AttachedWorkers,
    totals: Totals,
    timers: Timers<Timer>,
    restart_backoff: RestartBackoff,
    /// The timer that the timer task waits for.
    timer_task_until: Option<Moment>,
    webhooks: Webhooks,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Timer {
    /// The ttl, retention or execution timeout of a job.
    Job(JobId),
    /// The end of a worker's cold start, or its idle timeout.
    Worker(WorkerId),
    /// The next ping of an attached worker.
    Ping(WorkerId),
    /// The end of the restart backoff.
    Start,
}

/// A timer that has run, and what is left to do for it.
pub(super) enum TimerRun {
    Done,
    /// An idle worker was removed: the handler releases its resources.
    WorkerStopped(WorkerId),
    WorkerLost(LostWorker),
}

/// An attached worker that was given up: its log gets the reason.
pub(super) struct LostWorker {
    pub(super) name: Arc<str>,
    pub(super) why: String,
}

impl EndpointState {
    pub(super) fn new(
        workers: Workers,
        origin: WorkerOrigin,
        keeps_history: bool,
        webhooks: Webhooks,
        now: Moment,
    ) -> Self {
        Self {
            revision: 0,
            jobs: Jobs::default(),
            history: keeps_history.then(History::default),
            queue: BTreeMap::new(),
            next_position: 0,
            scaling_jobs: 0,
            pool: WorkerPool::new(workers, origin, now),
            attached: AttachedWorkers::default(),
            totals: Totals::default(),
            timers: Timers::default(),
            restart_backoff: RestartBackoff::default(),
            timer_task_until: None,
            webhooks,
        }
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    pub(super) fn job(&self, id: &str) -> Result<&Job, Refusal> {
        self.jobs.get(id).ok_or_else(unknown_job)
    }

    pub(super) fn history(&self) -> Option<&History> {
        self.history.as_ref()
    }

    /// The activity for the chart of the page; none if there is no page.
    pub(super) fn activity(&mut self) -> Option<Activity> {
        self.history.as_mut().map(|history| history.activity.current())
    }

    /// Counts a request that was refused with 429.
    pub(super) fn count_throttled(&mut self) {
        self.count_activity(|counts| counts.throttled += 1);
    }

    fn count_activity(&mut self, count: impl FnOnce(&mut ActivityCounts)) {
        if let Some(history) = &mut self.history {
            count(history.activity.now());
        }
    }

    pub(super) fn pool(&self) -> &WorkerPool {
        &self.pool
    }

    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    /// The number of queued jobs.
    pub(super) fn queue_len(&self) -> usize {
        self.queue.len()
    }
}

/// Timers.
impl EndpointState {
    /// Runs the earliest timer that is due by `now`, as of its due time; none if no timer is due.
    pub(super) fn run_due_timer(&mut self, now: Moment) -> Option<TimerRun> {
        let (at, timer) = self.timers.pop_due(now)?;
        self.revision += 1;
        Some(match timer {
            Timer::Job(id) => {
                match self.jobs.get(&id).map(Job::timer) {
                    Some((_, TimerEffect::Delete)) => self.expire(&id, at),
                    Some((_, TimerEffect::TimeOut)) => {
                        self.transition(&id, at, |job| job.time_out(at));
                    }
                    None => {}
                }
                TimerRun::Done
            }
            Timer::Worker(worker) => {
                let (is_stopped, timer) = self.pool.run_timer(worker, at);
                self.set_pool_timer(worker, timer, at);
                if is_stopped {
                    self.remove_worker(worker, at);
                    TimerRun::WorkerStopped(worker)
                } else {
                    TimerRun::Done
                }
            }
            Timer::Ping(worker) => {
                self.miss_ping(worker, at, now).map_or(TimerRun::Done, TimerRun::WorkerLost)
            }
            // If a worker is needed, the caller starts it after this.
            Timer::Start => TimerRun::Done,
        })
    }

    /// The due time of the next timer, apart from pings: a worker pings in real time, so its next
    /// ping is no event to advance the clock to.
    pub(super) fn next_event(&self) -> Option<Moment> {
        let mut events = self.timers.iter().filter(|(_, timer)| !matches!(timer, Timer::Ping(_)));
        events.next().map(|(at, _)| *at)
    }

    /// Returns true if the next timer is due before the timer task runs again, which then has to
    /// run earlier.
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

    fn set_pool_timer(&mut self, worker: WorkerId, timer: PoolTimer, now: Moment) {
        match timer {
            PoolTimer::After(time) => {
                self.timers.set(Timer::Worker(worker), now.saturating_add(time));
            }
            PoolTimer::None => self.timers.remove(Timer::Worker(worker)),
        }
    }
}

/// Jobs.
impl EndpointState {
    /// Adds a job to the queue.
    pub(super) fn submit(
        &mut self,
        submission: Submission,
        mode: Mode,
        execution_timeout: Duration,
        now: Moment,
    ) -> &Job {
        let position = self.next_position();
        self.totals.submitted += 1;
        self.count_activity(|counts| counts.submitted += 1);
        self.insert(Job::new(mode.new_id(), submission, mode, execution_timeout, position, now))
    }

    /// Cancels a job that is queued or running. A job that is cancelled stays so.
    pub(super) fn cancel(&mut self, id: &str, now: Moment) -> Result<Receipt, Refusal> {
        match self.job(id)?.status() {
            Status::InQueue | Status::InProgress => {
                self.transition(id, now, |job| job.cancel(now));
            }
            Status::Cancelled => {}
            done => {
                return Err(Refusal::invalid(format!(
                    "only a job that is queued or running can be cancelled; this one is {}",
                    done.text(),
                )));
            }
        }
        Ok(self.job(id)?.receipt())
    }

    /// Queues a job again that is FAILED or TIMED_OUT, at the end of the queue.
    pub(super) fn retry(&mut self, id: &str, now: Moment) -> Result<Receipt, Refusal> {
        let status = self.job(id)?.status();
        if !matches!(status, Status::Failed | Status::TimedOut) {
            return Err(Refusal::invalid(format!(
                "only a job that is FAILED or TIMED_OUT can be retried; this one is {}",
                status.text(),
            )));
        }
        let position = self.next_position();
        self.transition(id, now, |job| job.retry(position, now));
        self.totals.failed -= 1;
        self.totals.retried += 1;
        Ok(self.job(id)?.receipt())
    }

    /// Sets the ttl of a job, counted from its submission.
    pub(super) fn set_ttl(&mut self, id: &str, ttl: Duration) -> Result<(), Refusal> {
        let job = self.jobs.get_mut(id).ok_or_else(unknown_job)?;
        job.set_ttl(ttl);
        self.timers.set(Timer::Job(job.id.clone()), job.timer().0);
        self.revision += 1;
        Ok(())
    }

    /// Deletes all queued jobs, and returns their number.
    pub(super) fn purge(&mut self, now: Moment) -> usize {
        let queued: Vec<JobId> = self.queue.values().cloned().collect();
        for id in &queued {
            self.delete(id, now);
        }
        queued.len()
    }

    /// Removes and returns the chunks of a job that were not fetched yet.
    pub(super) fn take_chunks(&mut self, id: &str) -> Result<(&Job, Vec<Value>), Refusal> {
        let job = self.jobs.get_mut(id).ok_or_else(unknown_job)?;
        let chunks = job.take_chunks();
        Ok((&*job, chunks))
    }

    /// Calls the webhook of a job that has ended again. Returns true if there is such a job.
    pub(super) fn redeliver_webhook(&self, id: &str, now: Moment) -> bool {
        let ended = self.jobs.get(id).filter(|job| job.status().is_terminal());
        ended.is_some_and(|job| self.deliver_webhook(job, now))
    }

    /// Returns true if a job is running in this attempt.
    pub(super) fn is_running(&self, id: &str, attempt: u64) -> bool {
        self.running(id, attempt).is_some()
    }

    fn running(&self, id: &str, attempt: u64) -> Option<&Job> {
        let job = self.jobs.get(id);
        job.filter(|job| job.attempt == attempt && job.status() == Status::InProgress)
    }

    /// Sets the output of a running job.
    pub(super) fn set_progress(&mut self, id: &str, output: Value) {
        if let Some(job) = self.jobs.get_mut(id) {
            job.set_progress(output);
            self.revision += 1;
        }
    }

    /// Adds a chunk to the stream of a running job, and to the history if there is one.
    pub(super) fn emit(
        &mut self,
        id: &str,
        output: Value,
        metrics: Map<String, Value>,
        kept: Option<HistoryChunk>,
    ) {
        let mut all = default_chunk_metrics(self.queue.len(), self.pool.jobs());
        all.extend(metrics);
        if let Some(job) = self.jobs.get_mut(id) {
            job.emit(output, all);
            self.revision += 1;
            if let (Some(history), Some(kept)) = (&mut self.history, kept) {
                history.add_chunk(job, kept);
            }
        }
    }

    /// Ends a job with the result of a handler, unless its attempt is over. A worker that has
    /// crashed is removed.
    pub(super) fn finish_attempt(
        &mut self,
        id: &str,
        attempt: u64,
        result: JobResult,
        worker_lost: bool,
        now: Moment,
    ) {
        let Some(job) = self.running(id, attempt) else { return };
        if worker_lost && let Occupancy::Worker(worker) = job.occupancy() {
            self.remove_worker(worker, now);
        }
        self.transition(id, now, |job| job.finish(result, now));
    }

    fn next_position(&mut self) -> u64 {
        let position = self.next_position;
        self.next_position += 1;
        position
    }

    /// Moves a job to another state. If it has ended, counts it and calls its webhook.
    fn transition(&mut self, id: &str, now: Moment, change: impl FnOnce(&mut Job)) {
        let Some(mut job) = self.jobs.remove(id) else { return };
        self.vacate(&job, now);
        change(&mut job);
        if job.status().is_terminal() {
            self.totals.count_end(job.status());
            match job.status() {
                Status::Completed => self.count_activity(|counts| counts.completed += 1),
                Status::Failed | Status::TimedOut => {
                    self.count_activity(|counts| counts.failed += 1);
                }
                Status::Cancelled | Status::InQueue | Status::InProgress => {}
            }
            self.deliver_webhook(&job, now);
        }
        self.insert(job);
    }

    /// Adds a job, to the queue if it is queued, and sets its timer.
    fn insert(&mut self, job: Job) -> &Job {
        self.revision += 1;
        if let Occupancy::Queue { position } = job.occupancy() {
            self.queue.insert(position, job.id.clone());
            self.scaling_jobs += usize::from(job.may_start_worker());
        }
        self.timers.set(Timer::Job(job.id.clone()), job.timer().0);
        self.jobs.insert(job)
    }

    /// Frees what a job occupies, before it changes its state or is deleted.
    fn vacate(&mut self, job: &Job, now: Moment) {
        self.revision += 1;
        match job.occupancy() {
            Occupancy::Queue { position } => {
                self.queue.remove(&position);
                self.scaling_jobs -= usize::from(job.may_start_worker());
            }
            Occupancy::Worker(worker) => {
                self.attached.revoke(worker, &job.id);
                let timer = self.pool.release(worker);
                self.set_pool_timer(worker, timer, now);
                if self.attached.can_be_replaced(worker) {
                    self.remove_worker(worker, now);
                }
            }
            Occupancy::None => {}
        }
    }

    /// Starts the next job of the queue on a worker.
    fn start_next(&mut self, worker: WorkerId, now: Moment) -> Option<(&Job, CancellationToken)> {
        self.revision += 1;
        let (_, id) = self.queue.pop_first()?;
        let name = self.attached.name_of(worker);
        let (job, stop) = self.jobs.change(&id, |job| job.start(worker, name, now))?;
        self.scaling_jobs -= usize::from(job.may_start_worker());
        self.timers.set(Timer::Job(id), job.timer().0);
        Some((job, stop))
    }

    /// Queues a running job again, at its old position.
    fn requeue(&mut self, id: &str, now: Moment) {
        self.transition(id, now, Job::requeue);
    }

    /// Deletes a job whose ttl or retention is over.
    fn expire(&mut self, id: &JobId, at: Moment) {
        if let (Some(history), Some(job)) = (&mut self.history, self.jobs.get(id)) {
            history.expire(job);
        }
        self.delete(id, at);
    }

    fn delete(&mut self, id: &JobId, now: Moment) {
        if let Some(job) = self.jobs.remove(id) {
            self.vacate(&job, now);
            self.timers.remove(Timer::Job(id.clone()));
            job.delete();
            self.jobs.shrink();
        }
    }

    /// Calls the webhook of a job that has ended. Returns true if it has a webhook.
    fn deliver_webhook(&self, job: &Job, now: Moment) -> bool {
        let Some(url) = &job.submission.webhook else { return false };
        let event = WebhookEvent::of(job, url.as_str(), now);
        self.webhooks.deliver(url.clone(), job.id.clone(), event, now);
        true
    }
}

/// Workers.
impl EndpointState {
    /// Starts the next job of the queue on an idle worker, if there are both. The token tells its
    /// handler to stop.
    pub(super) fn start_on_idle_worker(
        &mut self,
        now: Moment,
    ) -> Option<(WorkerId, &Job, CancellationToken)> {
        if self.queue.is_empty() {
            return None;
        }
        let worker = self.pool.take_idle()?;
        let (job, stop) = self.start_next(worker, now)?;
        Some((worker, job, stop))
    }

    /// Starts a worker, if the queued jobs need another and the restart backoff is over.
    pub(super) fn start_worker(&mut self, now: Moment) -> Option<WorkerId> {
        if !self.pool.needs_more(self.scaling_jobs) {
            return None;
        }
        if let Some(later) = self.restart_backoff.wait_until(now) {
            self.timers.set(Timer::Start, later);
            return None;
        }
        self.revision += 1;
        let (worker, timer) = self.pool.start(now);
        self.set_pool_timer(worker, timer, now);
        Some(worker)
    }

    /// Removes a worker. Returns the jobs that it had if it was attached.
    fn remove_worker(&mut self, worker: WorkerId, now: Moment) -> BTreeSet<JobId> {
        self.revision += 1;
        self.timers.remove(Timer::Worker(worker));
        self.timers.remove(Timer::Ping(worker));
        self.pool.remove(worker, now);
        self.attached.remove(worker)
    }

    /// Changes the limits of the pool and the idle timeout. Idle workers above the new limits stop.
    pub(super) fn set_workers(&mut self, workers: Workers, now: Moment) {
        self.revision += 1;
        let timers = self.pool.set_settings(workers);
        self.set_pool_timers(timers, now);
    }

    /// Changes the version of workers. Stale workers stop when they are idle.
    pub(super) fn set_version(&mut self, version: u64, now: Moment) {
        self.revision += 1;
        let timers = self.pool.set_version(version);
        self.set_pool_timers(timers, now);
    }

    /// Lets new workers wait for capacity, or not any longer.
    pub(super) fn set_throttled(&mut self, is_throttled: bool, now: Moment) {
        self.revision += 1;
        for worker in self.pool.set_throttled(is_throttled) {
            self.remove_worker(worker, now);
        }
    }

    fn set_pool_timers(&mut self, timers: Vec<(WorkerId, PoolTimer)>, now: Moment) {
        for (worker, timer) in timers {
            self.set_pool_timer(worker, timer, now);
        }
    }

    /// Ends all jobs and workers: the endpoint is deleted. Returns the workers.
    pub(super) fn close(&mut self, now: Moment) -> Vec<WorkerId> {
        self.purge(now);
        let running: Vec<JobId> = self
            .jobs
            .values()
            .filter(|job| job.status() == Status::InProgress)
            .map(|job| job.id.clone())
            .collect();
        for id in running {
            self.transition(&id, now, |job| job.cancel(now));
        }
        self.set_workers(Workers::between(0, 0), now);
        let workers: Vec<_> = self.pool.views().into_iter().map(|worker| worker.id).collect();
        for worker in &workers {
            self.remove_worker(*worker, now);
        }
        workers
    }

    /// The name under which a worker is known, and true if it reports itself as unhealthy.
    pub(super) fn worker_name(&self, id: WorkerId) -> (Arc<str>, bool) {
        let name = self.attached.name_of(id);
        let name = name.unwrap_or_else(|| format!("worker-{id}").into());
        (name, self.attached.is_unhealthy(id))
    }
}

/// Workers that attach over HTTP, by the names that they use.
impl EndpointState {
    /// Registers a worker process that was started, and will attach. The token is cancelled when
    /// the worker is removed.
    pub(super) fn register_process(&mut self, id: WorkerId, name: Arc<str>) -> CancellationToken {
        self.attached.add(id, name)
    }

    /// Handles the end of a worker process. Returns the number of workers that have ended without
    /// finishing a job, and the backoff of the next worker; none if the worker was removed before.
    pub(super) fn process_ended(
        &mut self,
        id: WorkerId,
        status: &str,
        now: Moment,
    ) -> Option<(u32, Duration)> {
        let name = self.attached.name_of(id)?;
        self.remove_lost(id, &format!("the worker {name} ended: {status}"), now);
        Some(self.restart_backoff.fail(now))
    }

    /// Attaches a worker that waits for jobs, which it gets over the channel. An unknown external
    /// worker is added.
    pub(super) fn wait_for_jobs(
        &mut self,
        name: &str,
        max_jobs: usize,
        to: oneshot::Sender<Vec<AssignedJob>>,
        now: Moment,
    ) -> Result<WorkerId, Refusal> {
        let worker = match self.attached.id_of(name) {
            Some(id) => {
                if let Some(timer) = self.pool.attach(id) {
                    self.set_pool_timer(id, timer, now);
                }
                id
            }
            None if self.pool.origin() != WorkerOrigin::External => {
                return Err(Refusal::not_found(
                    "no such worker: the service starts the workers of this endpoint",
                ));
            }
            None if self.attached.len() >= MAX_WORKERS => {
                let message = format!("{MAX_WORKERS} workers are attached to this endpoint");
                return Err(Refusal::too_many_requests(message, None));
            }
            None => {
                let id = self.pool.join(now);
                self.attached.add(id, name.into());
                id
            }
        };
        self.note_alive(worker, now);
        self.attached.wait(WaitingWorker { worker, max_jobs, to });
        Ok(worker)
    }

    /// Assigns queued jobs to the workers that wait for jobs.
    pub(super) fn assign_to_waiting_workers(&mut self, now: Moment) {
        while !self.queue.is_empty() {
            let pool = &self.pool;
            let Some(WaitingWorker { worker, max_jobs, to }) =
                self.attached.next_waiting(|worker| pool.is_ready(worker))
            else {
                return;
            };
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
            if self.is_running(&id, attempt) {
                self.attached.end(worker, &id);
                self.requeue(&id, now);
            }
        }
    }

    /// Wakes the requests that wait for jobs to stop.
    pub(super) fn stops(&self) -> Arc<Notify> {
        self.attached.stops()
    }

    /// Removes and returns the jobs that a worker has to stop.
    pub(super) fn take_stops(&mut self, worker: &str) -> Vec<JobId> {
        self.attached.take_stops(worker)
    }

    /// A job, if the worker has it.
    pub(super) fn attached_job(&self, worker: &str, id: &str) -> Option<&Job> {
        self.jobs.get(id).filter(|_| self.attached.has(worker, id))
    }

    /// Ends a job with the result that a worker reports, unless the worker does not have it.
    pub(super) fn finish_attached(
        &mut self,
        worker: &str,
        id: &str,
        result: JobResult,
        now: Moment,
    ) {
        self.attached.cancel_stop(worker, id);
        if self.attached.has(worker, id)
            && let Some(worker) = self.attached.id_of(worker)
        {
            self.attached.end(worker, id);
            self.restart_backoff.reset();
            self.transition(id, now, |job| job.finish(result, now));
        }
    }

    /// Records that a report of a worker on a job was refused. Returns true if the log gets the
    /// reason: a final refusal only if it is new.
    pub(super) fn note_refusal(
        &mut self,
        worker: &str,
        id: &str,
        why: &str,
        is_final: bool,
    ) -> bool {
        let has_job = self.attached.has(worker, id);
        let job = self.jobs.get_mut(id).filter(|_| has_job);
        job.is_some_and(|job| !is_final || job.note_refusal(why))
    }

    /// Retires a worker that requested replacement: it is removed once its jobs have ended.
    pub(super) fn retire_worker(&mut self, name: &str, now: Moment) {
        let Some(id) = self.attached.id_of(name) else { return };
        self.pool.set_retired(id, true);
        self.attached.request_replacement(id);
        if self.attached.can_be_replaced(id) {
            self.remove_worker(id, now);
        }
    }

    /// Records a ping: the worker is alive, the jobs that it reports to run, and its health. A
    /// process that is unhealthy for too long and has no jobs is given up.
    pub(super) fn ping<'a>(
        &mut self,
        worker: &str,
        runs: impl Iterator<Item = &'a str>,
        unhealthy: Option<Unhealthy>,
        now: Moment,
    ) -> Option<LostWorker> {
        for job in runs {
            self.check_reported_job(worker, job);
        }
        let id = self.attached.id_of(worker)?;
        if self.pool.is_attached(id) {
            self.note_alive(id, now);
        }
        let is_useless = self.attached.note_ping(id, unhealthy, now);
        self.revision += 1;
        self.pool.set_retired(id, self.attached.is_retired(id));
        if is_useless && self.pool.origin() == WorkerOrigin::Process {
            return self.lose_worker(id, "is unhealthy and has not ended".to_owned(), now);
        }
        None
    }

    /// The number of unhealthy workers.
    pub(super) fn unhealthy_workers(&self) -> usize {
        self.attached.unhealthy()
    }

    /// The workers that are attached or starting.
    pub(super) fn worker_records(&self) -> Vec<WorkerRecord> {
        self.attached.records(|id| self.pool.activity(id))
    }

    /// Checks a job that a worker reports to run. A worker that should not run the job has to stop
    /// it: it may have missed the response that said so.
    fn check_reported_job(&mut self, worker: &str, job: &str) {
        // The result of a job may have just been reported by this worker.
        let has_result = self.jobs.get(job).is_some_and(|job| job.has_result());
        if job.len() <= MAX_REPORTED_ID && !has_result && !self.attached.has(worker, job) {
            self.attached.stop(worker, job.into());
        }
    }

    fn note_alive(&mut self, id: WorkerId, now: Moment) {
        self.revision += 1;
        self.attached.note_alive(id);
        self.timers.set(Timer::Ping(id), now.saturating_add(self.pool.ping_timeout()));
    }

    /// A ping was not received in time. However far the clock was advanced, that is one missed
    /// ping, because a worker pings in real time.
    fn miss_ping(&mut self, id: WorkerId, at: Moment, now: Moment) -> Option<LostWorker> {
        let (missed, is_lost) = self.attached.miss_ping(id)?;
        if is_lost {
            return self.lose_worker(id, format!("missed {missed} pings"), at);
        }
        self.timers.set(Timer::Ping(id), now.saturating_add(self.pool.ping_timeout()));
        None
    }

    /// Gives up a worker.
    fn lose_worker(&mut self, id: WorkerId, why: String, at: Moment) -> Option<LostWorker> {
        let name = self.attached.name_of(id)?;
        self.remove_lost(id, &format!("the worker {name} {why}"), at);
        Some(LostWorker { name, why })
    }

    /// Removes a lost worker. Its jobs are queued again, or fail if they lost a worker before.
    fn remove_lost(&mut self, id: WorkerId, why: &str, at: Moment) {
        for job in self.remove_worker(id, at) {
            if self.jobs.get_mut(&job).is_some_and(Job::lose_worker) {
                let error = format!("the job was lost with its worker for the second time: {why}");
                self.transition(&job, at, |job| job.finish(JobResult::failure(error), at));
            } else {
                self.requeue(&job, at);
                self.totals.retried += 1;
            }
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
    fn count_end(&mut self, status: Status) {
        match status {
            Status::Completed => self.completed += 1,
            Status::Failed | Status::TimedOut => {
                self.failed += 1;
                self.failures += 1;
            }
            Status::Cancelled | Status::InQueue | Status::InProgress => {}
        }
    }
}

fn unknown_job() -> Refusal {
    Refusal::not_found(
        "no such job on this endpoint: the id is unknown, or the job or its result has expired",
    )
}
