//! Reading the results, line by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::line::Line;
use crate::error::{Error, ErrorKind, Result};

/// Passes on each line of the first `length` bytes of the results.
pub(crate) fn each_line(
    results: &Path,
    length: u64,
    mut take: impl FnMut(Line<'_>, &[u8]) -> Result<()>,
) -> Result<()> {
    let failed = |error| Error::file(ErrorKind::Results, "read the results", results, error);
    let mut reader = BufReader::new(File::open(results).map_err(failed)?).take(length);
    let mut text = Vec::new();
    loop {
        text.clear();
        if reader.read_until(b'\n', &mut text).map_err(failed)? == 0 {
            return Ok(());
        }
        let line = serde_json::from_slice(&text).map_err(|error| failed(io::Error::from(error)))?;
        take(line, &text)?;
    }
}

/// Passes on each line after the first `length` bytes of the results, and its length, as long as they
/// are taken. What cannot be read was not written to its end, and neither was what comes after it.
pub(super) fn each_uncommitted(
    results: &Path,
    length: u64,
    mut take: impl FnMut(Line<'_>, u64) -> Result<bool>,
) -> Result<()> {
    let failed = |error| Error::file(ErrorKind::Results, "read the results", results, error);
    let mut file = File::open(results).map_err(failed)?;
    file.seek(SeekFrom::Start(length)).map_err(failed)?;
    let (mut reader, mut text) = (BufReader::new(file), Vec::new());
    while reader.read_until(b'\n', &mut text).map_err(failed)? > 0 {
        let Ok(line) = serde_json::from_slice(&text) else { break };
        if !text.ends_with(b"\n") || !take(line, text.len() as u64)? {
            break;
        }
        text.clear();
    }
    Ok(())
}
