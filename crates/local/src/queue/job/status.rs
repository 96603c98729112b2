//! The states of a job.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Status {
    InQueue,
    InProgress,
    Completed,
    Failed,
    Cancelled,
    TimedOut,
}

impl Status {
    pub(crate) const ALL: [Self; 6] = [
        Self::InQueue,
        Self::InProgress,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::TimedOut,
    ];

    pub(crate) fn is_terminal(self) -> bool {
        !matches!(self, Self::InQueue | Self::InProgress)
    }

    /// As the interface spells it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::InQueue => "IN_QUEUE",
            Self::InProgress => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::TimedOut => "TIMED_OUT",
        }
    }
}
