//! Command `batch`: many inputs, with a journal that records the state of each.

mod change;
mod location;
mod outage;
mod run;
mod status;
mod summary;
mod webhook_receiver;

use clap::Subcommand;

use self::location::BatchLocation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Submit the inputs of a file, and collect their results.
    ///
    /// The same command again continues where it stopped, also after a crash. Ctrl-C stops
    /// submitting and collects outstanding jobs; a second signal leaves them to the next run, and
    /// so does SIGTERM after --grace.
    Run(Box<run::Arguments>),
    /// Count a batch's inputs by state.
    Status(BatchLocation),
    /// Follow a batch that another process runs.
    Watch(status::Watch),
    /// List the inputs whose submission has an unknown outcome.
    Unknown(BatchLocation),
    /// Reset inputs that did not complete to pending; the next run submits them.
    Retry(change::Retry),
    /// Cancel a batch's pending inputs and outstanding jobs.
    Cancel(BatchLocation),
    /// Print the results, ordered.
    Export(status::Export),
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(arguments) if arguments.dry_run => run::dry_run(context, &arguments).await,
        Command::Run(arguments) => run::run(context, &arguments).await,
        Command::Status(location) => status::status(context, &location),
        Command::Watch(arguments) => status::watch(context, &arguments).await,
        Command::Unknown(location) => status::unknown(context, &location),
        Command::Retry(arguments) => change::retry(context, &arguments).await,
        Command::Cancel(location) => change::cancel(context, &location).await,
        Command::Export(arguments) => status::export(context, &arguments),
    }
}
