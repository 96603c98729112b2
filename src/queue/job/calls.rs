//! Calls on a job: status, cancellation and retry.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use podqueue_runtime::Call;
use tokio::time::Instant;

use super::Job;
use crate::aliases::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::queue::operations::{CANCEL, RETRY, STATUS};
use crate::queue::polling::{max_interval, poll_timeout, poll_timeout_within};
use crate::queue::{JobRecord, JobStatus};

impl Job {
    /// Reads the job's current record: `GET /status/{job_id}`. A failed job is not an error here.
    ///
    /// [`ErrorKind::ForeignRecord`](crate::ErrorKind::ForeignRecord) if the response has the id of
    /// another job.
    pub fn status(&self) -> StatusRequest {
        StatusRequest {
            job: self.clone(),
            ttl: None,
            timeout: None,
            idle_timeout: None,
            urgent_from: None,
            closes: false,
            largest_response: None,
        }
    }

    /// Polls the job's record for a wait or a stream: the poll becomes urgent, and times out,
    /// before the result could expire.
    pub(crate) fn poll_status(&self) -> StatusRequest {
        let urgent_from = Instant::now().checked_add(max_interval(self.id()));
        StatusRequest { idle_timeout: Some(poll_timeout(self.id())), urgent_from, ..self.status() }
    }
}

/// A request for a job's record; returned by [`Job::status`], sent when awaited.
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until it is awaited"]
pub struct StatusRequest {
    job: Job,
    ttl: Option<Duration>,
    timeout: Option<Duration>,
    /// The timeout without a byte of the response, for a poll of a wait or a stream.
    idle_timeout: Option<Duration>,
    urgent_from: Option<Instant>,
    closes: bool,
    largest_response: Option<usize>,
}

impl StatusRequest {
    /// Sets the job's ttl: its total lifespan, counted from submission, in whole milliseconds.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// The timeout of a single attempt at this call, until its response has been read; overrides
    /// the client's [`timeout`](crate::ClientBuilder::timeout). A shorter
    /// [`call_timeout`](crate::ClientBuilder::call_timeout) is raised to it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The largest response that is read, in bytes, if that is less than the client's
    /// [`largest_response`](crate::ClientBuilder::largest_response). A larger response is
    /// [`ErrorKind::ResponseTooLarge`](crate::ErrorKind::ResponseTooLarge), of which no more than
    /// this is kept in memory: the job can be read again once there is memory for its output.
    pub fn largest_response(mut self, bytes: usize) -> Self {
        self.largest_response = Some(bytes);
        self
    }

    /// Closes the connection afterwards, because it may mix up its responses.
    pub(in crate::queue) fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    /// From this time on, the request gets its permit before requests that are not urgent.
    pub(in crate::queue) fn urgent_from(mut self, urgent_from: Instant) -> Self {
        self.urgent_from = Some(urgent_from);
        self
    }

    /// Limits the timeout of a poll to fit into the time that is left of the wait.
    pub(in crate::queue) fn within(mut self, left: Duration) -> Self {
        self.idle_timeout = Some(poll_timeout_within(self.job.id(), left));
        self
    }

    fn call(&self) -> Result<Call> {
        let call = self.job.call(&STATUS)?.timeout(self.timeout).urgent_from(self.urgent_from);
        let mut call = call.largest_response(self.largest_response);
        if let Some(longest) = self.idle_timeout {
            call = call.longest_pause(max_interval(self.job.id())).idle_timeout(longest);
        }
        if self.closes {
            call = call.closing();
        }
        if let Some(ttl) = self.ttl {
            let milliseconds = ttl.as_millis();
            if milliseconds == 0 {
                let rule = "must be at least one millisecond";
                return Err(Error::refused(call.attempted(), "ttl", rule));
            }
            call = call.query("ttl", &milliseconds.to_string());
        }
        Ok(call)
    }

    /// The future contains the call and not the settings, so that it is small.
    fn send(self) -> impl Future<Output = Result<JobRecord>> + Send {
        let call = self.call();
        let Self { job, ttl, .. } = self;
        async move {
            let reply = job.send(call?).await?;
            let record = job.read(&STATUS, &reply)?;
            if let Some(ttl) = ttl {
                job.lifespan().set_ttl(ttl);
            }
            Ok(record)
        }
    }
}

impl IntoFuture for StatusRequest {
    type Output = Result<JobRecord>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl Job {
    /// Cancels the job, queued or running: `POST /cancel/{job_id}`. The service responds at once.
    ///
    /// If the response is about another job, or is a refusal after an earlier response was lost,
    /// the job's status decides: a job that is CANCELLED counts as success. Reading it is a second
    /// call, with a [`call_timeout`](crate::ClientBuilder::call_timeout) of its own.
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

/// Returns true if a cancel that failed with this error may have cancelled the job nevertheless, so
/// that its status decides.
fn may_have_cancelled(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::ForeignRecord => true,
        // An earlier attempt may have cancelled the job.
        ErrorKind::BadRequest => error.is_after_unknown_outcome(),
        _ => false,
    }
}

impl Job {
    /// Requeues a job that has failed or timed out, with the same id and input; earlier output is
    /// removed: `POST /retry/{job_id}`.
    ///
    /// If no response arrives, or a response about another job, the job's status decides: a job
    /// that is queued, running or completed counts as retried. Reading it is a second call, with a
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
                _ => error.classify_decode_error(RETRY.idempotency()),
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
