//! Where a journal is: a copy elsewhere, or another name, would submit the same inputs.

use std::fs::{self, Metadata};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::files::is_same_file;

/// The name of the note that holds a random number, which copies share, and the journal's path.
pub(super) const NOTE: &str = "origin";

/// Refuses what is not a file, or has several names: each has a log and a lock of its own, and what
/// is written under one damages what is written under the other.
pub(super) fn check_file(path: &Path) -> Result<()> {
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    if !found.is_file() {
        let message = format!(
            "the journal {} is not a regular file: choose another name for it",
            path.display()
        );
        return Err(Error::new(ErrorKind::Journal, message));
    }
    match names(&found) {
        0 | 1 => Ok(()),
        names => {
            let message = format!(
                "the journal {} has {names} names (hard links), each of which could be run: remove all but one, or replace them by copies that are kept elsewhere",
                path.display()
            );
            Err(Error::new(ErrorKind::Duplicate, message))
        }
    }
}

fn names(found: &Metadata) -> u64 {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::nlink(found)
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        1
    }
}

/// What the journal at this path is to note of its place, if that is new. Refuses a copy of a journal
/// that is still where it was: `note_of` reads the note of another one, and `number` makes one for a
/// journal that has no note.
pub(super) fn place(
    path: &Path,
    note: Option<&str>,
    note_of: impl FnOnce(&Path) -> Option<String>,
    number: impl FnOnce() -> Result<String>,
) -> Result<Option<String>> {
    let here = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let Some(here) = here.to_str() else { return Ok(None) };
    let number = match note.and_then(|note| note.split_once(' ')) {
        Some((_, known)) if known == here => return Ok(None),
        Some((number, known))
            if is_original(Path::new(known), Path::new(here), number, note_of) =>
        {
            let message = format!(
                "the journal {here} is a copy of {known}, which is still there, and both would submit the same inputs: run that one, or remove it and run this one"
            );
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        Some((number, _)) => number.to_owned(),
        None => number()?,
    };
    Ok(Some(format!("{number} {here}")))
}

/// Whether there is a journal of the same batch. One that cannot be read is none.
fn is_original(
    known: &Path,
    here: &Path,
    number: &str,
    note_of: impl FnOnce(&Path) -> Option<String>,
) -> bool {
    let (Ok(there), Ok(this)) = (fs::metadata(known), fs::metadata(here)) else { return false };
    !is_same_file(&there, &this)
        && note_of(known)
            .is_some_and(|note| note.split_once(' ').is_some_and(|(it, _)| it == number))
}
