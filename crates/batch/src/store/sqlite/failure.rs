//! What an error of SQLite means for its reader.

use std::path::Path;

use crate::error::{Error, ErrorKind};

pub(super) fn failed(what: &str, path: &Path, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    let hint = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "; free some space and run it again",
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            "; check the permissions of the file and of its folder"
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
    Error::new(ErrorKind::Journal, message).with_source(error)
}

/// What is left if a journal is damaged: going on would submit inputs twice.
pub(super) fn damaged(path: &Path, how: &str) -> Error {
    let message = format!(
        "the journal {} is damaged ({how}), and nothing was changed: the results next to it are still valid. Check the disk, keep copies of both, and run the inputs that are not in the results with new results and a new journal; those that were outstanding may then run twice",
        path.display()
    );
    Error::new(ErrorKind::Journal, message)
}
