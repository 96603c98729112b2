//! What the outcome of a submission means for its input.

use std::time::Duration;

use podqueue::ErrorKind;

/// How long nothing is submitted after the queue was full, and after the service could not be reached.
const FULL: Duration = Duration::from_millis(500);
const UNREACHABLE: Duration = Duration::from_secs(1);

/// The longest pause that the service can ask for, which may be a mistake of its.
const LONGEST_ASKED: Duration = Duration::from_secs(5 * 60);

/// What became of a submission.
pub(super) enum Verdict {
    /// It is this job.
    Accepted(String),
    /// It may have been accepted.
    Unknown(podqueue::Error),
    /// It was certainly not accepted, because of the input: by the service, or before it was sent.
    Refused { why: String, was_sent: bool },
    /// It was certainly not accepted, for a reason that passes.
    NotSent(Why),
    /// It was certainly not accepted, and no other input will be.
    Stop(podqueue::Error),
}

/// Why a submission was not accepted.
pub(super) enum Why {
    /// The service has too many jobs, or requests. It may say when to come again.
    QueueFull(Option<Duration>),
    /// The service could not be reached.
    Unreachable(podqueue::Error),
}

impl Why {
    /// How long to submit nothing.
    pub(super) fn pause(&self) -> Duration {
        match self {
            Self::QueueFull(asked) => asked.unwrap_or_default().clamp(FULL, LONGEST_ASKED),
            Self::Unreachable(_) => UNREACHABLE,
        }
    }
}

impl Verdict {
    pub(super) fn of(submitted: podqueue::Result<String>) -> Self {
        submitted.map_or_else(of_error, Self::Accepted)
    }
}

/// What an error says of the submission. One whose kind is not `OutcomeUnknown` says that nothing was accepted.
fn of_error(error: podqueue::Error) -> Verdict {
    let is_about_input = matches!(error.field(), Some("input" | "body"));
    match (error.kind(), error.status()) {
        (ErrorKind::OutcomeUnknown, _) => match error.job_id() {
            Some(job_id) => Verdict::Accepted(job_id.to_owned()),
            None => Verdict::Unknown(error),
        },
        (ErrorKind::RateLimited, _) => Verdict::NotSent(Why::QueueFull(error.retry_after())),
        (ErrorKind::BadRequest, _) | (ErrorKind::UnexpectedStatus, Some(413 | 422)) => {
            Verdict::Refused { why: error.to_string(), was_sent: true }
        }
        (ErrorKind::InvalidRequest, _) if is_about_input => {
            Verdict::Refused { why: error.to_string(), was_sent: false }
        }
        _ if error.is_retryable() => Verdict::NotSent(Why::Unreachable(error)),
        (
            ErrorKind::InvalidRequest
            | ErrorKind::Unauthorized
            | ErrorKind::NotFound
            | ErrorKind::Redirect
            | ErrorKind::Server
            | ErrorKind::UnexpectedStatus,
            _,
        ) => Verdict::Stop(error),
        // Of a kind that this crate does not know.
        _ => Verdict::Unknown(error),
    }
}
