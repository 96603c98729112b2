//! Publisher: writes the results of a batch to object storage, beside the run.
//!
//! The run never waits for the publisher, which reads the committed lines of the results file, and
//! records parts through the journal thread. A storage that cannot be reached stops no job; the end
//! of the run reports what is not published. The order of the steps: [`crate::publication`].
//!
//! The folder belongs to a batch: its first object, [`MARKER`], names it, and is written before
//! anything is submitted. So wrong credentials, a missing bucket and a folder of another batch end
//! the run before it begins.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, interval, timeout};

use super::ProgressReporter;
use crate::error::{Error, ErrorKind, Result};
use crate::handle_state::HandleState;
use crate::published_parts::{Cut, PartList, Publication, manifest};
use crate::results::{committed, failures_of, own_committed};
use crate::storage::{Object, digest};

/// Name of the object that names the batch of the folder.
const MARKER: &str = "batch.json";

/// Name of the object that lists the others, written last.
const MANIFEST: &str = "manifest.json";

/// Timeout of the first call, after which the run begins without its response.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval at which new results are checked for.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Pause after a failure.
const PAUSE: Duration = Duration::from_secs(30);

/// The waiter for all that is left to be published.
type Waiter = oneshot::Sender<Result<Option<String>>>;

pub(super) struct Publisher {
    shared: Arc<HandleState>,
    publication: Publication,
    list: PartList,
    results: PathBuf,
    /// Part of the names of this process's objects, where several share the journal.
    tag: String,
    has_claimed: bool,
}

impl Publisher {
    /// The publisher of a batch, once the folder is known to belong to it.
    pub(super) async fn begin(shared: &Arc<HandleState>, publication: Publication) -> Result<Self> {
        let folder = publication.folder.clone();
        let found = shared.journal().with(move |state| {
            let list = PartList::read(state.store(), &folder)?;
            let tag = state.results_token().map(|token| format!("{}-", &digest(token)[..12]));
            Ok((list, state.results_path(), tag.unwrap_or_default()))
        });
        let (list, results, tag) = found.await?;
        let shared = Arc::clone(shared);
        let mut publisher = Self { shared, publication, list, results, tag, has_claimed: false };
        match timeout(CLAIM_TIMEOUT, publisher.claim()).await {
            Ok(Err(error)) if error.kind() != ErrorKind::Unreachable => Err(error),
            _ => Ok(publisher),
        }
    }

    /// Marks the folder as that of the batch.
    async fn claim(&mut self) -> Result<()> {
        if self.has_claimed {
            return Ok(());
        }
        let content = format!("{}\n", json!({ "batch": self.shared.identity().id() }));
        let (marker, digest) = (self.object(MARKER)?, digest(content.as_bytes()));
        if marker.create(content.into(), &digest).await?.is_some() {
            let message = format!(
                "the folder {} has the results of another batch: publish to another folder",
                self.publication.folder.url()
            );
            return Err(Error::new(ErrorKind::Storage, message));
        }
        self.has_claimed = true;
        Ok(())
    }

    /// Publishes parts as they fill or age, and the rest on request.
    pub(super) async fn publish_beside(
        mut self,
        mut requests: mpsc::Receiver<Waiter>,
        reporter: ProgressReporter,
    ) -> Infallible {
        let mut ticks = interval(CHECK_INTERVAL);
        let (mut oldest, mut paused_until) = (None, Instant::now());
        loop {
            tokio::select! {
                Some(waiter) = requests.recv() => {
                    // The waiter may have been dropped.
                    drop(waiter.send(self.finish().await));
                }
                now = ticks.tick() => {
                    if now >= paused_until
                        && let Err(error) = self.publish_due(&mut oldest).await
                    {
                        paused_until = Instant::now() + PAUSE;
                        reporter.report_beside(format!("results are not published: {error}"));
                    }
                }
            }
        }
    }

    /// Publishes full parts, and everything once the oldest line has waited for long enough.
    async fn publish_due(&mut self, oldest: &mut Option<Instant>) -> Result<()> {
        let left = self.committed().await?.saturating_sub(self.list.published_end());
        if left == 0 {
            *oldest = None;
            return Ok(());
        }
        let age = oldest.get_or_insert_with(Instant::now).elapsed();
        let is_old = age >= self.publication.interval;
        if is_old || left >= self.publication.part_bytes as u64 {
            self.publish(is_old).await?;
            *oldest = None;
        }
        Ok(())
    }

    /// Publishes all that is left. The URL of the manifest, if the batch has ended and all
    /// processes have published their results.
    async fn finish(&mut self) -> Result<Option<String>> {
        let done = async {
            self.publish(true).await?;
            self.publish_failures().await?;
            self.publish_manifest().await
        };
        let done = done.await;
        done.map_err(|error| {
            error.explained(|what| {
                let results = self.results.display();
                format!(
                    "{what}. Nothing is lost: all results are in {results}, and the next run publishes what is missing, also if no input is left"
                )
            })
        })
    }

    /// Publishes full parts, or with `all` also a last one that is not full.
    async fn publish(&mut self, all: bool) -> Result<()> {
        self.claim().await?;
        // An earlier attempt may have failed to record its part, or not to learn that it did.
        let folder = self.publication.folder.clone();
        let list = self.shared.journal().with(move |it| PartList::read(it.store(), &folder));
        self.list = list.await?;
        loop {
            if let Some(part) = self.list.parts.get(self.list.published).cloned() {
                let start = self.list.published_end();
                let extent = start..start + part.bytes;
                let cut = cut(&self.results, extent, part.bytes as usize, part.name).await?;
                if cut.part.blake3 != part.blake3 {
                    return Err(self.changed(&cut.part.name));
                }
                self.write_part(cut).await?;
                continue;
            }
            let (start, committed) = (self.list.end(), self.committed().await?);
            let left = committed.saturating_sub(start);
            let most = self.publication.part_bytes;
            if left == 0 || !all && left < most as u64 {
                return Ok(());
            }
            let name = format!("part-{}{:05}.jsonl", self.tag, self.list.parts.len());
            let cut = cut(&self.results, start..committed, most, name).await?;
            self.list.parts.push(cut.part.clone());
            self.record().await?;
            self.write_part(cut).await?;
        }
    }

    /// Writes a recorded part, after the large outputs that it names.
    async fn write_part(&mut self, cut: Cut) -> Result<()> {
        let folder = self.results.parent().unwrap_or(Path::new("."));
        for name in &cut.output_files {
            let output = on_thread(&folder.join(name), |path| fs::read(path)).await?;
            let digest = digest(&output);
            self.create(name, output.into(), &digest).await?;
        }
        self.create(&cut.part.name, cut.content, &cut.part.blake3).await?;
        self.list.published += 1;
        self.record().await
    }

    /// Writes an object that never changes.
    async fn create(&self, name: &str, content: Bytes, digest: &str) -> Result<()> {
        let object = self.object(name)?;
        match object.create(content, digest).await? {
            None => Ok(()),
            Some(_) => Err(not_ours(&object)),
        }
    }

    /// The error of results that differ from a part that was cut.
    fn changed(&self, part: &str) -> Error {
        let message = format!(
            "the results {} have changed where {part} was cut: restore them",
            self.results.display()
        );
        Error::new(ErrorKind::OtherResults, message)
    }

    /// Publishes the manifest of a batch that has ended, once all processes have published.
    async fn publish_manifest(&mut self) -> Result<Option<String>> {
        let folder = self.publication.folder.clone();
        let found = self.shared.journal().with(move |state| {
            let lists = PartList::all(state.store(), &folder)?;
            let written: u64 = committed(state.store())?.iter().map(|(_, length)| *length).sum();
            Ok((lists, written, state.store().tally()?.counts))
        });
        let (lists, written, counts) = found.await?;
        let published: u64 = lists.iter().map(PartList::published_end).sum();
        let failures = lists.iter().flat_map(|list| &list.failures).map(|part| part.lines);
        let is_whole = published == written && failures.sum::<u64>() == counts.failures();
        if counts.open() > 0 || !is_whole {
            // A later run, or another process, publishes the rest, and then the manifest.
            return Ok(None);
        }
        let manifest = manifest(self.shared.identity().id(), &counts, &lists);
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
        self.write_replaceable(MANIFEST, text.into()).await?;
        Ok(Some(self.object(MANIFEST)?.url().to_owned()))
    }

    /// Publishes the failures in parts, which may be others than at the end of an earlier run.
    async fn publish_failures(&mut self) -> Result<()> {
        let path = failures_of(&self.results);
        let length = fs::metadata(&path).map_or(0, |found| found.len());
        let (mut failures, mut start) = (Vec::new(), 0);
        while start < length || failures.len() < self.list.failures.len() {
            let name = format!("failed-{}{:05}.jsonl", self.tag, failures.len());
            let most = self.publication.part_bytes;
            let Cut { part, content, .. } = match start < length {
                true => cut(&path, start..length, most, name).await?,
                // A part that is not needed any more is emptied.
                false => Cut::of(name, Vec::new()),
            };
            start += part.bytes;
            if self.list.failures.get(failures.len()) != Some(&part) {
                self.write_replaceable(&part.name, content).await?;
            }
            failures.push(part);
        }
        if self.list.failures == failures {
            return Ok(());
        }
        self.list.failures = failures;
        self.record().await
    }

    /// Writes an object in place of an earlier one of the batch.
    async fn write_replaceable(&mut self, name: &str, content: Bytes) -> Result<()> {
        let (object, digest) = (self.object(name)?, digest(&content));
        if !self.list.replaceable.contains(&digest) {
            self.list.replaceable.push(digest.clone());
            self.record().await?;
        }
        let Some(found) = object.create(content.clone(), &digest).await? else { return Ok(()) };
        let folder = self.publication.folder.clone();
        let lists = self.shared.journal().with(move |it| PartList::all(it.store(), &folder));
        if lists.await?.iter().any(|list| list.replaceable.contains(&found)) {
            return object.replace(content).await;
        }
        Err(not_ours(&object))
    }

    fn object(&self, name: &str) -> Result<Object> {
        self.publication.folder.child(name)
    }

    async fn record(&self) -> Result<()> {
        let list = self.list.clone();
        self.shared.journal().with(move |state| list.write(state.store())).await
    }

    /// The committed length of the results.
    async fn committed(&self) -> Result<u64> {
        self.shared.journal().with(|state| own_committed(state.store())).await
    }
}

/// Cuts a part.
async fn cut(path: &Path, extent: Range<u64>, most: usize, name: String) -> Result<Cut> {
    on_thread(path, move |path| Cut::read(path, extent, most, name)).await
}

/// Reads a file on a thread that may block.
async fn on_thread<T: Send + 'static>(
    path: &Path,
    read: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> Result<T> {
    let owned = path.to_owned();
    let read = spawn_blocking(move || read(&owned)).await.unwrap_or_else(|end| Err(end.into()));
    read.map_err(|error| Error::file(ErrorKind::Results, "read the results", path, error))
}

/// The error of an object that this batch has not written.
fn not_ours(object: &Object) -> Error {
    let message = format!(
        "{} exists, and this batch has not written it: nothing of it was changed. Remove it, or publish to another folder",
        object.url()
    );
    Error::new(ErrorKind::Storage, message)
}
