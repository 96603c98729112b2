//! Handler of a delivery, and the response to it.

use std::pin::Pin;

use crate::error::Error;
use crate::queue::JobRecord;

/// The error of a handler.
pub type HandlerError = Box<dyn std::error::Error + Send + Sync>;

pub(super) type Handler = Box<
    dyn Fn(JobRecord) -> Pin<Box<dyn Future<Output = Result<(), HandlerError>> + Send>>
        + Send
        + Sync,
>;

/// The outcome of a delivery, which determines the response.
///
/// Any status other than 200 makes the service retry, up to two more times.
#[derive(Debug)]
#[non_exhaustive]
pub enum Answer {
    /// 200: the job has ended and the handler has succeeded.
    Handled,
    /// 200: this delivery was already handled.
    Repeated,
    /// 400: the body is not a JSON object with the id of a job.
    Unreadable,
    /// 404: the path does not end in the token.
    UnknownToken,
    /// 404: the job does not exist on the endpoint, or is no longer available.
    UnknownJob,
    /// 408: timed out reading the body.
    TooSlow,
    /// 413: the body is larger than the limit.
    TooLarge,
    /// 500: according to the service, the job has not ended.
    NotEnded,
    /// 500: the job's status could not be read, for this reason.
    NotConfirmed(Error),
    /// 500: the handler failed, for this reason.
    HandlerFailed(HandlerError),
}

impl Answer {
    /// The HTTP status of the response.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Handled | Self::Repeated => 200,
            Self::Unreadable => 400,
            Self::UnknownToken | Self::UnknownJob => 404,
            Self::TooSlow => 408,
            Self::TooLarge => 413,
            Self::NotEnded | Self::NotConfirmed(_) | Self::HandlerFailed(_) => 500,
        }
    }

    /// The name for logs, without the error: a handler's error is the application's own.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Handled => "handled",
            Self::Repeated => "repeated",
            Self::Unreadable => "unreadable",
            Self::UnknownToken => "unknown token",
            Self::UnknownJob => "unknown job",
            Self::TooSlow => "too slow",
            Self::TooLarge => "too large",
            Self::NotEnded => "not ended",
            Self::NotConfirmed(_) => "not confirmed",
            Self::HandlerFailed(_) => "handler failed",
        }
    }
}
