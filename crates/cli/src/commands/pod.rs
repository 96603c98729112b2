//! Command `pod`: Pods of the account.

use clap::{Args, Subcommand, ValueEnum};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read a Pod.
    Get(Get),
}

#[derive(Debug, Args)]
pub struct Get {
    /// The Pod's id.
    id: String,

    /// Related objects to include; several are separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    include: Vec<Include>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Include {
    Machine,
    NetworkVolume,
    SavingsPlans,
    Template,
    Workers,
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    let Command::Get(Get { id, include }) = command;
    let client = context.client()?;
    let has = |part: Include| include.contains(&part);
    let mut signals = Signals::listen()?;
    let call = async {
        client
            .rest()
            .get_pod(&id)
            .include_machine(has(Include::Machine))
            .include_network_volume(has(Include::NetworkVolume))
            .include_savings_plans(has(Include::SavingsPlans))
            .include_template(has(Include::Template))
            .include_workers(has(Include::Workers))
            .await
    };
    let message = format!("reading Pod {id}");
    let pod = context.output.with_progress(message, signals.unless(call)).await??;
    context.output.object(&pod)?;
    Ok(Exit::Done)
}
