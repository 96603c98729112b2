//! Where the program's keys come from, and how they are handed on without being shown.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::quoting::quoted;
use crate::LocalService;

const VARIABLE: &str = "PODQUEUE_API_KEY";

/// The keys that clients may use; none where the service is to make one.
pub struct Keys {
    all: Vec<String>,
    source: Source,
}

enum Source {
    Made,
    CommandLine,
    /// `shown` where the first line is the first key, for whoever reads it again.
    File {
        path: PathBuf,
        shown: bool,
    },
    StandardInput,
    Environment,
}

impl Keys {
    pub fn read(given: Vec<String>, file: Option<PathBuf>) -> io::Result<Self> {
        let is_given = !given.is_empty();
        // As an unset variable of a shell gives it: GraphQL would take it from everybody.
        if given.iter().any(|key| key.trim().is_empty()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "--api-key must not be blank"));
        }
        let mut all = given;
        let mut source = Source::CommandLine;
        if let Some(file) = file {
            let (keys, place) = read(file)?;
            all.extend(keys);
            if !is_given {
                source = place;
            }
        }
        if all.is_empty() {
            source = match std::env::var_os(VARIABLE) {
                Some(key) => {
                    all.push(key_of_the_environment(key)?);
                    Source::Environment
                }
                None => Source::Made,
            };
        }
        Ok(Self { all, source })
    }

    pub fn all(&self) -> &[String] {
        &self.all
    }

    /// The first key, unless it was kept out of sight.
    pub fn plain<'a>(&self, local: &'a LocalService) -> Option<&'a str> {
        matches!(self.source, Source::Made | Source::CommandLine).then(|| local.api_key())
    }

    /// The first key as a shell gets it from what the program prints, or whence it is known. A key
    /// that was kept out of sight stays so.
    pub fn shown(&self, local: &LocalService) -> Result<String, String> {
        match &self.source {
            Source::Made | Source::CommandLine => Ok(quoted(local.api_key()).into_owned()),
            Source::File { path, shown } => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                match path.to_str().filter(|_| *shown) {
                    Some(path) => Ok(format!("\"$(head -n 1 {})\"", quoted(path))),
                    None => Err(format!("that comes first in {}", path.display())),
                }
            }
            Source::StandardInput => Err("read from standard input".to_owned()),
            Source::Environment => Err(format!("in the environment variable {VARIABLE}")),
        }
    }
}

/// The key that a variable holds, with the line end that a file or a command may have left on it.
fn key_of_the_environment(value: OsString) -> io::Result<String> {
    let flaw = |why: &str| {
        let message = format!("the environment variable {VARIABLE} {why}");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let value = value.into_string().map_err(|_| flaw("is not UTF-8"))?;
    let key = value.strip_suffix('\n').unwrap_or(&value);
    let key = key.strip_suffix('\r').unwrap_or(key);
    if key.trim().is_empty() {
        return Err(flaw("is blank: unset it, or set it to an API key"));
    }
    if !is_header_value(key) {
        return Err(flaw(
            "is not a valid API key: it must be printable ASCII without surrounding spaces",
        ));
    }
    Ok(key.to_owned())
}

/// Whether a header can carry a key as it is.
fn is_header_value(key: &str) -> bool {
    key.trim() == key && key.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The keys in a file. It is read once, for it may be a pipe.
fn read(file: PathBuf) -> io::Result<(Vec<String>, Source)> {
    if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        return Ok((keys(&text)?, Source::StandardInput));
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
    let keys = keys(&text)?;
    // What a shell would read there, which is not always the key: it removes neither a byte order
    // mark nor a carriage return. And names like /dev/stdin mean another file to each process.
    let of_this_process = ["/dev", "/proc"].iter().any(|directory| file.starts_with(directory));
    let shown = is_file && !of_this_process && text.split('\n').next() == Some(&keys[0]);
    Ok((keys, Source::File { path: file, shown }))
}

/// The lines that are not blank: at least one.
fn keys(text: &str) -> io::Result<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let keys = text.lines().map(str::trim).filter(|key| !key.is_empty());
    let keys: Vec<String> = keys.map(str::to_owned).collect();
    let flaw = if keys.is_empty() {
        "the key file is empty"
    } else if !keys.iter().all(|key| is_header_value(key)) {
        "the key file has an invalid line: a key must be printable ASCII"
    } else {
        return Ok(keys);
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, flaw))
}
