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
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            let message = format!("{} is not a journal, or is damaged: {error}", path.display());
            return Error::new(ErrorKind::NotAJournal, message).with_source(error);
        }
        _ => "",
    };
    let message = format!("could not {what} the journal {}: {error}{hint}", path.display());
    Error::new(ErrorKind::Journal, message).with_source(error)
}
