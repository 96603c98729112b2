//! Inputs of a batch: a file, an object of object storage, an iterator or a stream.

mod conversion;
mod indexing;
mod lines;
#[cfg(feature = "object-storage")]
mod object_copy;
mod parsed;
mod source;
mod source_copy;

pub use indexing::ChangedInputs;
pub(crate) use indexing::{copy, grow, index};
#[cfg(feature = "serve")]
pub(crate) use lines::Lines;
pub(crate) use lines::MAX_LINE_BYTES;
pub(crate) use parsed::Shape;
#[cfg(feature = "object-storage")]
pub(crate) use source::source_changed;
pub(crate) use source::{SourceRecord, Texts};
pub(crate) use source_copy::{SourceCopy, source_files};

use std::fmt;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use serde::Serialize;

use self::conversion::Conversion;
#[cfg(feature = "object-storage")]
pub(crate) use self::object_copy::ObjectReader;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FileFormat;
use crate::formats::columns::ColumnTypes;
#[cfg(feature = "object-storage")]
use crate::storage::Object;

/// The inputs of a batch, and their format.
///
/// Each input is a JSON object, which the worker's handler gets. Its index is its position, from
/// zero; blank lines of a file do not count. An input longer than 32 MiB is refused, regardless
/// of the client's payload limits.
///
/// A batch that is opened again may get its inputs again, or omit them. Passed again, they must
/// be the same: more may have been appended, but none changed or removed.
#[must_use = "inputs do nothing until a batch is opened with them"]
pub struct Inputs {
    pub(crate) source: Source,
    pub(crate) shape: Shape,
    types: ColumnTypes,
}

/// Inputs that are copied into the journal, as JSON.
pub(crate) type InputStream = Pin<Box<dyn Stream<Item = serde_json::Result<Vec<u8>>> + Send>>;

pub(crate) enum Source {
    Jsonl(PathBuf),
    /// A file of the format of its name.
    File(PathBuf),
    Stream(InputStream),
    #[cfg(feature = "object-storage")]
    Object(Object),
}

impl Inputs {
    /// The lines of a file, each a JSON value. The journal does not copy them: it records where
    /// each line is, and digests that tell if the file changes.
    pub fn jsonl(path: impl Into<PathBuf>) -> Self {
        Self::from_source(Source::Jsonl(path.into()))
    }

    /// The inputs of a file by the suffix of its name: see [`FileFormat::of`]. JSON Lines are read
    /// where they are, as by [`jsonl`](Self::jsonl). From any other format, they are converted once,
    /// to a file in the folder `….inputs` next to the results, which must be named; a file that has
    /// changed since is refused.
    ///
    /// Each row of a table is an input: an object with the row's values by column. A value that is
    /// null, and an empty cell without quotes, is left out; a cell in quotes is text. The types of
    /// the columns of a CSV file are inferred from all rows ([`Batch::columns`](crate::Batch::columns)),
    /// unless [`types`](Self::types) gives them. A Parquet file has its own: decimals, dates and times
    /// become text.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::from_source(Source::File(path.into()))
    }

    /// The inputs of an object, as those of a [`file`](Self::file) of its name. It is copied to the
    /// folder `….inputs` next to the results, which must be named; a copy that was interrupted
    /// continues. An object that has changed since is refused, like a file.
    #[cfg(feature = "object-storage")]
    pub fn object(object: Object) -> Self {
        Self::from_source(Source::Object(object))
    }

    /// Values that serialize as JSON objects. They are copied into the journal when it is opened.
    pub fn iter<I>(inputs: I) -> Self
    where
        I: IntoIterator<Item: Serialize, IntoIter: Send + 'static>,
    {
        Self::stream(futures_util::stream::iter(inputs))
    }

    /// Like [`iter`](Self::iter), for an asynchronous stream, which must end.
    pub fn stream<S>(inputs: S) -> Self
    where
        S: Stream<Item: Serialize> + Send + 'static,
    {
        let json = inputs.map(|input| serde_json::to_vec(&input));
        Self::from_source(Source::Stream(Box::pin(json)))
    }

    fn from_source(source: Source) -> Self {
        Self { source, shape: Shape::default(), types: ColumnTypes::default() }
    }

    /// Submits this member of each value instead of the whole value.
    pub fn input_field(mut self, name: impl Into<String>) -> Self {
        self.shape.input_field = Some(name.into());
        self
    }

    /// Copies this member of each value, its key, into the results and the failures. Keys are
    /// unique: a value without the member, or with the key of an earlier value, is refused.
    pub fn key_field(mut self, name: impl Into<String>) -> Self {
        self.shape.key_field = Some(name.into());
        self
    }

    /// Gives columns of a CSV file their types. Of a Parquet file, columns of text can be given the
    /// type [`Json`](crate::ColumnType::Json).
    pub fn types(mut self, types: ColumnTypes) -> Self {
        self.types = types;
        self
    }

    /// Submits equal inputs once: an input that is equal to an earlier input, apart from white
    /// space and the order of members, gets the earlier input's result. Needs 50 bytes of memory
    /// per input while the journal is made.
    pub fn dedupe(mut self) -> Self {
        self.shape.dedupe = true;
        self
    }

    /// Finds the inputs, next to these results where they are to be copied.
    pub(crate) async fn find(self, results: Option<&Path>) -> Result<FoundInputs> {
        let Self { source, shape, types } = self;
        let mut found = FoundInputs { shape, ..FoundInputs::default() };
        let copied_next_to = || results.ok_or_else(results_required);
        match source {
            Source::Jsonl(path) => found.path = Some(path),
            Source::Stream(values) => found.values = Some(values),
            Source::File(path) => {
                let format = FileFormat::of(&path)?;
                let conversion = Conversion { name: path.display().to_string(), format, types };
                conversion.check_types()?;
                if !format.is_json_lines() {
                    let results = copied_next_to()?;
                    found.copy = Some(SourceCopy::of_file(path.clone(), results, conversion));
                }
                found.path = Some(path);
            }
            #[cfg(feature = "object-storage")]
            Source::Object(object) => {
                let results = copied_next_to()?;
                let format = FileFormat::of(Path::new(object.file_name()))?;
                let conversion = Conversion { name: object.url().to_owned(), format, types };
                conversion.check_types()?;
                let (copy, reader) = object_copy::find(object).await?;
                let conversion = (!format.is_json_lines()).then_some(conversion);
                found.copy = Some(SourceCopy::of_object(copy, results, conversion));
                found.reader = Some(reader);
            }
        }
        Ok(found)
    }
}

/// Inputs whose source was found.
#[derive(Default)]
pub(crate) struct FoundInputs {
    pub(crate) shape: Shape,
    /// The file.
    pub(crate) path: Option<PathBuf>,
    /// The copy to be made, whose file takes the place of `path`.
    pub(crate) copy: Option<SourceCopy>,
    /// The reader of the object that is copied.
    #[cfg(feature = "object-storage")]
    pub(crate) reader: Option<ObjectReader>,
    pub(crate) values: Option<InputStream>,
}

/// The error of inputs that are copied, without results to copy them next to.
fn results_required() -> Error {
    let message = "the inputs are copied next to the results: say where the results go";
    Error::new(ErrorKind::Settings, message)
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match &self.source {
            Source::Jsonl(path) | Source::File(path) => path.display().to_string(),
            Source::Stream(_) => "values".to_owned(),
            #[cfg(feature = "object-storage")]
            Source::Object(object) => object.url().to_owned(),
        };
        f.debug_struct("Inputs").field("source", &source).field("shape", &self.shape).finish()
    }
}
