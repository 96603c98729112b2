//! The handle of a job.

use std::borrow::Cow;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::operations::{CANCEL, RETRY, STATUS};
use super::stream::JobStream;
use super::wait::Wait;
use super::{Endpoint, JobRecord, JobStatus};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::transport::{Call, Operation, Reply};

/// The handle of a job: reads it, waits for it, streams from it, cancels or retries it.
///
/// It holds no more than the endpoint and the id, so it is cheap to clone, can be sent to another
/// task, and can be rebuilt from a stored id with [`Endpoint::job`].
///
/// A call about a job that the service does not hold answers [`ErrorKind::NotFound`], or
/// [`ErrorKind::JobExpired`] where this handle or a clone of it has seen the job before: then its ttl
/// has run out, or its result was removed, which the service does 30 minutes after an asynchronous
/// job and a minute (up to 5, with a longer wait) after a synchronous one has ended.
#[derive(Clone)]
pub struct Job {
    endpoint: Endpoint,
    id: Arc<str>,
    seen: Arc<AtomicBool>,
}

impl Job {
    pub(super) fn from_id(endpoint: Endpoint, id: &str) -> Self {
        Self { endpoint, id: id.into(), seen: Arc::new(AtomicBool::new(false)) }
    }

    /// The handle of a job that the service has just answered about.
    pub(super) fn seen(endpoint: Endpoint, id: &str) -> Self {
        Self { endpoint, id: id.into(), seen: Arc::new(AtomicBool::new(true)) }
    }

    /// The job's id. One of a synchronous job starts with `sync-`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The endpoint that the job was submitted to.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Reads the job's record as it is now: `GET /status/{job_id}`. A job that has failed is a record
    /// like any other here.
    pub fn status(&self) -> StatusRequest {
        StatusRequest { job: self.clone(), ttl: None }
    }

    /// Waits until the job has ended.
    pub fn wait(&self) -> Wait {
        Wait::new(self.clone())
    }

    /// Streams what the handler emits, from the first chunk that nobody has read yet to the end of
    /// the job: `GET /stream/{job_id}`, polled.
    ///
    /// ```no_run
    /// # async fn example(job: podqueue::Job) -> podqueue::Result<()> {
    /// use futures_util::StreamExt;
    ///
    /// let mut chunks = job.stream::<String>();
    /// while let Some(chunk) = chunks.next().await {
    ///     print!("{}", chunk?.output);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream<T: DeserializeOwned + Send + 'static>(&self) -> JobStream<T> {
        JobStream::new(self.clone())
    }

    /// Cancels the job, queued or running: `POST /cancel/{job_id}`. The service answers at once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadRequest`] where the job has ended in another way.
    pub async fn cancel(&self) -> Result<JobRecord> {
        let reply = self.send(self.call(&CANCEL)?).await?;
        self.read(&CANCEL, &reply)
    }

    /// Queues a job again that has failed or timed out, with its id and its input; earlier output is
    /// removed: `POST /retry/{job_id}`.
    ///
    /// Where no answer comes, the job's status is looked at: a job that is queued, running or
    /// completed was retried.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::BadRequest`] for a job in another status;
    /// - [`ErrorKind::NotFound`] or [`ErrorKind::JobExpired`] once the result has expired;
    /// - [`ErrorKind::OutcomeUnknown`] where no answer came and the job does not tell: it still
    ///   stands as failed, or has failed again. It was not sent twice.
    pub async fn retry(&self) -> Result<JobRecord> {
        let unknown = match self.send(self.call(&RETRY)?).await {
            Ok(reply) => return self.read(&RETRY, &reply),
            Err(error) if error.kind() == ErrorKind::OutcomeUnknown => error,
            Err(error) => return Err(error),
        };
        match self.status().await {
            Ok(record) => match record.status() {
                JobStatus::InQueue | JobStatus::InProgress | JobStatus::Completed => Ok(record),
                _ => Err(unknown.with_record(record)),
            },
            Err(_) => Err(unknown),
        }
    }

    pub(super) fn call(&self, operation: &Operation) -> Result<Call> {
        let path = self.endpoint.path("/").literal(operation.name).literal("/");
        let path = path.parameter("job id", &self.id);
        self.endpoint.call(operation, self.attempted(operation.name), path)
    }

    /// Sends a call about this job and tells a job that is gone from one that never was.
    pub(super) async fn send(&self, call: Call) -> Result<Reply> {
        let result = self.endpoint.send(call).await;
        match &result {
            Ok(_) => self.seen.store(true, Ordering::Relaxed),
            Err(error) if error.kind() == ErrorKind::NotFound && self.is_seen() => {
                return result.map_err(expired);
            }
            Err(_) => {}
        }
        result
    }

    fn is_seen(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }

    pub(super) fn read(&self, operation: &Operation, reply: &Reply) -> Result<JobRecord> {
        let job = |_| Ok(self.clone());
        JobRecord::read(&self.attempted(operation.name), reply, job)
    }

    pub(super) fn attempted(&self, what: impl Into<Cow<'static, str>>) -> Attempted {
        Attempted::of_job(what, &self.id, self.endpoint.shared_id())
    }

    /// The job as errors name it.
    pub(super) fn name(&self) -> String {
        format!("job {:?} on endpoint {:?}", self.id, self.endpoint.id())
    }
}

fn expired(error: Error) -> Error {
    let message = format!(
        "{}; the job was there before: its ttl has run out, or its result was removed",
        error.message()
    );
    error.with_kind(ErrorKind::JobExpired).with_message(message)
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("id", &self.id)
            .field("endpoint", &self.endpoint.id())
            .finish_non_exhaustive()
    }
}

/// Reads the record of a job; made by [`Job::status`], sent when awaited.
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until it is awaited"]
pub struct StatusRequest {
    job: Job,
    ttl: Option<Duration>,
}

impl StatusRequest {
    /// Sets the job's ttl: its total lifespan, counted from submission, in whole milliseconds.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    async fn send(self) -> Result<JobRecord> {
        let mut call = self.job.call(&STATUS)?;
        if let Some(ttl) = self.ttl {
            let milliseconds = ttl.as_millis();
            if milliseconds == 0 {
                return Err(Error::refused(call.attempted, "ttl", "must be a millisecond or more"));
            }
            call = call.query("ttl", &milliseconds.to_string());
        }
        let reply = self.job.send(call).await?;
        self.job.read(&STATUS, &reply)
    }
}

impl IntoFuture for StatusRequest {
    type Output = Result<JobRecord>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
