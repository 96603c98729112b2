//! Confirmation: the consent to what costs or deletes, by `--yes` or by a reply at the terminal.
//!
//! Each command that costs or deletes flattens [`Confirmation`] into its arguments, and asks with a
//! sentence that says what it costs or deletes, before it sends anything that does.

use std::io::{self, BufRead, IsTerminal, Write};

use clap::Args;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;
use crate::json::Printable;

/// The option that confirms what a command costs or deletes.
#[derive(Clone, Copy, Debug, Args)]
pub struct Confirmation {
    /// Confirm what this costs or deletes; otherwise the command asks.
    ///
    /// Without a terminal, what costs or deletes needs this option: the command exits with 2
    /// otherwise, and changes nothing.
    #[arg(long, short)]
    yes: bool,
}

/// A question that must be confirmed.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    text: &'a str,
    confirmation: Confirmation,
}

impl Confirmation {
    /// A question that says what is going to cost or to be deleted.
    pub fn of(self, text: &str) -> Question<'_> {
        Question { text, confirmation: self }
    }
}

impl Question<'_> {
    /// Returns once the question is confirmed; any other reply is a failure.
    pub async fn ask(self, signals: &mut Signals) -> Result<(), Failure> {
        let Self { text, confirmation } = self;
        if confirmation.yes {
            return Ok(());
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(Failure::usage(format!("{text} Pass --yes to confirm")));
        }
        let _ = write!(anstream::stderr(), "{} [y/N] ", Printable(text));
        let reply = signals.unless_blocked(|| {
            let mut reply = String::new();
            io::stdin().lock().read_line(&mut reply).map(|_| reply)
        });
        let reply = reply.await?.unwrap_or_default().trim().to_lowercase();
        match reply.as_str() {
            "y" | "yes" => Ok(()),
            _ => Err(Failure::new(Exit::Error, "not confirmed; nothing was sent")),
        }
    }
}
