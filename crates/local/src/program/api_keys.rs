//! API keys of the program: from options, a file or the environment, and how they are printed. A
//! key from a file, standard input or the environment is never printed.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::LocalService;

const VARIABLE: &str = "PODQUEUE_API_KEY";

/// The keys that clients may use; none if the service generates one.
pub(super) struct ProgramKeys {
    all: Vec<String>,
    /// The source of the first key.
    source: KeySource,
}

enum KeySource {
    Generated,
    CommandLine,
    File {
        path: PathBuf,
        /// True if a shell reads the first key as the first line of the file.
        is_readable: bool,
    },
    StandardInput,
    Environment,
}

impl ProgramKeys {
    pub(super) fn read(given: Vec<String>, file: Option<PathBuf>) -> io::Result<Self> {
        let is_given = !given.is_empty();
        // An unset variable of a shell gives a blank key, with which every request would be
        // authorized.
        if given.iter().any(|key| key.trim().is_empty()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "--api-key must not be blank"));
        }
        let mut all = given;
        let mut source = KeySource::CommandLine;
        if let Some(file) = file {
            let (keys, file_source) = read(file)?;
            all.extend(keys);
            if !is_given {
                source = file_source;
            }
        }
        if all.is_empty() {
            source = match std::env::var_os(VARIABLE) {
                Some(key) => {
                    all.push(key_from_environment(key)?);
                    KeySource::Environment
                }
                None => KeySource::Generated,
            };
        }
        Ok(Self { all, source })
    }

    pub(super) fn all(&self) -> &[String] {
        &self.all
    }

    /// The first key, unless it must not be printed.
    pub(super) fn printable<'a>(&self, local: &'a LocalService) -> Option<&'a str> {
        matches!(self.source, KeySource::Generated | KeySource::CommandLine)
            .then(|| local.api_key())
    }

    /// The first key as an expression for a shell, or a description of its source if it must not be
    /// printed.
    pub(super) fn shell_expression(&self, local: &LocalService) -> Result<String, String> {
        match &self.source {
            KeySource::Generated | KeySource::CommandLine => {
                Ok(quoted(local.api_key()).into_owned())
            }
            KeySource::File { path, is_readable } => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                match path.to_str().filter(|_| *is_readable) {
                    Some(path) => Ok(format!("\"$(head -n 1 {})\"", quoted(path))),
                    None => Err(format!("that comes first in {}", path.display())),
                }
            }
            KeySource::StandardInput => Err("read from standard input".to_owned()),
            KeySource::Environment => Err(format!("in the environment variable {VARIABLE}")),
        }
    }
}

/// The key in an environment variable, without the line end that a file or a command may have left.
fn key_from_environment(value: OsString) -> io::Result<String> {
    let invalid = |why: &str| {
        let message = format!("the environment variable {VARIABLE} {why}");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let value = value.into_string().map_err(|_| invalid("is not UTF-8"))?;
    let key = value.strip_suffix('\n').unwrap_or(&value);
    let key = key.strip_suffix('\r').unwrap_or(key);
    if key.trim().is_empty() {
        return Err(invalid("is blank: unset it, or set it to an API key"));
    }
    if !is_header_value(key) {
        return Err(invalid(
            "is not a valid API key: it must be printable ASCII without surrounding spaces",
        ));
    }
    Ok(key.to_owned())
}

/// Returns true if a key is a valid header value.
fn is_header_value(key: &str) -> bool {
    key.trim() == key && key.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Reads the keys in a file, once, since it may be a pipe.
fn read(file: PathBuf) -> io::Result<(Vec<String>, KeySource)> {
    if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        return Ok((parse_keys(&text)?, KeySource::StandardInput));
    }
    let content = File::open(&file).and_then(|mut open| {
        let mut text = String::new();
        open.read_to_string(&mut text)?;
        Ok((text, open.metadata()?.is_file()))
    });
    let (text, is_file) = content.map_err(|error| {
        let message = format!("failed to read the key file {}: {error}", file.display());
        io::Error::new(error.kind(), message)
    })?;
    let keys = parse_keys(&text)?;
    // A shell removes neither a byte order mark nor a carriage return, so its first line may not be
    // the key. And a path like /dev/stdin is another file for each process.
    let is_of_this_process = ["/dev", "/proc"].iter().any(|directory| file.starts_with(directory));
    let is_readable = is_file && !is_of_this_process && text.split('\n').next() == Some(&keys[0]);
    Ok((keys, KeySource::File { path: file, is_readable }))
}

/// The lines that are not blank; at least one is required.
fn parse_keys(text: &str) -> io::Result<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let keys = text.lines().map(str::trim).filter(|key| !key.is_empty());
    let keys: Vec<String> = keys.map(str::to_owned).collect();
    let message = if keys.is_empty() {
        "the key file is empty"
    } else if !keys.iter().all(|key| is_header_value(key)) {
        "the key file has an invalid line: a key must be printable ASCII"
    } else {
        return Ok(keys);
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

/// Quotes a value for a shell.
pub(super) fn quoted(value: &str) -> Cow<'_, str> {
    // Only a NUL cannot be quoted, and neither a key nor a path or URL contains it.
    shlex::try_quote(value).unwrap_or(Cow::Borrowed(value))
}
