//! Tool `stream`: the chunks of a job so far.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::arguments::wait_of;
use crate::reply::{Failure, Next, ToolResult, Window, fit_items, item};
use crate::service::ServiceName;
use crate::state::State;
use crate::streams::{Chunks, StreamEnd};

/// Time for which a call waits for a further chunk, in seconds.
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
    /// True if chunks may be missing: the service delivers each once, and they were received by an
    /// earlier server, or lost on their way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gap: bool,
    /// The tool to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

pub(crate) async fn stream(state: &State, arguments: StreamArguments) -> ToolResult {
    let deadline = Instant::now() + wait_of(arguments.wait_s, DEFAULT_WAIT_S)?;
    let (id, job_id) = (&arguments.endpoint, &arguments.job_id);
    let service = state.service_of_job(arguments.service, id, job_id)?;
    let job = service.endpoint(&arguments.endpoint).job(&arguments.job_id);
    let mut chunks = match state.streams.find(&service.identity, &job) {
        Some(chunks) => chunks,
        None => {
            let (endpoint, id) = (&arguments.endpoint, &arguments.job_id);
            let earlier = state.journal.begin_stream(&service.identity, endpoint, id).await;
            let has_reader = earlier.map_err(|error| Failure::new(error.to_string()))?;
            state.streams.follow(&service.identity, &job, has_reader)
        }
    };
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
        let mut message = match ended {
            true => "these are the last chunks: call status for the job's end".to_owned(),
            false => format!("call stream with from {} for further chunks", window.to),
        };
        if chunks.has_gap {
            message.push_str(
                "; chunks may be missing, because an earlier server received them or they were \
                 lost on their way: the job's output may have all",
            );
        }
        StreamReply {
            message,
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
