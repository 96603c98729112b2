//! The arguments that every command has, and the values that several have.

use std::time::Duration;

use clap::{Args, Parser, ValueEnum};

use crate::command::Command;
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

/// How the program prints.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct OutputArguments {
    /// Print data as JSON, one value per line.
    #[arg(long, global = true)]
    pub json: bool,

    /// Print no progress and no hints.
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// When to use colors; NO_COLOR is respected.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// A duration such as `90s`, `10m` or `1h 30m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "expected a number with a unit, such as 90s, 10m or 2h".to_owned())
}
