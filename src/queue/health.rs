//! What an endpoint says of itself.

use serde::{Deserialize, Deserializer};

use crate::lenient;

/// How many jobs and workers an endpoint has ([Health report](crate#the-interface)).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Health {
    /// Jobs by status.
    pub jobs: JobCounts,
    /// Workers by what they do.
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
    /// Jobs that run now.
    #[serde(deserialize_with = "count")]
    pub in_progress: u64,
    /// Jobs that wait for a worker.
    #[serde(deserialize_with = "count")]
    pub in_queue: u64,
    /// Jobs that were retried.
    #[serde(deserialize_with = "count")]
    pub retried: u64,
}

/// Workers of an endpoint, by what they do. The interface names the idle and the running ones; the
/// others are seen in practice, and `None` where the service does not report them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct WorkerCounts {
    /// Workers that wait for a job.
    #[serde(deserialize_with = "count")]
    pub idle: u64,
    /// Workers that run a job.
    #[serde(deserialize_with = "count")]
    pub running: u64,
    /// Workers that are starting.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub initializing: Option<u64>,
    /// Workers that could take a job.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub ready: Option<u64>,
    /// Workers that wait for a free machine.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub throttled: Option<u64>,
    /// Workers that do not work as they should.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub unhealthy: Option<u64>,
}

/// What a purge removed ([Purge result](crate#the-interface)).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Purged {
    /// How many queued jobs were removed.
    #[serde(deserialize_with = "count")]
    pub removed: u64,
    /// What the service says of it, such as `completed`.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub status: String,
}

/// A documented count: it must be there, so that a reply of another shape is never taken for zeros,
/// and null counts as none.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(lenient::integer(deserializer)?.unwrap_or(0))
}
