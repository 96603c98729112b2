//! A serverless endpoint.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::health::{Health, Purged};
use super::operations::{HEALTH, OPENAI, PURGE_QUEUE, REQUESTS};
use super::pace::Pace;
use super::{Job, Run, RunSync};
use crate::client::Client;
use crate::error::{Attempted, Result};
use crate::transport::{Call, Operation, Path};

/// A serverless endpoint: submits jobs, and tells how the endpoint is
/// ([Serverless queue operations](crate#the-interface)).
///
/// Cheap to clone. All calls can fail with [`ErrorKind::InvalidRequest`](crate::ErrorKind) where the
/// endpoint's id is empty, `.` or `..`, or the client has no `base_url`, and with the kinds for what
/// the service answers.
#[derive(Clone)]
pub struct Endpoint {
    client: Client,
    id: Arc<str>,
}

impl Endpoint {
    pub(crate) fn new(client: Client, id: &str) -> Self {
        Self { client, id: id.into() }
    }

    /// The endpoint's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Submits a job and returns at once with its handle: `POST /run`, bodies of at most 10 MB.
    ///
    /// The input is any value that serde writes as a JSON object, which the interface asks for; what
    /// is in it is up to the worker's handler, and it arrives unchanged.
    ///
    /// ```no_run
    /// # async fn example(endpoint: podqueue::Endpoint) -> podqueue::Result<()> {
    /// let job = endpoint.run(&serde_json::json!({"prompt": "a lighthouse"})).await?;
    /// let record = job.wait().await?;
    /// let answer: String = record.output()?;
    /// # let _ = answer;
    /// # Ok(())
    /// # }
    /// ```
    pub fn run<T: Serialize + ?Sized>(&self, input: &T) -> Run {
        Run::new(self.clone(), input)
    }

    /// Submits a job and lets the service wait for it: `POST /runsync`, bodies of at most 20 MB.
    ///
    /// Awaited, it answers the record as it is when the wait ends. Where the job is not finished
    /// then, it goes on, and so can you, with [`JobRecord::job`](crate::JobRecord::job).
    pub fn run_sync<T: Serialize + ?Sized>(&self, input: &T) -> RunSync {
        RunSync::new(self.clone(), input)
    }

    /// The handle of a job that was submitted earlier, by its id. Nothing is sent.
    #[must_use]
    pub fn job(&self, job_id: impl AsRef<str>) -> Job {
        Job::from_id(self.clone(), job_id.as_ref())
    }

    /// How many jobs and workers the endpoint has: `GET /health`.
    ///
    /// Where [`RateLimits::requests_per_worker`](crate::RateLimits::requests_per_worker) is set, the
    /// endpoint's rate limits follow the running workers that this tells.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Decode`](crate::ErrorKind::Decode) for a reply that lacks the documented counts.
    pub async fn health(&self) -> Result<Health> {
        let reply = self.send(self.own_call(&HEALTH, self.path("/health"))?).await?;
        let health: Health = reply.decode(&self.attempted(&HEALTH))?;
        self.client.limiter().workers_run(&self.id, health.workers.running);
        Ok(health)
    }

    /// Removes all queued jobs and leaves running ones alone: `POST /purge-queue`. The service takes
    /// two of these in ten seconds: a third waits for its turn.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) where no answer came: a second
    /// purge could remove what was queued in between, so none is sent.
    pub async fn purge_queue(&self) -> Result<Purged> {
        let reply = self.send(self.own_call(&PURGE_QUEUE, self.path("/purge-queue"))?).await?;
        let purged = reply.decode(&self.attempted(&PURGE_QUEUE));
        purged.map_err(|error| PURGE_QUEUE.repeat.unreadable(error))
    }

    /// A raw call of the endpoint's OpenAI-compatible interface: `POST /openai/{path}`, such as
    /// `v1/chat/completions`. The interface shows neither its payloads nor its behaviour: what goes
    /// in and comes out is JSON as it is.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) where no answer came.
    pub async fn openai<T: Serialize + ?Sized>(&self, path: &str, body: &T) -> Result<Value> {
        let segments = path.trim_start_matches('/').split('/');
        let path = segments.fold(self.path("/openai"), |path, segment| {
            path.literal("/").parameter("path", segment)
        });
        let call = self.own_call(&OPENAI, path)?.json("body", body)?.held_open();
        let answer = self.send(call).await?.decode(&self.attempted(&OPENAI));
        answer.map_err(|error| OPENAI.repeat.unreadable(error))
    }

    /// A raw look at the endpoint's requests: `GET /requests`. The interface shows neither its
    /// payload nor its behaviour: what comes is JSON as it is.
    ///
    /// # Errors
    ///
    /// The kinds for what the service answers.
    pub async fn requests(&self) -> Result<Value> {
        let reply = self.send(self.own_call(&REQUESTS, self.path("/requests"))?).await?;
        reply.decode(&self.attempted(&REQUESTS))
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The turns of all waits on this endpoint.
    pub(super) fn pace(&self) -> Arc<Pace> {
        self.client.paces().of(&self.id)
    }

    /// `/{endpoint_id}` and what follows it.
    pub(super) fn path(&self, rest: &str) -> Path {
        Path::new("/").parameter("endpoint id", &self.id).literal(rest)
    }

    pub(super) fn own_call(&self, operation: &Operation, path: Path) -> Result<Call> {
        self.call(operation, self.attempted(operation), path)
    }

    /// A call of this endpoint, or of a job of its.
    pub(super) fn call(
        &self,
        operation: &Operation,
        attempted: Attempted,
        path: Path,
    ) -> Result<Call> {
        let base = self.client.base_url(&attempted)?;
        Call::new(operation, attempted, base, path, self.client.queue_auth())
    }

    /// The id, to be shared.
    pub(super) fn shared_id(&self) -> &Arc<str> {
        &self.id
    }

    pub(super) async fn send(&self, call: Call) -> Result<crate::transport::Reply> {
        self.client.send(call).await
    }

    pub(super) fn attempted(&self, operation: &Operation) -> Attempted {
        Attempted::on_endpoint(operation.name, &self.id)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("id", &self.id).finish_non_exhaustive()
    }
}
