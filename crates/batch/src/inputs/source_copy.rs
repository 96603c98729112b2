//! Copy of a source: the inputs of a batch as a file of JSON Lines, in a folder next to its results,
//! where their source is an object or has another format.
//!
//! The name of the copy stands for the source, its version and the types of its columns, so a copy
//! never mixes two versions. It is written to a file of its own name, and gets its name once it is
//! whole and durable. From then on, the copy is a file of inputs like any other, and the source is
//! only asked for its version: the ETag of an object, the digest of a file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::conversion::{Conversion, Interrupted};
#[cfg(feature = "object-storage")]
use super::object_copy::ObjectCopy;
use super::source::{SourceRecord, modified, source_changed};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{create_parent, keep_part, open_part, with_suffix};
use crate::formats::columns::Column;
use crate::store::Store;

/// Name of the note of the source.
const NOTE: &str = "object";

/// The version of the source that the inputs were copied from.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceVersion {
    /// The URL of an object, the path of a file.
    url: String,
    etag: String,
    /// The given types of columns, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    types: Option<String>,
    /// Of a file, its length and the time of its last change: without another, its digest is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    touched: Option<(u64, u64)>,
}

/// A source to copy.
pub(crate) enum SourceCopy {
    File {
        path: PathBuf,
        folder: PathBuf,
        conversion: Conversion,
    },
    #[cfg(feature = "object-storage")]
    Object {
        copy: ObjectCopy,
        folder: PathBuf,
        conversion: Option<Conversion>,
    },
}

/// A copy that is whole.
pub(crate) struct CompleteCopy {
    pub(crate) path: PathBuf,
    pub(crate) version: SourceVersion,
    /// The columns, if the source was converted now and is CSV.
    pub(crate) columns: Vec<Column>,
}

/// The folder of copies, next to the results.
fn copies_of(results: &Path) -> PathBuf {
    with_suffix(results, ".inputs")
}

impl SourceVersion {
    fn new(url: String, etag: String, conversion: Option<&Conversion>) -> Self {
        let types = conversion.and_then(|conversion| conversion.types.canonical());
        Self { url, etag, types, touched: None }
    }

    fn read(store: &mut dyn Store) -> Result<Option<Self>> {
        // A record that cannot be parsed is of another version of this crate.
        Ok(store.note(NOTE)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Records that the inputs are from this version.
    pub(crate) fn record(&self, store: &mut dyn Store) -> Result<()> {
        if Self::read(store)?.as_ref() == Some(self) {
            return Ok(());
        }
        let text = serde_json::to_string(self).unwrap_or_default();
        store.add(&[], &[(NOTE, text)])
    }

    /// The version of a file, which is only read if it was touched since the known version.
    fn of_file(path: &Path, conversion: &Conversion, known: Option<&Self>) -> Result<Self> {
        let failed = |error| Error::file(ErrorKind::Inputs, "read the inputs", path, error);
        let found = std::path::absolute(path).map_err(failed)?;
        let touched = touched(path).map_err(failed)?;
        let mut version =
            Self::new(found.to_string_lossy().into_owned(), String::new(), Some(conversion));
        let is_known = |known: &&Self| known.url == version.url && known.touched == touched;
        version.etag = match known.filter(|_| touched.is_some()).filter(is_known) {
            Some(known) => known.etag.clone(),
            None => digest(path).map_err(failed)?,
        };
        version.touched = touched;
        Ok(version)
    }

    /// Refuses another version than the known one.
    fn require(&self, known: Option<&Self>) -> Result<()> {
        let Some(known) = known.filter(|known| known.url == self.url) else { return Ok(()) };
        if known.etag != self.etag {
            return Err(source_changed(&known.url, "since the batch began"));
        }
        if known.types != self.types {
            let message = format!(
                "the batch was begun with another schema of its inputs {}: use the same one; or new results and a new journal, which submit all inputs anew",
                self.url
            );
            return Err(Error::new(ErrorKind::Settings, message));
        }
        Ok(())
    }

    fn path(&self, folder: &Path, suffix: &str) -> PathBuf {
        let mut text = format!("{}\n{}", self.url, self.etag);
        if let Some(types) = &self.types {
            text.push('\n');
            text.push_str(types);
        }
        let hash = blake3::hash(text.as_bytes());
        folder.join(format!("{}{suffix}", &hash.to_hex()[..16]))
    }
}

/// The files that the inputs come from: the one that is indexed, and the one that it is a copy of.
pub(crate) fn source_files(store: &mut dyn Store) -> Result<Vec<PathBuf>> {
    let indexed = SourceRecord::read(store)?.and_then(|source| source.file).map(|file| file.path);
    let source = SourceVersion::read(store)?.map(|version| version.url);
    let source = source.filter(|url| !url.contains("://")).map(PathBuf::from);
    Ok(indexed.into_iter().chain(source).collect())
}

impl SourceCopy {
    /// The copy of a file.
    pub(crate) fn of_file(path: PathBuf, results: &Path, conversion: Conversion) -> Self {
        Self::File { path, folder: copies_of(results), conversion }
    }

    /// The copy of an object.
    #[cfg(feature = "object-storage")]
    pub(super) fn of_object(
        copy: ObjectCopy,
        results: &Path,
        conversion: Option<Conversion>,
    ) -> Self {
        Self::Object { copy, folder: copies_of(results), conversion }
    }

    /// Converts the source, and discards the inputs, so that a file that cannot be converted is
    /// refused before anything is created. The content of an object is not known here.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::File { path, conversion, .. } => match conversion.write(path, &mut io::sink()) {
                Err(Interrupted::Source(error)) => Err(error),
                Ok(_) | Err(Interrupted::Write(_)) => Ok(()),
            },
            #[cfg(feature = "object-storage")]
            Self::Object { .. } => Ok(()),
        }
    }

    /// Completes the copy. The source must be the version that the journal knows, unless its inputs
    /// may change.
    pub(crate) fn complete(self, store: &mut dyn Store, may_change: bool) -> Result<CompleteCopy> {
        let known = SourceVersion::read(store)?;
        let require = |version: &SourceVersion| match may_change {
            true => Ok(()),
            false => version.require(known.as_ref()),
        };
        match self {
            Self::File { path: source, folder, conversion } => {
                let version = SourceVersion::of_file(&source, &conversion, known.as_ref())?;
                require(&version)?;
                let path = version.path(&folder, ".jsonl");
                let columns = match path.exists() {
                    true => Vec::new(),
                    false => convert(&conversion, &source, &path, || {
                        let now = touched(&source).ok().flatten();
                        match version.touched.is_some() && now != version.touched {
                            true => Err(source_changed(&version.url, "while it was converted")),
                            false => Ok(()),
                        }
                    })?,
                };
                Ok(CompleteCopy { path, version, columns })
            }
            #[cfg(feature = "object-storage")]
            Self::Object { copy, folder, conversion } => {
                let (url, etag) = copy.version();
                let version = SourceVersion::new(url, etag, conversion.as_ref());
                require(&version)?;
                let path = version.path(&folder, ".jsonl");
                let mut columns = Vec::new();
                match conversion {
                    _ if path.exists() => {}
                    None => copy.write(&path)?,
                    Some(conversion) => {
                        let source = version.path(&folder, ".source");
                        if !source.exists() {
                            copy.write(&source)?;
                        }
                        columns = convert(&conversion, &source, &path, || Ok(()))?;
                        let _ = fs::remove_file(&source);
                    }
                }
                Ok(CompleteCopy { path, version, columns })
            }
        }
    }
}

/// Converts a source to a copy, which gets its name if the source is `still` the same.
fn convert(
    conversion: &Conversion,
    source: &Path,
    path: &Path,
    still: impl FnOnce() -> Result<()>,
) -> Result<Vec<Column>> {
    let part = with_suffix(path, ".part");
    // The source is not at fault.
    let failed = |error| Error::file(ErrorKind::Results, "write", &part, error);
    let file = create_parent(&part).and_then(|()| open_part(&part)).map_err(failed)?;
    // An interrupted conversion begins anew.
    file.set_len(0).map_err(failed)?;
    let mut to = BufWriter::new(file);
    let converted = conversion.write(source, &mut to).map_err(|interrupted| match interrupted {
        Interrupted::Source(error) => error,
        Interrupted::Write(error) => failed(error),
    });
    let columns = converted.and_then(|columns| still().map(|()| columns)).inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })?;
    to.flush().and_then(|()| keep_part(to.get_ref(), &part, path)).map_err(failed)?;
    Ok(columns)
}

fn touched(path: &Path) -> io::Result<Option<(u64, u64)>> {
    let found = fs::metadata(path)?;
    Ok(modified(&found).map(|modified| (found.len(), modified)))
}

fn digest(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}
