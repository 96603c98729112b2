//! Command `secret`: secrets of the account.

#[cfg(unix)]
use std::fs::File;
#[cfg(unix)]
use std::io::Write;
use std::io::{self, IsTerminal};
#[cfg(unix)]
use std::os::fd::AsFd;

use clap::{Args, Subcommand};
use podqueue::SecretString;
#[cfg(unix)]
use rpassword::ConfigBuilder;
use serde_json::json;

use crate::account::print_changed;
use crate::confirmation::Confirmation;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::input::read_stdin;
use crate::interrupt::{Interrupted, Signals, TerminalState, discard_pending_input};
use crate::json::Printable;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a secret, with its value from standard input or a prompt.
    Create(Create),
    /// Delete a secret.
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Create {
    /// The secret's name.
    name: String,

    /// Refused, and not shown.
    #[arg(hide = true, allow_hyphen_values = true)]
    value: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The secret's id.
    id: String,

    #[command(flatten)]
    confirmation: Confirmation,
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    if let Command::Create(Create { name, value }) = &command
        && !value.is_empty()
    {
        let message =
            "a value is never an argument, where every user of this machine could read it";
        return Err(Failure::usage(message).hint(pipe_hint(name)));
    }
    let client = context.client()?;
    let mut signals = Signals::listen()?;
    match command {
        Command::Create(Create { name, .. }) => {
            let value = value(&mut signals, &name).await?;
            let what = format!("creating secret {name}");
            let call = async { client.secrets().create(&name, value).await };
            let secret = context.output.with_progress(what, signals.unless_sent(call)).await??;
            let shape = json!({
                "id": secret.id, "name": secret.name, "description": secret.description,
            });
            // The id is needed to delete the secret, and is available nowhere else.
            let effect = format!("the secret was created; its id is {}", secret.id);
            let printed = context.output.object(&shape);
            printed.map_err(|failure| failure.despite_creation(&effect))?;
        }
        Command::Delete(Delete { id, confirmation }) => {
            let question = format!("Delete the secret {id}?");
            confirmation.of(&question).ask(&mut signals).await?;
            let what = format!("deleting secret {id}");
            let call = async { client.secrets().delete(&id).await };
            context.output.with_progress(what, signals.unless_sent(call)).await??;
            print_changed(context, &json!({ "deleted": id }))?;
        }
    }
    Ok(Exit::Done)
}

/// The value, without the line end that a prompt or a pipe adds.
async fn value(signals: &mut Signals, name: &str) -> Result<SecretString, Failure> {
    let text = if io::stdin().is_terminal() {
        let prompt = format!("Value of {} (not shown): ", Printable(name));
        let _restored = TerminalState::without_echo();
        let asked = move || (read_hidden(&prompt), discard_pending_input());
        signals.unless_blocked(asked).await.map(|(read, more)| match read {
            // The shell would run the remaining lines, and store them in its history.
            Ok(_) if more => {
                let message = "the value has several lines, and the prompt reads one; nothing was \
                               sent";
                Err(Failure::usage(message).hint(pipe_hint(name)))
            }
            Ok(text) => Ok(text),
            // Ctrl-C, whose signal may arrive later.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                Err(Failure::from(Interrupted::ByUser))
            }
            Err(error) => {
                Err(Failure::new(Exit::Error, format!("failed to read the value: {error}")))
            }
        })
    } else {
        signals.unless_blocked(read_stdin).await
    };
    let text = text.map_err(Failure::from).flatten().map_err(|failure| match failure.exit {
        Exit::Interrupted => Failure { message: "interrupted; nothing was sent".into(), ..failure },
        _ => failure,
    })?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err(Failure::usage("the value is empty; nothing was sent").hint(pipe_hint(name)));
    }
    Ok(text.into())
}

/// Prints a prompt on the terminal and reads a line, after [`TerminalState::without_echo`].
///
/// Invariant: this does not change the terminal's state. A signal abandons the thread that reads,
/// and the state is restored meanwhile: a thread that turned the echo off itself could do so
/// afterwards.
#[cfg(unix)]
fn read_hidden(prompt: &str) -> io::Result<String> {
    // The buffer of standard input is avoided, because it would take further lines, too.
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut terminal = File::options().write(true).open("/dev/tty")?;
    let config = ConfigBuilder::new().input_reader(input).output_writer(terminal.try_clone()?);
    let read = rpassword::prompt_password_with_config(prompt, config.build());
    // In place of the line end, which is not echoed either.
    writeln!(terminal).and(read)
}

#[cfg(not(unix))]
fn read_hidden(prompt: &str) -> io::Result<String> {
    rpassword::prompt_password(prompt)
}

fn pipe_hint(name: &str) -> String {
    format!("printf %s \"$VALUE\" | podqueue secret create {}", quoted(name))
}
