//! Source record: the origin of the inputs, and how much of it is indexed, in the journal.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::Shape;
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Note, Store};

/// The name of the note that holds it.
const NOTE: &str = "source";

/// Origin of the inputs, and how far they are indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceRecord {
    pub(crate) shape: Shape,
    /// How many inputs there are.
    pub(crate) inputs: u64,
    /// Whether there were more to copy when the process ended.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_partial: bool,
    /// The file; `None` for inputs that are in the journal.
    pub(crate) file: Option<FileRecord>,
}

/// How much of a file is in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) path: PathBuf,
    /// How many of its bytes and lines are indexed.
    pub(crate) length: u64,
    pub(crate) lines: u64,
    /// When the file was last changed, in nanoseconds of Unix time; `None` while it is indexed.
    pub(crate) modified: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl SourceRecord {
    /// An empty record.
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, inputs: 0, is_partial: false, file: None }
    }

    pub(crate) fn read(store: &mut dyn Store) -> Result<Option<Self>> {
        let Some(text) = store.note(NOTE)? else { return Ok(None) };
        let record = serde_json::from_str(&text).map_err(|error| {
            let message = format!("the journal's record of its inputs is damaged: {error}");
            Error::new(ErrorKind::Journal, message)
        });
        record.map(Some)
    }

    /// The current record of the journal. Another process may have added inputs, from a file of the same
    /// content at another path.
    pub(crate) fn refreshed(&self, store: &mut dyn Store) -> Result<Self> {
        let Some(mut now) = Self::read(store)? else { return Ok(self.clone()) };
        if let (Some(now), Some(ours)) = (&mut now.file, &self.file) {
            now.path.clone_from(&ours.path);
            now.modified = ours.modified.filter(|_| now.length == ours.length);
        }
        Ok(now)
    }

    /// Whether all of the inputs are indexed, and their file has not been touched since.
    pub(crate) fn is_untouched(&self) -> bool {
        match &self.file {
            Some(file) => fs::metadata(&file.path).is_ok_and(|found| file.is_untouched(&found)),
            None => !self.is_partial,
        }
    }

    pub(crate) fn note(&self) -> Result<Note> {
        let text = serde_json::to_string(self).map_err(|error| {
            let message = format!("the path of the inputs cannot be recorded: {error}");
            Error::new(ErrorKind::Inputs, message)
        })?;
        Ok((NOTE, text))
    }
}

impl FileRecord {
    /// Whether the file has not been touched since all of it was indexed.
    pub(super) fn is_untouched(&self, found: &Metadata) -> bool {
        self.length == found.len() && self.modified.is_some() && self.modified == modified(found)
    }

    /// Whether the last line that is indexed had no line break.
    pub(super) fn ends_in_line(&self, file: &mut File) -> io::Result<bool> {
        let Some(last) = self.length.checked_sub(1) else { return Ok(false) };
        let mut byte = [0];
        file.seek(SeekFrom::Start(last))?;
        file.read_exact(&mut byte)?;
        Ok(byte != *b"\n")
    }
}

/// When a file was last changed, where the system says so.
pub(super) fn modified(found: &Metadata) -> Option<u64> {
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}
