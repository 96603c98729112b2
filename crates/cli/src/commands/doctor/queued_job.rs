//! Diagnosis of a queued job: from the workers, the scaling and the releases of its endpoint.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::account::Account;
use podqueue::account::types::{
    Endpoint, EndpointScaling, EndpointType, ListEndpointReleasesResponse,
    ListEndpointWorkersResponse, Worker, WorkerStatus,
};
use podqueue::{Error, Health};
use podqueue_runtime::redact::Secrets;
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
    /// Reads the state of an endpoint. What is known to be secret is redacted in the line of a log.
    pub async fn read(account: &Account, id: &str, secrets: &Secrets) -> Result<Self, Error> {
        let endpoint = account.get_endpoint(id).await?;
        let workers = account.list_endpoint_workers(id).await?;
        let releases = account.list_endpoint_releases(id).await.ok();
        let mut state = Self { id: id.to_owned(), endpoint, workers, releases, last_line: None };
        if let Some(worker) = state.first(&WorkerStatus::Unhealthy) {
            state.last_line = last_line(account, id, &worker, secrets).await;
        }
        Ok(state)
    }

    /// The id of a worker with this status.
    fn first(&self, status: &WorkerStatus) -> Option<String> {
        let workers = self.workers.workers.iter();
        workers.filter(|it| it.status.as_ref() == Some(status)).find_map(|it| it.id.clone())
    }

    /// False for a load balancer, whose requests reach workers directly.
    pub fn has_queue(&self) -> bool {
        self.endpoint.type_ != Some(EndpointType::LoadBalancer)
    }

    /// The numbers of workers, in a sentence.
    pub fn summary(&self) -> String {
        let workers = plural(self.workers.workers.len(), "worker");
        let limits = self.endpoint.workers.as_ref().and_then(|it| Some((it.min?, it.max?)));
        let limits = limits.map_or_else(String::new, |(min, max)| format!(" of {min} to {max}"));
        format!("{} has {workers}{limits}", self.id)
    }

    /// The numbers of workers by their states.
    pub fn worker_counts(&self) -> String {
        let mut counts = BTreeMap::<String, usize>::new();
        for worker in &self.workers.workers {
            let state = worker.status.as_ref().map_or("unknown".into(), ToString::to_string);
            *counts.entry(state.to_lowercase()).or_default() += 1;
        }
        match counts.is_empty() {
            true => "there are none".to_owned(),
            false => {
                let counts = counts.into_iter().map(|(state, count)| format!("{count} {state}"));
                counts.collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn max(&self) -> Option<i64> {
        self.endpoint.workers.as_ref().and_then(|workers| workers.max)
    }

    fn count(&self, status: &WorkerStatus) -> usize {
        self.workers.workers.iter().filter(|it| it.status.as_ref() == Some(status)).count()
    }

    /// The problems of the workers, the gravest first.
    pub fn faults(&self) -> Vec<String> {
        let id = quoted(&self.id);
        if self.max() == Some(0) {
            return vec![format!(
                "no worker is allowed: the maximum of workers is 0; to allow one: podqueue endpoint \
                 scale {id} --max 1"
            )];
        }
        let total = plural(self.workers.workers.len(), "worker");
        let mut faults = Vec::new();
        let unhealthy = self.count(&WorkerStatus::Unhealthy);
        if unhealthy > 0 {
            let line = match &self.last_line {
                Some(line) => format!("; the last line of its log: {line}"),
                None => format!("; its log: podqueue endpoint logs {id}"),
            };
            faults.push(format!("{unhealthy} of {total} {} unhealthy{line}", are(unhealthy)));
        }
        let throttled = self.count(&WorkerStatus::Throttled);
        if throttled > 0 {
            faults.push(format!(
                "{throttled} of {total} {} throttled: the hosts have no GPU free; allow more pools \
                 of GPUs or more data centers",
                are(throttled)
            ));
        }
        faults
    }

    /// The reasons why a job is queued, the most likely first; at least one. They do not contradict
    /// each other: where a worker is free, the state of the others is none.
    pub fn reasons(&self, health: Option<&Health>) -> Vec<String> {
        let max = self.max();
        if max == Some(0) {
            return self.faults();
        }
        let id = quoted(&self.id);
        let workers = &self.workers.workers;
        let is_free =
            |it: &Worker| it.status == Some(WorkerStatus::Idle) && it.is_stale != Some(true);
        if workers.iter().any(is_free) {
            return vec!["a worker is idle and should take it any moment".to_owned()];
        }
        let total = workers.len();
        let all = plural(total, "worker");
        let mut reasons = self.faults();
        let stale = workers.iter().filter(|worker| worker.is_stale == Some(true)).count();
        if stale > 0 {
            let latest = self.workers.endpoint_version;
            let latest = latest.or(self.releases.as_ref().and_then(|it| it.endpoint_version));
            let latest = latest.map_or_else(String::new, |version| format!(", {version}"));
            let changed = self.changed().map_or_else(String::new, |it| format!(" (changed: {it})"));
            let run = if stale == 1 { "runs" } else { "run" };
            reasons.push(format!(
                "{stale} of {all} {run} a stale release: such workers are replaced before they take \
                 jobs of the latest{latest}{changed}"
            ));
        }
        let initializing = self.count(&WorkerStatus::Initializing);
        if initializing > 0 {
            reasons.push(format!(
                "{initializing} of {all} {} initializing, which takes minutes with a large image",
                are(initializing)
            ));
        }
        let running = self.count(&WorkerStatus::Running);
        // No other worker is about to take a job.
        if running > 0 && initializing == 0 {
            let who = if running == total { "all" } else { "the other" };
            // The job may have been queued a moment ago.
            let queued = health.filter(|health| health.jobs.in_queue > 0);
            let queued = queued.map_or_else(String::new, |health| {
                let jobs = usize::try_from(health.jobs.in_queue).unwrap_or(usize::MAX);
                format!(", and {} {} queued", plural(jobs, "job"), are(jobs))
            });
            reasons.push(match max.and_then(|max| usize::try_from(max).ok()) {
                Some(max) if running >= max => format!(
                    "{who} workers are busy: {running} of {max}{queued}; to allow more: podqueue \
                     endpoint scale {id} --max {}",
                    max + 1
                ),
                Some(max) => format!(
                    "{who} workers are busy: {running}{queued}; there may be {max}: {}",
                    self.scaling()
                ),
                None => format!("{who} workers are busy: {running}{queued}"),
            });
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

/// A number of things.
fn plural(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// The last line of a worker's log, if it arrives in time.
async fn last_line(account: &Account, id: &str, worker: &str, secrets: &Secrets) -> Option<String> {
    let mut lines = account.endpoint(id).worker_logs(worker).tail(1);
    let line = timeout(LOG_TIMEOUT, lines.next()).await.ok()??.ok()?.line;
    let line = one_line(&secrets.redact(line.trim()));
    Some(match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    })
}
