//! Tools: what an assistant can call. One table has the names, descriptions and schemas of all of
//! them; a server lists those that its permissions allow.

pub(crate) mod account;
pub(crate) mod batches;
pub(crate) mod doctor;
pub(crate) mod jobs;
pub(crate) mod local;
pub(crate) mod stream;

use std::future::Future;
use std::sync::Arc;

use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments::MAX_WAIT;
use crate::permissions::Action;
use crate::reply::{Failure, ToolResult};
use crate::state::State;

/// When a tool is listed.
#[derive(Clone, Copy)]
enum Listed {
    /// With a service.
    Always,
    /// If the action is allowed at the hosted service or on this machine.
    If(Action),
    /// If some service has the account interface.
    WithAccount,
    /// If batches may use files.
    WithFiles,
    /// If batches may use files and are allowed.
    Batches,
}

/// The tools that a server with these permissions lists.
pub(crate) fn list(state: &State) -> Vec<Tool> {
    let permissions = &state.permissions;
    let has_local = permissions.allows(Action::Local);
    let has_account = has_local || state.services.hosted().is_some_and(|it| it.has_account);
    let is_listed = |listed: Listed| match listed {
        Listed::Always => true,
        Listed::If(Action::Local) => has_local,
        Listed::If(action) => permissions.lists(action),
        Listed::WithAccount => has_account,
        Listed::WithFiles => !state.files.is_empty(),
        Listed::Batches => !state.files.is_empty() && permissions.lists(Action::Batch),
    };
    all().into_iter().filter(|(listed, _)| is_listed(*listed)).map(|(_, tool)| tool).collect()
}

fn all() -> Vec<(Listed, Tool)> {
    vec![
        (
            Listed::If(Action::Run),
            changing::<jobs::RunArguments, jobs::JobReply>(
                "run",
                "Submit a job to an endpoint and wait for it, at most 25 seconds; then the reply \
                 has the job's id, and the tool to call next. The same call again is the same job: \
                 repeat it freely if it timed out. To run the same input once more, pass another \
                 `key`. If the outcome is \"unknown\", the job may have been accepted: check before \
                 you use another key.",
                false,
            ),
        ),
        (
            Listed::Always,
            reading::<jobs::WaitArguments, jobs::JobReply>(
                "wait",
                "Wait for a job, at most 25 seconds, and return its output if it has ended.",
            ),
        ),
        (
            Listed::Always,
            reading::<jobs::StatusArguments, jobs::JobReply>(
                "status",
                "The status of a job now, with its output if it has ended. To read on in a long \
                 output, pass `output_from`.",
            ),
        ),
        (
            Listed::Always,
            reading::<stream::StreamArguments, stream::StreamReply>(
                "stream",
                "The chunks that a job has emitted so far, from a number on.",
            ),
        ),
        (
            Listed::If(Action::Cancel),
            changing::<jobs::CancelArguments, jobs::JobReply>(
                "cancel",
                "Cancel a job. Cancelling twice does no harm.",
                true,
            ),
        ),
        (
            Listed::Batches,
            changing::<batches::BatchRunArguments, batches::BatchReply>(
                "batch_run",
                "Run a batch: a job for each line of a file, in the background of this server. The \
                 file of results identifies it: the same call again is the same batch, which it \
                 continues if it was stopped, and no input is submitted twice.",
                false,
            ),
        ),
        (
            Listed::WithFiles,
            reading::<batches::BatchStatusArguments, batches::BatchReply>(
                "batch_status",
                "The inputs of a batch by state, its cost and its rate; waits for its end if \
                 `wait_s` says so.",
            ),
        ),
        (
            Listed::WithFiles,
            reading::<batches::BatchUnknownArguments, batches::BatchUnknownReply>(
                "batch_unknown",
                "The inputs of a batch that may have been accepted although no response arrived.",
            ),
        ),
        (
            Listed::Batches,
            changing::<batches::BatchRetryArguments, batches::BatchRetryReply>(
                "batch_retry",
                "Make inputs of a batch that did not complete pending again; batch_run then submits \
                 them. The same call again does nothing: to retry once more, pass another `key`.",
                false,
            ),
        ),
        (
            Listed::Batches,
            changing::<batches::BatchCancelArguments, batches::BatchReply>(
                "batch_cancel",
                "Cancel a batch: its pending inputs, and its jobs that have not ended.",
                true,
            ),
        ),
        (
            Listed::Always,
            reading::<doctor::HealthArguments, doctor::HealthReply>(
                "health",
                "The numbers of jobs and workers of an endpoint.",
            ),
        ),
        (
            Listed::Always,
            reading::<doctor::DoctorArguments, doctor::DoctorReply>(
                "doctor",
                "Find out why an endpoint or a job makes no progress: checks the service, the \
                 workers and the job.",
            ),
        ),
        (
            Listed::WithAccount,
            reading::<account::EndpointsArguments, account::EndpointsReply>(
                "endpoints",
                "The endpoints of the account, with their limits of workers.",
            ),
        ),
        (
            Listed::WithAccount,
            reading::<account::WorkersArguments, account::WorkersReply>(
                "workers",
                "The workers of an endpoint, with their states.",
            ),
        ),
        (
            Listed::WithAccount,
            reading::<account::LogsArguments, account::LogsReply>(
                "logs",
                "The latest lines of the logs of an endpoint's workers.",
            ),
        ),
        (
            Listed::If(Action::Local),
            changing::<local::LocalStartArguments, local::LocalStartReply>(
                "local_start",
                "Start a service on this machine to rehearse at no cost: then pass \"service\": \
                 \"local\" to any tool. Its endpoints are echo (returns its input), count (streams \
                 0 to `n`, `ms` milliseconds apart), sleep (takes `ms` milliseconds) and fail \
                 (fails with `message`).",
                false,
            ),
        ),
    ]
}

fn tool<A: JsonSchema + 'static, R: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
) -> Tool {
    let input = schema_for_input::<A>().unwrap_or_default();
    let output = schema_for_output::<R>();
    Tool::new(name, description, portable(&input)).with_raw_output_schema(portable(&output))
}

/// A schema in the form that all clients read: without the formats of Rust's numbers, without null
/// beside another type, since a member without a value is left out, and without schemas that are
/// no objects.
fn portable(schema: &JsonObject) -> Arc<JsonObject> {
    fn change(schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                change_members(members);
                members.values_mut().for_each(change);
            }
            Value::Array(items) => items.iter_mut().for_each(change),
            _ => {}
        }
    }
    let mut schema = schema.clone();
    schema.values_mut().for_each(change);
    Arc::new(schema)
}

fn change_members(schema: &mut JsonObject) {
    let is_of_rust =
        |format: &str| ["int", "uint", "double"].iter().any(|start| format.starts_with(start));
    if schema.get("format").and_then(Value::as_str).is_some_and(is_of_rust) {
        schema.remove("format");
    }
    if schema.get("items") == Some(&Value::Bool(true)) {
        schema.remove("items");
    }
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = branches.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            schema.extend(only);
        }
    }
}

fn reading<A: JsonSchema + 'static, R: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
) -> Tool {
    tool::<A, R>(name, description).with_annotations(ToolAnnotations::new().read_only(true))
}

fn changing<A: JsonSchema + 'static, R: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
    is_destructive: bool,
) -> Tool {
    let annotations = ToolAnnotations::new().read_only(false).destructive(is_destructive);
    tool::<A, R>(name, description).with_annotations(annotations.idempotent(true))
}

/// Calls a tool by its name.
pub(crate) async fn call(state: &Arc<State>, name: &str, arguments: JsonObject) -> ToolResult {
    match name {
        "run" => jobs::run(state, parse(name, arguments)?).await,
        "wait" => jobs::wait(state, parse(name, arguments)?).await,
        "status" => in_time(jobs::status(state, parse(name, arguments)?)).await,
        "stream" => stream::stream(state, parse(name, arguments)?).await,
        "cancel" => in_time(jobs::cancel(state, parse(name, arguments)?)).await,
        "batch_run" => batches::run(state, parse(name, arguments)?).await,
        "batch_status" => batches::status(state, parse(name, arguments)?).await,
        "batch_unknown" => in_time(batches::unknown(state, parse(name, arguments)?)).await,
        "batch_retry" => batches::retry(state, parse(name, arguments)?).await,
        "batch_cancel" => batches::cancel(state, parse(name, arguments)?).await,
        "health" => in_time(doctor::health(state, parse(name, arguments)?)).await,
        "doctor" => in_time(doctor::doctor(state, parse(name, arguments)?)).await,
        "endpoints" => in_time(account::endpoints(state, parse(name, arguments)?)).await,
        "workers" => in_time(account::workers(state, parse(name, arguments)?)).await,
        "logs" => in_time(account::logs(state, parse(name, arguments)?)).await,
        "local_start" => local::start(state, parse(name, arguments)?).await,
        _ => {
            let tools = list(state);
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
            let name = crate::reply::cut(name, 100);
            Err(Failure::new(format!("there is no tool `{name}`: expected {}", names.join(", "))))
        }
    }
}

fn parse<A: DeserializeOwned>(tool: &str, arguments: JsonObject) -> Result<A, Failure> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Failure::new(format!("invalid arguments of `{tool}`: {error}")))
}

/// Bounds the time of a tool whose repetition does no harm.
async fn in_time(call: impl Future<Output = ToolResult>) -> ToolResult {
    tokio::time::timeout(MAX_WAIT, call).await.unwrap_or_else(|_| {
        let seconds = MAX_WAIT.as_secs();
        Err(Failure::new(format!(
            "the service has not answered within {seconds} seconds; the same call again does no \
             harm"
        )))
    })
}
