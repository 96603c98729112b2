//! Batches: many inputs, and a journal of what becomes of each.

mod change;
mod check;
mod look;
mod outage;
mod place;
mod receiver;
mod run;
mod summary;
mod watch;

use clap::Subcommand;

use self::place::Place;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Submit the inputs of a file, and collect their results.
    ///
    /// The same command again continues where it was, also after a crash. Ctrl-C stops submitting
    /// and collects what is outstanding; a second signal leaves that to the next run, and so does
    /// SIGTERM after --grace.
    Run(Box<run::Arguments>),
    /// Count a batch's inputs by state.
    Status(Place),
    /// Follow a batch that another process runs.
    Watch(watch::Arguments),
    /// List the inputs of which it is unknown whether they were accepted.
    Unknown(Place),
    /// Make inputs pending again that did not complete; the next run submits them.
    Retry(change::Retry),
    /// Cancel a batch's pending inputs and outstanding jobs.
    Cancel(Place),
    /// Print the results, ordered.
    Export(look::Export),
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(arguments) if arguments.dry_run => check::check(context, &arguments).await,
        Command::Run(arguments) => run::run(context, &arguments).await,
        Command::Status(place) => look::status(context, &place),
        Command::Watch(arguments) => watch::watch(context, &arguments).await,
        Command::Unknown(place) => look::unknown(context, &place),
        Command::Retry(arguments) => change::retry(context, &arguments).await,
        Command::Cancel(place) => change::cancel(context, &place).await,
        Command::Export(arguments) => look::export(context, &arguments),
    }
}
