//! Validation of the paths of a batch, before any file is created.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf, is_separator};

use crate::error::{Error, ErrorKind, Result};
use crate::files::private;
use crate::results::{check_unoccupied, failures_of};

/// Refuses files that no batch can work with, so that nothing is left behind.
pub(super) fn check(inputs: Option<&Path>, results: Option<&Path>) -> Result<()> {
    for path in inputs.into_iter().chain(results) {
        check_recordable(path)?;
    }
    if let Some(inputs) = inputs {
        check_inputs(inputs)?;
    }
    let Some(results) = results else { return Ok(()) };
    check_results(results)?;
    match inputs {
        Some(inputs) => check_apart(inputs, results),
        None => Ok(()),
    }
}

/// Refuses files that no batch can begin with.
pub(super) fn check_new(inputs: Option<&Path>, results: &Path) -> Result<()> {
    if let Some(inputs) = inputs {
        let failed = |error| Error::file(ErrorKind::Inputs, "read the inputs", inputs, error);
        let mut bytes = BufReader::new(File::open(inputs).map_err(failed)?).bytes();
        let is_blank = |byte: &io::Result<u8>| byte.as_ref().is_ok_and(u8::is_ascii_whitespace);
        match bytes.find(|byte| !is_blank(byte)) {
            Some(byte) => drop(byte.map_err(failed)?),
            None => return Err(empty_inputs(inputs)),
        }
    }
    check_name(results)?;
    check_unoccupied(results)?;
    if results.exists() {
        return Ok(());
    }
    // Creation itself reports missing permissions.
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    let removed = match options.open(results) {
        // Another process has begun the batch since, or does so now.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Ok(file) if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) => Ok(()),
        opened => opened.and_then(|_lock| fs::remove_file(results)),
    };
    removed.map_err(|error| Error::file(ErrorKind::Results, "create the results", results, error))
}

/// The error of inputs without content.
pub(super) fn empty_inputs(inputs: &Path) -> Error {
    Error::new(ErrorKind::Inputs, format!("{} has no inputs", inputs.display()))
}

fn check_recordable(path: &Path) -> Result<()> {
    match std::path::absolute(path) {
        Ok(path) if path.to_str().is_none() => {
            let message = format!(
                "the journal records paths as UTF-8, which {path:?} is not: rename the file, or its folder"
            );
            Err(Error::new(ErrorKind::Settings, message))
        }
        _ => Ok(()),
    }
}

fn check_inputs(path: &Path) -> Result<()> {
    let found = fs::metadata(path)
        .map_err(|error| Error::file(ErrorKind::Inputs, "open the inputs", path, error))?;
    let what = match found.is_file() {
        true => return Ok(()),
        false if found.is_dir() => "is a folder: pass a file with a JSON object per line",
        false => {
            "is not a regular file, and a batch reads its inputs more than once, also after a crash: write them to a file first"
        }
    };
    Err(Error::new(ErrorKind::Inputs, format!("the inputs {} {what}", path.display())))
}

fn check_results(path: &Path) -> Result<()> {
    let refuse = |why: &str| {
        let message = format!("the results cannot be written to {path:?}: {why}");
        Err(Error::new(ErrorKind::Settings, message))
    };
    if path.file_name().is_none() || path.to_string_lossy().ends_with(is_separator) {
        return refuse("that is not the name of a file");
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => refuse("that is a folder, so add the name of a file"),
        Ok(found) if !found.is_file() => {
            refuse("that is not a regular file, and a batch reads its results again")
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match folder(path) {
            Some(folder) if !folder.is_dir() => {
                refuse(&format!("there is no folder {}, so create it first", folder.display()))
            }
            _ => Ok(()),
        },
        Err(error) => Err(Error::file(ErrorKind::Results, "open the results", path, error)),
    }
}

/// Refuses the name of a file beside other results, whose batch would overwrite these.
fn check_name(results: &Path) -> Result<()> {
    let name = results.to_string_lossy();
    let others = BESIDE.iter().find_map(|(suffix, what)| Some((name.strip_suffix(suffix)?, what)));
    match others {
        Some((others, what)) if Path::new(others).file_name().is_some() => {
            let message = format!(
                "the results cannot be written to {results:?}: it is the name of the {what} of the results {others:?}; choose another one"
            );
            Err(Error::new(ErrorKind::Settings, message))
        }
        _ => Ok(()),
    }
}

/// The suffixes of the files beside results, and what these are.
const BESIDE: [(&str, &str); 6] = [
    (".failed.jsonl", "failures"),
    (".journal", "journal"),
    (".journal-wal", "journal"),
    (".journal-shm", "journal"),
    (".journal.lock", "journal"),
    (".writer", "ownership file"),
];

/// Refuses inputs that the batch would overwrite.
fn check_apart(inputs: &Path, results: &Path) -> Result<()> {
    let failures = failures_of(results);
    for (file, what) in [(results, "results"), (&failures, "failures")] {
        if file.exists() && is_same(inputs, file) {
            let message = format!(
                "{} is the file of the batch's own {what}: choose another file for its results",
                inputs.display()
            );
            return Err(Error::new(ErrorKind::Settings, message));
        }
    }
    Ok(())
}

fn is_same(left: &Path, right: &Path) -> bool {
    let real = |path: &Path| -> Option<PathBuf> { fs::canonicalize(path).ok() };
    real(left).is_some_and(|left| real(right) == Some(left))
}

fn folder(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty())
}
