//! What a delivery is answered.

use super::HandlerError;
use crate::error::Error;

/// What became of a delivery, and so what it is to be answered.
///
/// Whatever is not 200 makes the service try again, up to two more times.
#[derive(Debug)]
#[non_exhaustive]
pub enum Answer {
    /// 200: the job has ended, and the handler has succeeded.
    Handled,
    /// 200: this end of the job was handled before.
    Repeated,
    /// 400: the body is not a JSON object with the id of a job.
    Unreadable,
    /// 404: the path does not end in the token.
    UnknownToken,
    /// 404: the endpoint holds no such job, or not any more.
    UnknownJob,
    /// 408: the body did not arrive whole in time.
    TooSlow,
    /// 413: the body is larger than the limit.
    TooLarge,
    /// 500: the service itself says that the job has not ended.
    NotEnded,
    /// 500: the status could not be read, for this reason.
    NotConfirmed(Error),
    /// 500: the handler has failed, for this reason.
    HandlerFailed(HandlerError),
}

impl Answer {
    /// The HTTP status to answer.
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

    /// What may be logged of it: a handler's error is the application's own.
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
