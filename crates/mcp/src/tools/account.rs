//! Account tools: `endpoints`, `workers` and `logs`. They return no environment of an endpoint,
//! whose values may be secret.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::account::Logs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use crate::reply::{Failure, Next, ToolResult, Window, fit_items, item};
use crate::service::{Service, ServiceName};
use crate::state::State;

/// Silence after which the lines of the past have arrived.
const SILENCE: Duration = Duration::from_secs(2);
/// The longest time that the lines of the past may take.
const MAX_PAST: Duration = Duration::from_secs(10);
const DEFAULT_LINES: u32 = 50;
const MAX_LINES: u32 = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndpointsArguments {
    /// The number of the first endpoint to return.
    #[serde(default)]
    from: usize,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

/// Endpoints of the account.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndpointsReply {
    /// Each with `id`, `name`, `type`, `image`, `workers_min` and `workers_max`, where known.
    endpoints: Vec<Value>,
    window: Window,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkersArguments {
    /// The endpoint's id.
    endpoint: String,
    /// The number of the first worker to return.
    #[serde(default)]
    from: usize,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

/// Workers of an endpoint.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkersReply {
    /// Each with `id`, `status`, `is_stale`, `gpu_type` and `uptime_s`, where known.
    workers: Vec<Value>,
    window: Window,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogsArguments {
    /// The endpoint's id.
    endpoint: String,
    /// The id of one of its workers; by default all of them.
    #[serde(default)]
    worker: Option<String>,
    /// Number of the latest lines: 50 by default, 1000 at most.
    #[serde(default)]
    lines: Option<u32>,
    /// The service: "hosted" by default, or "local".
    #[serde(default)]
    service: ServiceName,
}

/// Lines of logs, the latest last.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogsReply {
    message: String,
    /// Each begins with its time, and its worker where several have lines.
    lines: Vec<Value>,
    window: Window,
}

fn with_account(service: Service) -> Result<Service, Failure> {
    if service.has_account {
        return Ok(service);
    }
    let message = "the URL of the account interface is not set: the user sets PODQUEUE_ACCOUNT_URL";
    Err(Failure::new(message))
}

/// An object of the members that are known.
fn known<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    item(Value::Object(members.collect::<Map<_, _>>()))
}

pub(crate) async fn endpoints(state: &State, arguments: EndpointsArguments) -> ToolResult {
    let service = with_account(state.services.get(arguments.service)?)?;
    let found = service.client.account().list_endpoints().await;
    let found = found.map_err(|error| state.failure_of(&error, service.name, ""))?;
    let is_permitted = |id: &str| state.permissions.check_endpoint(id, service.name).is_ok();
    let endpoints: Vec<Value> = found
        .endpoints
        .into_iter()
        .filter(|endpoint| endpoint.id.as_deref().is_some_and(is_permitted))
        .map(|endpoint| {
            let limits = endpoint.workers.as_ref();
            known([
                ("id", endpoint.id.map(Value::from)),
                ("name", endpoint.name.map(Value::from)),
                ("type", endpoint.type_.map(|it| it.to_string().into())),
                ("image", endpoint.image.map(Value::from)),
                ("workers_min", limits.and_then(|limits| limits.min).map(Value::from)),
                ("workers_max", limits.and_then(|limits| limits.max).map(Value::from)),
            ])
        })
        .collect();
    Ok(fit_items(&endpoints, arguments.from, |endpoints, window| EndpointsReply {
        endpoints,
        window,
        next: (window.to < window.total).then(|| {
            let service = service.name.argument();
            Next::new("endpoints", json!({ "service": service, "from": window.to }))
        }),
    }))
}

pub(crate) async fn workers(state: &State, arguments: WorkersArguments) -> ToolResult {
    let id = arguments.endpoint.as_str();
    let service = with_account(state.service_of_endpoint(arguments.service, id)?)?;
    let found = service.client.account().list_endpoint_workers(id).await;
    let found = found.map_err(|error| state.failure_of(&error, service.name, id))?;
    let workers: Vec<Value> = found
        .workers
        .into_iter()
        .map(|worker| {
            known([
                ("id", worker.id.map(Value::from)),
                ("status", worker.status.map(|it| it.to_string().into())),
                ("is_stale", worker.is_stale.map(Value::from)),
                ("gpu_type", worker.gpu_type_id.map(Value::from)),
                ("uptime_s", worker.uptime_seconds.map(Value::from)),
            ])
        })
        .collect();
    Ok(fit_items(&workers, arguments.from, |workers, window| WorkersReply {
        workers,
        window,
        next: (window.to < window.total).then(|| {
            let service = service.name.argument();
            let arguments = json!({ "service": service, "endpoint": id, "from": window.to });
            Next::new("workers", arguments)
        }),
    }))
}

pub(crate) async fn logs(state: &State, arguments: LogsArguments) -> ToolResult {
    let id = arguments.endpoint.as_str();
    let service = with_account(state.service_of_endpoint(arguments.service, id)?)?;
    let lines = arguments.lines.unwrap_or(DEFAULT_LINES).clamp(1, MAX_LINES);
    let endpoint = service.client.account().endpoint(id);
    let logs = match &arguments.worker {
        Some(worker) => endpoint.worker_logs(worker),
        None => endpoint.logs(),
    };
    let found = read(logs.tail(lines)).await;
    let mut found = found.map_err(|error| state.failure_of(&error, service.name, id))?;
    let excess = found.len().saturating_sub(usize::try_from(lines).unwrap_or(usize::MAX));
    found.drain(..excess);
    // The latest lines matter most, so the earliest are cut.
    found.reverse();
    Ok(fit_items(&found, 0, |mut lines, window| {
        lines.reverse();
        let message = match (window.total, window.to == window.total) {
            (0, _) => "no line has arrived".to_owned(),
            (_, true) => format!("the latest {} lines", window.to),
            _ => format!(
                "the latest {} of {} lines: more do not fit; name a worker, or fetch fewer",
                window.to, window.total
            ),
        };
        LogsReply { message, lines, window }
    }))
}

/// The lines of the past, which the service sends at once before it waits for new ones.
async fn read(mut logs: Logs) -> Result<Vec<Value>, podqueue::Error> {
    let end = Instant::now() + MAX_PAST;
    let mut lines = Vec::new();
    loop {
        let silent = if lines.is_empty() { end } else { end.min(Instant::now() + SILENCE) };
        match timeout_at(silent, logs.next()).await {
            Ok(Some(Ok(line))) => {
                let worker = line.worker_id.map(|id| format!(" {id}")).unwrap_or_default();
                let text = format!("{}{worker} {}", line.ts, line.line.trim_end());
                lines.push(item(Value::String(text)));
            }
            Ok(Some(Err(error))) if lines.is_empty() => return Err(error),
            _ => return Ok(lines),
        }
    }
}
