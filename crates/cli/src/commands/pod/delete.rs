//! Command `pod delete`: the deletion of a Pod, with its own storage.

use clap::Args;
use serde_json::json;

use crate::account::{account, change, print_changed};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The Pod's id.
    id: String,

    #[command(flatten)]
    confirmation: Confirmation,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let id = &arguments.id;
    let account = account(context)?;
    let question = format!("Delete the Pod {id}, with its own storage?");
    let what = format!("deleting Pod {id}");
    let call = async { account.delete_pod(id).await };
    let question = Some(arguments.confirmation.of(&question));
    change(context, &what, "podqueue pod list", question, call).await?;
    print_changed(context, &json!({ "deleted": id }))
}
