//! The lines of a file.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::Path;

use super::super::lines::Lines;
use super::super::source::modified;
use super::super::texts::{changed, missing};
use super::super::{FileRecord, Shape, SourceRecord};
use super::unfinished::Unfinished;
use super::{ChangedInputs, Index};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Place, Store};

/// How much of the file is read at a time.
const BUFFER: usize = 256 * 1024;

/// Indexes a file. Where the journal knows it, the lines that it knows must be the same.
pub(crate) fn index(
    store: &mut dyn Store,
    path: &Path,
    shape: Shape,
    known: Option<SourceRecord>,
    may_change: bool,
) -> Result<(SourceRecord, ChangedInputs)> {
    let path = std::path::absolute(path)
        .map_err(|error| Error::file(ErrorKind::Inputs, "find", path, error))?;
    let record = known.unwrap_or(SourceRecord::new(shape));
    read(store, &path, record, To::Compare { may_change })
}

/// Indexes the complete lines that have been appended to the file since.
pub(crate) fn grow(store: &mut dyn Store, known: &SourceRecord) -> Result<SourceRecord> {
    match &known.file {
        Some(file) => read(store, &file.path, known.clone(), To::Grow).map(|(record, _)| record),
        None if known.is_partial => Err(Error::new(
            ErrorKind::Inputs,
            "the inputs were not copied to their end, because the process that did so ended before: pass them again when the batch is opened",
        )),
        None => Ok(known.clone()),
    }
}

/// Why a file is read.
enum To {
    /// To index all of it, and to compare it with what is indexed.
    Compare { may_change: bool },
    /// To index what was appended.
    Grow,
}

/// Indexes a file to its end, or only what was appended to it.
fn read(
    store: &mut dyn Store,
    path: &Path,
    record: SourceRecord,
    to: To,
) -> Result<(SourceRecord, ChangedInputs)> {
    let (to_the_end, may_change) = match to {
        To::Compare { may_change } => (true, may_change),
        To::Grow => (false, false),
    };
    let failed = |error| Error::file(ErrorKind::Inputs, "read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    let was = record.file.as_ref();
    if was.is_some_and(|was| was.is_untouched(&found) && was.path == *path) {
        return Ok((record, ChangedInputs::default()));
    }
    let unfinished = match was {
        Some(was) => Unfinished::find(store, &mut file, was, record.inputs, path)?,
        None => None,
    };
    if !to_the_end && unfinished.as_ref().is_some_and(|it| it.is_intent) {
        // What becomes of it shows before the next time.
        return Ok((record, ChangedInputs::default()));
    }
    // Lines are checked again when they are read, so that appended ones can be added without
    // reading all others; unless these have to be compared with them.
    let mut rest_of = None;
    let (offset, lines, next) = match was {
        Some(was) if !to_the_end && !record.shape.compares() => match &unfinished {
            Some(last) => (last.offset, last.line - 1, last.index),
            None if was.ends_in_line(&mut file).map_err(failed)? => {
                rest_of = Some(was.lines);
                (was.length, was.lines - 1, record.inputs)
            }
            None => (was.length, was.lines, record.inputs),
        },
        _ => (0, 0, 0),
    };
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut lines = Lines::new(BufReader::with_capacity(BUFFER, file), offset, lines);
    let mut index = Index::new(store, record, next, may_change);
    let finished = index.record.inputs - u64::from(unfinished.is_some());
    index.unfinished = unfinished;
    let so_far = |(length, lines), modified| {
        Some(FileRecord { path: path.to_owned(), length, lines, modified })
    };
    loop {
        let before = (lines.offset, lines.number);
        index.flush_if_full(|| so_far(before, None))?;
        let Some(line) = lines.next().map_err(failed)? else { break };
        if rest_of == Some(line.number) {
            // It was submitted as it was before.
            return Err(changed(path, line.number));
        }
        if !to_the_end && !line.is_complete && index.next >= finished {
            // Somebody is writing it.
            if !index.lacks_some() {
                index.flush(so_far(before, None))?;
            }
            return Ok((index.record, index.changed));
        }
        let place = Place::File { offset: line.offset, length: line.text.len() as u64 };
        let number = line.number;
        if !index.take(number, line.text, place)? {
            return Err(changed(path, number));
        }
    }
    if index.lacks_some() {
        return Err(missing(path, index.next, index.record.inputs));
    }
    index.flush(so_far((lines.offset, lines.number), modified(&found)))?;
    Ok((index.record, index.changed))
}
