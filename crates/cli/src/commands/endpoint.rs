//! Command `endpoint`: serverless endpoints of the account, with their workers, releases and logs.

mod create;
mod delete;
mod get;
mod list;
mod logs;
mod releases;
mod scale;
mod settings;
mod update;
mod workers;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the endpoints.
    List,
    /// Show an endpoint.
    Get(get::Arguments),
    /// Create an endpoint. Its workers cost, and are confirmed first.
    Create(Box<create::Arguments>),
    /// Change an endpoint; what is not given stays as it is.
    ///
    /// A change of workers, scaling, GPUs, CPUs or flashboot may cost, and a new environment may lack
    /// variables of the present one: both are confirmed first.
    Update(Box<update::Arguments>),
    /// Delete an endpoint.
    Delete(delete::Arguments),
    /// Set how many workers an endpoint has at least and at most.
    ///
    /// More workers cost, and are confirmed first; fewer are not.
    Scale(scale::Arguments),
    /// List the workers of an endpoint.
    Workers(workers::Arguments),
    /// List the releases of an endpoint, with what each has changed.
    Releases(releases::Arguments),
    /// Print the logs of an endpoint's workers.
    ///
    /// With --follow, the workers are listed every 2 to 10 seconds, twice within the endpoint's idle
    /// timeout if that is at least 4 seconds. A worker that is gone sooner may be missed, since the
    /// interface lists only the workers that there are.
    Logs(logs::Arguments),
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::List => list::run(context).await,
        Command::Get(arguments) => get::run(context, &arguments).await,
        Command::Create(arguments) => create::run(context, &arguments).await,
        Command::Update(arguments) => update::run(context, &arguments).await,
        Command::Delete(arguments) => delete::run(context, &arguments).await,
        Command::Scale(arguments) => scale::run(context, &arguments).await,
        Command::Workers(arguments) => workers::run(context, &arguments).await,
        Command::Releases(arguments) => releases::run(context, &arguments).await,
        Command::Logs(arguments) => logs::run(context, &arguments).await,
    }
}
