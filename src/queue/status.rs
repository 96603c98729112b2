//! The status of a job.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The status of a job ([States and transitions](crate#the-interface)).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JobStatus {
    /// Accepted, and waiting for a worker.
    InQueue,
    /// A worker's handler is running.
    InProgress,
    /// The handler succeeded; the record has its output.
    Completed,
    /// The handler or its worker failed, or the input was invalid.
    Failed,
    /// Cancelled, before or while it ran.
    Cancelled,
    /// Cut off by its execution timeout, or never picked up in time.
    TimedOut,
    /// A status that the interface does not name. It is kept as it came, and taken as not terminal.
    Other(String),
}

impl JobStatus {
    /// The status as it stands on the wire.
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
    /// [`Job::retry`](crate::Job::retry) makes it leave such a status again.
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
