//! Command `purge`: removal of all queued jobs of an endpoint.

use clap::Args;
use serde_json::json;

use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,

    #[command(flatten)]
    confirmation: Confirmation,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let endpoint = context.endpoint(&arguments.endpoint)?;
    let question = format!("Remove all queued jobs of the endpoint {}?", endpoint.id());
    let mut signals = Signals::listen()?;
    arguments.confirmation.of(&question).ask(&mut signals).await?;
    let what = format!("purging the queue of {}", endpoint.id());
    let call = async { endpoint.purge_queue().await };
    let purged = context.output.with_progress(what, signals.unless_sent(call)).await;
    let purged = purged?.map_err(|error| Failure::on_endpoint(&error, endpoint.id()))?;
    match context.output.is_json() {
        true => context.output.json(&json!({
            "endpoint": endpoint.id(), "removed": purged.removed, "status": purged.status,
        }))?,
        false => {
            let jobs = if purged.removed == 1 { "job" } else { "jobs" };
            context.output.line(format_args!("removed {} {jobs}", purged.removed))?;
        }
    }
    Ok(Exit::Done)
}
