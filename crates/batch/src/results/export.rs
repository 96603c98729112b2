//! The results in the order of the inputs.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::reading::each_line;
use crate::error::{Error, ErrorKind, Result};

/// Writes the first `length` bytes of the results to `to`, ordered by the index. How many lines.
pub(crate) fn export(results: &Path, length: u64, to: &mut dyn Write) -> Result<u64> {
    let failed = |error| Error::file(ErrorKind::Results, "export the results", results, error);
    let (mut places, mut offset) = (Vec::new(), 0);
    each_line(results, length, |line, text| {
        places.push((line.index, offset, text.len() as u64));
        offset += text.len() as u64;
        Ok(())
    })?;
    places.sort_unstable();
    let mut file = File::open(results).map_err(failed)?;
    let mut to = BufWriter::new(to);
    for (_, offset, length) in &places {
        file.seek(SeekFrom::Start(*offset)).map_err(failed)?;
        std::io::copy(&mut Read::by_ref(&mut file).take(*length), &mut to).map_err(failed)?;
    }
    to.flush().map_err(failed)?;
    Ok(places.len() as u64)
}
