//! The arguments of the program.

use clap::Parser;

use crate::command::Command;
use crate::output::OutputArguments;
use crate::settings::Selection;

/// Runs jobs on hosted GPUs: submit them, wait for them, stream from them, manage what they need.
#[derive(Debug, Parser)]
#[command(name = "podqueue", version, propagate_version = false, max_term_width = 100)]
pub struct Arguments {
    #[command(flatten)]
    pub settings: Selection,

    #[command(flatten)]
    pub output: OutputArguments,

    #[command(subcommand)]
    pub command: Option<Command>,
}
