//! Jobs that a request waits for.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::endpoint::Endpoint;
use super::job::{Mode, Record, Status};
use super::submission::{Submission, within};
use crate::refusal::Refusal;

const MIN_WAIT: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(300);
const DEFAULT_WAIT: Duration = Duration::from_secs(90);

/// The `wait` of `/runsync`, in milliseconds, as the query has it.
pub(crate) fn wait_of(wait: Option<&str>) -> Result<Duration, Refusal> {
    match wait {
        None => Ok(DEFAULT_WAIT),
        Some(wait) => within("wait", wait.parse().ok(), MIN_WAIT, MAX_WAIT),
    }
}

/// Runs a job, and returns its record when it has ended, or as it stands when the wait is over.
pub(crate) async fn run_sync(
    endpoint: &Arc<Endpoint>,
    submission: Submission,
    wait: Duration,
) -> Result<Record, Refusal> {
    let (receipt, now, finished) = endpoint.submit(submission, Mode::Sync { wait })?;
    let mut finished = pin!(finished.notified());
    finished.as_mut().enable();
    let record = endpoint.status(&receipt.id)?;
    if record.status.is_terminal() {
        return Ok(record);
    }
    tokio::select! {
        () = finished => {}
        () = endpoint.clock().sleep_until(now.saturating_add(wait)) => {}
        () = endpoint.stopping().cancelled() => {
            return Err(Refusal::failed("the service is stopping"));
        }
    }
    endpoint.status(&receipt.id)
}

/// What a path below `/openai` does, in our own reading: the body becomes the input of a synchronous
/// job, and the job's output the response.
pub(crate) async fn openai(
    endpoint: &Arc<Endpoint>,
    route: &str,
    body: &[u8],
) -> Result<Option<Arc<Value>>, Refusal> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))?;
    let input = json!({ "openai_route": format!("/{route}"), "openai_input": body });
    let record = run_sync(endpoint, Submission::of(input), DEFAULT_WAIT).await?;
    match (record.status, record.output, record.error) {
        (Status::Completed, output, _) => Ok(output),
        (_, _, Some(error)) => Err(Refusal::failed(error.as_ref())),
        _ => Err(Refusal::failed(format!("the job {} returned no output", record.id))),
    }
}
