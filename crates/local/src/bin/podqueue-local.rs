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
        Err(error) => {
            // When even standard error is closed, the exit code is all there is.
            let _ = writeln!(io::stderr(), "{NAME}: {error}");
            ExitCode::FAILURE
        }
    }
}
