//! A serverless endpoint.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::health::{Health, Purged};
use super::operations::{HEALTH, OPENAI, PURGE_QUEUE, REQUESTS};
use crate::context::{Context, PollLine};
use crate::error::{Attempted, Result};
use crate::transport::{Call, Operation, Path, Reply};

/// A serverless endpoint: submits jobs, and tells how the endpoint is
/// ([Serverless queue operations](crate#the-interface)).
///
/// Cheap to clone. All calls can fail with [`ErrorKind::InvalidRequest`](crate::ErrorKind) where the
/// endpoint's id is empty, `.` or `..`, or the client has no `base_url`, and with the kinds for what
/// the service answers.
#[derive(Clone)]
pub struct Endpoint {
    context: Arc<Context>,
    id: Arc<str>,
}

impl Endpoint {
    pub(crate) fn new(context: Arc<Context>, id: &str) -> Self {
        Self { context, id: id.into() }
    }

    /// The endpoint's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
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
        self.context.transport.limiter.workers_run(&self.id, health.workers.running);
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

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The line of all waits and streams on this endpoint.
    pub(super) fn poll_line(&self) -> Arc<PollLine> {
        self.context.poll_lines.of(&self.id)
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
        let base = self.context.base_url(&attempted)?;
        Call::new(operation, attempted, base, path, self.context.queue_auth.of_calls())
    }

    /// The id, to be shared.
    pub(super) fn shared_id(&self) -> &Arc<str> {
        &self.id
    }

    pub(super) async fn send(&self, call: Call) -> Result<Reply> {
        self.context.transport.send(call).await
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
