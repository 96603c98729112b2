//! Large outputs: a folder next to the results, with a file for each output that is too large for a
//! line.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::companion_files::outputs_of;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, sync_folder};

/// Folder of outputs that are too large for a line.
pub(crate) struct LargeOutputs {
    folder: PathBuf,
    /// The largest output in a line, in bytes.
    above: usize,
}

impl LargeOutputs {
    /// The default limit.
    pub(crate) const ABOVE: usize = 1024 * 1024;

    /// In a folder next to the results.
    pub(crate) fn of(results: &Path, above: usize) -> Self {
        Self { folder: outputs_of(results), above }
    }

    /// Stores an output durably if it is too large for a line. Its path, relative to the folder of
    /// the results.
    pub(super) fn store(&self, index: u64, output: &str) -> Result<Option<String>> {
        if output.len() <= self.above {
            return Ok(None);
        }
        let path = self.folder.join(format!("{index}.json"));
        let write = || {
            fs::create_dir_all(&self.folder)?;
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            private(&mut options);
            let mut file = options.open(&path)?;
            file.write_all(output.as_bytes())?;
            file.sync_all()?;
            sync_folder(&path)?;
            sync_folder(&self.folder)
        };
        write().map_err(|error| Error::file(ErrorKind::Results, "write", &path, error))?;
        let folder = self.folder.file_name().unwrap_or_default();
        Ok(Some(format!("{}/{index}.json", folder.to_string_lossy())))
    }
}
