//! Command `pod logs`: the log of a Pod.

use clap::Args;

use crate::account::account;
use crate::account::logs::{self, LogArguments};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The Pod's id.
    id: String,

    #[command(flatten)]
    logs: LogArguments,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let lines = account(context)?.pod(&arguments.id).logs();
    logs::print(context, lines, &arguments.logs).await
}
