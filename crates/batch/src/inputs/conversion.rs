//! Conversion: inputs of another format as JSON Lines.
//!
//! A file is read from its beginning, once to infer the types of its columns if it is CSV, and once
//! to write the lines: memory does not grow with it.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::formats::columns::{Column, ColumnTypes};
use crate::formats::{Compression, Content, Failure, FileFormat, csv, reader};

/// Conversion of a file, under the name that errors have for it.
#[derive(Clone, Debug)]
pub(crate) struct Conversion {
    pub(crate) name: String,
    pub(crate) format: FileFormat,
    pub(crate) types: ColumnTypes,
}

impl Conversion {
    /// Refuses types where a format has none.
    pub(crate) fn check_types(&self) -> Result<()> {
        if self.types.is_empty() || self.format.content != Content::JsonLines {
            return Ok(());
        }
        let message = format!("{} is JSON Lines, which have no columns: pass no schema", self.name);
        Err(Error::new(ErrorKind::Settings, message))
    }

    /// Writes the inputs of a file as JSON Lines, and returns the columns of a CSV file.
    pub(crate) fn write(
        &self,
        path: &Path,
        to: &mut dyn Write,
    ) -> Result<Vec<Column>, Interrupted> {
        let mut to = NonBlank { to, is_blank: true };
        let converted = self.convert(path, &mut to).and_then(|columns| match to.is_blank {
            true => Err(Failure::content("has no inputs")),
            false => Ok(columns),
        });
        converted.map_err(|failure| match failure {
            Failure::Write(error) => Interrupted::Write(error),
            Failure::Content(what) => Interrupted::Source(self.refused(&what)),
            Failure::Read(error) => Interrupted::Source(self.unreadable(path, error)),
        })
    }

    fn convert(&self, path: &Path, to: &mut dyn Write) -> Result<Vec<Column>, Failure> {
        let mut file = File::open(path).map_err(Failure::Read)?;
        let compression = self.format.compression;
        match self.format.content {
            Content::JsonLines => {
                let mut content = reader(file, compression).map_err(Failure::Read)?;
                copy(&mut content, to)?;
                Ok(Vec::new())
            }
            Content::Csv => {
                let open = |file| reader(file, compression).map_err(Failure::Read);
                let columns =
                    csv::infer(open(file.try_clone().map_err(Failure::Read)?)?, &self.types)?;
                file.rewind().map_err(Failure::Read)?;
                csv::to_json_lines(open(file)?, &columns, to)?;
                Ok(columns)
            }
            #[cfg(feature = "parquet")]
            Content::Parquet => {
                crate::formats::parquet::to_json_lines(file, &self.types, to)?;
                Ok(Vec::new())
            }
            #[cfg(not(feature = "parquet"))]
            Content::Parquet => Err(Failure::content("needs the feature `parquet`")),
        }
    }

    fn refused(&self, what: &str) -> Error {
        let link = if what.starts_with("row ") { ":" } else { "" };
        Error::new(ErrorKind::Inputs, format!("{}{link} {what}", self.name))
    }

    fn unreadable(&self, path: &Path, error: io::Error) -> Error {
        if self.format.compression == Compression::None {
            return Error::file(ErrorKind::Inputs, "read the inputs", path, error);
        }
        let message = format!(
            "could not decompress {}: {error}: it is cut off, damaged, or compressed otherwise than its name says",
            self.name
        );
        Error::new(ErrorKind::Inputs, message).with_source(error)
    }
}

/// Notes whether anything but white space is written.
struct NonBlank<'a> {
    to: &'a mut dyn Write,
    is_blank: bool,
}

impl Write for NonBlank<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_blank &= bytes.trim_ascii().is_empty();
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The end of a conversion before its time.
pub(crate) enum Interrupted {
    /// The source is at fault.
    Source(Error),
    /// The destination is.
    Write(io::Error),
}

/// Copies a content; errors of the two ends differ.
fn copy(from: &mut dyn io::BufRead, to: &mut dyn Write) -> Result<(), Failure> {
    loop {
        let bytes = from.fill_buf().map_err(Failure::Read)?;
        if bytes.is_empty() {
            return Ok(());
        }
        to.write_all(bytes).map_err(Failure::Write)?;
        let length = bytes.len();
        from.consume(length);
    }
}
