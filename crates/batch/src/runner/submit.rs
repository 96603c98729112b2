//! Submitting one input.

use std::sync::Arc;
use std::time::Duration;

use podqueue::{Endpoint, ErrorKind, Policy, RetryPolicy, SecretString};
use serde_json::value::RawValue;

/// How inputs are submitted.
pub(super) struct Submitter {
    pub(super) endpoint: Endpoint,
    pub(super) policy: Option<Policy>,
}

/// What became of a submission.
pub(super) enum Submission {
    /// It is this job.
    Accepted(String),
    /// It may have been accepted.
    Unknown(podqueue::Error),
    /// It was certainly not accepted, because of the input.
    Refused(String),
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

impl Submitter {
    pub(super) async fn submit(
        self: Arc<Self>,
        input: &RawValue,
        webhook: Option<SecretString>,
    ) -> Submission {
        // What can be submitted again is, once that is recorded: it is not this call's to decide.
        let mut run = self.endpoint.run(input).retry(RetryPolicy::never());
        if let Some(policy) = &self.policy {
            run = run.policy(policy.clone());
        }
        if let Some(url) = webhook {
            run = run.webhook(url);
        }
        match run.await {
            Ok(job) => Submission::Accepted(job.id().to_owned()),
            Err(error) => of_error(error),
        }
    }
}

/// What an error says of the submission. One whose kind is not `OutcomeUnknown` says that nothing was accepted.
fn of_error(error: podqueue::Error) -> Submission {
    let is_about_input = matches!(error.field(), Some("input" | "body"));
    match (error.kind(), error.status()) {
        (ErrorKind::OutcomeUnknown, _) => match error.job_id() {
            Some(job_id) => Submission::Accepted(job_id.to_owned()),
            None => Submission::Unknown(error),
        },
        (ErrorKind::RateLimited, _) => Submission::NotSent(Why::QueueFull(error.retry_after())),
        (ErrorKind::BadRequest, _) | (ErrorKind::UnexpectedStatus, Some(413 | 422)) => {
            Submission::Refused(error.to_string())
        }
        (ErrorKind::InvalidRequest, _) if is_about_input => Submission::Refused(error.to_string()),
        _ if error.is_retryable() => Submission::NotSent(Why::Unreachable(error)),
        (
            ErrorKind::InvalidRequest
            | ErrorKind::Unauthorized
            | ErrorKind::NotFound
            | ErrorKind::Redirect
            | ErrorKind::Server
            | ErrorKind::UnexpectedStatus,
            _,
        ) => Submission::Stop(error),
        // Of a kind that this crate does not know.
        _ => Submission::Unknown(error),
    }
}
