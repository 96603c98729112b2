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
//! Checked by `tests/interface/worker_protocol.rs`, `worker_liveness.rs` and `worker_processes.rs`.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::state::{EndpointState, LostWorker};
use super::{Endpoint, JobRunner};
use crate::error::Refusal;
use crate::queue::attached_workers::{AssignedJob, Unhealthy, WorkerRecord};
use crate::queue::job::{JobId, JobResult, Mode};
use crate::worker::{WorkerId, WorkerProgram};

/// The worker protocol of an endpoint to which workers attach.
#[derive(Clone, Copy)]
pub(crate) struct WorkerProtocol<'a> {
    endpoint: &'a Arc<Endpoint>,
    pub(crate) program: &'a Arc<WorkerProgram>,
}

impl Endpoint {
    /// The worker protocol, if workers attach to this endpoint.
    pub(crate) fn worker_protocol(self: &Arc<Self>) -> Result<WorkerProtocol<'_>, Refusal> {
        match &self.runner {
            JobRunner::Attached(program) => Ok(WorkerProtocol { endpoint: self, program }),
            JobRunner::Handler(_) => Err(Refusal::not_found(
                "no worker can attach to this endpoint: the service runs its jobs itself",
            )),
        }
    }
}

impl WorkerProtocol<'_> {
    /// Waits a few seconds for jobs, and returns at most `max_jobs` of them.
    pub(crate) async fn take_jobs(
        self,
        worker: &str,
        max_jobs: usize,
    ) -> Result<Vec<AssignedJob>, Refusal> {
        let Self { endpoint, .. } = self;
        let (to, jobs) = oneshot::channel();
        let worker =
            endpoint.access(|state, now| state.wait_for_jobs(worker, max_jobs, to, now))?;
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
        let stops = endpoint.access(|state, _| state.stops());
        loop {
            let mut stopped = pin!(stops.notified());
            stopped.as_mut().enable();
            let jobs = endpoint.access(|state, _| state.take_stops(worker));
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

    /// Takes a report of a worker, of this many bytes. A report on a job that the worker does not
    /// have, or no longer, is ignored.
    pub(crate) fn report(
        self,
        worker: &str,
        id: &str,
        report: Report,
        bytes: usize,
        max: impl FnOnce(Mode) -> usize,
    ) -> Result<(), Refusal> {
        self.endpoint.access(|state, now| {
            let job = state.attached_job(worker, id);
            let has_job = job.is_some();
            if let Some(max) = job.map(|job| max(job.mode))
                && bytes > max
            {
                let message = format!("the result exceeds the limit of {max} bytes for this job");
                return Err(Refusal::invalid(message));
            }
            match report {
                Report::Progress(output) if has_job => state.set_progress(id, output),
                Report::Progress(_) => {}
                Report::Done { result, wants_replacement } => {
                    state.finish_attached(worker, id, result, now);
                    // Also if the job has ended before: the worker takes no other.
                    if wants_replacement {
                        state.retire_worker(worker, now);
                    }
                }
            }
            Ok(())
        })
    }

    /// Records that a report on a job was refused. If that is final, the worker can only drop the
    /// report.
    pub(crate) fn note_refusal(self, worker: &str, id: &str, why: &str, is_final: bool) {
        let is_new = self.endpoint.access(|state, _| state.note_refusal(worker, id, why, is_final));
        if is_new {
            let text = format!("a report on the job {id} was refused: {why}");
            self.program.log.add_message(worker, Some(id), text);
        }
    }

    /// Takes a chunk of a job's output, unless the worker does not have the job.
    pub(crate) fn chunk(self, worker: &str, id: &str, chunk: Chunk) {
        let kept = self.endpoint.history_chunk(&chunk.output);
        self.endpoint.access(|state, _| {
            if state.attached_job(worker, id).is_some() {
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
            if let Some(lost) = state.ping(worker, runs, unhealthy, now) {
                endpoint.log_lost_worker(lost);
            }
        });
    }

    /// The workers that are attached or starting.
    pub(crate) fn workers(self) -> Vec<WorkerRecord> {
        self.endpoint.access(|state, _| state.worker_records())
    }
}

/// Jobs that are assigned to a worker whose request still waits. If the request ends before they
/// are in its response, they are queued again.
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

impl Endpoint {
    /// Waits for the duration of a long poll, or until the clock is advanced.
    async fn long_poll(&self) {
        tokio::select! {
            () = self.clock.advanced() => {}
            () = tokio::time::sleep(LONG_POLL) => {}
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
        let stop = state.register_process(id, name.clone());
        let (endpoint, program) = (self.clone(), program.clone());
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                status = program.run(&name) => {
                    if let Some(text) = endpoint.process_ended(id, &status) {
                        program.log.add_message(&name, None, text);
                    }
                }
            }
        });
    }

    /// Handles the end of a worker's process. Returns the message for the log.
    fn process_ended(self: &Arc<Self>, id: WorkerId, status: &str) -> Option<String> {
        let (ended, backoff) = self.access(|state, now| state.process_ended(id, status, now))?;
        Some(match ended {
            1 => format!("the worker ended: {status}"),
            ended => format!(
                "the worker ended: {status}; {ended} have ended in a row without finishing a job, so \
                 the next one starts in {} s at the earliest",
                backoff.as_secs(),
            ),
        })
    }

    /// Adds to the log of a worker why it was given up.
    pub(super) fn log_lost_worker(&self, LostWorker { name, why }: LostWorker) {
        if let JobRunner::Attached(program) = &self.runner {
            let program = program.clone();
            let text = format!("the worker {why}, so it is given up");
            // In a task, since a log listener may block, and the state is locked here.
            self.tasks.spawn(async move { program.log.add_message(&name, None, text) });
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
