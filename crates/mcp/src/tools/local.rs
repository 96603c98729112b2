//! Tool `local_start`: a service on this machine, where an assistant rehearses at no cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::permissions::Action;
use crate::reply::{Failure, ToolResult, success};
use crate::service::ServiceName;
use crate::state::State;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LocalStartArguments {}

/// The service on this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LocalStartReply {
    message: String,
    /// The URL of its job queue.
    url: String,
    endpoints: [&'static str; 4],
    /// True if it was started before: it keeps its jobs.
    repeated: bool,
}

pub(crate) async fn start(state: &State, _: LocalStartArguments) -> ToolResult {
    state.permissions.check_action(Action::Local, ServiceName::Local)?;
    let started = state.services.start_local().await;
    let (url, repeated) = started.map_err(|error| Failure::new(error.to_string()))?;
    Ok(success(&LocalStartReply {
        message: "pass \"service\": \"local\" to any tool; it ends with this server".to_owned(),
        url,
        endpoints: ["echo", "count", "sleep", "fail"],
        repeated,
    }))
}
