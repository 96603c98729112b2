//! Source of the inputs: its record in the journal, with the extent of its index, and the texts,
//! which are read from the inputs file or the journal, and verified by their digest.

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::parsed::{Shape, digest};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Input, Note, Store, TextLocation};

/// Name of the note of the source.
const NOTE: &str = "source";

/// Origin of the inputs, and the extent of their index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceRecord {
    pub(crate) shape: Shape,
    /// Number of inputs.
    pub(crate) inputs: u64,
    /// True if the process ended before all inputs were copied.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_partial: bool,
    /// The file; `None` for inputs that are in the journal.
    pub(crate) file: Option<FileRecord>,
}

/// Part of a file that is in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) path: PathBuf,
    /// Number of its bytes and lines that are indexed.
    pub(crate) length: u64,
    pub(crate) lines: u64,
    /// Time of the last change of the file, in nanoseconds of Unix time; `None` while it is
    /// indexed.
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

    /// The current record of the journal. Another process may have added inputs, from a file of the
    /// same content at another path.
    pub(crate) fn refreshed(&self, store: &mut dyn Store) -> Result<Self> {
        let Some(mut now) = Self::read(store)? else { return Ok(self.clone()) };
        if let (Some(now), Some(ours)) = (&mut now.file, &self.file) {
            now.path.clone_from(&ours.path);
            now.modified = ours.modified.filter(|_| now.length == ours.length);
        }
        Ok(now)
    }

    /// Returns true if all of the inputs are indexed, and their file has not been touched since.
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
    /// Returns true if the file has not been touched since all of it was indexed.
    pub(super) fn is_untouched(&self, found: &Metadata) -> bool {
        self.length == found.len() && self.modified.is_some() && self.modified == modified(found)
    }

    /// Returns true if the last line that is indexed had no line break.
    pub(super) fn ends_in_line(&self, file: &mut File) -> io::Result<bool> {
        let Some(last) = self.length.checked_sub(1) else { return Ok(false) };
        let mut byte = [0];
        file.seek(SeekFrom::Start(last))?;
        file.read_exact(&mut byte)?;
        Ok(byte != *b"\n")
    }
}

/// Time of the last change of a file, if the system provides it.
pub(super) fn modified(found: &Metadata) -> Option<u64> {
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// Reads texts, from the inputs file or the journal.
pub(crate) struct Texts {
    pub(crate) shape: Shape,
    file: Option<InputsFile>,
}

/// The inputs file, which is opened at once, so that it can be read although it is removed.
struct InputsFile {
    path: PathBuf,
    /// `None` if that failed: it is tried again where a text is needed.
    file: Option<File>,
}

impl InputsFile {
    fn open(record: &FileRecord) -> Self {
        Self { path: record.path.clone(), file: File::open(&record.path).ok() }
    }

    fn file(&mut self) -> std::io::Result<&mut File> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(File::open(&self.path)?)),
        }
    }
}

impl Texts {
    /// Opens the texts of a source. If its file is missing, only reading a text fails.
    pub(crate) fn open(source: &SourceRecord) -> Self {
        Self { shape: source.shape.clone(), file: source.file.as_ref().map(InputsFile::open) }
    }

    /// Returns the text of an input, as it was when it was recorded.
    pub(crate) fn of<'a>(&mut self, input: &'a Input) -> Result<Cow<'a, [u8]>> {
        let text = match &input.location {
            TextLocation::Stored(text) => Cow::from(text),
            TextLocation::File { offset, length } => {
                Cow::from(self.read(*offset, *length, input.line)?)
            }
        };
        self.check(&text, input)?;
        Ok(text)
    }

    /// Takes the text of an input, as it was when it was recorded.
    pub(crate) fn take(&mut self, input: &mut Input) -> Result<Vec<u8>> {
        let text = match &mut input.location {
            TextLocation::Stored(text) => std::mem::take(text),
            TextLocation::File { offset, length } => self.read(*offset, *length, input.line)?,
        };
        self.check(&text, input)?;
        Ok(text)
    }

    /// Refuses a text that differs from the recorded text.
    fn check(&self, text: &[u8], input: &Input) -> Result<()> {
        if digest(text) == input.digest {
            return Ok(());
        }
        let path = self.file.as_ref().map(|origin| origin.path.as_path());
        Err(changed(path.unwrap_or(Path::new("the journal")), input.line))
    }

    fn read(&mut self, offset: u64, length: u64, line: u64) -> Result<Vec<u8>> {
        let Some(origin) = &mut self.file else {
            let message = "the journal refers to an inputs file, and names none";
            return Err(Error::new(ErrorKind::Journal, message));
        };
        let mut text = Vec::new();
        let read = origin.file().and_then(|file| {
            file.seek(SeekFrom::Start(offset))?;
            file.take(length).read_to_end(&mut text)
        });
        match read {
            Ok(read) if read as u64 == length => Ok(text),
            Ok(_) => Err(changed(&origin.path, line)),
            Err(error) => {
                Err(Error::file(ErrorKind::Inputs, "read the inputs", &origin.path, error))
            }
        }
    }
}

pub(super) fn changed(path: &Path, line: u64) -> Error {
    differs(&format!("line {line} of {} has changed since the batch began", path.display()))
}

/// The error of a source of another version: `when` says when it changed.
pub(crate) fn source_changed(url: &str, when: &str) -> Error {
    let source = if url.contains("://") { "object" } else { "file" };
    let message = format!(
        "the inputs {url} have changed {when}: restore the {source}, or use new results and a new journal for the new inputs"
    );
    Error::new(ErrorKind::InputsChanged, message)
}

/// The file has fewer inputs than the journal.
pub(super) fn missing(path: &Path, inputs: u64, of: u64) -> Error {
    differs(&format!("{} has only {inputs} of the batch's {of} inputs", path.display()))
}

fn differs(how: &str) -> Error {
    let message =
        format!("{how}: restore the file, or use new results and a new journal for the new inputs");
    Error::new(ErrorKind::InputsChanged, message)
}
