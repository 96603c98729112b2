//! Command-line program `podqueue`.

mod account;
mod arguments;
mod batches;
mod commands;
mod confirmation;
mod context;
mod control_plane;
mod crash;
mod examples;
mod exit;
mod failure;
mod input;
mod interrupt;
mod jobs;
mod json;
mod output;
mod settings;

use std::process::ExitCode;

use crate::account::keep_warm;
use crate::arguments::Arguments;
use crate::commands::Command;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

fn main() -> ExitCode {
    // Before any thread starts, which inherits the signal mask.
    let installed = interrupt::install();
    crash::catch(|| match installed {
        Ok(()) => program(),
        Err(error) => Output::default().failure(&Failure::of_signals(error)),
    })
    .into()
}

fn program() -> Exit {
    let arguments = match arguments::parse(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => {
            let printed = error.print();
            return if error.use_stderr() {
                // An error on a closed terminal or pipe cannot be reported.
                Exit::Usage
            } else {
                let failed = printed.err().map(|error| Failure::of_output(&error));
                failed.map_or(Exit::Done, |failure| Output::default().failure(&failure))
            };
        }
    };
    let Arguments { settings, output, command } = arguments;
    let output = Output::new(&output);
    let result = match command {
        None => output.text(&arguments::first_steps()).map(|()| Exit::Done),
        Some(command) => run(command, &Context::new(settings, output.clone(), arguments::command)),
    };
    result.unwrap_or_else(|failure| output.failure(&failure))
}

fn run(command: Command, context: &Context) -> Result<Exit, Failure> {
    // A client needs one thread; the local service serves many.
    let mut runtime = match command {
        Command::Local(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.enable_all().build().map_err(|error| {
        Failure::new(Exit::Error, format!("failed to start the runtime: {error}"))
    })?;
    let result = runtime.block_on(async {
        if command.may_call() {
            keep_warm::restore_abandoned(context).await;
        }
        command.run(context).await
    });
    // A blocked thread, such as a read from the terminal, must not delay the exit.
    runtime.shutdown_background();
    result
}
