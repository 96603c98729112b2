//! What the program prints: data to standard output, everything else to standard error.

mod arguments;
mod progress;
mod style;
mod table;

use self::arguments::Color;
pub use self::arguments::OutputArguments;
pub use self::progress::Progress;
pub use self::style::{BAD, BUSY, FAINT, GOOD};
pub use self::table::{Cell, Table};

use std::fmt::Display;
use std::future::Future;
use std::io::{self, BufRead, IsTerminal, Write};

use serde::Serialize;
use serde_json::Value;

use crate::exit::Exit;
use crate::failure::{Failure, translated};
use crate::interrupt::{Signals, blocking};
use crate::json::{self, Printable};

#[derive(Clone, Debug, Default)]
pub struct Output {
    json: bool,
    quiet: bool,
}

impl Output {
    pub fn new(arguments: &OutputArguments) -> Self {
        let choice = match arguments.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        Self { json: arguments.json, quiet: arguments.quiet }
    }

    /// Whether data is printed for programs.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a line of data.
    pub fn line(&self, text: impl Display) -> Result<(), Failure> {
        self.text(&format!("{text}\n"))
    }

    /// Prints data verbatim.
    pub fn text(&self, text: &str) -> Result<(), Failure> {
        print(io::stdout().lock(), text)
    }

    /// Prints data with colors, where these are wanted.
    pub fn styled(&self, text: impl Display) -> Result<(), Failure> {
        print(anstream::stdout().lock(), &text.to_string())
    }

    /// Prints data as one line of JSON.
    pub fn json(&self, data: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(data).map_err(|error| {
            Failure::new(Exit::Error, format!("failed to write the output as JSON: {error}"))
        })?;
        self.line(json::on_one_line(&text))
    }

    /// Prints text from a handler verbatim, but for what would control a terminal if it goes to one.
    pub fn raw_text(&self, text: &str) -> Result<(), Failure> {
        match io::stdout().is_terminal() {
            true => self.line(Printable(text)),
            false => self.line(text),
        }
    }

    /// Prints JSON from a handler: indented on a terminal, and on one line otherwise.
    pub fn raw_json(&self, text: &str) -> Result<(), Failure> {
        let is_for_people = !self.json && io::stdout().is_terminal();
        self.line(match is_for_people {
            true => json::indented(text),
            false => json::on_one_line(text),
        })
    }

    /// Prints a line of data that is JSON, or text if it turns out not to be.
    pub fn json_or_text(&self, text: &str) -> Result<(), Failure> {
        if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
            self.line(json::on_one_line(text))
        } else if self.json {
            self.json(&text)
        } else {
            self.line(json::one_line(text))
        }
    }

    /// Where lines of JSON go that are written one after another.
    pub fn json_lines(&self) -> impl Write {
        json::Lines::to(io::stdout().lock())
    }

    /// Prints the members of an object, as a table of two columns or as JSON.
    pub fn object(&self, object: &impl Serialize) -> Result<(), Failure> {
        if self.json {
            return self.json(object);
        }
        let value = serde_json::to_value(object).unwrap_or_default();
        let mut table = Table::default();
        table::members(&mut table, "", &value);
        self.styled(table)
    }

    /// Tells a person something that is not data.
    pub fn note(&self, text: impl Display) {
        if !self.quiet {
            self.say(&text.to_string());
        }
    }

    pub fn warn(&self, text: impl Display) {
        let (text, hint) = translated(text.to_string());
        self.say(&format!("{BUSY}warning:{BUSY:#} {}", paragraph(&text, 2)));
        hint.into_iter().for_each(|hint| self.hint(hint));
    }

    /// Tells what failed, and returns how the program ends.
    pub fn failure(&self, failure: &Failure) -> Exit {
        if !failure.message.is_empty() {
            self.say(&format!("{BAD}error:{BAD:#} {}", paragraph(&failure.message, 2)));
        }
        for hint in &failure.hints {
            self.hint(hint);
        }
        failure.exit
    }

    /// Tells a person what helps next.
    pub fn hint(&self, text: impl Display) {
        self.note(format_args!("{FAINT}hint:{FAINT:#} {}", paragraph(&text.to_string(), 2)));
    }

    /// With standard error closed, there is nobody to tell.
    fn say(&self, text: &str) {
        let _ = blocking(|| writeln!(anstream::stderr(), "{text}"));
    }

    /// Shows what the program waits for, until the result is dropped. That must be before data is
    /// printed: [`during`](Self::during) sees to it.
    pub fn progress(&self, what: impl Into<String>) -> Progress {
        Progress::start(&what.into(), self.quiet)
    }

    /// Shows what the program waits for while it does `work`.
    pub async fn during<T>(&self, what: impl Into<String>, work: impl Future<Output = T>) -> T {
        let _progress = self.progress(what);
        work.await
    }

    /// Asks for consent to something that cannot be undone. Where nobody can be asked, it takes
    /// `--yes`.
    pub async fn consent(
        &self,
        signals: &mut Signals,
        question: &str,
        yes: bool,
    ) -> Result<(), Failure> {
        if yes {
            return Ok(());
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(Failure::usage(format!("{question} Pass --yes to confirm")));
        }
        let _ = write!(anstream::stderr(), "{} [y/N] ", Printable(question));
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

fn print(mut out: impl Write, text: &str) -> Result<(), Failure> {
    blocking(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()))
        .map_err(|error| Failure::of_output(&error))
}

/// Text whose further lines are indented, so that none passes for a line of the program's.
pub fn paragraph(text: &str, indent: usize) -> String {
    Printable(text).to_string().replace('\n', &format!("\n{:indent$}", ""))
}

/// A number that is written without a fraction where it has none.
pub fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        // In range, and so exact.
        #[allow(clippy::cast_possible_truncation)]
        return (value as i64).into();
    }
    value.into()
}
