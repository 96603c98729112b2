//! Whether a journal that is open is still where its path says.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use super::wal;
use crate::files::is_same_file;

/// The file that was opened. Someone may remove or replace it, or the log next to it: SQLite writes on,
/// and nobody would find what it writes.
pub(super) struct InPlace {
    file: Metadata,
    /// The log, once there is something in it.
    log: Option<Metadata>,
}

impl InPlace {
    pub(super) fn of(journal: &Path) -> io::Result<Self> {
        Ok(Self { file: fs::metadata(journal)?, log: None })
    }

    /// The log has been emptied.
    pub(super) fn forget_log(&mut self) {
        self.log = None;
    }

    /// Whether the file is in place, and its log, if it had one after an earlier commit.
    pub(super) fn is_kept(&mut self, journal: &Path) -> bool {
        // Elsewhere than on Unix, a file that is open can be neither removed nor moved.
        if cfg!(not(unix)) {
            return true;
        }
        let found = wal::found(journal);
        let is_kept = match (&self.log, &found) {
            (Some(log), Some(found)) => is_same_file(log, found),
            (Some(_), None) => false,
            (None, _) => true,
        };
        self.log = self.log.take().or(found);
        is_kept && fs::metadata(journal).is_ok_and(|found| is_same_file(&found, &self.file))
    }
}
