//! Health of an endpoint.

use serde::{Deserialize, Deserializer};

use podqueue_runtime::lenient;

/// An endpoint's numbers of jobs and workers ([Health report](crate#the-interface)).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Health {
    /// Jobs, by status.
    pub jobs: JobCounts,
    /// Workers, by state.
    pub workers: WorkerCounts,
}

/// Jobs of an endpoint, by status.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct JobCounts {
    /// Jobs that completed.
    #[serde(deserialize_with = "count")]
    pub completed: u64,
    /// Jobs that failed.
    #[serde(deserialize_with = "count")]
    pub failed: u64,
    /// Jobs that are running.
    #[serde(deserialize_with = "count")]
    pub in_progress: u64,
    /// Jobs waiting for a worker.
    #[serde(deserialize_with = "count")]
    pub in_queue: u64,
    /// Jobs that were retried.
    #[serde(deserialize_with = "count")]
    pub retried: u64,
}

/// Workers of an endpoint, by state. The interface documents idle and running workers; the other states
/// are seen in practice, and are `None` if the service does not report them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct WorkerCounts {
    /// Workers waiting for a job.
    #[serde(deserialize_with = "count")]
    pub idle: u64,
    /// Workers running a job.
    #[serde(deserialize_with = "count")]
    pub running: u64,
    /// Workers that are starting.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub initializing: Option<u64>,
    /// Workers that are ready to take a job.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub ready: Option<u64>,
    /// Workers waiting for a free machine.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub throttled: Option<u64>,
    /// Workers that are unhealthy.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub unhealthy: Option<u64>,
}

/// The result of a purge ([Purge result](crate#the-interface)).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Purged {
    /// The number of queued jobs removed.
    #[serde(deserialize_with = "count")]
    pub removed: u64,
    /// The service's word for the outcome, such as `completed`.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub status: String,
}

/// A documented count: it must be there, so that a reply of another shape is never taken for zeros,
/// and null counts as none.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(lenient::integer(deserializer)?.unwrap_or(0))
}
