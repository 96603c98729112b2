//! One process at a time.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::files::private;

/// How often, and how soon, a lock is tried again.
const PROBES: usize = 20;
const PROBE: Duration = Duration::from_millis(10);

/// A lock on a journal, until this is dropped or the process ends. It is on a separate file, because
/// closing any handle of SQLite's own file would end the locks that SQLite holds.
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    /// Whether there was no such file before.
    is_new: bool,
}

impl Lock {
    pub(super) fn take(journal: &Path) -> Result<Self> {
        let path = beside(journal);
        let failed = |error| Error::file(ErrorKind::Journal, "create the lock file", &path, error);
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        private(&mut options);
        let (file, is_new) = match options.clone().create_new(true).open(&path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                (options.create(true).truncate(false).open(&path).map_err(failed)?, false)
            }
            Err(error) => return Err(failed(error)),
        };
        let mut locked = file.try_lock();
        // Somebody may be looking whether it is locked.
        for _ in 0..PROBES {
            if matches!(locked, Err(TryLockError::WouldBlock)) {
                thread::sleep(PROBE);
                locked = file.try_lock();
            }
        }
        match locked {
            Ok(()) => Ok(Self { file, path, is_new }),
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

    /// Leaves no file behind that was not there before: what it is next to is not a journal.
    pub(super) fn withdraw(self) {
        if self.is_new {
            let _ = fs::remove_file(&self.path);
        }
        drop(self.file);
    }
}

/// Does something while nobody has the journal open, or not at all: neither another process nor this
/// one.
pub(super) fn while_unlocked<T>(journal: &Path, work: impl FnOnce() -> T) -> Option<T> {
    let file = File::open(beside(journal)).ok();
    let locked = file.as_ref().map(File::try_lock_shared);
    // The lock ends with the file.
    (!matches!(locked, Some(Err(TryLockError::WouldBlock)))).then(work)
}

fn beside(journal: &Path) -> PathBuf {
    let mut name = OsString::from(journal);
    name.push(".lock");
    name.into()
}
