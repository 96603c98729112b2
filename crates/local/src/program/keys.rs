//! Where the program's keys come from, and how they are handed on without being shown.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use podqueue_local::LocalService;

use super::quoted;

const VARIABLE: &str = "PODQUEUE_API_KEY";

/// The keys that clients may use; none where the service is to make one.
pub struct Keys {
    all: Vec<String>,
    source: Source,
}

enum Source {
    Made,
    CommandLine,
    File(PathBuf),
    StandardInput,
    Environment,
}

impl Keys {
    pub fn read(given: Vec<String>, file: Option<PathBuf>) -> io::Result<Self> {
        let is_given = !given.is_empty();
        // As an unset variable of a shell gives it: GraphQL would take it from everybody.
        if given.iter().any(|key| key.trim().is_empty()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "--api-key needs a key"));
        }
        let mut all = given;
        let mut source = Source::CommandLine;
        if let Some(file) = file {
            let (text, place) = read(file)?;
            let before = all.len();
            all.extend(
                text.lines().map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned),
            );
            if all.len() == before {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the key file has no key"));
            }
            if !is_given {
                source = place;
            }
        }
        if all.is_empty() {
            source = match std::env::var(VARIABLE).ok().filter(|key| !key.is_empty()) {
                Some(key) => {
                    all.push(key);
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

    /// The first key as a shell gets it from what the program prints, or whence it is known. A key
    /// that was kept out of sight stays so.
    pub fn shown(&self, local: &LocalService) -> Result<String, String> {
        match &self.source {
            Source::Made | Source::CommandLine => Ok(quoted(local.api_key())),
            Source::File(path) => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                Ok(format!("\"$(head -n 1 {})\"", quoted(&path.to_string_lossy())))
            }
            Source::StandardInput => Err("that was read from standard input".to_owned()),
            Source::Environment => Err(format!("in the environment variable {VARIABLE}")),
        }
    }
}

fn read(file: PathBuf) -> io::Result<(String, Source)> {
    if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        return Ok((text, Source::StandardInput));
    }
    let text = std::fs::read_to_string(&file).map_err(|error| {
        let message = format!("cannot read the key file {}: {error}", file.display());
        io::Error::new(error.kind(), message)
    })?;
    Ok((text, Source::File(file)))
}
