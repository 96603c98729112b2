//! Lock file of a journal: excludes other processes, reserves disk space, and holds the number of
//! the last commit.
//!
//! The number is written after each commit, without a sync, so it is never higher than that of the
//! journal, however its process ends: a journal with a lower number has lost commits, because its
//! write-ahead log was taken away, or an older journal was put in its place. SQLite would roll back
//! silently, and the batch would submit inputs twice. An orderly end removes the number.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, with_suffix};

/// Retries of a lock, and their interval: a second. A process that `status` is called in may start
/// another at that moment, which has the lock, too, until it executes its program.
const LOCK_RETRIES: usize = 100;
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Reserved disk space, in bytes: more than it takes to record the outcomes of all inputs that can
/// be in flight.
const RESERVED: usize = 1024 * 1024;

/// Prefix of the number of the last commit, at the beginning of the file.
const MARK: &[u8; 8] = b"commits ";

/// The length of both, in bytes.
const HEAD: usize = MARK.len() + 16;

/// A lock on a journal, until this is dropped or the process ends. It is on a separate file,
/// because closing any handle of SQLite's own file would end the locks that SQLite holds.
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    /// True if this lock created the file.
    is_new: bool,
    /// True if the file contains only what a lock writes: a file of this name may have existed
    /// before.
    is_ours: bool,
    /// True if the number of the last commit stays when the lock ends.
    leaves_number: Cell<bool>,
}

impl Lock {
    pub(super) fn take(journal: &Path) -> Result<Self> {
        let path = path_of(journal);
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
        // `status` briefly acquires the lock, so opening retries.
        for _ in 0..LOCK_RETRIES {
            if matches!(locked, Err(TryLockError::WouldBlock)) {
                thread::sleep(LOCK_RETRY_INTERVAL);
                locked = file.try_lock();
            }
        }
        match locked {
            Ok(()) => {
                let is_ours = is_ours(&file).map_err(failed)?;
                Ok(Self { file, path, is_new, is_ours, leaves_number: Cell::new(true) })
            }
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

    /// Reserves disk space, until [`release_space`](Self::release_space).
    pub(super) fn reserve_space(&self) -> io::Result<()> {
        if !self.is_ours {
            return Ok(());
        }
        let mut file = &self.file;
        file.seek(SeekFrom::Start(HEAD as u64))?;
        file.write_all(&vec![0; RESERVED - HEAD])
    }

    /// Releases the reserved disk space.
    pub(super) fn release_space(&self) {
        if self.is_ours {
            let _ = self.file.set_len(HEAD as u64);
        }
    }

    /// The number of the last commit of a process that was killed.
    pub(super) fn last_commit(&self) -> io::Result<u64> {
        let mut head = [0; HEAD];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        match file.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            read => read.map(|()| number(&head).unwrap_or_default()),
        }
    }

    /// Records the number of a durable commit. If that fails, the loss of this commit cannot be
    /// distinguished from a loss of power.
    pub(super) fn note_commit(&self, number: u64) {
        if self.is_ours {
            let mut file = &self.file;
            let head = [&MARK[..], format!("{number:016x}").as_bytes()].concat();
            let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&head));
        }
    }

    /// Removes the number of the last commit, which is of another journal.
    pub(super) fn forget_commits(&self) {
        if self.is_ours {
            let _ = self.file.set_len(0);
        }
    }

    /// Decides if the number of the last commit stays when the lock ends.
    pub(super) fn leave_number(&self, leave: bool) {
        self.leaves_number.set(leave);
    }

    /// Removes the lock file if this lock created it: the file next to it is not a journal.
    pub(super) fn withdraw(self) {
        if self.is_new {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let has_number = || self.last_commit().is_ok_and(|number| number > 0);
        match self.leaves_number.get() && has_number() {
            true => self.release_space(),
            false => self.forget_commits(),
        }
    }
}

/// Returns true if a file contains only a number, and reserved space.
fn is_ours(mut file: &File) -> io::Result<bool> {
    let mut found = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(RESERVED as u64 + 1).read_to_end(&mut found)?;
    let start = found.first_chunk().filter(|head| number(head).is_some()).map_or(0, |_| HEAD);
    Ok(found.len() <= RESERVED && found[start..].iter().all(|byte| *byte == 0))
}

/// The number at the beginning of a file.
fn number(head: &[u8; HEAD]) -> Option<u64> {
    let digits = std::str::from_utf8(head.strip_prefix(MARK)?).ok()?;
    u64::from_str_radix(digits, 16).ok()
}

/// Calls a function while no process has the journal open, or not at all.
pub(super) fn while_unlocked<T>(journal: &Path, work: impl FnOnce() -> T) -> Option<T> {
    let file = File::open(path_of(journal)).ok();
    let locked = file.as_ref().map(File::try_lock_shared);
    // The lock ends with the file.
    (!matches!(locked, Some(Err(TryLockError::WouldBlock)))).then(work)
}

fn path_of(journal: &Path) -> PathBuf {
    with_suffix(journal, ".lock")
}
