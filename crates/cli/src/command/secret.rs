//! Secrets.

use std::io::{self, IsTerminal};

use clap::{Args, Subcommand};
use podqueue::SecretString;
use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::read_stdin;
use crate::interrupt::Signals;

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
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The secret's id.
    id: String,

    /// Do not ask for confirmation.
    #[arg(long, short)]
    yes: bool,
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    let client = context.client()?;
    match command {
        Command::Create(Create { name }) => {
            // The prompt turns Ctrl-C into a signal, which must not end the program before it has
            // turned the echo on again.
            let mut signals = Signals::listen()?;
            let value = value(&name)?;
            let progress = context.output.progress(format!("creating secret {name}"));
            let call = async { client.secrets().create(&name, value).await };
            let secret = signals.unless(call).await;
            drop(progress);
            let secret = secret??;
            context.output.object(&json!({
                "id": secret.id, "name": secret.name, "description": secret.description,
            }))?;
        }
        Command::Delete(Delete { id, yes }) => {
            context.output.consent(&format!("Delete the secret {id}?"), yes)?;
            let mut signals = Signals::listen()?;
            let progress = context.output.progress(format!("deleting secret {id}"));
            let deleted = signals.unless(async { client.secrets().delete(&id).await }).await;
            drop(progress);
            deleted??;
            context.output.object(&json!({ "deleted": id }))?;
        }
    }
    Ok(Exit::Done)
}

/// The value, without the line end that a prompt or a pipe adds.
fn value(name: &str) -> Result<SecretString, Failure> {
    let text = if io::stdin().is_terminal() {
        rpassword::prompt_password(format!("Value of {name} (not shown): ")).map_err(|error| {
            match error.kind() {
                io::ErrorKind::Interrupted => {
                    Failure::new(Exit::Interrupted, "interrupted; nothing was sent")
                }
                _ => Failure::new(Exit::Error, format!("failed to read the value: {error}")),
            }
        })?
    } else {
        read_stdin()?
    };
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err(Failure::usage("the value is empty; nothing was sent")
            .hint(format!("printf %s \"$VALUE\" | podqueue secret create {name}")));
    }
    Ok(text.into())
}
