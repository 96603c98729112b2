//! Inputs of a batch: a JSONL file, an object of object storage, an iterator or a stream.

mod indexing;
mod lines;
#[cfg(feature = "object-storage")]
mod object_copy;
mod parsed;
mod source;

pub use indexing::ChangedInputs;
pub(crate) use indexing::{copy, grow, index};
pub(crate) use lines::LONGEST;
#[cfg(feature = "serve")]
pub(crate) use lines::Lines;
#[cfg(feature = "object-storage")]
pub(crate) use object_copy::find as find_object;
pub(crate) use parsed::Shape;
pub(crate) use source::{SourceRecord, Texts};

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use serde::Serialize;

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
}

/// Inputs that are copied into the journal, as JSON.
type InputStream = Pin<Box<dyn Stream<Item = serde_json::Result<Vec<u8>>> + Send>>;

pub(crate) enum Source {
    Jsonl(PathBuf),
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

    /// The lines of an object, as those of a file. It is copied to the folder `….inputs` next to the
    /// results, which must be named; a copy that was interrupted continues. An object that has
    /// changed since is refused, like a file.
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
        Self { source, shape: Shape::default() }
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

    /// Submits equal inputs once: an input that is equal to an earlier input, apart from white
    /// space and the order of members, gets the earlier input's result. Needs 50 bytes of memory
    /// per input while the journal is made.
    pub fn dedupe(mut self) -> Self {
        self.shape.dedupe = true;
        self
    }
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match &self.source {
            Source::Jsonl(path) => path.display().to_string(),
            Source::Stream(_) => "values".to_owned(),
            #[cfg(feature = "object-storage")]
            Source::Object(object) => object.url().to_owned(),
        };
        f.debug_struct("Inputs").field("source", &source).field("shape", &self.shape).finish()
    }
}
