//! Status of a job.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The status of a job ([States and transitions](crate#the-interface)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// A status that the interface does not document, treated as not terminal.
    Other(UndocumentedStatus),
}

/// The text of a status that the interface does not document: its first
/// [`MAX_LEN`](Self::MAX_LEN) bytes, to the last whole character. A longer text stays whole in
/// [`JobRecord::as_bytes`](crate::JobRecord::as_bytes).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct UndocumentedStatus {
    len: u8,
    /// Zero behind the text, so that equal texts are equal.
    bytes: [u8; Self::MAX_LEN],
}

impl UndocumentedStatus {
    /// The maximum number of bytes that are kept.
    pub const MAX_LEN: usize = 46;

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len.into()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl From<&str> for UndocumentedStatus {
    fn from(text: &str) -> Self {
        let most = text.len().min(Self::MAX_LEN);
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let text = &text[..end];
        let mut bytes = [0; Self::MAX_LEN];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self { len: u8::try_from(text.len()).unwrap_or(u8::MAX), bytes }
    }
}

impl fmt::Debug for UndocumentedStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for UndocumentedStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
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
            Self::Other(text) => text.as_str(),
        }
    }

    /// Returns true if the job has ended: COMPLETED, FAILED, CANCELLED or TIMED_OUT. Only
    /// [`Job::retry`](crate::Job::retry) moves a job out of a terminal status.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::TimedOut)
    }

    /// Returns true if the job has succeeded, and its record contains the output: COMPLETED.
    #[must_use]
    pub fn is_completed(self) -> bool {
        self == Self::Completed
    }

    /// Returns true if the handler or its worker failed, or the input was invalid: FAILED. A job
    /// that was cancelled or timed out has ended without an output, too, and is not failed.
    #[must_use]
    pub fn is_failed(self) -> bool {
        self == Self::Failed
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
            other => Self::Other(other.into()),
        }
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
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

#[cfg(test)]
mod tests {
    use super::{JobStatus, UndocumentedStatus};

    #[test]
    fn an_undocumented_status_is_kept_up_to_its_last_whole_character() {
        let most = "é".repeat(UndocumentedStatus::MAX_LEN / 2);
        for (text, kept) in [
            ("RUNNING", "RUNNING"),
            ("", ""),
            ("completed", "completed"),
            (most.as_str(), most.as_str()),
            (&format!("{most}x"), most.as_str()),
            (&format!("x{most}"), &format!("x{}", &most[2..])),
        ] {
            let status = JobStatus::from(text);
            assert_eq!(status.as_str(), kept);
            assert!(matches!(status, JobStatus::Other(_)) && !status.is_terminal());
            assert_eq!(status, JobStatus::from(kept));
        }
        assert!(std::mem::size_of::<JobStatus>() <= 48);
    }
}
