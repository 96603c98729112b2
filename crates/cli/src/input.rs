//! Input: JSON arguments, durations, and text from files and standard input, whose size is limited.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use clap::Args;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::interrupt::blocking;

/// Hint for invalid JSON in an argument.
const QUOTE_HINT: &str = "quote JSON for the shell, such as '{\"hello\": \"world\"}'";

/// A job's input.
#[derive(Clone, Debug, Args)]
pub struct Input {
    /// The input: a JSON object, @FILE, or - for standard input.
    #[arg(value_name = "INPUT", required_unless_present = "fields")]
    input: Option<String>,

    /// A field of the input; can be repeated, and added to INPUT.
    ///
    /// A value that is not JSON is a string; @FILE stands for the text of a file.
    #[arg(long = "field", short = 'f', value_name = "NAME=VALUE")]
    fields: Vec<String>,
}

impl Input {
    /// Returns true if the input comes from standard input.
    pub fn is_stdin(&self) -> bool {
        self.input.as_deref() == Some("-")
    }

    pub fn read(&self) -> Result<Box<RawValue>, Failure> {
        let json = match &self.input {
            Some(argument) => json("INPUT", argument)?,
            None => RawValue::NULL.to_owned(),
        };
        if self.fields.is_empty() {
            return Ok(json);
        }
        let mut object: BTreeMap<String, Box<RawValue>> = match &self.input {
            Some(_) => serde_json::from_str(json.get())
                .map_err(|_| Failure::usage("INPUT must be a JSON object to take a --field"))?,
            None => BTreeMap::new(),
        };
        for field in &self.fields {
            let (name, value) = pair("--field", field)?;
            object.insert(name.to_owned(), value_of(value)?);
        }
        serde_json::value::to_raw_value(&object).map_err(|error| Failure::usage(error.to_string()))
    }
}

/// Splits `NAME=VALUE`.
pub fn pair<'a>(option: &str, text: &'a str) -> Result<(&'a str, &'a str), Failure> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name, value)),
        // The text is not shown, since it may contain a secret.
        _ => Err(Failure::usage(format!("{option} expects NAME=VALUE"))),
    }
}

/// A value: JSON, or else a string.
pub fn value_of(text: &str) -> Result<Box<RawValue>, Failure> {
    let string = match text.strip_prefix('@') {
        Some(path) => read_file(path)?,
        None => match serde_json::from_str(text) {
            Ok(json) => return Ok(json),
            Err(_) => text.to_owned(),
        },
    };
    serde_json::value::to_raw_value(&string).map_err(|error| Failure::usage(error.to_string()))
}

/// JSON of an argument: inline, from a file for `@FILE`, or from standard input for `-`.
pub fn json(name: &str, argument: &str) -> Result<Box<RawValue>, Failure> {
    let (text, source, hint) = match argument {
        "-" => (read_stdin()?, "standard input".to_owned(), None),
        _ => match argument.strip_prefix('@') {
            Some(path) => (read_file(path)?, path.to_owned(), None),
            None => (argument.to_owned(), name.to_owned(), Some(QUOTE_HINT)),
        },
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str(text).map_err(|error| {
        let mut failure = Failure::usage(format!("{source} is not valid JSON: {error}"));
        failure.hints.extend(hint.map(str::to_owned));
        failure
    })
}

pub fn read_file(path: &str) -> Result<String, Failure> {
    read_text_file(Path::new(path)).map_err(|error| Failure::unreadable(path, &error))
}

pub fn read_stdin() -> Result<String, Failure> {
    read_text(io::stdin()).map_err(|error| Failure::unreadable("standard input", &error))
}

/// Limit of a text, in bytes: a device such as `/dev/zero` never ends.
const MAX_TEXT: u64 = 128 * 1024 * 1024;

/// Reads a text file.
pub fn read_text_file(path: &Path) -> io::Result<String> {
    // A pipe blocks until its other end is opened.
    blocking(|| read_text(File::open(path)?))
}

/// Reads a text to its end.
pub fn read_text(source: impl Read) -> io::Result<String> {
    let mut text = String::new();
    source.take(MAX_TEXT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_TEXT {
        let message = format!("it has more than {} MiB", MAX_TEXT / 1024 / 1024);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

/// Parses an id, which is a segment of a path.
pub fn parse_id(text: &str) -> Result<String, String> {
    match text.trim() {
        "" | "." | ".." => Err("expected an id".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

/// Parses a duration of whole seconds.
pub fn parse_seconds(text: &str) -> Result<u64, String> {
    let time = parse_duration(text)?;
    match time.subsec_nanos() {
        0 => Ok(time.as_secs()),
        _ => Err("expected whole seconds".to_owned()),
    }
}

/// Parses a duration of whole milliseconds.
pub fn parse_milliseconds(text: &str) -> Result<u64, String> {
    let time = parse_duration(text)?;
    match (time.subsec_nanos() % 1_000_000, u64::try_from(time.as_millis())) {
        (0, Ok(milliseconds)) => Ok(milliseconds),
        _ => Err("expected whole milliseconds".to_owned()),
    }
}

/// Parses a duration such as `90s`, `10m` or `1h 30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "expected a number with a unit, such as 90s, 10m or 2h".to_owned())
}

/// A price per second.
pub fn parse_price(text: &str) -> Result<f64, String> {
    let (number, seconds) = [("/s", 1.0), ("/min", 60.0), ("/h", 3_600.0)]
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))
        .unwrap_or((text, 1.0));
    match number.trim_end().parse::<f64>() {
        Ok(price @ 0.0..=f64::MAX) => Ok(price / seconds),
        _ => Err("expected a price, such as 0.00044, 0.00044/s or 1.58/h".to_owned()),
    }
}

/// A maximum cost.
pub fn parse_max_cost(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(cost @ 0.0..=f64::MAX) => Ok(cost),
        _ => Err("expected a number, such as 25".to_owned()),
    }
}
