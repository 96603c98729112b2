//! A job as its handler sees it.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Moment};
use crate::sync::locked;

/// Identifies a worker of an endpoint.
pub(crate) type WorkerId = u64;

/// A job, as passed to its handler.
#[non_exhaustive]
pub struct LocalJob {
    /// The job's id.
    pub id: String,
    /// The input of the job.
    pub input: Value,
    /// The execution policy of the job.
    pub policy: JobPolicy,
    /// The object storage of the job.
    pub s3_config: Option<S3Config>,
    /// How the handler reports on the job.
    pub context: JobContext,
}

/// Where the reports of a running job go. One of an attempt that is over is dropped.
pub(crate) trait Reports: Send + Sync {
    fn emit(self: Arc<Self>, id: &str, attempt: u64, output: Value, metrics: Map<String, Value>);
    fn progress(self: Arc<Self>, id: &str, attempt: u64, value: Value);
}

/// How a handler reports on its job and learns of its end. A clone refers to the same job, and remains
/// usable after the fields of its [`LocalJob`] were moved out.
#[derive(Clone)]
pub struct JobContext {
    pub(crate) reports: Arc<dyn Reports>,
    pub(crate) id: Arc<str>,
    pub(crate) attempt: u64,
    pub(crate) worker: WorkerId,
    pub(crate) stop: CancellationToken,
    pub(crate) clock: Clock,
    /// How far the handler has got in time, for a clock that stands still.
    pub(crate) time: Arc<Mutex<Moment>>,
}

/// The execution policy that a job was submitted with. What the submission omitted is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobPolicy {
    /// How long the job may run: 5 seconds to 7 days.
    pub execution_timeout: Option<Duration>,
    /// Whether the job runs only on workers that are already there.
    pub low_priority: bool,
    /// How long the job may exist, counted from its submission: 10 seconds to 7 days.
    pub ttl: Option<Duration>,
}

/// The object storage that a job was submitted with. The service passes it to the handler and does
/// not use it.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct S3Config {
    /// Identifies the access key.
    pub access_id: Option<String>,
    /// The access key's secret. `Debug` does not show it.
    pub access_secret: Option<String>,
    /// The bucket to use.
    pub bucket_name: Option<String>,
    /// The address of the storage provider.
    pub endpoint_url: Option<String>,
}

impl fmt::Debug for S3Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Config")
            .field("access_id", &self.access_id)
            .field("access_secret", &self.access_secret.as_ref().map(|_| "[hidden]"))
            .field("bucket_name", &self.bucket_name)
            .field("endpoint_url", &self.endpoint_url)
            .finish()
    }
}

impl LocalJob {
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
    /// Adds a chunk to the job's stream, with default metrics. A chunk above 1 MB is split: see [the
    /// crate's documentation](crate#interpretations).
    pub async fn emit(&self, output: Value) {
        self.emit_with_metrics(output, Map::new()).await;
    }

    /// Adds a chunk to the job's stream. `metrics` override the default metrics.
    pub async fn emit_with_metrics(&self, output: Value, metrics: Map<String, Value>) {
        self.reports.clone().emit(&self.id, self.attempt, output, metrics);
        // A handler that emits in a loop leaves room for those who read.
        tokio::task::yield_now().await;
    }

    /// Sets the `output` that `/status` shows while the job runs. The result replaces it.
    pub fn progress(&self, value: Value) {
        self.reports.clone().progress(&self.id, self.attempt, value);
    }

    /// Waits until the job is cancelled, timed out or deleted. From then on its result is ignored, and
    /// the handler is dropped a second later.
    pub async fn cancelled(&self) {
        self.stop.cancelled().await;
    }

    /// Returns whether the job was cancelled, timed out or deleted.
    pub fn is_cancelled(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Sleeps on the service's clock.
    ///
    /// On a manual clock the handler's own work takes no time: its first sleep begins when the job
    /// started, and each further one when the previous one ended, however far the clock was advanced
    /// meanwhile.
    pub async fn sleep(&self, duration: Duration) {
        let begun = *locked(&self.time);
        let end = self.clock.end_of_work(begun).saturating_add(duration);
        self.clock.sleep_until(end).await;
        let mut time = locked(&self.time);
        *time = end.max(*time);
    }

    /// Returns the number of this attempt: 1, and one more after each `/retry`.
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
