//! Diagnosis of a queued job: from the workers, the scaling and the releases of its endpoint.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::account::Account;
use podqueue::account::types::{
    Endpoint, EndpointScaling, ListEndpointReleasesResponse, ListEndpointWorkersResponse,
    WorkerStatus,
};
use podqueue::{Error, Health};
use tokio::time::timeout;

use crate::failure::quoted;
use crate::json::one_line;

/// Timeout of reading the last line of a log.
const LOG_TIMEOUT: Duration = Duration::from_secs(5);

/// Limit of a line of a log that is shown.
const MAX_LINE: usize = 300;

/// An endpoint, as the account interface describes it.
#[derive(Debug)]
pub struct EndpointState {
    id: String,
    endpoint: Endpoint,
    workers: ListEndpointWorkersResponse,
    /// `None` if they cannot be read.
    releases: Option<ListEndpointReleasesResponse>,
    /// The last line of a worker that is unhealthy.
    last_line: Option<String>,
}

impl EndpointState {
    pub async fn read(account: &Account, id: &str) -> Result<Self, Error> {
        let endpoint = account.get_endpoint(id).await?;
        let workers = account.list_endpoint_workers(id).await?;
        let releases = account.list_endpoint_releases(id).await.ok();
        let mut state = Self { id: id.to_owned(), endpoint, workers, releases, last_line: None };
        if let Some(worker) = state.first(&WorkerStatus::Unhealthy) {
            state.last_line = last_line(account, id, &worker).await;
        }
        Ok(state)
    }

    /// The id of a worker with this status.
    fn first(&self, status: &WorkerStatus) -> Option<String> {
        let mut workers = self.workers.workers.iter();
        workers.find(|worker| worker.status.as_ref() == Some(status)).and_then(|it| it.id.clone())
    }

    /// The numbers of workers, in a sentence.
    pub fn summary(&self) -> String {
        let workers = self.workers.workers.len();
        let limits = self.endpoint.workers.as_ref().and_then(|it| Some((it.min?, it.max?)));
        let limits = limits.map_or_else(String::new, |(min, max)| format!(" of {min} to {max}"));
        format!("{} has {workers} workers{limits}", self.id)
    }

    /// The reasons why a job is queued, the most likely first; at least one.
    pub fn reasons(&self, health: Option<&Health>) -> Vec<String> {
        let id = quoted(&self.id);
        let max = self.endpoint.workers.as_ref().and_then(|workers| workers.max);
        if max == Some(0) {
            return vec![format!(
                "no worker is allowed: the maximum of workers is 0; to allow one: podqueue endpoint \
                 scale {id} --max 1"
            )];
        }
        let workers = &self.workers.workers;
        let total = workers.len();
        let count = |status: WorkerStatus| {
            workers.iter().filter(|worker| worker.status.as_ref() == Some(&status)).count()
        };
        let mut reasons = Vec::new();
        let unhealthy = count(WorkerStatus::Unhealthy);
        if unhealthy > 0 {
            let line = match &self.last_line {
                Some(line) => format!("; the last line of its log: {line}"),
                None => format!("; its log: podqueue endpoint logs {id}"),
            };
            reasons.push(format!("{unhealthy} of {total} workers are unhealthy{line}"));
        }
        let throttled = count(WorkerStatus::Throttled);
        if throttled > 0 {
            reasons.push(format!(
                "{throttled} of {total} workers are throttled: the hosts have no GPU free; allow \
                 more pools of GPUs or more data centers"
            ));
        }
        let stale = workers.iter().filter(|worker| worker.is_stale == Some(true)).count();
        if stale > 0 {
            let latest = self.workers.endpoint_version;
            let latest = latest.or(self.releases.as_ref().and_then(|it| it.endpoint_version));
            let latest = latest.map_or_else(String::new, |version| format!(", {version}"));
            let changed = self.changed().map_or_else(String::new, |it| format!(" (changed: {it})"));
            reasons.push(format!(
                "{stale} of {total} workers run a stale release: they are replaced before they \
                 take jobs of the latest{latest}{changed}"
            ));
        }
        let initializing = count(WorkerStatus::Initializing);
        if initializing > 0 {
            reasons.push(format!(
                "{initializing} of {total} workers are initializing, which takes minutes with a \
                 large image"
            ));
        }
        let running = count(WorkerStatus::Running);
        if running > 0 && running == total {
            let queued = health.map_or_else(String::new, |health| {
                format!(", and {} jobs are queued", health.jobs.in_queue)
            });
            reasons.push(match max.and_then(|max| usize::try_from(max).ok()) {
                Some(max) if running >= max => format!(
                    "all workers are busy: {running} of {max}{queued}; to allow more: podqueue \
                     endpoint scale {id} --max {}",
                    max + 1
                ),
                Some(max) => format!(
                    "all {running} workers are busy{queued}; there may be {max}: {}",
                    self.scaling()
                ),
                None => format!("all {running} workers are busy{queued}"),
            });
        }
        if count(WorkerStatus::Idle) > 0 {
            reasons.push("a worker is idle and should take it any moment".to_owned());
        }
        if total == 0 {
            let max = max.map_or_else(String::new, |max| format!(", of at most {max}"));
            reasons.push(format!(
                "there is no worker yet{max}: {}; a job with --low-priority does not start one",
                self.scaling()
            ));
        }
        if reasons.is_empty() {
            reasons.push(format!("the state of the workers does not say: {}", self.summary()));
        }
        reasons
    }

    /// The rule by which workers are added.
    fn scaling(&self) -> String {
        match &self.endpoint.scaling {
            Some(EndpointScaling::QueueDelayScaling(rule)) => match rule.queue_delay {
                Some(delay) => format!("one is added when a job has waited {delay} s"),
                None => "one is added when a job waits".to_owned(),
            },
            Some(EndpointScaling::RequestCountScaling(rule)) => match rule.request_count {
                Some(count) => format!("one is added for each {count} requests"),
                None => "one is added by the number of requests".to_owned(),
            },
            _ => "the service adds one by its own rule".to_owned(),
        }
    }

    /// The fields that the latest release changed.
    fn changed(&self) -> Option<String> {
        let releases = &self.releases.as_ref()?.releases;
        let latest = releases.iter().max_by_key(|release| release.version)?;
        let fields: Vec<&str> =
            latest.diff.iter().filter_map(|entry| entry.field.as_deref()).collect();
        (!fields.is_empty()).then(|| fields.join(", "))
    }
}

/// The last line of a worker's log, if it arrives in time.
async fn last_line(account: &Account, id: &str, worker: &str) -> Option<String> {
    let mut lines = account.endpoint(id).worker_logs(worker).tail(1);
    let line = timeout(LOG_TIMEOUT, lines.next()).await.ok()??.ok()?.line;
    let line = one_line(line.trim());
    Some(match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    })
}
