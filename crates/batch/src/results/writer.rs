//! Which results are whose, where several processes share a journal.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::places::beside;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, sync_folder};

/// The file next to the results that tells them from those of other processes: it holds a token, and
/// a lock as long as a process writes them.
pub(crate) struct Writer {
    token: String,
    _locked: File,
}

impl Writer {
    /// Opens the file, or creates it.
    pub(crate) fn open(results: &Path) -> Result<Self> {
        let path = beside(results, ".writer");
        let failed = |error| Error::file(ErrorKind::Results, "open", &path, error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!(
                    "the results {} are written by another process, or by this one: each needs a file of its own",
                    results.display()
                );
                return Err(Error::new(ErrorKind::InUse, message));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut token = String::new();
        file.read_to_string(&mut token).map_err(failed)?;
        if token.len() != 2 * TOKEN {
            token = random()?;
            file.set_len(0)
                .and_then(|()| file.seek(SeekFrom::Start(0)))
                .and_then(|_| file.write_all(token.as_bytes()))
                .and_then(|()| file.sync_all())
                .and_then(|()| sync_folder(&path))
                .map_err(failed)?;
        }
        Ok(Self { token, _locked: file })
    }

    /// What no other results have.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }
}

/// The length of a token, in bytes.
const TOKEN: usize = 16;

fn random() -> Result<String> {
    let mut random = [0; TOKEN];
    getrandom::fill(&mut random).map_err(|error| {
        Error::new(ErrorKind::Results, format!("the system has no random numbers: {error}"))
    })?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}
