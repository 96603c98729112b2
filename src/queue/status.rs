//! The status of a job.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The status of a job ([States and transitions](crate#the-interface)).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JobStatus {
    /// Accepted and waiting for a worker.
    InQueue,
    /// A worker's handler is running.
    InProgress,
    /// The handler succeeded; the record contains its output.
    Completed,
    /// The handler or its worker failed, or the input was invalid.
    Failed,
    /// Cancelled, before or while it ran.
    Cancelled,
    /// Aborted by its execution timeout, or not picked up in time.
    TimedOut,
    /// A status that the interface does not document. It is kept verbatim and treated as not
    /// terminal.
    Other(String),
}

impl JobStatus {
    /// The status as on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::InQueue => "IN_QUEUE",
            Self::InProgress => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::TimedOut => "TIMED_OUT",
            Self::Other(text) => text,
        }
    }

    /// Whether the job has ended: COMPLETED, FAILED, CANCELLED or TIMED_OUT. Only
    /// [`Job::retry`](crate::Job::retry) moves a job out of a terminal status.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::TimedOut)
    }
}

impl From<&str> for JobStatus {
    fn from(text: &str) -> Self {
        match text {
            "IN_QUEUE" => Self::InQueue,
            "IN_PROGRESS" => Self::InProgress,
            "COMPLETED" => Self::Completed,
            "FAILED" => Self::Failed,
            "CANCELLED" => Self::Cancelled,
            "TIMED_OUT" => Self::TimedOut,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for JobStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for JobStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(String::deserialize(deserializer)?.as_str()))
    }
}
