//! Endpoint: its jobs, its queue and its workers, changed under one lock.
//!
//! # Time
//!
//! Every deadline has a timer in the state. Every access first runs the timers that are due, in
//! the order of their due times and as of these times, then the action, and then assigns queued
//! jobs to idle workers ([`Endpoint::access`]). So a caller never sees a state that time has
//! outdated, however far a manual clock was advanced. A task runs the timers between accesses
//! ([`Endpoint::run_timer_task`]).
//!
//! `state` has the jobs, queue, workers and timers, and all their transitions. This module adds
//! what they need of the world: the lock, the clock, tasks, handlers and processes.
//!
//! # States of a job
//!
//! ```text
//!            submit                  start                        finish
//! (none) ─────────────▶ IN_QUEUE ───────────────▶ IN_PROGRESS ───────────────▶ COMPLETED, FAILED
//!                        │  │  ▲  ◀───────────────  │      │
//!                        │  │  │   requeue: worker  │      │ execution timeout
//!                        │  │  │   lost the 1st time│      └─────────────────▶ TIMED_OUT
//!                        │  └──┼────────────────────┴─ cancel ───────────────▶ CANCELLED
//!                 purge, │     │
//!                    ttl ▼     └──── retry of FAILED and TIMED_OUT
//!                 (deleted)          ttl or retention deletes a job in any state
//! ```
//!
//! Invariant: a running job has one attempt, numbered by `attempt`; a report or a result of an
//! earlier attempt is ignored. `tests/interface/states.rs` checks each transition, and
//! `tests/interface/worker_kinds.rs` the same transitions over all kinds of worker.
//!
//! `worker_protocol` has the operations for workers that attach over HTTP, `page_view` the views
//! for the page, `account_view` changes and views of the account interface.

mod account_view;
mod page_view;
mod state;
mod worker_protocol;

pub(crate) use account_view::{WorkerStatus, WorkerView};
pub(crate) use page_view::{BulkChange, ChangeCounts, FoundJobs, JobDetails, Overview};
pub(crate) use worker_protocol::{Chunk, Report, WorkerProtocol};

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use self::state::{EndpointState, TimerRun};
use crate::clock::{Clock, Moment, milliseconds};
use crate::error::Refusal;
use crate::queue::job::{Job, JobResult, Mode, Receipt, Record, Status};
use crate::queue::job_view::HistoryChunk;
use crate::queue::pool::{WorkerOrigin, Workers};
use crate::queue::submission::Submission;
use crate::tasks::{Tasks, locked};
use crate::webhook::Webhooks;
use crate::worker::{
    Handler, HandlerOutcome, HandlerReport, JobContext, LocalJob, WorkerId, WorkerLog,
    WorkerProgram, run_handler,
};

pub(crate) struct Endpoint {
    name: Arc<str>,
    settings: EndpointSettings,
    runner: JobRunner,
    clock: Clock,
    tasks: Tasks,
    state: Mutex<EndpointState>,
    /// Notifies the timer task that a timer is due earlier than the timer that it waits for.
    earlier_timer: Notify,
    /// The number of requests that were refused with 429.
    throttled: AtomicU64,
    /// Execution timeout of jobs without one of their own, in milliseconds.
    execution_timeout: AtomicU64,
    /// The log of workers within the service, which have no output of their own.
    own_log: WorkerLog,
    /// Cancelled when the endpoint is deleted.
    closed: CancellationToken,
}

impl Endpoint {
    pub(crate) fn start(
        name: &str,
        settings: EndpointSettings,
        runner: JobRunner,
        clock: Clock,
        tasks: Tasks,
        webhooks: Webhooks,
    ) -> Arc<Self> {
        let endpoint = Arc::new(Self {
            name: name.into(),
            settings,
            execution_timeout: AtomicU64::new(milliseconds(settings.execution_timeout)),
            own_log: WorkerLog::of_own_workers(name, clock.clone()),
            closed: CancellationToken::new(),
            state: Mutex::new(EndpointState::new(
                settings.workers,
                runner.origin(),
                settings.keeps_history,
                webhooks.of_endpoint(name.into()),
                clock.now(),
            )),
            clock,
            tasks,
            earlier_timer: Notify::new(),
            throttled: AtomicU64::new(0),
            runner,
        });
        endpoint.tasks.spawn(endpoint.clone().run_timer_task());
        endpoint
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The log of its workers, if they are processes.
    pub(crate) fn log(&self) -> Option<&WorkerLog> {
        self.runner.log()
    }

    pub(crate) fn running_workers(self: &Arc<Self>) -> usize {
        self.access(|state, _| state.pool().running())
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        self.tasks.stopping()
    }

    /// Counts a request that was refused with 429.
    pub(crate) fn count_throttled(&self) {
        self.throttled.fetch_add(1, Ordering::Relaxed);
        locked(&self.state).count_throttled();
        self.clock.changes().notify();
    }

    /// The only access to the state: runs the timers that are due, then `action`, then assigns
    /// queued jobs to workers.
    fn access<R>(self: &Arc<Self>, action: impl FnOnce(&mut EndpointState, Moment) -> R) -> R {
        self.notifying_changes(|state| {
            let now = self.clock.now();
            self.run_due_timers(state, now);
            let result = action(state, now);
            self.dispatch(state, now);
            if state.must_wake_timer_task() {
                self.earlier_timer.notify_one();
            }
            result
        })
    }

    /// Runs `work` under the lock, and notifies watchers if that has changed the revision.
    fn notifying_changes<R>(&self, work: impl FnOnce(&mut EndpointState) -> R) -> R {
        let mut state = locked(&self.state);
        let before = state.revision();
        let result = work(&mut state);
        let is_changed = state.revision() != before;
        drop(state);
        if is_changed {
            self.clock.changes().notify();
        }
        result
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Settings of an endpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndpointSettings {
    pub(crate) kind: WorkerKind,
    pub(crate) workers: Workers,
    pub(crate) execution_timeout: Duration,
    /// The largest number of queued jobs.
    pub(crate) max_queued: usize,
    /// True if expired jobs and fetched chunks are kept for the page.
    pub(crate) keeps_history: bool,
}

/// The kind of worker of an endpoint, as the page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WorkerKind {
    Builtin,
    Closure,
    Command,
    Worker,
}

/// The workers of an endpoint.
pub(crate) enum JobRunner {
    /// Workers of the service itself, which run a handler.
    Handler(Arc<dyn Handler>),
    /// Workers that attach over HTTP.
    Attached(Arc<WorkerProgram>),
}

impl JobRunner {
    /// The log of the workers, if they are processes.
    fn log(&self) -> Option<&WorkerLog> {
        match self {
            Self::Handler(handler) => handler.log(),
            Self::Attached(program) => Some(&program.log),
        }
    }

    fn origin(&self) -> WorkerOrigin {
        match self {
            Self::Handler(_) => WorkerOrigin::Service,
            Self::Attached(program) if program.command.is_some() => WorkerOrigin::Process,
            Self::Attached(_) => WorkerOrigin::External,
        }
    }
}

/// The health report (interface: "Health report").
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Health {
    jobs: HealthJobs,
    workers: HealthWorkers,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HealthJobs {
    completed: u64,
    failed: u64,
    in_progress: usize,
    in_queue: usize,
    retried: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct HealthWorkers {
    idle: usize,
    running: usize,
}

impl Health {
    fn of(state: &EndpointState) -> Self {
        let (totals, pool) = (state.totals(), state.pool());
        Self {
            jobs: HealthJobs {
                completed: totals.completed,
                failed: totals.failed,
                in_progress: pool.jobs(),
                in_queue: state.queue_len(),
                retried: totals.retried,
            },
            workers: HealthWorkers { idle: pool.idle(), running: pool.running() },
        }
    }
}

/// The state of a job, and its chunks since the last update.
pub(crate) struct JobUpdate {
    pub(crate) record: Record,
    /// The attempt of the chunks.
    pub(crate) attempt: u64,
    pub(crate) chunks: Vec<Value>,
    /// The reason of the last final refusal of a report of its worker.
    pub(crate) refusal: Option<Arc<str>>,
}

impl Endpoint {
    /// Submits a job. Returns also the time, and the notification of changes of the job.
    pub(crate) fn submit(
        self: &Arc<Self>,
        submission: Submission,
        mode: Mode,
    ) -> Result<(Receipt, Moment, Arc<Notify>), Refusal> {
        self.access(|state, now| {
            if state.queue_len() >= self.settings.max_queued {
                let message = "the queue of this endpoint is full";
                return Err(Refusal::too_many_requests(message, None));
            }
            let timeout = Duration::from_millis(self.execution_timeout.load(Ordering::Relaxed));
            let job = state.submit(submission, mode, timeout, now);
            Ok((job.receipt(), now, job.changed()))
        })
    }

    pub(crate) fn status(self: &Arc<Self>, id: &str) -> Result<Record, Refusal> {
        self.access(|state, now| Ok(state.job(id)?.record(now)))
    }

    /// Submits a job, and returns its record when it has ended, or as it is when the wait is over.
    pub(crate) async fn run_sync(
        self: &Arc<Self>,
        submission: Submission,
        wait: Duration,
    ) -> Result<Record, Refusal> {
        let (receipt, now, changed) = self.submit(submission, Mode::Sync { wait })?;
        self.ended(&receipt.id, now.saturating_add(wait), &changed).await
    }

    /// Returns the record of a job when it has ended, or as it is when the wait is over.
    pub(crate) async fn wait_for(
        self: &Arc<Self>,
        id: &str,
        wait: Duration,
    ) -> Result<Record, Refusal> {
        let (now, changed) = self.access(|state, now| Ok((now, state.job(id)?.changed())))?;
        self.ended(id, now.saturating_add(wait), &changed).await
    }

    async fn ended(
        self: &Arc<Self>,
        id: &str,
        until: Moment,
        changed: &Notify,
    ) -> Result<Record, Refusal> {
        let mut timeout = pin!(self.clock.sleep_until(until));
        loop {
            let mut changed = pin!(changed.notified());
            changed.as_mut().enable();
            let record = self.status(id)?;
            if record.status.is_terminal() {
                return Ok(record);
            }
            tokio::select! {
                () = changed => {}
                () = &mut timeout => return self.status(id),
                () = self.stopping().cancelled() => return Err(Refusal::stopping()),
            }
        }
    }

    /// Sets the ttl of a job, counted from its submission.
    pub(crate) fn set_ttl(self: &Arc<Self>, id: &str, ttl: Duration) -> Result<(), Refusal> {
        self.access(|state, _| state.set_ttl(id, ttl))
    }

    /// Removes and returns the chunks that were not fetched yet.
    pub(crate) fn take_chunks(self: &Arc<Self>, id: &str) -> Result<(Status, Vec<Value>), Refusal> {
        self.access(|state, _| {
            let (job, chunks) = state.take_chunks(id)?;
            Ok((job.status(), chunks))
        })
    }

    /// The state of a job, and its chunks since the last update.
    pub(crate) fn take_update(self: &Arc<Self>, id: &str) -> Result<JobUpdate, Refusal> {
        self.access(|state, now| {
            let (job, chunks) = state.take_chunks(id)?;
            Ok(JobUpdate {
                record: job.record(now),
                attempt: job.attempt,
                chunks,
                refusal: job.refusal(),
            })
        })
    }

    pub(crate) fn cancel(self: &Arc<Self>, id: &str) -> Result<Receipt, Refusal> {
        self.access(|state, now| state.cancel(id, now))
    }

    pub(crate) fn retry(self: &Arc<Self>, id: &str) -> Result<Receipt, Refusal> {
        self.access(|state, now| state.retry(id, now))
    }

    /// Calls the webhook of a job that has ended again. Returns true if there is such a job.
    pub(crate) fn redeliver_webhook(self: &Arc<Self>, id: &str) -> bool {
        self.access(|state, now| state.redeliver_webhook(id, now))
    }

    /// Removes all queued jobs, and returns their number.
    pub(crate) fn purge(self: &Arc<Self>) -> usize {
        self.access(|state, now| state.purge(now))
    }

    pub(crate) fn health(self: &Arc<Self>) -> Health {
        self.access(|state, _| Health::of(state))
    }

    /// The records of all jobs, the oldest first.
    pub(crate) fn records(self: &Arc<Self>) -> Vec<Record> {
        self.access(|state, now| {
            let mut jobs: Vec<&Job> = state.jobs().values().collect();
            jobs.sort_by(|a, b| (a.submitted_at(), &a.id).cmp(&(b.submitted_at(), &b.id)));
            jobs.into_iter().map(|job| job.record(now)).collect()
        })
    }
}

/// Timeout of a handler that was told to stop, in real time. Its worker is free for
/// another job meanwhile.
const STOP_GRACE_PERIOD: Duration = Duration::from_secs(1);

impl Endpoint {
    /// Runs the timers that are due by `now`, in the order of their due times.
    fn run_due_timers(&self, state: &mut EndpointState, now: Moment) {
        while let Some(run) = state.run_due_timer(now) {
            match run {
                TimerRun::Done => {}
                TimerRun::WorkerStopped(worker) => {
                    if let JobRunner::Handler(handler) = &self.runner {
                        handler.worker_stopped(worker);
                    }
                }
                TimerRun::WorkerLost(lost) => self.log_lost_worker(lost),
            }
        }
    }

    /// Assigns queued jobs to idle workers, and starts workers if more are needed.
    fn dispatch(self: &Arc<Self>, state: &mut EndpointState, now: Moment) {
        loop {
            match &self.runner {
                JobRunner::Handler(handler) => {
                    while let Some((worker, job, stop)) = state.start_on_idle_worker(now) {
                        self.run_job(handler, job, worker, stop, now);
                    }
                }
                JobRunner::Attached(_) => state.assign_to_waiting_workers(now),
            }
            let Some(worker) = state.start_worker(now) else { return };
            if let JobRunner::Attached(program) = &self.runner
                && !state.pool().is_throttled()
            {
                self.start_process(program, state, worker);
            }
        }
    }

    fn run_job(
        self: &Arc<Self>,
        handler: &Arc<dyn Handler>,
        job: &Job,
        worker: WorkerId,
        stop: CancellationToken,
        now: Moment,
    ) {
        let (id, attempt) = (job.id.clone(), job.attempt);
        let work = self.local_job(job, worker, stop.clone(), now);
        self.log_job(worker, &id, "started");
        let (endpoint, handler) = (self.clone(), handler.clone());
        self.tasks.spawn(async move {
            let grace_period_over = async {
                stop.cancelled().await;
                tokio::time::sleep(STOP_GRACE_PERIOD).await;
            };
            tokio::select! {
                biased;
                outcome = run_handler(handler.as_ref(), work) => {
                    let end = if outcome.error.is_none() { "finished" } else { "failed" };
                    endpoint.log_job(worker, &id, end);
                    endpoint.finish_attempt(&id, attempt, outcome);
                }
                () = grace_period_over => {}
            }
        });
    }

    /// The job as its handler gets it.
    fn local_job(
        self: &Arc<Self>,
        job: &Job,
        worker: WorkerId,
        stop: CancellationToken,
        now: Moment,
    ) -> LocalJob {
        let (endpoint, id, attempt) = (self.clone(), job.id.clone(), job.attempt);
        LocalJob {
            id: job.id.to_string(),
            input: job.submission.input.clone(),
            policy: job.submission.policy,
            s3_config: job.submission.s3_config.clone(),
            context: JobContext {
                report: Arc::new(move |report| endpoint.take_handler_report(&id, attempt, report)),
                attempt,
                worker,
                stop,
                clock: self.clock.clone(),
                time: Arc::new(Mutex::new(now)),
            },
        }
    }

    /// Runs the timers between accesses, as long as the service runs.
    async fn run_timer_task(self: Arc<Self>) {
        loop {
            let next = self.notifying_changes(|state| {
                let now = self.clock.now();
                self.run_due_timers(state, now);
                self.dispatch(state, now);
                state.plan_timer_task()
            });
            let due = async {
                match next {
                    Some(next) => self.clock.wait_until_untracked(next).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => {}
                () = self.earlier_timer.notified() => {}
                () = self.closed.cancelled() => return,
            }
        }
    }
}

impl Endpoint {
    /// Takes the result of a handler, unless its attempt is over already.
    fn finish_attempt(self: &Arc<Self>, id: &str, attempt: u64, outcome: HandlerOutcome) {
        let HandlerOutcome { output, error, worker_lost } = outcome;
        let result = JobResult { output, error };
        self.access(|state, now| state.finish_attempt(id, attempt, result, worker_lost, now));
    }

    /// A chunk for the history, if there is one. It is serialized before the lock is taken.
    fn history_chunk(&self, output: &Value) -> Option<HistoryChunk> {
        self.settings.keeps_history.then(|| HistoryChunk::of(output)).flatten()
    }

    /// Applies the report of a handler on its job, unless its attempt is over.
    fn take_handler_report(self: &Arc<Self>, id: &str, attempt: u64, report: HandlerReport) {
        match report {
            HandlerReport::Chunk { output, metrics } => {
                let kept = self.history_chunk(&output);
                self.access(|state, _| {
                    if state.is_running(id, attempt) {
                        state.emit(id, output, metrics, kept);
                    }
                });
            }
            HandlerReport::Progress(value) => self.access(|state, _| {
                if state.is_running(id, attempt) {
                    state.set_progress(id, value);
                }
            }),
        }
    }
}
