//! Workers: what runs a job's handler.

mod builtin;
mod closure;
mod command;
mod outcome;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::queue::{Endpoint, Job, JobPolicy, S3Config, WorkerId};
use crate::sync::locked;

pub(crate) use builtin::builtins;
pub(crate) use closure::{Closure, Streaming};
pub(crate) use command::Command;
pub(crate) use outcome::{Outcome, WorkerLost, run};

/// Why a handler failed. Its text becomes the `error` of the job.
///
/// A text turns into it (`Err("out of memory".into())`), and so does every error type by `?`.
pub type HandlerError = Box<dyn std::error::Error + Send + Sync>;

/// What runs the jobs of an endpoint.
pub(crate) trait Handler: Send + Sync {
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>>;

    /// A worker is gone, and what was kept for it can go too.
    fn worker_stopped(&self, _worker: WorkerId) {}
}

/// A job as its handler sees it.
#[non_exhaustive]
pub struct LocalJob {
    /// The job's id.
    pub id: String,
    /// The input that the job was submitted with.
    pub input: Value,
    /// The policy that the job was submitted with.
    pub policy: JobPolicy,
    /// The object storage that the job was submitted with.
    pub s3_config: Option<S3Config>,
    /// The worker's own side of the job.
    pub context: JobContext,
}

/// What a handler can do about its job. A clone is the same job, and outlives a
/// [`LocalJob`] whose input was moved out.
#[derive(Clone)]
pub struct JobContext {
    endpoint: Arc<Endpoint>,
    id: Arc<str>,
    attempt: u64,
    worker: WorkerId,
    stop: CancellationToken,
    /// How far the handler has got in time, for a clock that stands still.
    time: Arc<Mutex<Moment>>,
}

impl LocalJob {
    pub(crate) fn new(
        endpoint: Arc<Endpoint>,
        job: &Job,
        worker: WorkerId,
        stop: CancellationToken,
        now: Moment,
    ) -> Self {
        Self {
            id: job.id.to_string(),
            input: job.submission.input.clone(),
            policy: job.submission.policy,
            s3_config: job.submission.s3_config.clone(),
            context: JobContext {
                endpoint,
                id: job.id.clone(),
                attempt: job.attempt,
                worker,
                stop,
                time: Arc::new(Mutex::new(now)),
            },
        }
    }

    pub(crate) fn worker(&self) -> WorkerId {
        self.context.worker
    }

    /// See [`JobContext::emit`].
    pub async fn emit(&self, output: Value) {
        self.context.emit(output).await;
    }

    /// See [`JobContext::emit_with_metrics`].
    pub async fn emit_with_metrics(&self, output: Value, metrics: Map<String, Value>) {
        self.context.emit_with_metrics(output, metrics).await;
    }

    /// See [`JobContext::progress`].
    pub fn progress(&self, value: Value) {
        self.context.progress(value);
    }

    /// See [`JobContext::cancelled`].
    pub async fn cancelled(&self) {
        self.context.cancelled().await;
    }

    /// See [`JobContext::is_cancelled`].
    pub fn is_cancelled(&self) -> bool {
        self.context.is_cancelled()
    }

    /// See [`JobContext::sleep`].
    pub async fn sleep(&self, duration: Duration) {
        self.context.sleep(duration).await;
    }

    /// See [`JobContext::attempt`].
    pub fn attempt(&self) -> u64 {
        self.context.attempt()
    }
}

impl JobContext {
    /// Adds a chunk to the job's stream, with the metrics that the service makes up. A chunk
    /// above 1 MB is split into several: see the crate's documentation.
    pub async fn emit(&self, output: Value) {
        self.emit_with_metrics(output, Map::new()).await;
    }

    /// Adds a chunk to the job's stream. `metrics` go over those that the service makes up.
    pub async fn emit_with_metrics(&self, output: Value, metrics: Map<String, Value>) {
        self.endpoint.emit(&self.id, self.attempt, output, metrics);
        // A handler that emits in a loop leaves room for those who read.
        tokio::task::yield_now().await;
    }

    /// Sets the `output` that `/status` shows while the job runs. The result takes its place.
    pub fn progress(&self, value: Value) {
        self.endpoint.progress(&self.id, self.attempt, value);
    }

    /// Waits until the job is cancelled, timed out or deleted. From then on its result is of no
    /// interest, and the handler is dropped a second later.
    pub async fn cancelled(&self) {
        self.stop.cancelled().await;
    }

    /// Whether the job was cancelled, timed out or deleted.
    pub fn is_cancelled(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Sleeps on the service's clock.
    ///
    /// On a clock that stands still the handler's own work takes no time: its first sleep begins
    /// when the job started, and each further one where the one before it ended, however far the
    /// clock was advanced meanwhile.
    pub async fn sleep(&self, duration: Duration) {
        let clock = self.endpoint.clock();
        let begun = *locked(&self.time);
        let end = clock.end_of_work(begun).saturating_add(duration);
        clock.sleep_until(end).await;
        let mut time = locked(&self.time);
        *time = end.max(*time);
    }

    /// Which attempt at the job this is: 1, and one more after each `/retry`.
    pub fn attempt(&self) -> u64 {
        self.attempt
    }
}

impl fmt::Debug for LocalJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalJob")
            .field("id", &self.id)
            .field("input", &self.input)
            .field("policy", &self.policy)
            .field("s3_config", &self.s3_config)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for JobContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobContext")
            .field("id", &self.id)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
