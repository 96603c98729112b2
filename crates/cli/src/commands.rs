//! Commands of the program: one module for each, with the name that a user types; the commands of a
//! group are in a folder with the name of the group.
//!
//! To add a command, write a module with its `Arguments` and `run`, and add a variant and an arm
//! here, its examples in `examples.rs`, its JSON in `schema/output.json` and its row in the README.
//! A test fails if the examples are missing. What several commands share is beside this
//! folder: [`jobs`](crate::jobs), [`batches`](crate::batches), [`account`](crate::account),
//! [`output`](crate::output).

mod batch;
mod billing;
mod cancel;
mod completions;
mod config;
mod doctor;
mod endpoint;
mod gpu;
mod graphql;
mod health;
mod jobs;
mod listen;
mod local;
mod logs;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod openai;
mod pod;
mod purge;
mod retry;
mod run;
mod secret;
mod status;
mod stream;
mod template;
mod trigger;
mod volume;
mod wait;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::jobs::Jobs;

/// A command of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Submit a job and wait for its output.
    Run(run::Arguments),
    /// Show the status of jobs.
    Status(Jobs),
    /// Wait for jobs to finish.
    Wait(wait::Arguments),
    /// Print the chunks of a job as they arrive.
    Stream(stream::Arguments),
    /// Cancel jobs.
    Cancel(Jobs),
    /// Queue failed or timed-out jobs again.
    Retry(Jobs),
    /// Run many inputs, with a journal that survives a crash.
    #[command(subcommand, arg_required_else_help = true)]
    Batch(batch::Command),
    /// Show an endpoint's jobs and workers.
    Health(health::Arguments),
    /// Remove all queued jobs of an endpoint.
    Purge(purge::Arguments),
    /// Call an endpoint's OpenAI-compatible interface.
    Openai(openai::Arguments),
    /// Manage endpoints: settings, workers, releases and logs.
    #[command(subcommand, arg_required_else_help = true)]
    Endpoint(endpoint::Command),
    /// Manage Pods.
    #[command(subcommand, arg_required_else_help = true)]
    Pod(pod::Command),
    /// Manage templates.
    #[command(subcommand, arg_required_else_help = true)]
    Template(template::Command),
    /// Manage network volumes.
    #[command(subcommand, arg_required_else_help = true)]
    Volume(volume::Command),
    /// List the types of GPU and their prices.
    #[command(subcommand, arg_required_else_help = true)]
    Gpu(gpu::Command),
    /// Show what the account spent.
    Billing(billing::Arguments),
    /// Manage secrets.
    #[command(subcommand, arg_required_else_help = true)]
    Secret(secret::Command),
    /// Send a GraphQL document.
    Graphql(graphql::Arguments),
    /// Deliver the webhook calls of jobs to this machine.
    ///
    /// When a job has ended, its call is made from here, whether the job names a webhook or not, and
    /// again by each run of this command: the receiver must accept a call that it had before.
    Listen(listen::Arguments),
    /// Call a webhook receiver with an invented job.
    Trigger(trigger::Arguments),
    /// Run a local emulator of the service.
    Local(local::Arguments),
    /// List the jobs of an endpoint of a local service.
    ///
    /// The interface of the hosted service has no list of jobs.
    Jobs(jobs::Arguments),
    /// Show the requests to a local service and the output of its workers.
    ///
    /// The output is that of workers that are processes. Of the hosted service: podqueue endpoint
    /// logs.
    Logs(logs::Arguments),
    /// Serve the Model Context Protocol for assistants.
    ///
    /// An assistant starts it, and runs jobs and waits for them with tools. A call that it repeats
    /// runs nothing twice.
    #[cfg(feature = "mcp")]
    Mcp(mcp::Arguments),
    /// Find out why something does not work.
    Doctor(doctor::Arguments),
    /// Show the active profile.
    Config(config::Arguments),
    /// Print a completion script for a shell.
    Completions(completions::Arguments),
    /// Print the manual, or write a page for each command.
    Man(man::Arguments),
}

impl Command {
    /// Returns false for a command that only prints text about the program, as shells do when they
    /// start.
    pub fn may_call(&self) -> bool {
        !matches!(self, Self::Completions(_) | Self::Man(_))
    }

    pub async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Self::Run(arguments) => run::run(context, arguments).await,
            Self::Status(jobs) => status::run(context, &jobs).await,
            Self::Wait(arguments) => wait::run(context, &arguments).await,
            Self::Stream(arguments) => stream::run(context, &arguments).await,
            Self::Cancel(jobs) => cancel::run(context, &jobs).await,
            Self::Retry(jobs) => retry::run(context, &jobs).await,
            Self::Batch(command) => batch::run(context, command).await,
            Self::Health(arguments) => health::run(context, &arguments).await,
            Self::Purge(arguments) => purge::run(context, &arguments).await,
            Self::Openai(arguments) => openai::run(context, &arguments).await,
            Self::Endpoint(command) => endpoint::run(context, command).await,
            Self::Pod(command) => pod::run(context, command).await,
            Self::Template(command) => template::run(context, command).await,
            Self::Volume(command) => volume::run(context, command).await,
            Self::Gpu(command) => gpu::run(context, &command).await,
            Self::Billing(arguments) => billing::run(context, &arguments).await,
            Self::Secret(command) => secret::run(context, command).await,
            Self::Graphql(arguments) => graphql::run(context, &arguments).await,
            Self::Listen(arguments) => listen::run(context, &arguments).await,
            Self::Trigger(arguments) => trigger::run(context, &arguments).await,
            Self::Local(arguments) => local::run(context, arguments).await,
            Self::Jobs(arguments) => jobs::run(context, &arguments).await,
            Self::Logs(arguments) => logs::run(context, &arguments).await,
            #[cfg(feature = "mcp")]
            Self::Mcp(arguments) => mcp::run(context, arguments).await,
            Self::Doctor(arguments) => doctor::run(context, &arguments).await,
            Self::Config(arguments) => config::run(context, &arguments),
            Self::Completions(arguments) => completions::run(context, &arguments),
            Self::Man(arguments) => man::run(context, &arguments),
        }
    }
}
