//! File formats: JSON Lines, CSV and Parquet, and their compression, by the suffix of a name.
//!
//! A batch reads JSON Lines by offset, and records JSON Lines. The other formats are conversions at
//! these two edges: of the inputs before the batch begins, of the results once it has ended.

pub(crate) mod columns;
pub(crate) mod csv;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod table;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// Number of bytes that are read or written at a time.
const BUFFER: usize = 256 * 1024;

/// Format of a file of inputs or results.
///
/// ```
/// use std::path::Path;
///
/// use podqueue_batch::FileFormat;
///
/// assert!(FileFormat::of(Path::new("prompts.jsonl"))?.is_json_lines());
/// assert!(!FileFormat::of(Path::new("prompts.csv"))?.is_json_lines());
/// # Ok::<(), podqueue_batch::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFormat {
    pub(crate) content: Content,
    pub(crate) compression: Compression,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    JsonLines,
    Csv,
    Parquet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl FileFormat {
    /// The format by the suffix of the name: `.csv` or `.parquet`, and JSON Lines for any other;
    /// `.gz` or `.zst` after `.csv` or any other but `.parquet` for its compression.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] if the feature of the format is off, `parquet` or `compression`; or
    /// for a compressed Parquet file, which is compressed within.
    pub fn of(path: &Path) -> Result<Self> {
        let (stem, compression) = match suffix(path).as_deref() {
            Some("gz") => (path.with_extension(""), Compression::Gzip),
            Some("zst") => (path.with_extension(""), Compression::Zstd),
            _ => (path.to_owned(), Compression::None),
        };
        let content = match suffix(&stem).as_deref() {
            Some("csv") => Content::Csv,
            Some("parquet") => Content::Parquet,
            _ => Content::JsonLines,
        };
        let format = Self { content, compression };
        let refused =
            |why: &str| Err(Error::new(ErrorKind::Settings, format!("{} {why}", path.display())));
        match format {
            Self { content: Content::Parquet, .. } if cfg!(not(feature = "parquet")) => {
                refused("needs a build with the feature `parquet`")
            }
            Self {
                content: Content::Parquet,
                compression: Compression::Gzip | Compression::Zstd,
            } => refused(
                "is a compressed Parquet file, which is compressed within: decompress it, and name it .parquet",
            ),
            Self { compression: Compression::Gzip | Compression::Zstd, .. }
                if cfg!(not(feature = "compression")) =>
            {
                refused("needs a build with the feature `compression`")
            }
            format => Ok(format),
        }
    }

    /// Returns true if the file is read and written as it is: JSON Lines without compression.
    #[must_use]
    pub fn is_json_lines(self) -> bool {
        self == Self { content: Content::JsonLines, compression: Compression::None }
    }

    /// Returns true if the file has rows and columns: CSV or Parquet.
    #[must_use]
    pub fn is_table(self) -> bool {
        self.content != Content::JsonLines
    }
}

fn suffix(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// The decompressed content of a file.
pub(crate) fn reader(file: File, compression: Compression) -> io::Result<Box<dyn BufRead>> {
    let file = BufReader::with_capacity(BUFFER, file);
    match compression {
        Compression::None => Ok(Box::new(file)),
        #[cfg(feature = "compression")]
        Compression::Gzip => Ok(buffered(flate2::bufread::MultiGzDecoder::new(file))),
        #[cfg(feature = "compression")]
        Compression::Zstd => Ok(buffered(zstd::Decoder::with_buffer(file)?)),
        #[cfg(not(feature = "compression"))]
        Compression::Gzip | Compression::Zstd => Err(io::ErrorKind::Unsupported.into()),
    }
}

#[cfg(feature = "compression")]
fn buffered(decompressed: impl io::Read + 'static) -> Box<dyn BufRead> {
    Box::new(BufReader::with_capacity(BUFFER, decompressed))
}

/// Compresses what is written.
pub(crate) enum Compressor<W: Write> {
    None(W),
    #[cfg(feature = "compression")]
    Gzip(flate2::write::GzEncoder<W>),
    #[cfg(feature = "compression")]
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Compressor<W> {
    pub(crate) fn new(to: W, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::None(to),
            #[cfg(feature = "compression")]
            Compression::Gzip => {
                Self::Gzip(flate2::write::GzEncoder::new(to, flate2::Compression::default()))
            }
            #[cfg(feature = "compression")]
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(to, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Self::Zstd(encoder)
            }
            #[cfg(not(feature = "compression"))]
            Compression::Gzip | Compression::Zstd => return Err(io::ErrorKind::Unsupported.into()),
        })
    }

    /// Writes the end of the compressed content.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self {
            Self::None(to) => Ok(to),
            #[cfg(feature = "compression")]
            Self::Gzip(encoder) => encoder.finish(),
            #[cfg(feature = "compression")]
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::None(to) => to.write(bytes),
            #[cfg(feature = "compression")]
            Self::Gzip(encoder) => encoder.write(bytes),
            #[cfg(feature = "compression")]
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(to) => to.flush(),
            #[cfg(feature = "compression")]
            Self::Gzip(encoder) => encoder.flush(),
            #[cfg(feature = "compression")]
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

/// Failure of a conversion: of a file, or for what is wrong with the content, which completes a
/// sentence that begins with the file.
#[derive(Debug)]
pub(crate) enum Failure {
    Read(io::Error),
    Write(io::Error),
    Content(String),
}

impl Failure {
    pub(crate) fn content(text: impl fmt::Display) -> Self {
        Self::Content(text.to_string())
    }
}

/// The first characters of a value, quoted, for an error.
pub(crate) fn shown(value: &str) -> String {
    const SHOWN: usize = 40;
    match value.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{:?}…", &value[..at]),
        None => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests;
