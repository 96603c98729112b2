//! Commands of the program: one module for each command or group.

mod batch;
mod config;
mod doctor;
mod follow;
mod graphql;
mod health;
mod job;
mod listen;
mod local;
mod openai;
mod pod;
mod purge;
mod record;
mod run;
mod secret;
mod shell;
mod template;
mod trigger;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// A command of the program. A new command needs a module, a variant, an arm in `run`, and examples
/// in `examples.rs`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Submit a job and wait for its output.
    Run(run::Arguments),
    /// Show the status of jobs.
    Status(job::Jobs),
    /// Wait for jobs to finish.
    Wait(job::Wait),
    /// Print the chunks of a job as they arrive.
    Stream(job::Stream),
    /// Cancel jobs.
    Cancel(job::Jobs),
    /// Queue failed or timed-out jobs again.
    Retry(job::Jobs),
    /// Run many inputs, with a journal that survives a crash.
    #[command(subcommand, arg_required_else_help = true)]
    Batch(batch::Command),
    /// Show an endpoint's jobs and workers.
    Health(health::Arguments),
    /// Remove all queued jobs of an endpoint.
    Purge(purge::Arguments),
    /// Call an endpoint's OpenAI-compatible interface.
    Openai(openai::Arguments),
    /// Read Pods.
    #[command(subcommand, arg_required_else_help = true)]
    Pod(pod::Command),
    /// Manage templates.
    #[command(subcommand, arg_required_else_help = true)]
    Template(template::Command),
    /// Manage secrets.
    #[command(subcommand, arg_required_else_help = true)]
    Secret(secret::Command),
    /// Send a GraphQL document.
    Graphql(graphql::Arguments),
    /// Deliver the webhook calls of jobs to this machine.
    Listen(listen::Arguments),
    /// Call a webhook receiver with an invented job.
    Trigger(trigger::Arguments),
    /// Run a local emulator of the service.
    Local(local::Arguments),
    /// Find out why something does not work.
    Doctor(doctor::Arguments),
    /// Show the active profile.
    Config(config::Arguments),
    /// Print a completion script for a shell.
    Completions(shell::Completions),
    /// Print the manual, or write a page for each command.
    Man(shell::Man),
}

impl Command {
    pub async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Self::Run(arguments) => run::run(context, arguments).await,
            Self::Status(jobs) => job::status(context, &jobs).await,
            Self::Wait(arguments) => job::wait(context, &arguments).await,
            Self::Stream(arguments) => job::stream(context, &arguments).await,
            Self::Cancel(jobs) => job::cancel(context, &jobs).await,
            Self::Retry(jobs) => job::retry(context, &jobs).await,
            Self::Batch(command) => batch::run(context, command).await,
            Self::Health(arguments) => health::run(context, &arguments).await,
            Self::Purge(arguments) => purge::run(context, &arguments).await,
            Self::Openai(arguments) => openai::run(context, &arguments).await,
            Self::Pod(command) => pod::run(context, command).await,
            Self::Template(command) => template::run(context, command).await,
            Self::Secret(command) => secret::run(context, command).await,
            Self::Graphql(arguments) => graphql::run(context, &arguments).await,
            Self::Listen(arguments) => listen::run(context, &arguments).await,
            Self::Trigger(arguments) => trigger::run(context, &arguments).await,
            Self::Local(arguments) => local::run(context, arguments).await,
            Self::Doctor(arguments) => doctor::run(context, &arguments).await,
            Self::Config(arguments) => config::run(context, &arguments),
            Self::Completions(arguments) => shell::completions(context, &arguments),
            Self::Man(arguments) => shell::man(context, &arguments),
        }
    }
}
