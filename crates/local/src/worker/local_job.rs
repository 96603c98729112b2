//! A job as its handler sees it, and as the JSON that a worker process gets.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Moment, milliseconds};
use crate::tasks::locked;

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
    /// Reports of the handler on the job.
    pub context: JobContext,
}

/// A report of a handler on its job.
pub(crate) enum HandlerReport {
    Chunk { output: Value, metrics: Map<String, Value> },
    Progress(Value),
}

/// Handle with which a handler reports on its job and learns of its end. A clone refers to the same
/// job, and remains usable after the fields of its [`LocalJob`] were moved out.
#[derive(Clone)]
pub struct JobContext {
    /// Takes the reports of this attempt; once it is over, they are dropped.
    pub(crate) report: Arc<dyn Fn(HandlerReport) + Send + Sync>,
    pub(crate) attempt: u64,
    pub(crate) worker: WorkerId,
    pub(crate) stop: CancellationToken,
    pub(crate) clock: Clock,
    /// The time that the handler has reached, for a manual clock.
    pub(crate) time: Arc<Mutex<Moment>>,
}

/// The execution policy that a job was submitted with. Fields that the submission omitted are
/// `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobPolicy {
    /// Execution timeout: 5 seconds to 7 days.
    pub execution_timeout: Option<Duration>,
    /// True if the job runs only on workers that are already there.
    pub low_priority: bool,
    /// Lifespan of the job, counted from its submission: 10 seconds to 7 days.
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
            .field("access_secret", &self.access_secret.as_ref().map(|_| "[redacted]"))
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
    /// Adds a chunk to the job's stream, with default metrics. A chunk above 1 MB is split: see
    /// [the crate's documentation](crate#interpretations).
    pub async fn emit(&self, output: Value) {
        self.emit_with_metrics(output, Map::new()).await;
    }

    /// Adds a chunk to the job's stream. `metrics` override the default metrics.
    pub async fn emit_with_metrics(&self, output: Value, metrics: Map<String, Value>) {
        (self.report)(HandlerReport::Chunk { output, metrics });
        // A handler that emits in a loop must not starve the requests that read.
        tokio::task::yield_now().await;
    }

    /// Sets the `output` that `/status` shows while the job runs. The result replaces it.
    pub fn progress(&self, value: Value) {
        (self.report)(HandlerReport::Progress(value));
    }

    /// Waits until the job is cancelled, timed out or deleted. From then on its result is ignored,
    /// and the handler is dropped a second later.
    pub async fn cancelled(&self) {
        self.stop.cancelled().await;
    }

    /// Returns true if the job was cancelled, timed out or deleted.
    pub fn is_cancelled(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Sleeps on the service's clock.
    ///
    /// On a manual clock the handler's own work takes no time: its first sleep begins when the job
    /// started, and each further sleep when the previous sleep ended, however far the clock was
    /// advanced meanwhile.
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
        f.debug_struct("JobContext").field("attempt", &self.attempt).finish_non_exhaustive()
    }
}

/// The JSON of a job for a worker process. Fields that the submission omitted are omitted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobJson<'a> {
    pub(crate) id: &'a str,
    pub(crate) input: &'a Value,
    #[serde(skip_serializing_if = "is_default", serialize_with = "policy")]
    pub(crate) policy: JobPolicy,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "s3_config")]
    pub(crate) s3_config: Option<&'a S3Config>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) webhook: Option<&'a str>,
}

impl<'a> JobJson<'a> {
    /// The JSON for a command, which has no webhook.
    pub(crate) fn of(job: &'a LocalJob) -> Self {
        Self {
            id: &job.id,
            input: &job.input,
            policy: job.policy,
            s3_config: job.s3_config.as_ref(),
            webhook: None,
        }
    }
}

impl fmt::Display for JobJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// The JSON of a policy, as it is submitted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_timeout: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    low_priority: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct S3ConfigJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    access_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access_secret: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bucket_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint_url: Option<&'a str>,
}

fn is_default(policy: &JobPolicy) -> bool {
    *policy == JobPolicy::default()
}

impl From<JobPolicy> for PolicyJson {
    fn from(policy: JobPolicy) -> Self {
        let in_milliseconds = |time: Option<Duration>| time.map(milliseconds);
        Self {
            execution_timeout: in_milliseconds(policy.execution_timeout),
            ttl: in_milliseconds(policy.ttl),
            low_priority: policy.low_priority,
        }
    }
}

fn policy<S: Serializer>(policy: &JobPolicy, to: S) -> Result<S::Ok, S::Error> {
    PolicyJson::from(*policy).serialize(to)
}

fn s3_config<S: Serializer>(config: &Option<&S3Config>, to: S) -> Result<S::Ok, S::Error> {
    let config = config.map(|config| S3ConfigJson {
        access_id: config.access_id.as_deref(),
        access_secret: config.access_secret.as_deref(),
        bucket_name: config.bucket_name.as_deref(),
        endpoint_url: config.endpoint_url.as_deref(),
    });
    config.serialize(to)
}
