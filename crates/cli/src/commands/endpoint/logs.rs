//! Command `endpoint logs`: the logs of an endpoint's workers, or of one of them.

use clap::Args;

use crate::account::account;
use crate::account::logs::{self, LogArguments};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,

    /// The id of a worker; all workers otherwise.
    #[arg(long, value_name = "ID")]
    worker: Option<String>,

    #[command(flatten)]
    logs: LogArguments,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let endpoint = account(context)?.endpoint(&arguments.endpoint);
    let lines = match &arguments.worker {
        Some(worker) => endpoint.worker_logs(worker),
        None => endpoint.logs(),
    };
    logs::print(context, lines, &arguments.logs).await
}
