//! Diagnosis tools: `health`, the numbers of an endpoint, and `doctor`, why an endpoint or a job
//! makes no progress.

use std::collections::BTreeMap;

use podqueue::account::types::{Endpoint, EndpointType, Worker, WorkerStatus};
use podqueue::{ErrorKind, Health, JobStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::reply::{Next, ToolResult, cut, success};
use crate::service::{Service, ServiceName};
use crate::state::State;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HealthArguments {
    /// The endpoint's id.
    endpoint: String,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

/// Jobs and workers of an endpoint.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HealthReply {
    message: String,
    jobs: BTreeMap<&'static str, u64>,
    workers: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DoctorArguments {
    /// The endpoint's id.
    endpoint: String,
    /// A job of the endpoint that makes no progress.
    #[serde(default)]
    job_id: Option<String>,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

/// Checks of an endpoint.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DoctorReply {
    /// The gravest finding.
    message: String,
    checks: Vec<Check>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CheckState {
    Ok,
    Skipped,
    Warning,
    Failed,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Check {
    check: &'static str,
    state: CheckState,
    message: String,
}

fn check(check: &'static str, state: CheckState, message: impl Into<String>) -> Check {
    Check { check, state, message: cut(&message.into(), 500) }
}

fn counts(health: &Health) -> (BTreeMap<&'static str, u64>, BTreeMap<&'static str, u64>) {
    let (jobs, workers) = (&health.jobs, &health.workers);
    let optional = [
        ("initializing", workers.initializing),
        ("ready", workers.ready),
        ("throttled", workers.throttled),
        ("unhealthy", workers.unhealthy),
    ];
    let known = optional.into_iter().filter_map(|(name, count)| Some((name, count?)));
    (
        BTreeMap::from([
            ("completed", jobs.completed),
            ("failed", jobs.failed),
            ("in_progress", jobs.in_progress),
            ("in_queue", jobs.in_queue),
            ("retried", jobs.retried),
        ]),
        known.chain([("idle", workers.idle), ("running", workers.running)]).collect(),
    )
}

fn sentence(health: &Health) -> String {
    format!(
        "{} jobs are queued and {} run; {} workers are idle and {} busy",
        health.jobs.in_queue, health.jobs.in_progress, health.workers.idle, health.workers.running
    )
}

pub(crate) async fn health(state: &State, arguments: HealthArguments) -> ToolResult {
    let service = state.service_of_endpoint(arguments.service, &arguments.endpoint)?;
    let health = service.endpoint(&arguments.endpoint).health().await;
    let health =
        health.map_err(|error| state.failure_of(&error, service.name, &arguments.endpoint))?;
    let (jobs, workers) = counts(&health);
    Ok(success(&HealthReply { message: sentence(&health), jobs, workers }))
}

pub(crate) async fn doctor(state: &State, arguments: DoctorArguments) -> ToolResult {
    let service = state.service_of_endpoint(arguments.service, &arguments.endpoint)?;
    let id = arguments.endpoint.as_str();
    let mut checks = Vec::new();
    let health = match service.endpoint(id).health().await {
        Ok(health) => {
            let state = match health.workers.unhealthy.unwrap_or_default() {
                0 => CheckState::Ok,
                _ => CheckState::Warning,
            };
            checks.push(check("queue", state, sentence(&health)));
            Some(health)
        }
        Err(error) => {
            let message = state.failure_of(&error, service.name, id).message;
            checks.push(check(
                "queue",
                CheckState::Failed,
                match error.kind() {
                    ErrorKind::NotFound => {
                        format!(
                            "{message}: check the endpoint's id, and that the key's account owns it"
                        )
                    }
                    ErrorKind::Unauthorized => format!("{message}: check PODQUEUE_API_KEY"),
                    ErrorKind::Connect => {
                        format!("{message}: check PODQUEUE_BASE_URL and the network")
                    }
                    _ => message,
                },
            ));
            None
        }
    };
    let account = account(state, &service, id, &mut checks).await;
    if let Some(job_id) = &arguments.job_id {
        checks.push(job(state, &service, id, job_id, health.as_ref(), account.as_ref()).await);
    }
    let gravest = checks.iter().rev().max_by_key(|check| check.state);
    let message = match gravest {
        Some(check) if check.state > CheckState::Skipped => check.message.clone(),
        _ => "nothing is wrong".to_owned(),
    };
    let has_unhealthy = account.as_ref().is_some_and(|(_, workers)| {
        workers.iter().any(|worker| worker.status == Some(WorkerStatus::Unhealthy))
    });
    let next = has_unhealthy
        .then(|| Next::new("logs", json!({ "service": service.name.argument(), "endpoint": id })));
    Ok(success(&DoctorReply { message, checks, next }))
}

/// Checks the endpoint's settings and workers, by the account interface.
async fn account(
    state: &State,
    service: &Service,
    id: &str,
    checks: &mut Vec<Check>,
) -> Option<(Endpoint, Vec<Worker>)> {
    if !service.has_account {
        let message = "the URL of the account interface is not set (PODQUEUE_ACCOUNT_URL)";
        checks.push(check("account", CheckState::Skipped, message));
        return None;
    }
    let account = service.client.account();
    let found = async {
        let endpoint = account.get_endpoint(id).await?;
        let workers = account.list_endpoint_workers(id).await?.workers;
        Ok::<_, podqueue::Error>((endpoint, workers))
    };
    match found.await {
        Ok((endpoint, workers)) => {
            let faults = faults(&endpoint, &workers);
            match faults.is_empty() {
                true => {
                    let message = format!("the endpoint has {} workers", workers.len());
                    checks.push(check("workers", CheckState::Ok, message));
                }
                false => {
                    checks.push(check("workers", CheckState::Warning, faults.join("; ")));
                }
            }
            Some((endpoint, workers))
        }
        Err(error) if service.name == ServiceName::Local && error.kind() == ErrorKind::NotFound => {
            // The built-in endpoints are not objects of the account.
            checks.push(check("workers", CheckState::Skipped, "a built-in endpoint"));
            None
        }
        Err(error) => {
            let message = state.failure_of(&error, service.name, id).message;
            checks.push(check("account", CheckState::Failed, message));
            None
        }
    }
}

/// The problems of the workers, the gravest first.
fn faults(endpoint: &Endpoint, workers: &[Worker]) -> Vec<String> {
    let max = endpoint.workers.as_ref().and_then(|limits| limits.max);
    let count = |status: WorkerStatus| {
        workers.iter().filter(|worker| worker.status.as_ref() == Some(&status)).count()
    };
    let mut faults = Vec::new();
    if max == Some(0) {
        faults.push("no worker is allowed: the maximum of workers is 0".to_owned());
    }
    if endpoint.type_ == Some(EndpointType::LoadBalancer) {
        faults.push("the endpoint is a load balancer: it has no queue and no jobs".to_owned());
    }
    let total = workers.len();
    for (status, what) in [
        (WorkerStatus::Unhealthy, "unhealthy: read their logs"),
        (WorkerStatus::Throttled, "throttled: the hosts have no GPU free"),
    ] {
        match count(status) {
            0 => {}
            count => faults.push(format!("{count} of {total} workers are {what}")),
        }
    }
    faults
}

/// Checks a job, and why it is queued.
async fn job(
    state: &State,
    service: &Service,
    endpoint: &str,
    id: &str,
    health: Option<&Health>,
    account: Option<&(Endpoint, Vec<Worker>)>,
) -> Check {
    let record = match service.endpoint(endpoint).job(id).status().await {
        Ok(record) => record,
        Err(error) => {
            let message = state.failure_of(&error, service.name, endpoint).message;
            return check("job", CheckState::Failed, message);
        }
    };
    let status = record.status();
    if status != JobStatus::InQueue {
        return check("job", CheckState::Ok, format!("the job is {}", status.as_str()));
    }
    let reasons = match (account, health) {
        (Some((endpoint, workers)), _) => queued_by_workers(endpoint, workers),
        (None, Some(health)) => vec![queued_by_health(health)],
        (None, None) => vec!["its endpoint cannot be read".to_owned()],
    };
    check("job", CheckState::Warning, format!("the job is queued: {}", reasons.join("; ")))
}

fn queued_by_workers(endpoint: &Endpoint, workers: &[Worker]) -> Vec<String> {
    let is_free = |it: &&Worker| it.status == Some(WorkerStatus::Idle) && it.is_stale != Some(true);
    if workers.iter().any(|worker| is_free(&worker)) {
        return vec!["a worker is idle and should take it any moment".to_owned()];
    }
    let mut reasons = faults(endpoint, workers);
    let total = workers.len();
    let count = |status: WorkerStatus| {
        workers.iter().filter(|worker| worker.status.as_ref() == Some(&status)).count()
    };
    let stale = workers.iter().filter(|worker| worker.is_stale == Some(true)).count();
    if stale > 0 {
        reasons.push(format!("{stale} of {total} workers run a stale release and are replaced"));
    }
    let initializing = count(WorkerStatus::Initializing);
    if initializing > 0 {
        reasons.push(format!(
            "{initializing} of {total} workers are initializing, which takes minutes with a large \
             image"
        ));
    }
    let running = count(WorkerStatus::Running);
    if running > 0 && initializing == 0 {
        reasons.push(format!("{running} of {total} workers are busy"));
    }
    if reasons.is_empty() {
        reasons.push(match total {
            0 => "there is no worker yet: the service adds one by the endpoint's rule".to_owned(),
            _ => format!("the states of the {total} workers do not say"),
        });
    }
    reasons
}

fn queued_by_health(health: &Health) -> String {
    let workers = &health.workers;
    if workers.idle > 0 {
        "a worker is idle and should take it any moment".to_owned()
    } else if workers.throttled.is_some_and(|count| count > 0) {
        "workers are throttled: the hosts have no GPU free".to_owned()
    } else if workers.unhealthy.is_some_and(|count| count > 0) {
        "workers are unhealthy: read their logs".to_owned()
    } else if workers.initializing.is_some_and(|count| count > 0) {
        "a worker is initializing, which takes minutes with a large image".to_owned()
    } else if workers.running > 0 {
        format!("all workers are busy, and {} jobs are queued", health.jobs.in_queue)
    } else {
        "there is no worker: the service adds one by the endpoint's rule".to_owned()
    }
}
