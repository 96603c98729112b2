//! Partial response: a body that could not be read to its end.

use super::attempt_timer::TimedOut;
use crate::call::Call;
use crate::error::{Attempted, Error, ErrorKind};
use crate::idempotency::{AttemptOutcome, Failure};
use crate::json::text_in_flawed;

/// What there is of a body that was not read to its end. It is never shown: it could end within a
/// secret, which could not be found in it any more.
pub(super) struct PartialResponse {
    cause: Cause,
    arrived: Vec<u8>,
}

/// NoResponseCause a body was not read to its end.
pub(super) enum Cause {
    /// The connection broke.
    Broken(reqwest::Error),
    /// The time was over.
    TimedOut(TimedOut),
    /// It is larger than this limit, in bytes.
    TooLarge(usize),
    /// Not enough memory for it.
    NoMemory,
}

impl PartialResponse {
    pub(super) fn new(cause: Cause, arrived: Vec<u8>) -> Self {
        Self { cause, arrived }
    }

    /// What it means for a call that got a success response.
    pub(super) fn failure(self, call: &Call, status: u16) -> Failure {
        let created_id = call.created_id.and_then(|field| text_in_flawed(&self.arrived, field));
        // What has certainly taken effect is not retried, not even at least once.
        let is_final =
            created_id.is_some() || matches!(self.cause, Cause::TooLarge(_) | Cause::NoMemory);
        let mut error = self.cause.error(&call.attempted).with_status(status);
        if let Some(id) = created_id {
            error = error.with_created_id(id);
        }
        if is_final {
            let error = call.operation.idempotency.unread_success(error);
            Failure { outcome: AttemptOutcome::Unreadable, error }
        } else {
            Failure { outcome: AttemptOutcome::NoAnswer, error }
        }
    }
}

impl Cause {
    pub(super) fn error(self, attempted: &Attempted) -> Error {
        let new = |kind, what: &str| Error::new(kind, attempted, what);
        match self {
            Self::Broken(source) => {
                new(ErrorKind::Network, "the connection broke while the response was being read")
                    .with_source(source)
            }
            Self::TimedOut(late) => new(ErrorKind::Timeout, &late.no_whole_answer()),
            Self::TooLarge(most) => {
                let what = format!(
                    "the response is larger than the limit of {most} bytes (the builder's `largest_response`)"
                );
                new(ErrorKind::ResponseTooLarge, &what)
            }
            Self::NoMemory => new(
                ErrorKind::ResponseTooLarge,
                "the response does not fit into the available memory",
            ),
        }
    }
}
