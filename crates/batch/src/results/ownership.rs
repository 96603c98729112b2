//! Ownership of results, where several processes share a journal: a token, a lock, and the position
//! of the last durable change.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::companion_files::{check_unoccupied, ownership_file_of};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{is_in_place, private, sync_folder};

/// The ownership file next to the results: it holds their token, their batch, the position of the
/// process that writes them, and a lock as long as it does.
///
/// The position outlives a process that is killed, so that its successor can prove that a database
/// was put back in between, also when no result was written since. It is not synced: after a loss
/// of power it may be an earlier position, which proves less, but nothing wrong.
pub(crate) struct OwnershipFile {
    path: PathBuf,
    token: String,
    batch: Option<String>,
    position: Option<String>,
    /// True if no batch is recorded in the file yet.
    is_new: bool,
    locked: File,
}

impl OwnershipFile {
    /// Opens the file, or creates it where there are no results yet.
    pub(crate) fn open(results: &Path) -> Result<Self> {
        let path = ownership_file_of(results);
        if !path.exists() {
            check_unoccupied(results).map_err(|error| {
                let name = path.display();
                error.explained(|why| format!("{why}; or if it is, restore {name} beside it"))
            })?;
        }
        let failed = |error| Error::file(ErrorKind::Results, "open", &path, error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            // A process removes the file only under the lock.
            Ok(()) if is_in_place(&path, &file).map_err(failed)? => {}
            Ok(()) | Err(TryLockError::WouldBlock) => {
                let message = format!(
                    "the results {} are written by another process, or by this one: each needs a file of its own",
                    results.display()
                );
                return Err(Error::new(ErrorKind::InUse, message));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let mut lines = text.lines().map(str::to_owned);
        let (mut token, batch) = (lines.next().unwrap_or_default(), lines.next());
        let position = lines.next();
        let is_new = token.len() != 2 * TOKEN;
        if is_new {
            token = random()?;
            file.set_len(0)
                .and_then(|()| file.seek(SeekFrom::Start(0)))
                .and_then(|_| file.write_all(token.as_bytes()))
                .and_then(|()| file.sync_all())
                .and_then(|()| sync_folder(&path))
                .map_err(failed)?;
        }
        Ok(Self { path, token, batch, position, is_new, locked: file })
    }

    /// Keeps the file, which identifies the batch of the results from now on.
    pub(crate) fn keep(&mut self, batch: &str) -> Result<()> {
        if self.batch.is_none() {
            let failed = |error| Error::file(ErrorKind::Results, "write", &self.path, error);
            let mut file = &self.locked;
            file.seek(SeekFrom::Start(self.token.len() as u64))
                .and_then(|_| file.write_all(format!("\n{batch}").as_bytes()))
                .and_then(|()| file.sync_all())
                .map_err(failed)?;
            self.batch = Some(batch.to_owned());
        }
        self.is_new = false;
        Ok(())
    }

    /// Returns true if the results were written for this batch.
    pub(crate) fn is_of(&self, batch: &str) -> bool {
        self.batch.as_deref() == Some(batch)
    }

    /// The position of the last process that wrote these results.
    pub(crate) fn position(&self) -> Option<&str> {
        self.position.as_deref()
    }

    /// Replaces the position, once there are results of a batch.
    pub(crate) fn keep_position(&mut self, position: &str) {
        let Some(batch) =
            self.batch.as_ref().filter(|_| self.position.as_deref() != Some(position))
        else {
            return;
        };
        let start = (self.token.len() + 1 + batch.len()) as u64;
        let mut file = &self.locked;
        // Of a fixed width, so that each position overwrites the last. On a full disk the earlier
        // position stays, and the outcomes of submissions are still recorded.
        let line = format!("\n{position:<POSITION$}\n");
        let written =
            file.seek(SeekFrom::Start(start)).and_then(|_| file.write_all(line.as_bytes()));
        if written.is_ok() {
            self.position = Some(position.to_owned());
        }
    }

    /// The unique token of the results.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for OwnershipFile {
    /// A batch that was refused leaves nothing behind.
    fn drop(&mut self) {
        if self.is_new && is_in_place(&self.path, &self.locked).is_ok_and(|is_in_place| is_in_place)
        {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The length of a token, in bytes.
const TOKEN: usize = 16;

/// The length of the longest position: three numbers of 64 bits.
const POSITION: usize = 64;

fn random() -> Result<String> {
    let mut random = [0; TOKEN];
    getrandom::fill(&mut random).map_err(|error| {
        Error::new(ErrorKind::Results, format!("the system has no random numbers: {error}"))
    })?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}
