//! Export: the results of all processes of a batch, in the order of the inputs.
//!
//! Results are recorded as JSON Lines only ([`line`](super::line)); another format is a conversion
//! of these.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::line::each_line;
use crate::error::{Error, ErrorKind, Result};

/// Merges the committed prefix of each file into `to`, in the order of the inputs; returns the
/// number of lines.
pub(crate) fn export(results: &[(PathBuf, u64)], to: &mut dyn Write) -> Result<u64> {
    let mut lines = ResultLines::find(results)?;
    let mut to = BufWriter::new(to);
    for line in 0..lines.spans.len() {
        lines.copy(line, &mut to)?;
    }
    let to_the_end = to.flush();
    to_the_end.map_err(|error| {
        let message = format!("could not export the results: {error}");
        Error::new(ErrorKind::Results, message).with_source(error)
    })?;
    Ok(lines.spans.len() as u64)
}

/// The committed lines of all processes, by input.
pub(crate) struct ResultLines {
    files: Vec<(PathBuf, File)>,
    spans: Vec<LineSpan>,
}

/// Span of the line of an input.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct LineSpan {
    index: u64,
    /// The number of the file.
    file: usize,
    offset: u64,
    length: u64,
}

impl ResultLines {
    /// Finds the lines in the committed prefix of each file.
    pub(crate) fn find(results: &[(PathBuf, u64)]) -> Result<Self> {
        let (mut spans, mut files) = (Vec::new(), Vec::new());
        // A process that collected nothing may have its file on another machine.
        let with_lines = results.iter().filter(|(_, length)| *length > 0);
        for (number, (path, length)) in with_lines.enumerate() {
            let mut offset = 0;
            each_line(path, *length, |line, text| {
                let length = text.len() as u64;
                spans.push(LineSpan { index: line.index, file: number, offset, length });
                offset += length;
                Ok(())
            })?;
            let file = File::open(path).map_err(|error| failed(path, error))?;
            files.push((path.clone(), file));
        }
        spans.sort_unstable();
        Ok(Self { files, spans })
    }

    /// The line of an input, if it has one.
    #[cfg(feature = "serve")]
    pub(crate) fn of(&mut self, index: u64) -> Result<Option<Vec<u8>>> {
        let Ok(line) = self.spans.binary_search_by_key(&index, |place| place.index) else {
            return Ok(None);
        };
        let mut text = Vec::new();
        self.copy(line, &mut text)?;
        Ok(Some(text))
    }

    fn copy(&mut self, line: usize, to: &mut impl Write) -> Result<()> {
        let Some(place) = self.spans.get(line) else { return Ok(()) };
        let (path, file) = &mut self.files[place.file];
        file.seek(SeekFrom::Start(place.offset))
            .and_then(|_| io::copy(&mut Read::by_ref(file).take(place.length), to))
            .map(drop)
            .map_err(|error| failed(path, error))
    }
}

fn failed(path: &Path, error: io::Error) -> Error {
    Error::file(ErrorKind::Results, "export the results", path, error)
}
