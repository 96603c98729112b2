//! The handle of a job.

use std::borrow::Cow;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::lifespan::Lifespan;
use super::operations::{CANCEL, RETRY, STATUS};
use super::polling::rarest;
use super::stream::JobStream;
use super::wait::Wait;
use super::{Endpoint, JobRecord, JobStatus};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::observe::Event;
use crate::transport::{Call, Operation, Reply};

/// The handle of a job: reads it, waits for it, streams from it, cancels or retries it.
///
/// It holds the endpoint, the id, and what was seen of the job's life, so it is cheap to clone, can
/// be sent to another task, and can be rebuilt from a stored id with [`Endpoint::job`].
///
/// A call about a job that the service does not hold answers [`ErrorKind::NotFound`], or
/// [`ErrorKind::JobExpired`] where this handle or a clone of it has seen the job before: then its ttl
/// has run out ([`expires_at`](Self::expires_at)), its result was removed
/// ([`result_expires_at`](Self::result_expires_at)), or it was purged from the queue. The error's
/// text says which, as far as it is known.
#[derive(Clone)]
pub struct Job {
    endpoint: Endpoint,
    id: Arc<str>,
    lifespan: Arc<Lifespan>,
}

impl Job {
    pub(super) fn from_id(endpoint: Endpoint, id: &str) -> Self {
        Self { endpoint, id: id.into(), lifespan: Arc::new(Lifespan::unknown(id)) }
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

    /// When the service deletes the job, even while it runs: its ttl, counted from its submission
    /// ([policy object](crate#the-interface)). It is as exact as the service's answers: a round trip
    /// late at most.
    ///
    /// Known of a job that this handle or a clone of it comes from the submission of; `None` where it
    /// was rebuilt from an id, because the service does not tell. A ttl that is set with
    /// [`StatusRequest::ttl`] moves it.
    ///
    /// ```
    /// # async fn example(endpoint: podqueue::Endpoint) -> podqueue::Result<()> {
    /// use std::time::{Duration, SystemTime};
    /// use podqueue::Policy;
    ///
    /// let policy = Policy::new().ttl(Duration::from_secs(3_600));
    /// let job = endpoint.run(&serde_json::json!({})).policy(policy).await?;
    /// let expires_at = job.expires_at().expect("it was just submitted");
    /// assert!(expires_at <= SystemTime::now() + Duration::from_secs(3_600));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn expires_at(&self) -> Option<SystemTime> {
        self.lifespan.expires_at()
    }

    /// When the result of a job that has ended is gone, at the earliest: 30 minutes after an
    /// asynchronous job has ended; after a synchronous one as long as its
    /// [`wait`](crate::RunSync::wait), but at least 1 and at most 5 minutes, and 1 where the handle was
    /// rebuilt from the id ([Payload, waiting and retention](crate#the-interface)); or when its ttl
    /// is over, where that is sooner.
    ///
    /// `None` as long as the job was not seen to have ended, and where nothing tells when it did: of
    /// a handle that was rebuilt from an id and found the job ended at its first look. What tells are
    /// the times of the record, read as milliseconds, and when the job was last seen going on.
    #[must_use]
    pub fn result_expires_at(&self) -> Option<SystemTime> {
        self.lifespan.result_expires_at()
    }

    /// Reads the job's record as it is now: `GET /status/{job_id}`. A job that has failed is a record
    /// like any other here.
    pub fn status(&self) -> StatusRequest {
        StatusRequest {
            job: self.clone(),
            ttl: None,
            longest_pause: Duration::MAX,
            urgent_from: None,
        }
    }

    /// Reads the job's record for a wait or a stream, which must neither sleep through its result nor
    /// wait for too long behind other calls.
    pub(super) fn look(&self) -> StatusRequest {
        let rarest = rarest(&self.id);
        let urgent_from = Instant::now().checked_add(rarest);
        StatusRequest { longest_pause: rarest, urgent_from, ..self.status() }
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
        let sent = match self.send(self.call(&RETRY)?).await {
            Ok(reply) => self.read(&RETRY, &reply).map_err(|error| RETRY.repeat.unreadable(error)),
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

    pub(super) fn call(&self, operation: &Operation) -> Result<Call> {
        let path = self.endpoint.path("/").literal(operation.name).literal("/");
        let path = path.parameter("job id", &self.id);
        self.endpoint.call(operation, self.attempted(operation.name), path)
    }

    /// Sends a call about this job and tells a job that is gone from one that never was.
    pub(super) async fn send(&self, call: Call) -> Result<Reply> {
        let result = self.endpoint.send(call).await;
        match &result {
            Ok(_) => self.lifespan.saw(),
            Err(error) if error.kind() == ErrorKind::NotFound && self.lifespan.is_seen() => {
                return result.map_err(|error| self.expired(error));
            }
            Err(_) => {}
        }
        result
    }

    fn expired(&self, error: Error) -> Error {
        let why = self.lifespan.why_gone(SystemTime::now()).as_str();
        let message = format!("{}; {why}", error.message());
        error.with_kind(ErrorKind::JobExpired).with_message(message)
    }

    pub(super) fn lifespan(&self) -> &Lifespan {
        &self.lifespan
    }

    /// Tells who counts that a wait or a stream is about to ask.
    pub(super) fn tell_of_poll(&self, operation: &Operation) {
        self.endpoint.client().observer().tell(&Event::Polled {
            operation: operation.name,
            endpoint_id: self.endpoint.id(),
            job_id: &self.id,
        });
    }

    pub(super) fn read(&self, operation: &Operation, reply: &Reply) -> Result<JobRecord> {
        let job = |_| Ok(self.clone());
        let record = JobRecord::read(&self.attempted(operation.name), reply, job)?;
        self.lifespan.observe(&record, SystemTime::now());
        Ok(record)
    }

    pub(super) fn attempted(&self, what: impl Into<Cow<'static, str>>) -> Attempted {
        Attempted::of_job(what, &self.id, self.endpoint.shared_id())
    }

    /// The job as errors name it.
    pub(super) fn name(&self) -> String {
        format!("job {:?} on endpoint {:?}", self.id, self.endpoint.id())
    }
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
    longest_pause: Duration,
    urgent_from: Option<Instant>,
}

impl StatusRequest {
    /// Sets the job's ttl: its total lifespan, counted from submission, in whole milliseconds.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// From then on the request goes before others that wait for their turn.
    pub(super) fn urgent_from(mut self, urgent_from: Instant) -> Self {
        self.urgent_from = Some(urgent_from);
        self
    }

    async fn send(self) -> Result<JobRecord> {
        let mut call = self.job.call(&STATUS)?.longest_pause(self.longest_pause);
        call.urgent_from = self.urgent_from;
        if let Some(ttl) = self.ttl {
            let milliseconds = ttl.as_millis();
            if milliseconds == 0 {
                return Err(Error::refused(call.attempted, "ttl", "must be a millisecond or more"));
            }
            call = call.query("ttl", &milliseconds.to_string());
        }
        let reply = self.job.send(call).await?;
        if let Some(ttl) = self.ttl {
            self.job.lifespan.set_ttl(ttl);
        }
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
