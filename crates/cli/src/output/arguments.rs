//! The arguments that say how to print.

use clap::{Args, ValueEnum};

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
