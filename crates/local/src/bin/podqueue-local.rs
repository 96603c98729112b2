//! Program `podqueue-local`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use podqueue_local::program::{self, Format, ProgramFailure, signals};

const NAME: &str = "podqueue-local";

#[derive(Parser)]
#[command(name = NAME, version)]
struct Program {
    #[command(flatten)]
    arguments: program::Arguments,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // If standard error is closed too, only the exit code remains.
            let _ = writeln!(io::stderr(), "{NAME}: {}", failure.text);
            // 2 for arguments that cannot be used, as where they cannot be read.
            ExitCode::from(if failure.is_usage { 2 } else { 1 })
        }
    }
}

fn run() -> Result<(), ProgramFailure> {
    // Before the runtime starts its threads.
    signals::install()?;
    let arguments = Program::parse().arguments;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(program::run(arguments, Format::Shell, NAME))
}
