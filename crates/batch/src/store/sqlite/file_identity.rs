//! File identity of a journal: refuses copies and hard links, and detects that an open file was
//! moved or replaced.
//!
//! Two names of one file, or a copy elsewhere, would submit the same inputs twice. The journal
//! therefore notes a random number, which copies share, and its path.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use super::wal;
use crate::error::{Error, ErrorKind, Result};
use crate::files::is_same_file;

/// Name of the note of the journal's identity: a random number, which copies share, and the
/// journal's path.
pub(super) const NOTE: &str = "origin";

/// Refuses a path that is not a file, or a file with several names: each name has its own log and
/// lock, and what is written under one damages what is written under the other.
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

/// The identity note of the journal at this path, if it is new. Refuses a copy of a journal that is
/// still at its path: `note_of` reads the note of another journal, and `number` makes one for a
/// journal without a note.
pub(super) fn identity_note(
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

/// Returns true if there is a readable journal of the same batch.
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

/// The file that was opened. If it is removed or replaced, or the log next to it, SQLite continues
/// to write to a file that no process can open.
pub(super) struct OpenedFile {
    file: Metadata,
    /// The log, once there is something in it.
    log: Option<Metadata>,
}

impl OpenedFile {
    pub(super) fn of(journal: &Path) -> io::Result<Self> {
        Ok(Self { file: fs::metadata(journal)?, log: None })
    }

    /// The log has been emptied.
    pub(super) fn forget_log(&mut self) {
        self.log = None;
    }

    /// Returns true if the file is in place, and its log, if it had one after an earlier commit.
    pub(super) fn is_in_place(&mut self, journal: &Path) -> bool {
        // Elsewhere than on Unix, a file that is open can be neither removed nor moved.
        if cfg!(not(unix)) {
            return true;
        }
        let found = wal::found(journal);
        let has_log = match (&self.log, &found) {
            (Some(log), Some(found)) => is_same_file(log, found),
            (Some(_), None) => false,
            (None, _) => true,
        };
        self.log = self.log.take().or(found);
        has_log && fs::metadata(journal).is_ok_and(|found| is_same_file(&found, &self.file))
    }
}
