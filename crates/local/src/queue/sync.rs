//! Jobs that a request waits for.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::endpoint::Endpoint;
use super::job::{Mode, Record};
use super::submission::{Submission, within};
use crate::clock::Moment;
use crate::refusal::Refusal;

const MIN_WAIT: Duration = Duration::from_secs(1);
pub(super) const MAX_WAIT: Duration = Duration::from_secs(300);
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
    let (receipt, now, changed) = endpoint.submit(submission, Mode::Sync { wait })?;
    ended(endpoint, &receipt.id, now.saturating_add(wait), &changed).await
}

/// Returns the record of a job when it has ended, or as it stands when the wait is over.
pub(crate) async fn wait_for(
    endpoint: &Arc<Endpoint>,
    id: &str,
    wait: Duration,
) -> Result<Record, Refusal> {
    let (now, changed) = endpoint.watch(id)?;
    ended(endpoint, id, now.saturating_add(wait), &changed).await
}

async fn ended(
    endpoint: &Arc<Endpoint>,
    id: &str,
    until: Moment,
    changed: &Notify,
) -> Result<Record, Refusal> {
    let mut is_over = pin!(endpoint.clock().sleep_until(until));
    loop {
        let mut changed = pin!(changed.notified());
        changed.as_mut().enable();
        let record = endpoint.status(id)?;
        if record.status.is_terminal() {
            return Ok(record);
        }
        tokio::select! {
            () = changed => {}
            () = &mut is_over => return endpoint.status(id),
            () = endpoint.stopping().cancelled() => {
                return Err(Refusal::failed("the service is stopping"));
            }
        }
    }
}
