//! Command `endpoint get`: an endpoint of the account.

use clap::Args;

use crate::account::{account, read, with_integers};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let id = &arguments.endpoint;
    let account = account(context)?;
    let what = format!("reading endpoint {id}");
    let endpoint = read(context, &what, account.get_endpoint(id)).await?;
    context.output.object(&with_integers(&endpoint))?;
    Ok(Exit::Done)
}
