//! Command `pod`: Pods of the account. All but `get` need the account interface.

mod action;
mod create;
mod delete;
mod get;
mod list;
mod logs;

use clap::Subcommand;

use self::action::Action;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the Pods.
    List(list::Arguments),
    /// Read a Pod.
    Get(get::Arguments),
    /// Rent a Pod and start it, which costs, and is confirmed first.
    Create(Box<create::Arguments>),
    /// Start a Pod, which costs, and is confirmed first.
    Start(action::Confirmed),
    /// Stop a Pod; its storage is kept, and costs.
    Stop(action::Unconfirmed),
    /// Restart a Pod, which wipes its container's disk.
    Restart(action::Confirmed),
    /// Delete a Pod, with its own storage.
    Delete(delete::Arguments),
    /// Print the log of a Pod.
    Logs(logs::Arguments),
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::List(arguments) => list::run(context, &arguments).await,
        Command::Get(arguments) => get::run(context, &arguments).await,
        Command::Create(arguments) => create::run(context, &arguments).await,
        Command::Start(arguments) => arguments.run(context, Action::Start).await,
        Command::Stop(arguments) => arguments.run(context, Action::Stop).await,
        Command::Restart(arguments) => arguments.run(context, Action::Restart).await,
        Command::Delete(arguments) => delete::run(context, &arguments).await,
        Command::Logs(arguments) => logs::run(context, &arguments).await,
    }
}
