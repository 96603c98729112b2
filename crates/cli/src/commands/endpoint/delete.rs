//! Command `endpoint delete`: the deletion of an endpoint.

use clap::Args;
use serde_json::json;

use crate::account::{account, change, print_changed};
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,

    #[command(flatten)]
    confirmation: Confirmation,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let id = &arguments.endpoint;
    let account = account(context)?;
    let question = format!("Delete the endpoint {id}, with its queue and its workers?");
    let what = format!("deleting endpoint {id}");
    let call = async { account.delete_endpoint(id).await };
    let question = Some(arguments.confirmation.of(&question));
    change(context, &what, "podqueue endpoint list", question, call).await?;
    print_changed(context, &json!({ "deleted": id }))
}
