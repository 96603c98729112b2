//! Copy of an object, by ranges of one version of it.
//!
//! An interrupted copy continues at its last range.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, ErrorKind, Result};
use crate::files::{create_parent, keep_part, open_part, with_suffix};
use crate::storage::{Object, Version};

/// Number of bytes that are read at a time, and written durably.
const RANGE: u64 = 8 * 1024 * 1024;

/// The writer of a copy, on a thread that may block.
pub(crate) struct ObjectCopy {
    url: String,
    version: Version,
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

/// Finds the object, to copy it.
pub(crate) async fn find(object: Object) -> Result<(ObjectCopy, ObjectReader)> {
    let version = object.version().await?;
    if version.size == 0 {
        return Err(Error::new(ErrorKind::Inputs, format!("{} has no inputs", object.url())));
    }
    let url = object.url().to_owned();
    let (begin, begun) = oneshot::channel();
    let (to, ranges) = mpsc::channel(1);
    let copy = ObjectCopy { url, version: version.clone(), begin, ranges };
    Ok((copy, ObjectReader { object, version, begin: begun, ranges: to }))
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
    /// The URL and the ETag.
    pub(super) fn version(&self) -> (String, String) {
        (self.url.clone(), self.version.etag.clone())
    }

    /// Writes the copy, from where an earlier copy was interrupted.
    pub(super) fn write(self, path: &Path) -> Result<()> {
        let Self { url, version: Version { size, .. }, begin, mut ranges } = self;
        let part = with_suffix(path, ".part");
        // The source is not at fault.
        let failed = |error| Error::file(ErrorKind::Results, "write", &part, error);
        let opened = create_parent(&part).and_then(|()| open_part(&part));
        let mut file = opened.map_err(failed)?;
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
        keep_part(&file, &part, path).map_err(failed)
    }
}
