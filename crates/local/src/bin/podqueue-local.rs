//! The local service as a program.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use podqueue_local::program::{self, Format};

const NAME: &str = "podqueue-local";

#[derive(Parser)]
#[command(name = NAME, version)]
struct Program {
    #[command(flatten)]
    arguments: program::Arguments,
}

#[tokio::main]
async fn main() -> ExitCode {
    match program::run(Program::parse().arguments, Format::Shell, NAME).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // When even standard error is closed, the exit code is all there is.
            let _ = writeln!(io::stderr(), "{NAME}: {}", failure.text);
            // 2 for arguments that cannot be used, as where they cannot be read.
            ExitCode::from(if failure.is_usage { 2 } else { 1 })
        }
    }
}
