//! Error mapping: errors of SQLite as errors of the crate, with advice.

use std::path::Path;

use rusqlite::ffi;

use crate::error::{Error, ErrorKind};

pub(super) fn failed(what: &str, path: &Path, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    let hint = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "; free some space and run it again",
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            "; check the permissions of the file, of those next to it (-wal, -shm), and of its folder"
        }
        Some(ErrorCode::SystemIoFailure) => "; check that the disk works, and is not full",
        Some(ErrorCode::NotADatabase) => {
            let message = format!("{} is not a journal, or is damaged: {error}", path.display());
            return Error::new(ErrorKind::NotAJournal, message).with_source(error);
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            return damaged(path, &error.to_string()).with_source(error);
        }
        _ => "",
    };
    let message = format!("could not {what} the journal {}: {error}{hint}", path.display());
    let is_disk_full = error.sqlite_error().is_some_and(|error| {
        // SQLite reports an IOERR_WRITE if a quota or a limit is exceeded.
        matches!(error.extended_code, ffi::SQLITE_FULL | ffi::SQLITE_IOERR_WRITE)
    });
    Error::new(ErrorKind::Journal, message).with_source(error).with_disk_full(is_disk_full)
}

/// The error of a journal that is not at its path any more: new records are lost with it.
pub(super) fn displaced(path: &Path) -> Error {
    let message = format!(
        "the journal {} or its -wal file was removed, moved or replaced while it was open, so what is recorded does not last: put it back, and run the batch again. If it is lost, keep the results, and run the inputs that are not in them with new results and a new journal; those that were outstanding may then run twice",
        path.display()
    );
    Error::new(ErrorKind::Journal, message)
}

/// The journal is damaged: continuing would submit inputs twice.
pub(super) fn damaged(path: &Path, how: &str) -> Error {
    let message = format!(
        "the journal {} is damaged ({how}), and nothing was changed: the results next to it are still valid. Check the disk, keep copies of both, and run the inputs that are not in the results with new results and a new journal; those that were outstanding may then run twice",
        path.display()
    );
    Error::new(ErrorKind::Journal, message)
}

/// The journal has fewer commits than its process made.
pub(super) fn behind(path: &Path) -> Error {
    let path = path.display();
    let message = format!(
        "the journal {path} lacks changes that the process which was killed had recorded: its -wal file was moved or removed since, or an older journal was put in its place. Nothing was changed: put the newest journal back, with its -wal file. If that is lost, keep the results, and run the inputs that are not in them with new results and a new journal; those that were outstanding may then run twice. To continue with this journal all the same, which submits again what it lacks, remove {path}.lock"
    );
    Error::new(ErrorKind::Journal, message)
}

/// The journal was moved or copied without its log.
pub(super) fn without_log(path: &Path) -> Error {
    let path = path.display();
    let message = format!(
        "the journal {path} was copied or moved without its -wal file, which has the last changes of a process that was killed or is still at work: inputs that were submitted are pending in it, and would be submitted again. Nothing was changed: put that file next to it, as {path}-wal. If it is lost, keep the results, and run the inputs that are not in them with new results and a new journal; those that were outstanding may then run twice. To continue with this journal all the same, which submits again what it lacks, make an empty file {path}-wal"
    );
    Error::new(ErrorKind::Journal, message)
}
