//! Converted results: the results of a batch in another file format.
//!
//! They are written to a file beside, which takes its name once it is whole and durable.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::export::{each_ordered, export};
use super::line::each_line;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{is_in_place, is_same_file, keep_part, open_part, with_suffix};
use crate::formats::columns::{Column, ColumnTypes};
#[cfg(feature = "parquet")]
use crate::formats::parquet::ParquetSink;
use crate::formats::table::{CsvSink, Sink, Table};
use crate::formats::{Compressor, Content, Failure, FileFormat};

/// Members of a result, in the order of their columns.
const MEMBERS: &[&str] =
    &["index", "key", "status", "job_id", "output", "output_file", "delay_ms", "execution_ms"];

/// Number of bytes that are written at a time.
const BUFFER: usize = 256 * 1024;

/// Result of [`Reader::export_to`](crate::Reader::export_to).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// Number of results.
    pub results: u64,
    /// The columns of a table.
    pub columns: Vec<Column>,
}

/// Writes the committed prefix of each file to another file, of the format of its name, which must be
/// neither of them nor of the inputs.
pub(crate) fn export_to(
    results: &[(PathBuf, u64)],
    inputs: &[PathBuf],
    out: &Path,
    types: &ColumnTypes,
) -> Result<Exported> {
    let format = FileFormat::of(out)?;
    if format.content == Content::JsonLines && !types.is_empty() {
        let message =
            format!("{} is JSON Lines, which have no columns: pass no schema", out.display());
        return Err(Error::new(ErrorKind::Settings, message));
    }
    // The file behind a link is written, and not the link.
    let out = &real_path(out);
    check_replaceable(results, inputs, out)?;
    let failed = |error| Error::file(ErrorKind::Results, "write", out, error);
    let part = with_suffix(out, ".part");
    let file = open(&part).map_err(failed)?.ok_or_else(|| {
        let message = format!("another process writes {} now: wait for its end", out.display());
        Error::new(ErrorKind::InUse, message)
    })?;
    let written = write(results, format, types, BufWriter::with_capacity(BUFFER, file));
    let kept = written.map_err(|failure| match failure {
        Conversion::Of(error) => error,
        Conversion::Failed(Failure::Read(error) | Failure::Write(error)) => failed(error),
        Conversion::Failed(Failure::Content(what)) => {
            let link = if what.starts_with("row ") { ": " } else { " " };
            let message = format!("could not write {}: the table{link}{what}", out.display());
            Error::new(ErrorKind::Results, message)
        }
    });
    let kept = kept.and_then(|(exported, file)| {
        keep_part(&file, &part, out).map_err(failed)?;
        Ok(exported)
    });
    kept.inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}

/// The path of a file without links, also if the file does not exist yet.
fn real_path(path: &Path) -> PathBuf {
    let of_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(of_folder).unwrap_or_else(|| path.to_owned())
}

/// Refuses what a table must not replace: what is no file, and files of this batch or another one.
fn check_replaceable(results: &[(PathBuf, u64)], inputs: &[PathBuf], out: &Path) -> Result<()> {
    let refuse = |why: &str| {
        let message = format!("{} {why}: choose another", out.display());
        Err(Error::new(ErrorKind::Settings, message))
    };
    if fs::metadata(out).is_ok_and(|found| !found.is_file()) {
        return refuse("is not a regular file");
    }
    let is_same = |path: &PathBuf| match (fs::metadata(path), fs::metadata(out)) {
        (Ok(left), Ok(right)) => is_same_file(&left, &right),
        _ => false,
    };
    // Those beside the results have their name and a suffix: the journal, failures, the token.
    let is_beside = |path: &PathBuf| {
        let prefix = with_suffix(&real_path(path), ".");
        out.as_os_str().as_encoded_bytes().starts_with(prefix.as_os_str().as_encoded_bytes())
    };
    let mut files = results.iter().map(|(path, _)| path);
    if files.clone().chain(inputs).any(is_same) || files.any(is_beside) {
        return refuse("is a file of the batch itself");
    }
    let is_of_batch = |suffix| with_suffix(out, suffix).exists();
    if [".journal", ".writer"].into_iter().any(is_of_batch) {
        return refuse("has the results of another batch");
    }
    Ok(())
}

/// Opens and locks the file that becomes the table; `None` if another process has it.
fn open(part: &Path) -> io::Result<Option<File>> {
    let file = open_part(part)?;
    // The other process may have given it its name in between.
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !is_in_place(part, &file)? {
        return Ok(None);
    }
    file.set_len(0)?;
    Ok(Some(file))
}

/// The failure of a conversion, or an error of the results that are converted.
enum Conversion {
    Of(Error),
    Failed(Failure),
}

impl From<io::Error> for Conversion {
    fn from(error: io::Error) -> Self {
        Self::Failed(Failure::Write(error))
    }
}

impl From<Failure> for Conversion {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Error> for Conversion {
    fn from(error: Error) -> Self {
        Self::Of(error)
    }
}

fn write(
    results: &[(PathBuf, u64)],
    format: FileFormat,
    types: &ColumnTypes,
    to: BufWriter<File>,
) -> Result<(Exported, File), Conversion> {
    let finish = |to: BufWriter<File>| to.into_inner().map_err(io::IntoInnerError::into_error);
    if format.content == Content::JsonLines {
        let mut to = Compressor::new(to, format.compression)?;
        let results = export(results, &mut to)?;
        let exported = Exported { results, columns: Vec::new() };
        return Ok((exported, finish(to.finish()?)?));
    }
    let table = infer(results, types)?;
    let (rows, to) = match format.content {
        #[cfg(feature = "parquet")]
        Content::Parquet => {
            let mut sink = ParquetSink::new(to, &table)?;
            (write_rows(results, &table, &mut sink)?, sink.finish()?)
        }
        _ => {
            let mut sink = CsvSink::new(Compressor::new(to, format.compression)?, &table)?;
            (write_rows(results, &table, &mut sink)?, sink.into_inner().finish()?)
        }
    };
    Ok((Exported { results: rows, columns: table.columns() }, finish(to)?))
}

/// The columns of all lines.
fn infer(results: &[(PathBuf, u64)], types: &ColumnTypes) -> Result<Table, Conversion> {
    let mut table = Table::new(MEMBERS);
    for (path, length) in results.iter().filter(|(_, length)| *length > 0) {
        let mut failure = Ok(());
        each_line(path, *length, |_, text| {
            if failure.is_ok() {
                failure = row(text).and_then(|row| table.infer(row));
            }
            Ok(())
        })?;
        failure?;
    }
    table.give(types)?;
    Ok(table)
}

fn write_rows(
    results: &[(PathBuf, u64)],
    table: &Table,
    sink: &mut dyn Sink,
) -> Result<u64, Conversion> {
    let (mut failure, mut number) = (None, 0);
    let written = each_ordered(results, |line| {
        number += 1;
        let written = row(line).and_then(|row| table.write(number, row, sink));
        written.map_err(|error| {
            failure = Some(error);
            Error::new(ErrorKind::Results, "the table was not written to its end")
        })
    });
    match failure {
        Some(failure) => Err(failure.into()),
        None => Ok(written?),
    }
}

fn row(line: &[u8]) -> Result<&RawValue, Failure> {
    serde_json::from_slice(line)
        .map_err(|error| Failure::content(format!("has a result that is not valid JSON: {error}")))
}
