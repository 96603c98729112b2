//! Command `endpoint create`: a new endpoint, from options and a file.

use clap::Args;
use podqueue::account::types::CreateEndpointRequest;
use serde_json::{Value, json};

use super::settings::SettingsArguments;
use crate::account::body::prepare;
use crate::account::{account, create};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's name; may be in --file instead.
    name: Option<String>,

    /// Let requests reach workers directly, without a queue.
    #[arg(long)]
    load_balancer: bool,

    #[command(flatten)]
    settings: SettingsArguments,

    #[command(flatten)]
    confirmation: Confirmation,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let account = account(context)?;
    let mut fields = arguments.settings.fields()?;
    fields.set("name", arguments.name.as_ref());
    fields.set("type", arguments.load_balancer.then_some("LOAD_BALANCER"));
    fields.set_default("type", "QUEUE".into());
    // A worker for a job that has waited for 4 seconds; a load balancer has no queue.
    let scaling = match fields.get("type").and_then(Value::as_str) {
        Some("LOAD_BALANCER") => json!({ "type": "REQUEST_COUNT", "requestCount": 4 }),
        _ => json!({ "type": "QUEUE_DELAY", "queueDelay": 4 }),
    };
    fields.set_default("scaling", scaling);
    let body = fields.body::<CreateEndpointRequest>()?;
    let workers = body.typed.workers.clone().unwrap_or_default();
    let question = format!(
        "Create the endpoint {} with {} to {} workers, which cost while they run?",
        body.typed.name,
        workers.min.unwrap_or(DEFAULT_MIN),
        workers.max.unwrap_or(DEFAULT_MAX),
    );
    let what = format!("creating endpoint {}", body.typed.name);
    let call = async { prepare!(account.create_endpoint(), body).await };
    let question = Some(arguments.confirmation.of(&question));
    create(context, &what, "podqueue endpoint list", question, call).await
}

/// The numbers of workers that the interface documents for a body without them.
const DEFAULT_MIN: i64 = 0;
const DEFAULT_MAX: i64 = 3;
