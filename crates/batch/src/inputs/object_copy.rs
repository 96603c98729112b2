//! Copy of an object: the inputs of a batch, in a folder next to its results.
//!
//! The name of the copy stands for the URL and the version of the object, so a copy never mixes two
//! versions. It is written by ranges to a file of its own name, and gets its name once it is whole
//! and durable: an interrupted copy continues at its last range. From then on, the copy is a file of
//! inputs like any other, and the object is only asked for its version.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, sync_folder, with_suffix};
use crate::storage::{Object, Version, changed};
use crate::store::Store;

/// Name of the note of the object.
const NOTE: &str = "object";

/// Number of bytes that are read at a time, and written durably.
const RANGE: u64 = 8 * 1024 * 1024;

/// The object that the inputs were copied from.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ObjectRecord {
    url: String,
    etag: String,
}

/// The writer of a copy, on a thread that may block.
pub(crate) struct ObjectCopy {
    record: ObjectRecord,
    size: u64,
    path: PathBuf,
    begin: oneshot::Sender<u64>,
    ranges: mpsc::Receiver<Result<Bytes>>,
}

/// The reader of the object, in the caller's task.
pub(crate) struct ObjectReader {
    object: Object,
    version: Version,
    begin: oneshot::Receiver<u64>,
    ranges: mpsc::Sender<Result<Bytes>>,
}

/// Finds the object, to copy it next to these results.
pub(crate) async fn find(object: Object, results: &Path) -> Result<(ObjectCopy, ObjectReader)> {
    let version = object.version().await?;
    if version.size == 0 {
        return Err(Error::new(ErrorKind::Inputs, format!("{} has no inputs", object.url())));
    }
    let url = object.url().to_owned();
    let record = ObjectRecord { url, etag: version.etag.clone() };
    let path = copies_of(results).join(record.file_name());
    let (begin, begun) = oneshot::channel();
    let (to, ranges) = mpsc::channel(1);
    let copy = ObjectCopy { record, size: version.size, path, begin, ranges };
    Ok((copy, ObjectReader { object, version, begin: begun, ranges: to }))
}

/// The folder of copies, next to the results.
fn copies_of(results: &Path) -> PathBuf {
    with_suffix(results, ".inputs")
}

impl ObjectRecord {
    fn file_name(&self) -> String {
        let hash = blake3::hash(format!("{}\n{}", self.url, self.etag).as_bytes());
        format!("{}.jsonl", &hash.to_hex()[..16])
    }

    fn read(store: &mut dyn Store) -> Result<Option<Self>> {
        // A record that cannot be parsed is of another version of this crate.
        Ok(store.note(NOTE)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Records that the inputs are from this object.
    pub(crate) fn record(&self, store: &mut dyn Store) -> Result<()> {
        if Self::read(store)?.as_ref() == Some(self) {
            return Ok(());
        }
        let text = serde_json::to_string(self).unwrap_or_default();
        store.add(&[], &[(NOTE, text)])
    }
}

impl ObjectReader {
    /// Reads the object from where its copy ends, as far as the copy is written.
    pub(crate) async fn read(self) {
        let Ok(mut at) = self.begin.await else { return };
        while at < self.version.size {
            let end = (at + RANGE).min(self.version.size);
            let range = self.object.read(&self.version, at..end).await;
            let has_failed = range.is_err();
            // Ends early if the receiver was dropped.
            if self.ranges.send(range).await.is_err() || has_failed {
                return;
            }
            at = end;
        }
    }
}

impl ObjectCopy {
    /// Completes the copy, and returns its path, and the object to record. The object must be the
    /// one that the journal knows, unless its inputs may change.
    pub(crate) fn complete(
        self,
        store: &mut dyn Store,
        may_change: bool,
    ) -> Result<(PathBuf, ObjectRecord)> {
        if let Some(known) = ObjectRecord::read(store)?
            && known.url == self.record.url
            && known.etag != self.record.etag
            && !may_change
        {
            return Err(changed(&known.url, "since the batch began"));
        }
        let Self { record, size, path, begin, ranges } = self;
        if !path.exists() {
            copy(&record.url, size, &path, begin, ranges)?;
        }
        Ok((path, record))
    }
}

/// Writes the copy of an object of this size, from where an earlier copy was interrupted.
fn copy(
    url: &str,
    size: u64,
    path: &Path,
    begin: oneshot::Sender<u64>,
    mut ranges: mpsc::Receiver<Result<Bytes>>,
) -> Result<()> {
    let part = with_suffix(path, ".part");
    let failed = |error| Error::file(ErrorKind::Inputs, "write", &part, error);
    let mut file = open(&part).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len().min(size);
    // The last range may not be durable.
    let mut at = length.saturating_sub(1) / RANGE * RANGE;
    file.set_len(at).and_then(|()| file.seek(SeekFrom::Start(at))).map_err(failed)?;
    let _ = begin.send(at);
    while at < size {
        let Some(range) = ranges.blocking_recv() else {
            // The caller has dropped the future.
            let message = format!("{url} was not copied to its end");
            return Err(Error::new(ErrorKind::Inputs, message));
        };
        let range = range.inspect_err(|error| {
            if error.kind() == ErrorKind::InputsChanged {
                // This version can never be completed.
                let _ = fs::remove_file(&part);
            }
        })?;
        file.write_all(&range).and_then(|()| file.sync_data()).map_err(failed)?;
        at += range.len() as u64;
    }
    file.sync_all()
        .and_then(|()| fs::rename(&part, path))
        .and_then(|()| sync_folder(path))
        .map_err(failed)
}

fn open(part: &Path) -> io::Result<File> {
    if let Some(folder) = part.parent() {
        fs::create_dir_all(folder)?;
        sync_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    private(&mut options);
    options.open(part)
}
