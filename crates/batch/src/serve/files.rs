//! Files: uploads, and the outputs of batches. Each is a folder with its content and its record,
//! which appears once both are durable.

use std::io;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncWriteExt, BufWriter};

use super::api::types::File;
use super::durable::{self, NewFolder};
use super::ids;

/// The name of the content in the folder of a file.
pub(super) const CONTENT: &str = "content";

const RECORD: &str = "file.json";

/// The purpose of an input file.
pub(super) const INPUT: &str = "batch";

/// The purpose of an output file.
pub(super) const OUTPUT: &str = "batch_output";

/// Lifetimes of files that are accepted, in seconds.
pub(super) const LIFETIMES: std::ops::RangeInclusive<u64> = 3_600..=2_592_000;

/// Limits of an input file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileLimits {
    /// In bytes.
    pub(super) largest: u64,
    pub(super) max_requests: u64,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self { largest: 200 * 1024 * 1024, max_requests: 50_000 }
    }
}

/// The files of an owner.
pub(super) struct Files {
    folder: PathBuf,
    /// Seconds of Unix time.
    now: i64,
}

/// A page of a list.
pub(super) struct Page<T> {
    pub(super) items: Vec<T>,
    pub(super) has_more: bool,
}

impl Files {
    /// The files in the folder of an owner, at this time, in milliseconds of Unix time.
    pub(super) fn of(owner: &Path, now: u64) -> Self {
        Self { folder: owner.join("files"), now: seconds(now) }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file, unless there is none or it has expired.
    pub(super) fn read(&self, id: &str) -> io::Result<Option<File>> {
        if !ids::is_id(ids::FILE, id) {
            return Ok(None);
        }
        let file: Option<File> = durable::read(&self.folder.join(id).join(RECORD))?;
        Ok(file.filter(|file| file.expires_at.is_none_or(|at| self.now < at)))
    }

    /// The path of the content of a file.
    pub(super) fn content(&self, id: &str) -> PathBuf {
        self.folder.join(id).join(CONTENT)
    }

    /// Removes a file. Returns false if there is none.
    pub(super) fn remove(&self, id: &str) -> io::Result<bool> {
        match self.read(id)? {
            Some(_) => durable::remove_folder(&self.folder.join(id)),
            None => Ok(false),
        }
    }

    /// A page of files, sorted by their ids.
    pub(super) fn list(
        &self,
        purpose: Option<&str>,
        after: Option<&str>,
        limit: usize,
        ascending: bool,
    ) -> io::Result<Page<File>> {
        let mut names = durable::names(&self.folder)?;
        if !ascending {
            names.reverse();
        }
        let is_after = |name: &String| match after {
            Some(after) if ascending => name.as_str() > after,
            Some(after) => name.as_str() < after,
            None => true,
        };
        page(names.into_iter().filter(is_after), limit, |name| {
            let file = self.read(&name)?;
            Ok(file
                .filter(|it| purpose.is_none_or(|purpose| it.purpose.as_deref() == Some(purpose))))
        })
    }

    /// Removes the files that have expired, and what uploads that were not completed have left.
    pub(super) fn sweep(&self) -> io::Result<()> {
        durable::sweep(&self.folder);
        for id in durable::names(&self.folder)? {
            let file: Option<File> = match durable::read(&self.folder.join(&id).join(RECORD)) {
                // It is for an operator to restore or remove.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
                file => file?,
            };
            if file.is_some_and(|file| file.expires_at.is_some_and(|at| at <= self.now)) {
                durable::remove_folder(&self.folder.join(&id))?;
            }
        }
        Ok(())
    }
}

/// The first `limit` items of those that are there. One whose record is damaged is left out: the
/// others can still be listed.
pub(super) fn page<T>(
    names: impl Iterator<Item = String>,
    limit: usize,
    read: impl Fn(String) -> io::Result<Option<T>>,
) -> io::Result<Page<T>> {
    let mut items = Vec::new();
    for name in names {
        let item = match read(name) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
            item => item?,
        };
        if let Some(item) = item {
            if items.len() == limit {
                return Ok(Page { items, has_more: true });
            }
            items.push(item);
        }
    }
    Ok(Page { items, has_more: false })
}

/// Seconds of milliseconds.
pub(super) fn seconds(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds / 1_000).unwrap_or(i64::MAX)
}

/// The record of a file.
pub(super) struct NewFile {
    pub(super) id: String,
    /// Milliseconds of Unix time.
    pub(super) created_at: u64,
    /// The lifetime, in seconds.
    pub(super) lifetime: Option<u64>,
    pub(super) filename: String,
    pub(super) purpose: &'static str,
}

impl NewFile {
    /// Writes the record of a file with a content of this size into its folder, and publishes it.
    pub(super) fn publish(self, folder: NewFolder, bytes: u64) -> io::Result<File> {
        let created_at = seconds(self.created_at);
        let lifetime = |seconds: u64| i64::try_from(seconds).unwrap_or(i64::MAX);
        let file = File {
            bytes: Some(i64::try_from(bytes).unwrap_or(i64::MAX)),
            created_at: Some(created_at),
            expires_at: self.lifetime.map(|seconds| created_at.saturating_add(lifetime(seconds))),
            filename: Some(self.filename),
            id: Some(self.id.clone()),
            object: Some("file".to_owned()),
            purpose: Some(self.purpose.to_owned()),
            status: Some("processed".to_owned()),
            status_details: None,
        };
        folder.write(RECORD, &file)?;
        folder.publish(&self.id)?;
        Ok(file)
    }
}

/// Size of the parts in which an upload is written. Each takes a thread for a moment: parts as
/// small as a slow peer sends them would take as many.
const WRITTEN_AT_ONCE: usize = 32 * 1024;

/// A content that is being uploaded. Nothing of it is left if it is dropped.
pub(super) struct Upload {
    folder: NewFolder,
    content: BufWriter<tokio::fs::File>,
    pub(super) bytes: u64,
}

impl Upload {
    /// Begins an upload into the folder of files.
    pub(super) async fn begin(files: PathBuf) -> io::Result<Self> {
        let begin = move || {
            let folder = NewFolder::begin(&files)?;
            let content = folder.create(CONTENT)?;
            Ok::<_, io::Error>((folder, content))
        };
        let (folder, content) = on_thread(begin).await?;
        let content = BufWriter::with_capacity(WRITTEN_AT_ONCE, content.into());
        Ok(Self { folder, content, bytes: 0 })
    }

    /// Appends to the content.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.content.write_all(bytes).await?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Completes the file.
    pub(super) async fn finish(mut self, record: NewFile) -> io::Result<File> {
        self.content.flush().await?;
        self.content.get_ref().sync_all().await?;
        let Self { folder, bytes, .. } = self;
        on_thread(move || record.publish(folder, bytes)).await
    }
}

/// Runs work that blocks on another thread.
pub(super) async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(end) => match end.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime shuts down.
            Err(_) => std::future::pending().await,
        },
    }
}
