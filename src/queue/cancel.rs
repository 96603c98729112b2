//! Cancelling a job.

use std::time::Duration;

use super::operations::CANCEL;
use super::{Job, JobRecord, JobStatus};
use crate::error::{Error, ErrorKind, Result};
use crate::request::Request;

impl Job {
    /// Cancels the job, queued or running: `POST /cancel/{job_id}`. The service responds at once.
    ///
    /// If the response is about another job, or is a refusal after an earlier response was lost,
    /// the job's status decides: a job that is CANCELLED counts as success. Reading it is a second call,
    /// with a [`call_timeout`](crate::ClientBuilder::call_timeout) of its own.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::BadRequest`] if the job has already ended in another way;
    /// - [`ErrorKind::ForeignRecord`] if the response is about another job and the status of this
    ///   job does not show that it was cancelled. Cancelling it again does no harm.
    pub fn cancel(&self) -> Request<JobRecord> {
        let job = self.clone();
        Request::new(move |timeout| async move { job.cancel_within(timeout).await })
    }

    async fn cancel_within(&self, timeout: Option<Duration>) -> Result<JobRecord> {
        let sent = match self.send(self.call(&CANCEL)?.timeout(timeout)).await {
            Ok(reply) => self.read(&CANCEL, &reply),
            Err(error) => Err(error),
        };
        let unknown = match sent {
            Err(error) if may_have_cancelled(&error) => error,
            settled => return settled,
        };
        let mut poll = self.poll_status();
        if unknown.kind() == ErrorKind::ForeignRecord {
            poll = poll.closing();
        }
        match poll.await {
            Ok(record) if record.status() == JobStatus::Cancelled => Ok(record),
            Ok(record) => Err(unknown.with_record(record)),
            Err(_) => Err(unknown),
        }
    }
}

/// Returns true if a cancel that failed with this error may have cancelled the job nevertheless, so that
/// its status decides.
fn may_have_cancelled(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::ForeignRecord => true,
        // An earlier attempt may have cancelled the job.
        ErrorKind::BadRequest => error.is_after_unknown_outcome(),
        _ => false,
    }
}
