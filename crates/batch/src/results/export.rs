//! Export: the results of all processes of a batch, in the order of the inputs.
//!
//! Results are recorded as JSON Lines only ([`line`](super::line)); another format is a conversion
//! of these ([`converted`](super::converted)).

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::line::each_line;
use crate::error::{Error, ErrorKind, Result};

/// Number of inputs whose lines are put in order at a time, 32 bytes each: the files are read once
/// for as many.
const WINDOW: u64 = 512 * 1024;

/// Merges the committed prefix of each file into `to`, in the order of the inputs; returns the
/// number of lines.
pub(crate) fn export(results: &[(PathBuf, u64)], to: &mut dyn Write) -> Result<u64> {
    let failed = |error: io::Error| {
        let message = format!("could not export the results: {error}");
        Error::new(ErrorKind::Results, message).with_source(error)
    };
    let mut to = BufWriter::new(to);
    let lines = each_ordered(results, |line| to.write_all(line).map_err(failed))?;
    to.flush().map_err(failed)?;
    Ok(lines)
}

/// Calls `take` with each line, and its line break, in the order of the inputs; returns their number.
pub(crate) fn each_ordered(
    results: &[(PathBuf, u64)],
    take: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    each_in_windows(results, WINDOW, take)
}

fn each_in_windows(
    results: &[(PathBuf, u64)],
    window: u64,
    mut take: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let (mut taken, mut from, mut text) = (0, 0, Vec::new());
    loop {
        let mut lines = ResultLines::within(results, from..from.saturating_add(window))?;
        for line in 0..lines.spans.len() {
            text.clear();
            lines.copy(line, &mut text)?;
            take(&text)?;
        }
        taken += lines.spans.len() as u64;
        match lines.next {
            Some(next) => from = next,
            None => return Ok(taken),
        }
    }
}

/// The committed lines of all processes, by input.
pub(crate) struct ResultLines {
    files: Vec<(PathBuf, File)>,
    spans: Vec<LineSpan>,
    /// The first input after these that has a line.
    next: Option<u64>,
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
    #[cfg(feature = "serve")]
    pub(crate) fn find(results: &[(PathBuf, u64)]) -> Result<Self> {
        Self::within(results, 0..u64::MAX)
    }

    /// Finds the lines of these inputs.
    fn within(results: &[(PathBuf, u64)], inputs: Range<u64>) -> Result<Self> {
        let (mut spans, mut files, mut next) = (Vec::new(), Vec::new(), None::<u64>);
        // A process that collected nothing may have its file on another machine.
        let with_lines = results.iter().filter(|(_, length)| *length > 0);
        for (number, (path, length)) in with_lines.enumerate() {
            let mut offset = 0;
            each_line(path, *length, |line, text| {
                let (index, length) = (line.index, text.len() as u64);
                if inputs.contains(&index) {
                    spans.push(LineSpan { index, file: number, offset, length });
                } else if index >= inputs.end {
                    next = Some(next.map_or(index, |next| next.min(index)));
                }
                offset += length;
                Ok(())
            })?;
            let file = File::open(path).map_err(|error| failed(path, error))?;
            files.push((path.clone(), file));
        }
        spans.sort_unstable();
        Ok(Self { files, spans, next })
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lines_are_in_order_whatever_the_window_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut random = fastrand::Rng::with_seed(7);
        // With gaps, which are as long as some windows.
        let mut indexes: Vec<u64> = (0..200).filter(|n| n % 50 < 20).collect();
        random.shuffle(&mut indexes);
        let line = |index: &u64| {
            format!(
                "{{\"index\":{index},\"status\":\"COMPLETED\",\"job_id\":\"{index}\",\"delay_ms\":null,\"execution_ms\":null}}\n"
            )
        };
        let (left, right) = indexes.split_at(30);
        let results = [left, right].map(|part| {
            let text: String = part.iter().map(line).collect();
            let path = folder.path().join(part.len().to_string());
            fs::write(&path, &text).expect("a file");
            (path, text.len() as u64)
        });
        indexes.sort_unstable();
        let expected: String = indexes.iter().map(line).collect();
        for window in [1, 3, 20, 199, 200, u64::MAX] {
            let mut found = Vec::new();
            let taken = each_in_windows(&results, window, |line| {
                found.extend_from_slice(line);
                Ok(())
            });
            assert_eq!(taken.expect("results"), indexes.len() as u64);
            assert!(found == expected.as_bytes(), "{window}");
        }
    }
}
