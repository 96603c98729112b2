//! The file of failures as it was, for inputs that cannot be read any more.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

/// What a line of failures says of its input.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Said {
    pub(super) key: Option<Box<RawValue>>,
    pub(super) input: Option<Box<RawValue>>,
    /// The line, where it could not be read as an input.
    pub(super) text: Option<String>,
}

/// The lines of a file of failures, which is read once one of them is needed.
pub(super) struct Former {
    path: PathBuf,
    read: Option<Places>,
}

/// A file, and where the line of each input is.
struct Places {
    file: File,
    lines: HashMap<u64, (u64, u64)>,
}

impl Former {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, read: None }
    }

    /// What the file says of this input: nothing, if it has no such line.
    pub(super) fn of(&mut self, index: u64) -> Said {
        self.read(index).ok().flatten().unwrap_or_default()
    }

    fn read(&mut self, index: u64) -> io::Result<Option<Said>> {
        let places = match &mut self.read {
            Some(places) => places,
            none => none.insert(Places::find(File::open(&self.path)?)?),
        };
        let Some((offset, length)) = places.lines.get(&index).copied() else { return Ok(None) };
        let mut line = Vec::new();
        places.file.seek(SeekFrom::Start(offset))?;
        Read::by_ref(&mut places.file).take(length).read_to_end(&mut line)?;
        Ok(serde_json::from_slice(&line).ok())
    }
}

impl Places {
    fn find(file: File) -> io::Result<Self> {
        #[derive(Deserialize)]
        struct Line {
            index: u64,
        }
        let (mut lines, mut offset, mut text) = (HashMap::new(), 0, Vec::new());
        let mut reader = BufReader::new(&file);
        loop {
            text.clear();
            let length = reader.read_until(b'\n', &mut text)? as u64;
            if length == 0 {
                break;
            }
            if let Ok(Line { index }) = serde_json::from_slice(&text) {
                lines.insert(index, (offset, length));
            }
            offset += length;
        }
        Ok(Self { file, lines })
    }
}
