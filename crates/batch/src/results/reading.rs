//! Reading the results, line by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
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
