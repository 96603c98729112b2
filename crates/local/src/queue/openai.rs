//! The OpenAI-compatible paths, in our own reading: a request becomes a job for a worker that serves
//! them, and the job's output the response.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::endpoint::Endpoint;
use super::job::{JobId, Mode, Record, Status};
use super::submission::Submission;
use super::sync::MAX_WAIT;
use crate::refusal::Refusal;

/// What OpenAI's clients take for the end of a response. They leave then.
const DONE: &str = "data: [DONE]";
/// What an event ends with.
const ENDS: [&[u8]; 3] = [b"\n\n", b"\r\n\r\n", b"\r\r"];

/// The response of a path below `/openai`.
pub(crate) enum OpenAi {
    Output(Arc<Value>),
    /// Why there is none, as OpenAI's clients read it.
    Failure(Value),
    /// Server-sent events as the worker yields them. Dropping them cancels the job.
    Events(BoxStream<'static, Bytes>),
}

/// Runs a job of a path below `/openai`. A caller that leaves cancels it.
pub(crate) async fn openai(
    endpoint: &Arc<Endpoint>,
    route: &str,
    body: &[u8],
) -> Result<OpenAi, Refusal> {
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

/// A job that runs for a caller who waits. Dropping it cancels the job.
struct Call {
    endpoint: Arc<Endpoint>,
    id: JobId,
    changed: Arc<Notify>,
    has_ended: bool,
    /// The attempt from which chunks have come.
    heard: Option<u64>,
    /// Whether all that the caller waits for has come, though the worker is not done yet.
    is_complete: bool,
    /// Whether the last chunk that was passed on ends within an event.
    is_within: bool,
}

/// What has become of a call since one last looked.
struct News {
    chunks: Vec<Value>,
    /// Whether chunks came from a worker that was lost since, so that they are void.
    is_anew: bool,
    end: Option<End>,
}

/// How a call ends.
struct End {
    output: Option<Arc<Value>>,
    /// Why there is no response, as OpenAI's clients read it.
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
            heard: None,
            is_complete: false,
            is_within: false,
        })
    }

    /// Waits for chunks, or the end.
    async fn news(&mut self) -> Result<News, Refusal> {
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let now = self.endpoint.news(&self.id)?;
            let is_requeued = now.record.status == Status::InQueue;
            let is_anew = self.heard.is_some_and(|heard| is_requeued || heard != now.attempt);
            if is_anew {
                (self.heard, self.is_complete) = (None, false);
            }
            let output = |mut chunk: Value| chunk["output"].take();
            let chunks: Vec<Value> = now.chunks.into_iter().map(output).collect();
            if let Some(last) = chunks.last() {
                self.heard = Some(now.attempt);
                let last = last.as_str();
                self.is_complete = last.is_some_and(|text| text.trim_end().ends_with(DONE));
            }
            self.has_ended = now.record.status.is_terminal();
            let end = match now.refusal {
                _ if self.has_ended => Some(End::of(&now.record)),
                // Its worker has dropped something, so what would follow is not whole.
                Some(why) => {
                    let why = format!("a report of the worker was refused: {why}");
                    let failure = (!self.is_complete).then(|| error(&why));
                    Some(End { output: None, failure })
                }
                None => None,
            };
            if end.is_some() || !chunks.is_empty() || is_anew {
                return Ok(News { chunks, is_anew, end });
            }
            tokio::select! {
                () = changed => {}
                () = self.endpoint.stopping().cancelled() => {
                    return Err(Refusal::failed("the service is stopping"));
                }
            }
        }
    }

    async fn output(mut self) -> Result<OpenAi, Refusal> {
        let mut chunks = Vec::new();
        let wait = self.endpoint.clock().clone();
        let mut is_over = pin!(async move { wait.sleep(MAX_WAIT).await }.fuse());
        let end = loop {
            let news = tokio::select! {
                news = self.news() => news?,
                () = &mut is_over => {
                    return Err(Refusal::failed(format!("the job {} takes too long", self.id)));
                }
            };
            if news.is_anew {
                chunks.clear();
            }
            chunks.extend(news.chunks);
            if let Some(end) = news.end {
                break end;
            }
        };
        // Workers that stream yield their only response, and the job's output is a list of it.
        let only = if chunks.len() == 1 { chunks.pop() } else { None };
        Ok(match (end.failure, only) {
            (Some(failure), _) => OpenAi::Failure(failure),
            (None, Some(only)) => OpenAi::Output(Arc::new(only)),
            (None, None) => OpenAi::Output(end.output.unwrap_or_default()),
        })
    }

    /// Waits for the first chunk, so that a job that fails before it is an error response.
    async fn events(mut self) -> Result<OpenAi, Refusal> {
        let first = self.news().await?;
        if let News { chunks, end: Some(End { output, failure }), .. } = &first
            && chunks.is_empty()
        {
            return Ok(match failure {
                Some(failure) => OpenAi::Failure(failure.clone()),
                None => {
                    let only = event(output.as_deref().unwrap_or_default());
                    OpenAi::Events(stream::iter([only]).boxed())
                }
            });
        }
        let events = stream::unfold((Some(self), Some(first)), async |(call, first)| {
            let mut call = call?;
            let news = match first {
                Some(news) => news,
                None => match call.news().await {
                    // The caller has the beginning of another response than the one that follows.
                    Ok(news) if news.is_anew => {
                        let message = format!("the worker of the job {} was lost", call.id);
                        return Some((call.last(&error(&message)), (None, None)));
                    }
                    Ok(news) => news,
                    Err(refusal) => {
                        return Some((call.last(&error(&refusal.message)), (None, None)));
                    }
                },
            };
            let mut bytes: Vec<u8> = news.chunks.iter().flat_map(event).collect();
            if !bytes.is_empty() {
                call.is_within = !ENDS.iter().any(|end| bytes.ends_with(end));
            }
            let call = match news.end {
                Some(end) => {
                    bytes.extend(end.failure.iter().flat_map(|failure| call.last(failure)));
                    None
                }
                None => Some(call),
            };
            Some((bytes.into(), (call, None)))
        });
        Ok(OpenAi::Events(events.boxed()))
    }

    /// An event of the service's own. It must not become a part of one that is not whole.
    fn last(&self, value: &Value) -> Bytes {
        let event = event(value);
        if self.is_within { [b"\n\n", event.as_ref()].concat().into() } else { event }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.has_ended && !self.is_complete {
            // One that has ended meanwhile need not be cancelled.
            let _ = self.endpoint.cancel(&self.id);
        }
    }
}

/// A chunk as an event. A string is one already, or several, or a part of one.
fn event(chunk: &Value) -> Bytes {
    match chunk {
        Value::String(events) => events.clone().into(),
        other => format!("data: {other}\n\n").into(),
    }
}

/// An error as OpenAI's clients read it.
fn error(message: &str) -> Value {
    let error = json!({ "message": message, "type": "server_error", "param": null, "code": null });
    json!({ "error": error })
}

impl End {
    fn of(record: &Record) -> Self {
        let without = || format!("the job {} is {}", record.id, record.status.text());
        let why = || record.error.as_deref().map_or_else(|| error(&without()), error);
        let failure = (record.status != Status::Completed).then(why);
        Self { output: record.output.clone(), failure }
    }
}
