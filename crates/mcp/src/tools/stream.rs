//! Tool `stream`: the chunks of a job so far.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::reply::{Failure, Next, ToolResult, Window, fit_items, item};
use crate::service::ServiceName;
use crate::state::State;
use crate::streams::{Chunks, StreamEnd};

/// Time for which a call waits for a further chunk.
const MAX_WAIT: Duration = Duration::from_secs(25);
const DEFAULT_WAIT_S: f64 = 5.0;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamArguments {
    /// The endpoint's id.
    endpoint: String,
    job_id: String,
    /// The number of the first chunk to return; chunks are numbered from 0.
    #[serde(default)]
    from: usize,
    /// Time to wait for a chunk if there is none yet, in seconds: 5 by default, 25 at most.
    #[serde(default)]
    wait_s: Option<f64>,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

/// Chunks of a job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StreamReply {
    /// The next step.
    message: String,
    chunks: Vec<Value>,
    /// The numbers of these chunks, and how many have arrived.
    window: Window,
    /// True if the job has ended and no further chunk follows.
    ended: bool,
    /// True if chunks may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gap: bool,
    /// The tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

pub(crate) async fn stream(state: &State, arguments: StreamArguments) -> ToolResult {
    let seconds = arguments.wait_s.unwrap_or(DEFAULT_WAIT_S);
    let wait = Duration::try_from_secs_f64(seconds).ok().filter(|wait| *wait <= MAX_WAIT);
    let wait =
        wait.ok_or_else(|| Failure::new("wait_s must be a number of seconds between 0 and 25"))?;
    let deadline = Instant::now() + wait;
    let service = state.service_of_endpoint(arguments.service, &arguments.endpoint)?;
    let job = service.endpoint(&arguments.endpoint).job(&arguments.job_id);
    let mut chunks = state.streams.follow(&service.identity, &job);
    let is_enough = |chunks: &Chunks| chunks.items.len() > arguments.from || chunks.end.is_some();
    let _ = timeout_at(deadline, chunks.wait_for(is_enough)).await;

    let arguments_of = |from: Option<usize>| {
        json!({
            "service": service.name.argument(), "endpoint": arguments.endpoint,
            "job_id": arguments.job_id, "from": from,
        })
    };
    let chunks = chunks.borrow();
    let failure = match &chunks.end {
        Some(StreamEnd::Failed(error)) => {
            Some(state.failure_of(error, service.name, &arguments.endpoint))
        }
        Some(StreamEnd::TooLarge) => Some(Failure::new(
            "the chunks of this job are too large to be kept: the output of its record may have all",
        )),
        Some(StreamEnd::Complete) | None => None,
    };
    if let Some(failure) = failure.filter(|_| chunks.items.len() <= arguments.from) {
        state.streams.forget(&service.identity, &job);
        return Err(failure.next(Next::new("status", arguments_of(None))));
    }
    let items: Vec<Value> = chunks.items.iter().cloned().map(item).collect();
    let is_over = matches!(chunks.end, Some(StreamEnd::Complete));
    Ok(fit_items(&items, arguments.from, |part, window| {
        let ended = is_over && window.to == window.total;
        StreamReply {
            message: match ended {
                true => "these are the last chunks: call status for the job's end".to_owned(),
                false => format!("call stream with from {} for further chunks", window.to),
            },
            chunks: part,
            window,
            ended,
            gap: chunks.has_gap,
            next: Some(match ended {
                true => Next::new("status", arguments_of(None)),
                false => Next::new("stream", arguments_of(Some(window.to))),
            }),
        }
    }))
}
