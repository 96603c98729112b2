//! Command `batch`: many inputs, with a journal that records the state of each.

mod cancel;
mod export;
mod retry;
mod run;
mod serve;
mod status;
mod unknown;
mod watch;

use clap::Subcommand;

use crate::batches::location::BatchLocation;
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
    /// Serve the OpenAI-compatible Batch API in front of endpoints.
    ///
    /// Clients upload a file of requests, create a batch and download its output, with any SDK that
    /// has a base URL. Whatever kills the server, the same command again continues all batches.
    Serve(serve::Arguments),
    /// Count a batch's inputs by state.
    Status(BatchLocation),
    /// Follow a batch that another process runs.
    Watch(watch::Arguments),
    /// List the inputs whose submission has an unknown outcome.
    Unknown(BatchLocation),
    /// Reset inputs that did not complete to pending; the next run submits them.
    Retry(retry::Arguments),
    /// Cancel a batch's pending inputs and outstanding jobs.
    Cancel(BatchLocation),
    /// Print the results in the order of the inputs, or write them to a table.
    Export(export::Arguments),
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(arguments) => run::run(context, &arguments).await,
        Command::Serve(arguments) => serve::run(context, &arguments).await,
        Command::Status(location) => status::run(context, &location),
        Command::Watch(arguments) => watch::run(context, &arguments).await,
        Command::Unknown(location) => unknown::run(context, &location),
        Command::Retry(arguments) => retry::run(context, &arguments).await,
        Command::Cancel(location) => cancel::run(context, &location).await,
        Command::Export(arguments) => export::run(context, &arguments),
    }
}
