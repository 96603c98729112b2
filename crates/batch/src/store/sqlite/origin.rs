//! Where a journal is: a copy elsewhere, or another name, would submit the same inputs.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::{Sqlite, SqliteStore};
use crate::error::{Error, ErrorKind, Result};
use crate::files::is_same_file;
use crate::store::Store;

/// The name of the note that holds a random number, which copies share, and the journal's path.
const NOTE: &str = "origin";

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

/// Refuses a copy of a journal that is still where it was, and remembers where this one is.
pub(super) fn check(store: &mut SqliteStore) -> Result<()> {
    let here = fs::canonicalize(&store.path).unwrap_or_else(|_| store.path.clone());
    let Some(here) = here.to_str() else { return Ok(()) };
    let note = store.note(NOTE)?;
    let known = note.as_deref().and_then(|note| note.split_once(' '));
    let number = match known {
        Some((_, known)) if known == here => return Ok(()),
        Some((number, known)) if is_original(Path::new(known), Path::new(here), number) => {
            let message = format!(
                "the journal {here} is a copy of {known}, which is still there, and both would submit the same inputs: run that one, or remove it and run this one"
            );
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        Some((number, _)) => number.to_owned(),
        None => store.random()?,
    };
    store.add(&[], &[(NOTE, format!("{number} {here}"))])
}

/// Whether there is a journal of the same batch. One that cannot be read is none.
fn is_original(known: &Path, here: &Path, number: &str) -> bool {
    let (Ok(there), Ok(this)) = (fs::metadata(known), fs::metadata(here)) else { return false };
    let note = || Sqlite::file(PathBuf::from(known)).inspect().ok()?.note(NOTE).ok()?;
    !is_same_file(&there, &this)
        && note().is_some_and(|note| note.split_once(' ').is_some_and(|(it, _)| it == number))
}
