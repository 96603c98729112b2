//! Export: the results of all processes of a batch, in the order of the inputs.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::line::each_line;
use crate::error::{Error, ErrorKind, Result};

/// Merges the committed prefix of each file into `to`, in the order of the inputs; returns the
/// number of lines.
pub(crate) fn export(results: &[(PathBuf, u64)], to: &mut dyn Write) -> Result<u64> {
    let failed =
        |path: &Path, error| Error::file(ErrorKind::Results, "export the results", path, error);
    let (mut places, mut files) = (Vec::new(), Vec::new());
    // A process that collected nothing may have its file on another machine.
    let with_lines = results.iter().filter(|(_, length)| *length > 0);
    for (number, (path, length)) in with_lines.enumerate() {
        let mut offset = 0;
        each_line(path, *length, |line, text| {
            places.push((line.index, number, offset, text.len() as u64));
            offset += text.len() as u64;
            Ok(())
        })?;
        files.push((path, File::open(path).map_err(|error| failed(path, error))?));
    }
    places.sort_unstable();
    let mut to = BufWriter::new(to);
    for (_, number, offset, length) in &places {
        let (path, file) = &mut files[*number];
        file.seek(SeekFrom::Start(*offset))
            .and_then(|_| io::copy(&mut Read::by_ref(file).take(*length), &mut to))
            .map_err(|error| failed(path, error))?;
    }
    let to_the_end = to.flush();
    to_the_end.map_err(|error| {
        let message = format!("could not export the results: {error}");
        Error::new(ErrorKind::Results, message).with_source(error)
    })?;
    Ok(places.len() as u64)
}
