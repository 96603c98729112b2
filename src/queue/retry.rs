//! Retrying a job.

use std::time::Duration;

use super::operations::RETRY;
use super::{Job, JobRecord, JobStatus};
use crate::error::{ErrorKind, Result};
use crate::request::Request;

impl Job {
    /// Requeues a job that has failed or timed out, with the same id and input; earlier output is
    /// removed: `POST /retry/{job_id}`.
    ///
    /// If no response arrives, or a response about another job, the job's status decides: a job that is
    /// queued, running or completed counts as retried. Reading it is a second call, with a
    /// [`call_timeout`](crate::ClientBuilder::call_timeout) of its own.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::BadRequest`] for a job in another status;
    /// - [`ErrorKind::NotFound`] or [`ErrorKind::JobExpired`] once the result has expired;
    /// - [`ErrorKind::OutcomeUnknown`] if no response arrived and the status is inconclusive: the
    ///   job is still, or again, failed. The request was not sent twice.
    pub fn retry(&self) -> Request<JobRecord> {
        let job = self.clone();
        Request::new(move |timeout| async move { job.retry_within(timeout).await })
    }

    async fn retry_within(&self, timeout: Option<Duration>) -> Result<JobRecord> {
        let call = self.call(&RETRY)?.timeout(timeout);
        let _retrying =
            self.endpoint().context().retry_listeners.during(self.endpoint().id(), self.id());
        let sent = match self.send(call).await {
            Ok(reply) => self.read(&RETRY, &reply).map_err(|error| match error.kind() {
                ErrorKind::ForeignRecord => {
                    let message =
                        format!("{}; this job may or may not have been retried", error.message());
                    error.with_kind(ErrorKind::OutcomeUnknown).with_message(message)
                }
                _ => error.unreadable(RETRY.idempotency()),
            }),
            Err(error) => Err(error),
        };
        let unknown = match sent {
            Err(error) if error.kind() == ErrorKind::OutcomeUnknown => error,
            settled => return settled,
        };
        match self.status().await {
            Ok(record) => match record.status() {
                JobStatus::InQueue | JobStatus::InProgress | JobStatus::Completed => Ok(record),
                _ => Err(unknown.with_record(record)),
            },
            Err(_) => Err(unknown),
        }
    }
}
