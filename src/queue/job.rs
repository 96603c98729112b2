//! Handle of a job.

mod calls;

pub use calls::StatusRequest;

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use reqwest::Url;

use super::Endpoint;
use super::endpoint::made_once;
use super::lifespan::{self, Lifespan};
use super::operations::STATUS;
use crate::error::{Error, ErrorKind, Result};
use crate::observe::Observation;
use podqueue_runtime::__private::redact::Secrets;
use podqueue_runtime::__private::{Attempted, ShownId};
use podqueue_runtime::SecretString;
use podqueue_runtime::{Call, Operation, Reply};

/// A handle to a job: read its status, wait for it, stream from it, cancel or retry it.
///
/// A handle consists of the endpoint, the id, and what has been seen of the job's lifecycle, so it
/// is cheap to clone, can be sent to another task, and can be rebuilt from a stored id with
/// [`Endpoint::job`].
///
/// A call about a job that the service does not know fails with [`ErrorKind::NotFound`], or with
/// [`ErrorKind::JobExpired`] if this handle or a clone of it has seen the job before: then its ttl
/// has expired ([`expires_at`](Self::expires_at)), its result has expired
/// ([`result_expires_at`](Self::result_expires_at)), or it was purged from the queue. The error's
/// text says which, as far as it is known.
#[derive(Clone)]
pub struct Job {
    endpoint: Endpoint,
    id: Arc<str>,
    shared: Arc<SharedState>,
    /// The secrets of the submission, if the handle comes from it.
    submitted: Option<Arc<[SecretString]>>,
}

/// State shared by the clones of a handle.
struct SharedState {
    lifespan: Lifespan,
    status_url: OnceLock<Url>,
    /// A stream of the job has ended: its chunks are delivered.
    streamed: AtomicBool,
    /// A stream of the job was dropped with chunks that the service considers delivered.
    dropped_chunks: AtomicBool,
}

impl Endpoint {
    /// Returns a handle to a job that was submitted earlier, by its id. Sends nothing.
    #[must_use]
    pub fn job(&self, job_id: impl AsRef<str>) -> Job {
        Job::from_id(self.clone(), job_id.as_ref())
    }
}

impl Job {
    /// The time for which the service keeps the result of an asynchronous job, from its end.
    pub const RETENTION: Duration = lifespan::RETENTION;

    pub(super) fn from_id(endpoint: Endpoint, id: &str) -> Self {
        let shared = SharedState {
            lifespan: Lifespan::unknown(id),
            status_url: OnceLock::new(),
            streamed: AtomicBool::new(false),
            dropped_chunks: AtomicBool::new(false),
        };
        Self { endpoint, id: id.into(), shared: Arc::new(shared), submitted: None }
    }

    /// Adds the secrets of the submission.
    pub(super) fn with_secrets(mut self, secrets: &[SecretString]) -> Self {
        self.submitted = (!secrets.is_empty()).then(|| secrets.into());
        self
    }

    /// The secrets to redact in messages of the service and the handler about the job.
    pub(super) fn secrets(&self) -> Secrets {
        let submitted = self.submitted.iter().flat_map(|them| them.iter());
        let of_all_calls = self.endpoint.context().service.secrets();
        Secrets::new(submitted.chain(of_all_calls).cloned().collect(), None)
    }

    /// The job's id. Ids of synchronous jobs start with `sync-`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The endpoint that the job was submitted to.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The time at which the service deletes the job, even while it runs: its ttl, counted from its
    /// submission ([policy object](crate#the-interface)). May be early by as long as the request
    /// took to arrive.
    ///
    /// `Some` if this handle, or the handle it was cloned from, was returned by the submission;
    /// `None` if it was rebuilt from an id, because the service does not report it. A ttl set with
    /// [`StatusRequest::ttl`](crate::StatusRequest::ttl) moves it.
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
        self.shared.lifespan.expires_at()
    }

    /// The earliest time at which the result of a finished job expires ([Payload, waiting and
    /// retention](crate#the-interface)). For an asynchronous job, that is 30 minutes after its end.
    /// For a synchronous job, it is as long after its end as its [`wait`](crate::RunSync::wait),
    /// but at least 1 and at most 5 minutes; if the handle was rebuilt from the id, 1 minute is
    /// assumed. If the job's ttl expires sooner, it is that time.
    ///
    /// `None` until this handle has seen that the job ended, and if the time of its end is unknown:
    /// a handle that was rebuilt from an id may find on its first read that the job has already
    /// ended. The end is derived from the record's times, read as milliseconds, and from when the
    /// job was last seen unfinished.
    #[must_use]
    pub fn result_expires_at(&self) -> Option<SystemTime> {
        self.shared.lifespan.result_expires_at()
    }

    pub(super) fn call(&self, operation: &Operation) -> Result<Call> {
        let attempted = self.attempted(operation.name());
        let url = || {
            let path = self.endpoint.path("/").literal(operation.name()).literal("/");
            self.endpoint.url(&attempted, path.parameter("job id", &self.id))
        };
        let url = match operation.name() == STATUS.name() {
            true => made_once(&self.shared.status_url, url)?,
            false => url()?,
        };
        let call = self.endpoint.call(operation, attempted, url);
        Ok(call.secrets(self.submitted.iter().flat_map(|them| them.iter().cloned())))
    }

    /// Sends a call about this job, and distinguishes an expired job from an unknown job in its
    /// error.
    pub(super) async fn send(&self, call: Call) -> Result<Reply> {
        let sent = self.endpoint.send(call).await;
        sent.map_err(|error| self.shared.lifespan.explain(error).with_job_id(&self.id))
    }

    pub(super) fn lifespan(&self) -> &Lifespan {
        &self.shared.lifespan
    }

    /// Records that a stream of the job has ended.
    pub(super) fn mark_streamed(&self) {
        self.shared.streamed.store(true, Ordering::Relaxed);
    }

    /// Returns true if a stream of the job has ended.
    pub(super) fn is_streamed(&self) -> bool {
        self.shared.streamed.load(Ordering::Relaxed)
    }

    /// Records that chunks were dropped with a stream, for the next stream to report.
    pub(super) fn drop_chunks(&self) {
        self.shared.dropped_chunks.store(true, Ordering::Relaxed);
    }

    /// Returns true if chunks were dropped with a stream, and resets this: only one stream reports
    /// them.
    pub(super) fn take_dropped_chunks(&self) -> bool {
        self.shared.dropped_chunks.swap(false, Ordering::Relaxed)
    }

    /// Reports to the observer that a wait or a stream is about to poll.
    pub(super) fn observe_poll(&self, operation: &Operation) {
        self.endpoint.context().observer.report(|| Observation::Polled {
            operation: operation.name(),
            endpoint_id: self.endpoint.id(),
            job_id: &self.id,
        });
    }

    /// The error for a response with this id, which is another job's.
    pub(super) fn about_another(&self, operation: &Operation, id: &str) -> Error {
        let id = self.secrets().redact(id);
        self.foreign(operation, &format!("is about another job, {:?}", ShownId(&id)))
    }

    /// The error for a response that is not about this job.
    pub(super) fn foreign(&self, operation: &Operation, what: &str) -> Error {
        let message = format!(
            "the response {what}: responses were mixed up in transit, and this one says nothing about job {:?}; retry, and if it keeps happening, look for a proxy that shares connections",
            ShownId(&self.id)
        );
        Error::new(ErrorKind::ForeignRecord, self.attempted(operation.name()), message)
            .with_job_id(&self.id)
    }

    /// Returns true if `id` is the id of this job.
    pub(super) fn has_id(&self, id: &str) -> bool {
        is_same_job(&self.id, id)
    }

    pub(super) fn attempted(&self, what: impl Into<Cow<'static, str>>) -> Attempted {
        Attempted::new(what).of("job", &self.id).on("endpoint", self.endpoint.shared_id())
    }

    /// The job as errors name it.
    pub(super) fn name(&self) -> String {
        let (id, endpoint_id) = (ShownId(&self.id), ShownId(self.endpoint.id()));
        format!("job {id:?} on endpoint {endpoint_id:?}")
    }
}

/// Returns true if these are ids of the same job: one id may have a suffix, such as `-u1`, that the
/// other id lacks.
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

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("id", &ShownId(&self.id))
            .field("endpoint", &ShownId(self.endpoint.id()))
            .finish_non_exhaustive()
    }
}
