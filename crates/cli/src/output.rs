//! Output: data on standard output, everything else on standard error.

mod progress;
mod table;

pub use self::progress::Progress;
use self::progress::Spinner;
pub use self::table::{BAD, BUSY, Cell, FAINT, GOOD, Table};

use std::fmt::Display;
use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use crate::exit::Exit;
use crate::failure::{Failure, translate_setting};
use crate::interrupt::blocking;
use crate::json::{self, Printable};

/// Output format of the program.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct OutputArguments {
    /// Print data as JSON, one value per line.
    #[arg(long, global = true)]
    pub json: bool,

    /// Print no progress and no hints.
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// Use of colors; NO_COLOR is respected.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// The output streams of the program.
#[derive(Clone, Debug, Default)]
pub struct Output {
    json: bool,
    quiet: bool,
    /// The spinner that is shown now.
    spinner: Spinner,
}

impl Output {
    pub fn new(arguments: &OutputArguments) -> Self {
        let choice = match arguments.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        Self { json: arguments.json, quiet: arguments.quiet, spinner: Spinner::default() }
    }

    /// Returns true if data is printed for programs.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a line of data.
    pub fn line(&self, text: impl Display) -> Result<(), Failure> {
        self.text(&format!("{text}\n"))
    }

    /// Prints text verbatim.
    pub fn text(&self, text: &str) -> Result<(), Failure> {
        print(io::stdout().lock(), text)
    }

    /// Prints text with colors, unless they are turned off.
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

    /// Prints text from a handler verbatim; on a terminal, control characters are escaped.
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

    /// Prints a line of JSON, or of text if it is not JSON.
    pub fn json_or_text(&self, text: &str) -> Result<(), Failure> {
        if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
            self.line(json::on_one_line(text))
        } else if self.json {
            self.json(&text)
        } else {
            self.line(json::one_line(text))
        }
    }

    /// A writer for a sequence of lines of JSON.
    pub fn json_lines(&self) -> impl Write {
        json::LineWriter::new(io::stdout().lock())
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

    /// Prints a message that is not data.
    pub fn note(&self, text: impl Display) {
        if !self.quiet {
            self.print_message(&text.to_string());
        }
    }

    /// Prints a message that is not data, at any time: also while progress is shown.
    pub fn note_beside_progress(&self, text: impl Display) {
        self.spinner.suspend(|| self.note(text));
    }

    /// Prints a warning, with a hint if its text names a setting of the library.
    pub fn warn(&self, text: impl Display) {
        let (text, hint) = translate_setting(text.to_string());
        self.print_message(&format!("{BUSY}warning:{BUSY:#} {}", paragraph(&text, 2)));
        hint.into_iter().for_each(|hint| self.hint(hint));
    }

    /// Prints a failure with its hints, and returns the exit code.
    pub fn failure(&self, failure: &Failure) -> Exit {
        if !failure.message.is_empty() {
            self.print_message(&format!("{BAD}error:{BAD:#} {}", paragraph(&failure.message, 2)));
        }
        for hint in &failure.hints {
            self.hint(hint);
        }
        failure.exit
    }

    /// Prints a hint on the next step.
    pub fn hint(&self, text: impl Display) {
        self.note(format_args!("{FAINT}hint:{FAINT:#} {}", paragraph(&text.to_string(), 2)));
    }

    /// Ignores an error: with standard error closed, a message cannot be printed.
    fn print_message(&self, text: &str) {
        let _ = blocking(|| writeln!(anstream::stderr(), "{text}"));
    }

    /// Shows progress until the returned value is dropped, which must be before data is printed:
    /// [`with_progress`](Self::with_progress) ensures it.
    pub fn progress(&self, message: impl Into<String>) -> Progress {
        Progress::start(&message.into(), self.quiet, &self.spinner)
    }

    /// Shows progress while `work` runs.
    pub async fn with_progress<T>(
        &self,
        message: impl Into<String>,
        work: impl Future<Output = T>,
    ) -> T {
        let _progress = self.progress(message);
        work.await
    }
}

fn print(mut out: impl Write, text: &str) -> Result<(), Failure> {
    blocking(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()))
        .map_err(|error| Failure::of_output(&error))
}

/// Text whose continuation lines are indented, so that none looks like a message of the program.
pub fn paragraph(text: &str, indent: usize) -> String {
    Printable(text).to_string().replace('\n', &format!("\n{:indent$}", ""))
}

/// A JSON number, written as an integer if it is one.
pub fn json_number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        // Exact, since it is in range.
        #[allow(clippy::cast_possible_truncation)]
        return (value as i64).into();
    }
    value.into()
}

/// Longer than the lifetime of any job: the service uses a different unit, or is wrong.
const IMPLAUSIBLE: u128 = 30 * 24 * 60 * 60 * 1000;

/// Formats a duration: in milliseconds if it is short or implausible, in whole seconds otherwise.
pub fn format_duration(time: Duration) -> String {
    match time.as_millis() {
        milliseconds @ (..10_000 | IMPLAUSIBLE..) => format!("{milliseconds} ms"),
        _ => humantime::format_duration(Duration::from_secs(time.as_secs())).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_implausible_duration_is_shown_in_milliseconds() {
        for (milliseconds, shown) in [
            (0, "0 ms"),
            (9_999, "9999 ms"),
            (10_500, "10s"),
            (90_000, "1m 30s"),
            (7 * 24 * 3_600_000 + 3_600_000, "7days 1h"),
            (1_764_000_000_000, "1764000000000 ms"),
        ] {
            assert_eq!(format_duration(Duration::from_millis(milliseconds)), shown);
        }
    }
}
