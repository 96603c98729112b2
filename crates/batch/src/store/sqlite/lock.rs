//! One process at a time.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::files::private;

/// How often, and how soon, a lock is tried again.
const PROBES: usize = 20;
const PROBE: Duration = Duration::from_millis(10);

/// How much room is kept, in bytes: more than it takes to record what becomes of all the inputs that can
/// be in flight.
const ROOM: usize = 1024 * 1024;

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

    /// Keeps room on the disk, for [`give_room`](Self::give_room).
    pub(super) fn keep_room(&self) -> io::Result<()> {
        if !self.is_ours() {
            return Ok(());
        }
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&vec![0; ROOM])
    }

    /// Gives back the room that was kept. Whether it is there shows when it is used.
    pub(super) fn give_room(&self) {
        if self.is_ours() {
            let _ = self.file.set_len(0);
        }
    }

    /// Whether there is nothing else in the file than room: it may have been there before.
    fn is_ours(&self) -> bool {
        let mut file = &self.file;
        let mut found = Vec::new();
        let read = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| file.take(ROOM as u64 + 1).read_to_end(&mut found));
        read.is_ok_and(|read| read <= ROOM) && found.iter().all(|byte| *byte == 0)
    }

    /// Leaves no file behind that was not there before: what it is next to is not a journal.
    pub(super) fn withdraw(self) {
        if self.is_new {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.give_room();
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
