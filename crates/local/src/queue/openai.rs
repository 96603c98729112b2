//! OpenAI-compatible paths: a request becomes a job for a worker that serves them, and the output
//! of the job becomes the response. The interface names the paths only; this is an interpretation.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::endpoint::Endpoint;
use super::job::{JobId, Mode, Record, Status};
use super::submission::{MAX_WAIT, Submission};
use crate::error::Refusal;

/// The end of a response for OpenAI's clients, which disconnect then.
const DONE: &str = "data: [DONE]";
/// The ends of a server-sent event.
const EVENT_ENDS: [&[u8]; 3] = [b"\n\n", b"\r\n\r\n", b"\r\r"];

/// The response to a request below `/openai`.
pub(crate) enum OpenAiResponse {
    Output(Arc<Value>),
    /// An error in the shape that OpenAI's clients parse.
    Failure(Value),
    /// Server-sent events as the worker yields them. Dropping them cancels the job.
    Events(BoxStream<'static, Bytes>),
}

/// Runs a job for a request below `/openai`. If the caller disconnects, the job is cancelled.
pub(crate) async fn openai(
    endpoint: &Arc<Endpoint>,
    route: &str,
    body: &[u8],
) -> Result<OpenAiResponse, Refusal> {
    let body: Value = if body.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(body)
            .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))?
    };
    let is_stream = body.get("stream") == Some(&Value::Bool(true));
    let input = json!({ "openai_route": format!("/{route}"), "openai_input": body });
    let call = Call::submit(endpoint, input)?;
    if is_stream { call.events().await } else { call.output().await }
}

/// A job for a caller that waits. Dropping it cancels the job.
struct Call {
    endpoint: Arc<Endpoint>,
    id: JobId,
    changed: Arc<Notify>,
    has_ended: bool,
    /// The attempt of the chunks so far.
    attempt: Option<u64>,
    /// True if the response is complete, though the job may not have ended.
    is_complete: bool,
    /// True if the last chunk that was sent ends within an event.
    is_within_event: bool,
}

/// The progress of a call since the last update.
struct CallUpdate {
    chunks: Vec<Value>,
    /// True if earlier chunks are void, because their worker was lost.
    is_restarted: bool,
    end: Option<CallEnd>,
}

/// The end of a call.
struct CallEnd {
    output: Option<Arc<Value>>,
    /// The error, in the shape that OpenAI's clients parse.
    failure: Option<Value>,
}

impl Call {
    fn submit(endpoint: &Arc<Endpoint>, input: Value) -> Result<Self, Refusal> {
        let mode = Mode::Sync { wait: MAX_WAIT };
        let (receipt, _, changed) = endpoint.submit(Submission::of(input), mode)?;
        Ok(Self {
            endpoint: endpoint.clone(),
            id: receipt.id,
            changed,
            has_ended: false,
            attempt: None,
            is_complete: false,
            is_within_event: false,
        })
    }

    /// Waits for chunks, or the end.
    async fn update(&mut self) -> Result<CallUpdate, Refusal> {
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let job = self.endpoint.take_update(&self.id)?;
            let is_requeued = job.record.status == Status::InQueue;
            let is_restarted =
                self.attempt.is_some_and(|attempt| is_requeued || attempt != job.attempt);
            if is_restarted {
                (self.attempt, self.is_complete) = (None, false);
            }
            let output = |mut chunk: Value| chunk["output"].take();
            let chunks: Vec<Value> = job.chunks.into_iter().map(output).collect();
            if let Some(last) = chunks.last() {
                self.attempt = Some(job.attempt);
                let last = last.as_str();
                self.is_complete = last.is_some_and(|text| text.trim_end().ends_with(DONE));
            }
            self.has_ended = job.record.status.is_terminal();
            let end = match job.refusal {
                _ if self.has_ended => Some(CallEnd::of(&job.record)),
                // A report was dropped, so the rest of the response would be incomplete.
                Some(why) => {
                    let why = format!("a report of the worker was refused: {why}");
                    let failure = (!self.is_complete).then(|| error(&why));
                    Some(CallEnd { output: None, failure })
                }
                None => None,
            };
            if end.is_some() || !chunks.is_empty() || is_restarted {
                return Ok(CallUpdate { chunks, is_restarted, end });
            }
            tokio::select! {
                () = changed => {}
                () = self.endpoint.stopping().cancelled() => {
                    return Err(Refusal::stopping());
                }
            }
        }
    }

    async fn output(mut self) -> Result<OpenAiResponse, Refusal> {
        let mut chunks = Vec::new();
        let wait = self.endpoint.clock().clone();
        let mut timeout = pin!(async move { wait.sleep(MAX_WAIT).await }.fuse());
        let end = loop {
            let update = tokio::select! {
                update = self.update() => update?,
                () = &mut timeout => {
                    return Err(Refusal::failed(format!("the job {} takes too long", self.id)));
                }
            };
            if update.is_restarted {
                chunks.clear();
            }
            chunks.extend(update.chunks);
            if let Some(end) = update.end {
                break end;
            }
        };
        // A worker that streams emits its response as the only chunk, and returns a list of it.
        let only = if chunks.len() == 1 { chunks.pop() } else { None };
        Ok(match (end.failure, only) {
            (Some(failure), _) => OpenAiResponse::Failure(failure),
            (None, Some(only)) => OpenAiResponse::Output(Arc::new(only)),
            (None, None) => OpenAiResponse::Output(end.output.unwrap_or_default()),
        })
    }

    /// Waits for the first chunk, so that a job that fails before it is an error response.
    async fn events(mut self) -> Result<OpenAiResponse, Refusal> {
        let first = self.update().await?;
        if let CallUpdate { chunks, end: Some(CallEnd { output, failure }), .. } = &first
            && chunks.is_empty()
        {
            return Ok(match failure {
                Some(failure) => OpenAiResponse::Failure(failure.clone()),
                None => {
                    let only = event(output.as_deref().unwrap_or_default());
                    OpenAiResponse::Events(stream::iter([only]).boxed())
                }
            });
        }
        let events = stream::unfold((Some(self), Some(first)), async |(call, first)| {
            let mut call = call?;
            let update = match first {
                Some(update) => update,
                None => match call.update().await {
                    // The caller already has the beginning of another response.
                    Ok(update) if update.is_restarted => {
                        let message = format!("the worker of the job {} was lost", call.id);
                        return Some((call.last_event(&error(&message)), (None, None)));
                    }
                    Ok(update) => update,
                    Err(refusal) => {
                        return Some((call.last_event(&error(&refusal.message)), (None, None)));
                    }
                },
            };
            let mut bytes: Vec<u8> = update.chunks.iter().flat_map(event).collect();
            if !bytes.is_empty() {
                call.is_within_event = !EVENT_ENDS.iter().any(|end| bytes.ends_with(end));
            }
            let call = match update.end {
                Some(end) => {
                    bytes.extend(end.failure.iter().flat_map(|failure| call.last_event(failure)));
                    None
                }
                None => Some(call),
            };
            Some((bytes.into(), (call, None)))
        });
        Ok(OpenAiResponse::Events(events.boxed()))
    }

    /// The last event, sent by the service. It must not become a part of an incomplete event.
    fn last_event(&self, value: &Value) -> Bytes {
        let event = event(value);
        if self.is_within_event { [b"\n\n", event.as_ref()].concat().into() } else { event }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.has_ended && !self.is_complete {
            // Fails if the job has ended meanwhile.
            let _ = self.endpoint.cancel(&self.id);
        }
    }
}

/// A chunk as an event. A string already is text of the event stream: a part of an event, or
/// several.
fn event(chunk: &Value) -> Bytes {
    match chunk {
        Value::String(events) => events.clone().into(),
        other => format!("data: {other}\n\n").into(),
    }
}

/// An error in the shape that OpenAI's clients parse.
fn error(message: &str) -> Value {
    let error = json!({ "message": message, "type": "server_error", "param": null, "code": null });
    json!({ "error": error })
}

impl CallEnd {
    fn of(record: &Record) -> Self {
        let without = || format!("the job {} is {}", record.id, record.status.text());
        let why = || record.error.as_deref().map_or_else(|| error(&without()), error);
        let failure = (record.status != Status::Completed).then(why);
        Self { output: record.output.clone(), failure }
    }
}
