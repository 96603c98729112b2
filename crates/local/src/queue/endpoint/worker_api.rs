//! Worker protocol of an endpoint: the operations for workers that attach over HTTP, and their
//! lifecycle.
//!
//! ```text
//!            process started            asks for a job            takes a job
//! (none) ───────────────────▶ STARTING ───────────────▶ IDLE ◀───────────────▶ RUNNING
//!      └── an external worker asks for a job ──────────▶ │  ▲    jobs done      │
//!                                                        └──┴───────┬───────────┘
//!                     three pings missed, process ended, replaced ──┴──▶ (none)
//! ```
//!
//! Invariant: a job that was assigned is running on exactly one worker, or queued again. The
//! response that carries it may be lost on the way: [`PendingAssignment`] queues it again if the
//! request ends before. A worker that is lost gives its jobs back to the queue once; a job that
//! loses its worker for the second time fails. A lost worker may still be alive, so it is told to
//! stop its jobs, by name, when it next asks.
//!
//! Held by `tests/interface/worker_protocol.rs`, `worker_liveness.rs` and `worker_processes.rs`.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::state::{EndpointState, Timer};
use super::{Endpoint, JobRunner};
use crate::clock::{Moment, milliseconds};
use crate::error::Refusal;
use crate::queue::attached_workers::{AssignedJob, AttachedWorker, Unhealthy, WaitingWorker};
use crate::queue::job::{Job, JobId, JobResult, Mode};
use crate::queue::pool::WorkerOrigin;
use crate::worker::{WorkerId, WorkerProgram};

/// The worker protocol of an endpoint to which workers attach.
#[derive(Clone, Copy)]
pub(crate) struct WorkerApi<'a> {
    endpoint: &'a Arc<Endpoint>,
    pub(crate) program: &'a Arc<WorkerProgram>,
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

impl Endpoint {
    /// The worker protocol, if workers attach to this endpoint.
    pub(crate) fn worker_api(self: &Arc<Self>) -> Result<WorkerApi<'_>, Refusal> {
        match &self.runner {
            JobRunner::Attached(program) => Ok(WorkerApi { endpoint: self, program }),
            JobRunner::Handler(_) => Err(Refusal::not_found(
                "no worker can attach to this endpoint: the service runs its jobs itself",
            )),
        }
    }
}

impl WorkerApi<'_> {
    /// Waits a few seconds for jobs, and returns at most `max_jobs` of them.
    pub(crate) async fn take_jobs(
        self,
        worker: &str,
        max_jobs: usize,
    ) -> Result<Vec<AssignedJob>, Refusal> {
        let Self { endpoint, .. } = self;
        let (to, jobs) = oneshot::channel();
        let worker = endpoint.access(|state, now| {
            let worker = endpoint.attach(state, worker, now)?;
            state.attached.waiting.retain(|waiting| !waiting.to.is_closed());
            state.attached.waiting.push_back(WaitingWorker { worker, max_jobs, to });
            Ok(worker)
        })?;
        let mut assignment = PendingAssignment { endpoint: endpoint.clone(), worker, jobs };
        tokio::select! {
            biased;
            jobs = &mut assignment.jobs => return Ok(jobs.unwrap_or_default()),
            () = endpoint.long_poll() => {}
            () = endpoint.stopping().cancelled() => return Err(Refusal::stopping()),
        }
        assignment.jobs.close();
        Ok(assignment.jobs.try_recv().unwrap_or_default())
    }

    /// Waits a few seconds for jobs that a worker has to stop.
    pub(crate) async fn jobs_to_stop(self, worker: &str) -> Result<Vec<JobId>, Refusal> {
        let Self { endpoint, .. } = self;
        let mut timeout = pin!(endpoint.long_poll());
        let stops = endpoint.access(|state, _| state.attached.stops.clone());
        loop {
            let mut stopped = pin!(stops.notified());
            stopped.as_mut().enable();
            let jobs = endpoint.access(|state, _| state.attached.take_stops(worker));
            if !jobs.is_empty() {
                return Ok(jobs);
            }
            tokio::select! {
                biased;
                () = stopped => {}
                () = &mut timeout => return Ok(Vec::new()),
                () = endpoint.stopping().cancelled() => return Err(Refusal::stopping()),
            }
        }
    }

    /// Takes a report of a worker, of this many bytes. A report on a job that the worker does not have,
    /// or no longer, is ignored.
    pub(crate) fn report(
        self,
        worker: &str,
        id: &str,
        report: Report,
        bytes: usize,
        max: impl FnOnce(Mode) -> usize,
    ) -> Result<(), Refusal> {
        self.endpoint.access(|state, now| {
            if state.attached.has(worker, id) {
                let Some(job) = state.jobs.get_mut(id) else { return Ok(()) };
                let max = max(job.mode);
                if bytes > max {
                    let message =
                        format!("the result exceeds the limit of {max} bytes for this job");
                    return Err(Refusal::invalid(message));
                }
            }
            match report {
                Report::Progress(output) => {
                    if state.attached.has(worker, id)
                        && let Some(job) = state.jobs.get_mut(id)
                    {
                        job.set_progress(output);
                        state.revision += 1;
                    }
                }
                Report::Done { result, wants_replacement } => {
                    self.take_result(state, worker, id, result, now);
                    // Also if the job has ended before: the worker takes no other.
                    if wants_replacement {
                        state.retire_worker(worker);
                    }
                }
            }
            Ok(())
        })
    }

    fn take_result(
        self,
        state: &mut EndpointState,
        worker: &str,
        id: &str,
        result: JobResult,
        now: Moment,
    ) {
        state.attached.cancel_stop(worker, id);
        if !state.attached.has(worker, id) {
            return;
        }
        let (Some(worker), Some(job)) = (state.attached.id_of(worker), state.jobs.get(id)) else {
            return;
        };
        let id = job.id.clone();
        state.attached.end(worker, &id);
        state.restart_backoff.reset();
        self.endpoint.finish_job(state, &id, result, now);
    }

    /// Records that a report on a job was refused. If that is final, the worker can only drop the
    /// report.
    pub(crate) fn note_refusal(self, worker: &str, id: &str, why: &str, is_final: bool) {
        let is_new = self.endpoint.access(|state, _| {
            let has_job = state.attached.has(worker, id);
            let job = state.jobs.get_mut(id).filter(|_| has_job);
            job.is_some_and(|job| !is_final || job.note_refusal(why))
        });
        if is_new {
            let text = format!("a report on the job {id} was refused: {why}");
            self.program.logs.add_message(worker, Some(id), text);
        }
    }

    /// Takes a chunk of a job's output, unless the worker does not have the job.
    pub(crate) fn chunk(self, worker: &str, id: &str, chunk: Chunk) {
        let kept = self.endpoint.history_chunk(&chunk.output);
        self.endpoint.access(|state, _| {
            if state.attached.has(worker, id) {
                state.emit(id, chunk.output, chunk.metrics, kept);
            }
        });
    }

    /// Records that a worker is alive, the jobs that it reports to run, and its health.
    pub(crate) fn ping<'a>(
        self,
        worker: &str,
        runs: impl Iterator<Item = &'a str>,
        unhealthy: Option<Unhealthy>,
    ) {
        let Self { endpoint, .. } = self;
        endpoint.access(|state, now| {
            for job in runs {
                state.check_reported_job(worker, job);
            }
            let Some(id) = state.attached.id_of(worker) else { return };
            if state.pool.is_attached(id) {
                endpoint.note_alive(state, id, now);
            }
            let Some(worker) = state.attached.get(id) else { return };
            worker.last_ping = Some(now);
            let is_unhealthy_for_long = worker.note_health(unhealthy);
            let retired = worker.wants_replacement || worker.unhealthy.is_some();
            let is_free = worker.jobs.is_empty();
            state.revision += 1;
            state.pool.set_retired(id, retired);
            if is_unhealthy_for_long && is_free && endpoint.runner.origin() == WorkerOrigin::Process
            {
                endpoint.lose_worker(state, id, "is unhealthy and has not ended", now);
            }
        });
    }

    /// The workers that are attached or starting.
    pub(crate) fn workers(self) -> Vec<WorkerRecord> {
        self.endpoint.access(|state, _| {
            let record = |(id, worker): (WorkerId, &AttachedWorker)| WorkerRecord {
                id: worker.name.to_string(),
                status: state.pool.activity(id),
                jobs: worker.jobs.iter().map(|id| id.to_string()).collect(),
                missed_pings: worker.missed_pings,
                last_ping_ms: worker.last_ping.map(milliseconds),
                unhealthy: worker.unhealthy.clone(),
            };
            state.attached.iter().map(record).collect()
        })
    }
}

/// Jobs that are assigned to a worker whose request still waits. If the request ends before they are in
/// its response, they are queued again.
struct PendingAssignment {
    endpoint: Arc<Endpoint>,
    worker: WorkerId,
    jobs: oneshot::Receiver<Vec<AssignedJob>>,
}

impl Drop for PendingAssignment {
    fn drop(&mut self) {
        self.jobs.close();
        if let Ok(jobs) = self.jobs.try_recv() {
            let worker = self.worker;
            self.endpoint.access(|state, now| state.requeue_undelivered(worker, jobs, now));
        }
    }
}

/// Longest wait of a worker's request for jobs, in real time, like the timeout of its HTTP client.
const LONG_POLL: Duration = Duration::from_secs(5);
/// The largest number of attached workers of an endpoint. It protects the memory of the process.
const MAX_WORKERS: usize = 1000;

impl Endpoint {
    /// Waits for the duration of a long poll, or until the clock is advanced.
    async fn long_poll(&self) {
        tokio::select! {
            () = self.clock.advanced() => {}
            () = tokio::time::sleep(LONG_POLL) => {}
        }
    }

    /// The worker of this name, which asks for a job. An unknown external worker is added.
    fn attach(
        &self,
        state: &mut EndpointState,
        name: &str,
        now: Moment,
    ) -> Result<WorkerId, Refusal> {
        let id = match state.attached.id_of(name) {
            Some(id) => {
                if let Some(timer) = state.pool.attach(id) {
                    state.set_pool_timer(id, timer, now);
                }
                id
            }
            None if self.runner.origin() != WorkerOrigin::External => {
                return Err(Refusal::not_found(
                    "no such worker: the service starts the workers of this endpoint",
                ));
            }
            None if state.attached.len() >= MAX_WORKERS => {
                let message = format!("{MAX_WORKERS} workers are attached to this endpoint");
                return Err(Refusal::too_many_requests(message, None));
            }
            None => {
                let id = state.pool.join();
                state.attached.add(id, name.into());
                id
            }
        };
        self.note_alive(state, id, now);
        Ok(id)
    }

    fn note_alive(&self, state: &mut EndpointState, id: WorkerId, now: Moment) {
        state.revision += 1;
        if let Some(worker) = state.attached.get(id) {
            worker.missed_pings = 0;
            let due = now.saturating_add(self.settings.workers.ping_timeout());
            state.set_timer(Timer::Ping(id), due);
        }
    }

    /// Starts a process as a worker, which attaches when it is ready.
    pub(super) fn start_process(
        self: &Arc<Self>,
        program: &Arc<WorkerProgram>,
        state: &mut EndpointState,
        id: WorkerId,
    ) {
        let name: Arc<str> = format!("worker-{id}").into();
        let stop = state.attached.add(id, name.clone());
        let (endpoint, program) = (self.clone(), program.clone());
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                status = program.run(&name) => {
                    if let Some(text) = endpoint.process_ended(id, &status) {
                        program.logs.add_message(&name, None, text);
                    }
                }
            }
        });
    }

    /// Handles the end of a worker's process. Returns the message for the log.
    fn process_ended(self: &Arc<Self>, id: WorkerId, status: &str) -> Option<String> {
        self.access(|state, now| {
            let name = state.attached.get(id)?.name.clone();
            self.remove_lost(state, id, &format!("the worker {name} ended: {status}"), now);
            Some(match state.restart_backoff.fail(now) {
                (1, _) => format!("the worker ended: {status}"),
                (ended, pause) => format!(
                    "the worker ended: {status}; {ended} have ended in a row without finishing a job, \
                     so the next one starts in {} s at the earliest",
                    pause.as_secs(),
                ),
            })
        })
    }

    /// A ping was not received in time. However far the clock was advanced, that is one missed ping,
    /// because a worker pings in real time.
    pub(super) fn miss_ping(
        &self,
        state: &mut EndpointState,
        id: WorkerId,
        at: Moment,
        now: Moment,
    ) {
        let Some(worker) = state.attached.get(id) else { return };
        if worker.miss_ping() {
            let why = format!("missed {} pings", worker.missed_pings);
            self.lose_worker(state, id, &why, at);
        } else {
            let due = now.saturating_add(self.settings.workers.ping_timeout());
            state.set_timer(Timer::Ping(id), due);
        }
    }

    /// Gives up a worker, and adds the reason to its log.
    fn lose_worker(&self, state: &mut EndpointState, id: WorkerId, why: &str, at: Moment) {
        let Some(worker) = state.attached.get(id) else { return };
        let name = worker.name.clone();
        self.remove_lost(state, id, &format!("the worker {name} {why}"), at);
        if let JobRunner::Attached(program) = &self.runner {
            let program = program.clone();
            let text = format!("the worker {why}, so it is given up");
            // In a task, since a log listener may block, and the state is locked here.
            self.tasks.spawn(async move { program.logs.add_message(&name, None, text) });
        }
    }

    /// Removes a lost worker. Its jobs are queued again, or fail if they lost a worker before.
    fn remove_lost(&self, state: &mut EndpointState, id: WorkerId, why: &str, at: Moment) {
        for job in state.remove_worker(id) {
            let was_lost = state.jobs.get_mut(&job).is_some_and(Job::lose_worker);
            if was_lost {
                let error = format!("the job was lost with its worker for the second time: {why}");
                self.finish_job(state, &job, JobResult::failure(error), at);
            } else {
                state.requeue(&job, at);
                state.totals.retried += 1;
            }
        }
    }
}

/// A report of a worker on a job, parsed by hand so that a refusal names the field.
#[derive(Debug)]
pub(crate) enum Report {
    /// The output while the job runs.
    Progress(Value),
    Done {
        result: JobResult,
        /// True if the worker requests replacement.
        wants_replacement: bool,
    },
}

impl Report {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Refusal> {
        let mut body = object(body)?;
        let output = body.remove("output");
        if body.get("status").is_some_and(|status| status == "IN_PROGRESS") {
            return Ok(Self::Progress(output.unwrap_or_default()));
        }
        let error = match body.remove("error") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(other) => Some(other.to_string()),
        };
        let wants_replacement = body.get("stopPod") == Some(&Value::Bool(true));
        Ok(Self::Done { result: JobResult { output, error }, wants_replacement })
    }
}

/// A chunk of a job's output.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) output: Value,
    pub(crate) metrics: Map<String, Value>,
}

impl Chunk {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Refusal> {
        let mut body = object(body)?;
        let output = body.remove("output");
        let output = output.ok_or_else(|| Refusal::invalid("a chunk must have an output"))?;
        let metrics = match body.remove("metrics") {
            Some(Value::Object(metrics)) => metrics,
            _ => Map::new(),
        };
        Ok(Self { output, metrics })
    }
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Refusal::invalid("the body must be a JSON object")),
        Err(error) => {
            let hint =
                if has_python_numbers(body) { "; NaN and Infinity are not JSON" } else { "" };
            Err(Refusal::invalid(format!("the body is not JSON: {error}{hint}")))
        }
    }
}

/// Returns true if a text may contain the numbers that Python writes and JSON lacks.
fn has_python_numbers(body: &[u8]) -> bool {
    let has = |number: &str| body.windows(number.len()).any(|part| part == number.as_bytes());
    has("NaN") || has("Infinity")
}
