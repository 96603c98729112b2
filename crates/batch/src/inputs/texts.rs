//! Texts of inputs: read from the inputs file or the journal, and verified by their digest.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::parsed::digest;
use super::{FileRecord, Shape, SourceRecord};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Input, Place};

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
    /// Opens the texts of a source. If its file is gone, only reading a text fails.
    pub(crate) fn open(source: &SourceRecord) -> Self {
        Self { shape: source.shape.clone(), file: source.file.as_ref().map(InputsFile::open) }
    }

    /// Returns the text of an input, as it was when it was recorded.
    pub(crate) fn of<'a>(&mut self, input: &'a Input) -> Result<Cow<'a, [u8]>> {
        let text = match &input.place {
            Place::Stored(text) => Cow::from(text),
            Place::File { offset, length } => Cow::from(self.read(*offset, *length, input.line)?),
        };
        self.check(&text, input)?;
        Ok(text)
    }

    /// Takes the text of an input, as it was when it was recorded.
    pub(crate) fn take(&mut self, input: &mut Input) -> Result<Vec<u8>> {
        let text = match &mut input.place {
            Place::Stored(text) => std::mem::take(text),
            Place::File { offset, length } => self.read(*offset, *length, input.line)?,
        };
        self.check(&text, input)?;
        Ok(text)
    }

    /// Refuses a text that is not the one that was recorded.
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

/// The file has fewer inputs than the journal.
pub(super) fn missing(path: &Path, inputs: u64, of: u64) -> Error {
    differs(&format!("{} has only {inputs} of the batch's {of} inputs", path.display()))
}

fn differs(how: &str) -> Error {
    let message =
        format!("{how}: restore the file, or use new results and a new journal for the new inputs");
    Error::new(ErrorKind::InputsChanged, message)
}
