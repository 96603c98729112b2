//! The results in the order of the inputs.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, ErrorKind, Result};

#[derive(Deserialize)]
struct Line {
    index: u64,
}

/// Writes the first `length` bytes of the results to `to`, ordered by the index. How many lines.
pub(crate) fn export(results: &Path, length: u64, to: &mut dyn Write) -> Result<u64> {
    let failed = |error| Error::file(ErrorKind::Results, "export the results", results, error);
    let mut file = File::open(results).map_err(failed)?;
    let mut places = Vec::new();
    let mut reader = BufReader::new(&file).take(length);
    let (mut line, mut offset) = (Vec::new(), 0_u64);
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(failed)? as u64;
        if read == 0 {
            break;
        }
        let Line { index } =
            serde_json::from_slice(&line).map_err(|error| failed(std::io::Error::from(error)))?;
        places.push((index, offset, read));
        offset += read;
    }
    places.sort_unstable();
    let mut to = BufWriter::new(to);
    for (_, offset, length) in &places {
        file.seek(SeekFrom::Start(*offset)).map_err(failed)?;
        std::io::copy(&mut Read::by_ref(&mut file).take(*length), &mut to).map_err(failed)?;
    }
    to.flush().map_err(failed)?;
    Ok(places.len() as u64)
}
