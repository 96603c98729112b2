//! Command `pod delete`: the deletion of a Pod, with its own storage.

use clap::Args;
use serde_json::json;

use crate::account::{account, change};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The Pod's id.
    id: String,

    /// Do not ask for confirmation.
    #[arg(long, short)]
    yes: bool,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let id = &arguments.id;
    let account = account(context)?;
    let question = format!("Delete the Pod {id}, with its own storage?");
    let what = format!("deleting Pod {id}");
    let call = async { account.delete_pod(id).await };
    change(context, &what, Some(&question), arguments.yes, call).await?;
    context.output.object(&json!({ "deleted": id }))?;
    Ok(Exit::Done)
}
