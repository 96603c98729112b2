//! One process at a time.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::private;
use crate::error::{Error, ErrorKind, Result};

/// A lock on a journal, until this is dropped or the process ends. It is on a separate file, because
/// closing any handle of SQLite's own file would end the locks that SQLite holds.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(journal: &Path) -> Result<Self> {
        let path = beside(journal);
        let failed = |error| Error::file(ErrorKind::Journal, "create the lock file", &path, error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                let message = format!(
                    "the journal {} is open in another process, or in this one: wait for that batch to end, or stop it",
                    journal.display()
                );
                Err(Error::new(ErrorKind::InUse, message))
            }
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

fn beside(journal: &Path) -> PathBuf {
    let mut name = OsString::from(journal);
    name.push(".lock");
    name.into()
}
