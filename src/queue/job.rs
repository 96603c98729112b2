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
use super::passing::is_not_the_services;
use super::polling::{longest_silence, longest_silence_within, rarest};
use super::stream::JobStream;
use super::wait::Wait;
use super::{Endpoint, JobRecord, JobStatus};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::observe::Event;
use crate::secret_string::SecretString;
use crate::transport::{Call, Operation, Reply, Secrets};

/// How much of another job's id is shown; it may be anything.
const SHOWN_OF_AN_ID: usize = 100;

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
    /// The secrets of its submission, where the handle comes from it.
    submitted: Option<Arc<[SecretString]>>,
}

impl Job {
    pub(super) fn from_id(endpoint: Endpoint, id: &str) -> Self {
        let lifespan = Arc::new(Lifespan::unknown(id));
        Self { endpoint, id: id.into(), lifespan, submitted: None }
    }

    /// The same, of which these secrets are known.
    pub(super) fn with_secrets(mut self, secrets: &[SecretString]) -> Self {
        self.submitted = (!secrets.is_empty()).then(|| secrets.into());
        self
    }

    /// The same, of which the same secrets are known as of another handle.
    #[cfg(feature = "webhook")]
    pub(super) fn with_secrets_of(mut self, other: &Self) -> Self {
        self.submitted.clone_from(&other.submitted);
        self
    }

    /// What must not be shown of what the service and the handler say about the job.
    pub(super) fn secrets(&self) -> Secrets {
        let submitted = self.submitted.iter().flat_map(|them| them.iter());
        let key = self.endpoint.client().key();
        Secrets::new(submitted.chain([key]).cloned().collect(), None)
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
    ///
    /// A response with the id of another job is [`ErrorKind::ForeignRecord`], not this job's state.
    pub fn status(&self) -> StatusRequest {
        StatusRequest { job: self.clone(), ttl: None, look: None, urgent_from: None, closes: false }
    }

    /// Reads the job's record for a wait or a stream, which must neither sleep through its result nor
    /// wait for too long behind other calls.
    pub(crate) fn look(&self) -> StatusRequest {
        let urgent_from = Instant::now().checked_add(rarest(&self.id));
        StatusRequest { look: Some(longest_silence(&self.id)), urgent_from, ..self.status() }
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
    /// Where the response is that of another job, or a refusal after one that was lost, the job's
    /// status is looked at: a job that is cancelled was cancelled.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::BadRequest`] where the job has ended in another way;
    /// - [`ErrorKind::ForeignRecord`] where the response is about another job, and the status of this
    ///   one does not show that it was cancelled. Cancelling it again does no harm.
    pub async fn cancel(&self) -> Result<JobRecord> {
        let sent = match self.send(self.call(&CANCEL)?).await {
            Ok(reply) => self.read(&CANCEL, &reply),
            Err(error) => Err(error),
        };
        let unknown = match sent {
            Err(error) if may_have_cancelled(&error) => error,
            settled => return settled,
        };
        let mut look = self.look();
        if unknown.kind() == ErrorKind::ForeignRecord {
            look = look.closing();
        }
        match look.await {
            Ok(record) if *record.status() == JobStatus::Cancelled => Ok(record),
            Ok(record) => Err(unknown.with_record(record)),
            Err(_) => Err(unknown),
        }
    }

    /// Queues a job again that has failed or timed out, with its id and its input; earlier output is
    /// removed: `POST /retry/{job_id}`.
    ///
    /// Where no response comes, or that of another job, the job's status is looked at: a job that is
    /// queued, running or completed was retried.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::BadRequest`] for a job in another status;
    /// - [`ErrorKind::NotFound`] or [`ErrorKind::JobExpired`] once the result has expired;
    /// - [`ErrorKind::OutcomeUnknown`] where no answer came and the job does not tell: it still
    ///   stands as failed, or has failed again. It was not sent twice.
    pub async fn retry(&self) -> Result<JobRecord> {
        let call = self.call(&RETRY)?;
        #[cfg(feature = "webhook")]
        let _retrying = self.endpoint.client().retried().during(self.endpoint.id(), &self.id);
        let sent = match self.send(call).await {
            Ok(reply) => self.read(&RETRY, &reply).map_err(|error| match error.kind() {
                ErrorKind::ForeignRecord => {
                    let message =
                        format!("{}; this job may or may not have been retried", error.message());
                    error.with_kind(ErrorKind::OutcomeUnknown).with_message(message)
                }
                _ => RETRY.repeat.unreadable(error),
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

    pub(super) fn call(&self, operation: &Operation) -> Result<Call> {
        let path = self.endpoint.path("/").literal(operation.name).literal("/");
        let path = path.parameter("job id", &self.id);
        let mut call = self.endpoint.call(operation, self.attempted(operation.name), path)?;
        call.secrets.extend(self.submitted.iter().flat_map(|them| them.iter().cloned()));
        Ok(call)
    }

    /// Sends a call about this job and tells a job that is gone from one that never was.
    pub(super) async fn send(&self, call: Call) -> Result<Reply> {
        self.endpoint.send(call).await.map_err(|error| {
            let is_page = is_not_the_services(&error)
                && error.unredacted_body().is_some_and(|body| !body.is_empty());
            let is_gone = error.kind() == ErrorKind::NotFound && self.lifespan.is_seen();
            if is_gone && !is_page { self.expired(error) } else { error }
        })
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
        let attempted = self.attempted(operation.name);
        let record = JobRecord::read(&attempted, reply, |id, others| match id {
            Some(id) if !self.has_id(&id) => Err(self.about_another(operation, &id)),
            // Without an id, it may be what a stream was to get.
            None if others.get("stream").is_some() => {
                Err(self.foreign(operation, "holds chunks of a stream and is no record"))
            }
            _ => Ok(self.clone()),
        });
        let record = record.map_err(|error| error.with_job_id(&self.id))?;
        self.lifespan.observe(&record, SystemTime::now());
        Ok(record)
    }

    /// The error for a response with this id, which is another job's.
    pub(super) fn about_another(&self, operation: &Operation, id: &str) -> Error {
        let id: String = self.secrets().hide(id).chars().take(SHOWN_OF_AN_ID).collect();
        self.foreign(operation, &format!("is about another job, {id:?}"))
    }

    /// The error for a response that is not about this job.
    fn foreign(&self, operation: &Operation, what: &str) -> Error {
        let message = format!(
            "the response {what}: responses were mixed up on their way, and nothing is known about \
             job {:?} from this one; ask again, and where it happens more often, look for a proxy \
             that shares connections",
            self.id
        );
        Error::new(ErrorKind::ForeignRecord, self.attempted(operation.name), message)
            .with_job_id(&self.id)
    }

    /// Whether it is the id of this job.
    pub(super) fn has_id(&self, id: &str) -> bool {
        is_same_job(&self.id, id)
    }

    pub(super) fn attempted(&self, what: impl Into<Cow<'static, str>>) -> Attempted {
        Attempted::of_job(what, &self.id, self.endpoint.shared_id())
    }

    /// The job as errors name it.
    pub(super) fn name(&self) -> String {
        format!("job {:?} on endpoint {:?}", self.id, self.endpoint.id())
    }
}

/// Whether these are ids of one job: one may have the suffix, such as `-u1`, that the other lacks.
pub(crate) fn is_same_job(one: &str, other: &str) -> bool {
    one == other || without_suffix(one) == other || one == without_suffix(other)
}

/// The id without the suffix that it may have.
pub(crate) fn without_suffix(id: &str) -> &str {
    match id.rsplit_once("-u") {
        Some((rest, number))
            if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            rest
        }
        _ => id,
    }
}

/// Whether a cancel that was answered with this may have cancelled the job nevertheless, so that its
/// status tells. Where there was no answer at all, there is hardly a status either.
fn may_have_cancelled(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::ForeignRecord => true,
        // An earlier attempt may be why there is nothing left to cancel.
        ErrorKind::BadRequest => error.is_after_unknown_outcome(),
        _ => false,
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
    /// For how long a look may be without a response, where it is one.
    look: Option<Duration>,
    urgent_from: Option<Instant>,
    closes: bool,
}

impl StatusRequest {
    /// Sets the job's ttl: its total lifespan, counted from submission, in whole milliseconds.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// Lets the connection be closed afterwards: it may be one that mixes up its responses.
    pub(super) fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    /// From then on the request goes before others that wait for their turn.
    pub(super) fn urgent_from(mut self, urgent_from: Instant) -> Self {
        self.urgent_from = Some(urgent_from);
        self
    }

    /// A look whose job is not waited for any longer than this.
    pub(super) fn within(mut self, left: Duration) -> Self {
        self.look = Some(longest_silence_within(self.job.id(), left));
        self
    }

    async fn send(self) -> Result<JobRecord> {
        let mut call = self.job.call(&STATUS)?;
        call.urgent_from = self.urgent_from;
        if let Some(longest) = self.look {
            call = call.longest_pause(rarest(self.job.id())).longest_silence(longest);
        }
        if self.closes {
            call = call.closing();
        }
        if let Some(ttl) = self.ttl {
            let milliseconds = ttl.as_millis();
            if milliseconds == 0 {
                return Err(Error::refused(call.attempted, "ttl", "must be a millisecond or more"));
            }
            call = call.query("ttl", &milliseconds.to_string());
        }
        let reply = self.job.send(call).await?;
        let record = self.job.read(&STATUS, &reply)?;
        if let Some(ttl) = self.ttl {
            self.job.lifespan.set_ttl(ttl);
        }
        Ok(record)
    }
}

impl IntoFuture for StatusRequest {
    type Output = Result<JobRecord>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
