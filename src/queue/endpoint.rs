//! Serverless endpoint: its calls, and its health.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use reqwest::Url;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::context::Context;
use super::operations::{HEALTH, OPENAI, PURGE_QUEUE, REQUESTS, RUN};
use super::poll_rate::PollRate;
use crate::aliases::{Request, ServerEvents};
use crate::error::{Error, Result};
use podqueue_runtime::__private::json::not_serializable;
use podqueue_runtime::__private::{Attempted, ShownId};
use podqueue_runtime::{Call, Operation, Path, Reply, lenient};

/// A serverless endpoint: submits jobs, and reports the endpoint's health ([Serverless queue
/// operations](crate#the-interface)).
///
/// Cheap to clone. All calls can fail with [`ErrorKind::InvalidRequest`](crate::ErrorKind) if the
/// endpoint's id is empty, `.` or `..`, or the client has no `base_url`, and with the kinds for the
/// service's error responses.
#[derive(Clone)]
pub struct Endpoint {
    shared: Arc<Shared>,
}

/// State shared by the clones of an endpoint.
struct Shared {
    context: Arc<Context>,
    id: Arc<str>,
    run_url: OnceLock<Url>,
}

impl Endpoint {
    pub(crate) fn new(context: Arc<Context>, id: &str) -> Self {
        Self { shared: Arc::new(Shared { context, id: id.into(), run_url: OnceLock::new() }) }
    }

    /// The endpoint's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.shared.id
    }

    /// Returns how many jobs and workers the endpoint has, by state: `GET /health`.
    ///
    /// If [`RateLimits::requests_per_worker`](crate::RateLimits::requests_per_worker) is set, the
    /// endpoint's rate limits follow the number of running workers that this reports.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Decode`](crate::ErrorKind::Decode) if the response lacks the documented counts.
    pub fn health(&self) -> Request<Health> {
        let endpoint = self.clone();
        Request::new(move |timeout| async move {
            let call = endpoint.own_call(&HEALTH, endpoint.path("/health"))?;
            let health: Health = endpoint.send(call.timeout(timeout)).await?.json()?;
            if let Some(least) = endpoint.context().rate_limits.least(health.workers.running) {
                endpoint.context().service.set_least_limit(endpoint.shared_id(), least);
            }
            Ok(health)
        })
    }

    /// Removes all queued jobs and leaves running ones alone: `POST /purge-queue`. The service
    /// allows two of these per ten seconds: a third waits for the rate limiter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if no response arrived. The
    /// call is not retried, because a second purge could remove jobs that were queued in between.
    pub fn purge_queue(&self) -> Request<Purged> {
        let endpoint = self.clone();
        Request::new(move |timeout| async move {
            let call = endpoint.own_call(&PURGE_QUEUE, endpoint.path("/purge-queue"))?;
            Ok(endpoint.send(call.timeout(timeout)).await?.json()?)
        })
    }

    /// Makes a raw call to the endpoint's OpenAI-compatible interface: `POST /openai/{path}`, such
    /// as `v1/chat/completions`. Neither its payloads nor its behavior are documented: input and
    /// output are raw JSON. If a worker may have to start first, which can take minutes, raise the
    /// call's [`timeout`](Request::timeout); otherwise each attempt has the client's
    /// [timeout](crate::ClientBuilder::timeout), 60 s by default.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if no response arrived.
    pub fn openai(&self, path: &str, body: impl Serialize) -> Request<Value> {
        self.openai_as(path, body)
    }

    /// Like [`openai`](Self::openai), with the response as another type. As a
    /// [`RawValue`](serde_json::value::RawValue), it keeps its text: the order of its fields, and
    /// numbers that a `Value` rounds or refuses, such as `1e400`.
    ///
    /// ```no_run
    /// # async fn example(endpoint: podqueue::Endpoint) -> podqueue::Result<()> {
    /// use serde_json::value::RawValue;
    ///
    /// let body = serde_json::json!({ "messages": [] });
    /// let text: Box<RawValue> = endpoint.openai_as("v1/chat/completions", body).await?;
    /// println!("{text}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if no response arrived, or a
    /// response that is not of this type.
    pub fn openai_as<O: DeserializeOwned>(&self, path: &str, body: impl Serialize) -> Request<O> {
        let call = self.openai_call(path).and_then(|call| Ok(call.json("body", &body)?));
        let endpoint = self.clone();
        Request::new(move |timeout| async move {
            Ok(endpoint.send(call?.held_open().timeout(timeout)).await?.json()?)
        })
    }

    /// Makes a raw call to the endpoint's OpenAI-compatible interface whose response is streamed:
    /// `POST /openai/{path}` with `"stream": true`, which is added to the body. The events come as
    /// the worker yields them; the data of the last event is usually `[DONE]`.
    ///
    /// ```no_run
    /// # async fn example(endpoint: podqueue::Endpoint) -> podqueue::Result<()> {
    /// use futures_util::TryStreamExt;
    ///
    /// let body = serde_json::json!({ "model": "poet", "messages": [] });
    /// let mut events = endpoint.openai_stream("v1/chat/completions", body).await?;
    /// while let Some(event) = events.try_next().await? {
    ///     if event.data == "[DONE]" {
    ///         break;
    ///     }
    ///     let chunk: serde_json::Value = event.json()?;
    ///     if let Some(error) = chunk.get("error") {
    ///         eprintln!("the response is incomplete: {error}");
    ///         break;
    ///     }
    ///     print!("{}", chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A job that fails before its first chunk is an error of this call. A later failure can only
    /// be an event, usually with an `error` in its data, and a response that ends without `[DONE]`
    /// may be incomplete.
    ///
    /// The call's [`timeout`](Request::timeout) holds until the response begins, and is then how
    /// long the service [may be silent](crate::ServerEvents::idle_timeout). Raise it if a worker
    /// may have to start first. The stream counts as one of the requests in flight that the
    /// client's rate limits allow, until it ends or is dropped. Dropping it closes the connection,
    /// on which the service may cancel the job.
    ///
    /// A response without a single event is an error as the stream's last item: it may have been
    /// lost on the way.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if the body is not an
    /// object; [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if no response
    /// arrived, or a response that is not of type `text/event-stream`, has no content, or is
    /// compressed.
    pub fn openai_stream(&self, path: &str, body: impl Serialize) -> Request<ServerEvents> {
        let call = self.openai_call(path).and_then(|call| {
            let body = streaming(&body, &self.attempted(&OPENAI))?;
            Ok(call.json("body", &body)?)
        });
        let endpoint = self.clone();
        Request::new(move |timeout| async move {
            let call = call?.header("accept", "text/event-stream").reads_events();
            let reply = endpoint.send(call.held_open().timeout(timeout)).await?;
            let most = endpoint.context().service.largest_response();
            Ok(ServerEvents::new(reply, most, true)?)
        })
    }

    fn openai_call(&self, path: &str) -> Result<Call> {
        let segments = path.trim_start_matches('/').split('/');
        let path = segments.fold(self.path("/openai"), |path, segment| {
            path.literal("/").parameter("path", segment)
        });
        self.own_call(&OPENAI, path)
    }

    /// Lists the endpoint's requests: `GET /requests`. Neither its payload nor its behavior is
    /// documented: the result is raw JSON.
    ///
    /// # Errors
    ///
    /// The kinds for the service's error responses.
    pub fn requests(&self) -> Request<Value> {
        let endpoint = self.clone();
        Request::new(move |timeout| async move {
            let call = endpoint.own_call(&REQUESTS, endpoint.path("/requests"))?;
            Ok(endpoint.send(call.timeout(timeout)).await?.json()?)
        })
    }

    /// Waits until a submission with [`run`](Self::run) could be sent at once, in order with all
    /// other submissions to this endpoint, and returns how many could be: at least one, and at most
    /// `most`. That is `most`, at once, if the client has no rate limits.
    ///
    /// No permit is reserved: if other callers submit in the meantime, submissions still wait for
    /// their own permits. Meant for callers that prepare a submission as late as possible, such as
    /// a journal that records durably what is about to be submitted.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime, or in one whose time driver is disabled.
    pub async fn available_submissions(&self, most: usize) -> usize {
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        let permits = self.context().service.ready(&RUN, self.shared_id(), most).await;
        // Another caller may have taken the permit since.
        usize::try_from(permits).unwrap_or(usize::MAX).max(1)
    }

    /// Another endpoint of the same service, by its id, as the client would return it. Sends
    /// nothing.
    #[doc(hidden)]
    #[must_use]
    pub fn with_id(&self, endpoint_id: impl AsRef<str>) -> Self {
        Self::new(Arc::clone(&self.shared.context), endpoint_id.as_ref())
    }

    /// The URL of the service's job queue, with its version and without a slash at the end; `None`
    /// if the client has none. It contains no secret.
    #[must_use]
    pub fn base_url(&self) -> Option<&str> {
        self.context().service.known_url().map(Url::as_str)
    }

    pub(crate) fn context(&self) -> &Context {
        &self.shared.context
    }

    /// The poll rate of all waits and streams on this endpoint.
    pub(super) fn poll_rate(&self) -> Arc<PollRate> {
        self.shared.context.poll_rates.of(&self.shared.id)
    }

    /// Returns the path `/{endpoint_id}{rest}`.
    pub(super) fn path(&self, rest: &str) -> Path {
        Path::new("/").parameter("endpoint id", &self.shared.id).literal(rest)
    }

    pub(super) fn own_call(&self, operation: &Operation, path: Path) -> Result<Call> {
        let attempted = self.attempted(operation);
        let url = self.url(&attempted, path)?;
        Ok(self.call(operation, attempted, url))
    }

    /// The URL of `/run`, which is made once.
    pub(super) fn run_url(&self, attempted: &Attempted) -> Result<Url> {
        made_once(&self.shared.run_url, || self.url(attempted, self.path("/run")))
    }

    pub(super) fn url(&self, attempted: &Attempted, path: Path) -> Result<Url> {
        Ok(path.on(self.shared.context.service.url(attempted)?, attempted)?)
    }

    /// Returns a call to this endpoint, or about one of its jobs.
    pub(super) fn call(&self, operation: &Operation, attempted: Attempted, url: Url) -> Call {
        Call::to_url(operation, attempted, url).scope(Arc::clone(&self.shared.id))
    }

    /// The id, to be shared.
    pub(super) fn shared_id(&self) -> &Arc<str> {
        &self.shared.id
    }

    pub(super) async fn send(&self, call: Call) -> Result<Reply> {
        Ok(self.shared.context.service.send(call).await?)
    }

    pub(super) fn attempted(&self, operation: &Operation) -> Attempted {
        Attempted::new(operation.name()).on("endpoint", &self.shared.id)
    }
}

/// The body of a call whose response is streamed.
fn streaming(
    body: &impl Serialize,
    attempted: &Attempted,
) -> Result<BTreeMap<String, Box<RawValue>>> {
    let unserializable = |error| not_serializable(attempted.clone(), "body", error);
    let json = serde_json::to_string(body).map_err(unserializable)?;
    // Kept as text, since a number may have more digits than any type of Rust.
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&json)
        .map_err(|_| Error::refused(attempted.clone(), "body", "must be a JSON object"))?;
    members.insert("stream".to_owned(), RawValue::TRUE.to_owned());
    Ok(members)
}

/// A URL that is parsed by the first call that needs it.
pub(super) fn made_once(url: &OnceLock<Url>, make: impl FnOnce() -> Result<Url>) -> Result<Url> {
    match url.get() {
        Some(url) => Ok(url.clone()),
        None => make().map(|made| url.get_or_init(|| made).clone()),
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("id", &ShownId(self.id())).finish_non_exhaustive()
    }
}

/// An endpoint's numbers of jobs and workers ([Health report](crate#the-interface)).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Health {
    /// Jobs, by status.
    pub jobs: JobCounts,
    /// Workers, by state.
    pub workers: WorkerCounts,
}

/// Jobs of an endpoint, by status.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct JobCounts {
    /// Jobs that completed.
    #[serde(deserialize_with = "count")]
    pub completed: u64,
    /// Jobs that failed.
    #[serde(deserialize_with = "count")]
    pub failed: u64,
    /// Jobs that are running.
    #[serde(deserialize_with = "count")]
    pub in_progress: u64,
    /// Jobs waiting for a worker.
    #[serde(deserialize_with = "count")]
    pub in_queue: u64,
    /// Jobs that were retried.
    #[serde(deserialize_with = "count")]
    pub retried: u64,
}

/// Workers of an endpoint, by state. The interface documents idle and running workers; the other
/// states are seen in practice, and are `None` if the service does not report them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct WorkerCounts {
    /// Workers waiting for a job.
    #[serde(deserialize_with = "count")]
    pub idle: u64,
    /// Workers running a job.
    #[serde(deserialize_with = "count")]
    pub running: u64,
    /// Workers that are starting.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub initializing: Option<u64>,
    /// Workers that are ready to take a job.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub ready: Option<u64>,
    /// Workers waiting for a free machine.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub throttled: Option<u64>,
    /// Workers that are unhealthy.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub unhealthy: Option<u64>,
}

/// The result of a purge ([Purge result](crate#the-interface)).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Purged {
    /// The number of queued jobs removed.
    #[serde(deserialize_with = "count")]
    pub removed: u64,
    /// The service's word for the outcome, such as `completed`.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub status: String,
}

/// A documented count: it must be there, so that a reply of another shape is never taken for zeros,
/// and null counts as none.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(lenient::integer(deserializer)?.unwrap_or(0))
}
