//! Streams of jobs: their chunks so far, in memory.
//!
//! The service delivers each chunk once, so the server follows the stream of a job from the first
//! call on and keeps its chunks, and a call may read them again. After a restart, the stream
//! continues where the service is: the call journal says that chunks were received before, and so
//! may be missing.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use futures_util::StreamExt;
use podqueue::{Error, ErrorKind, Job};
use serde_json::Value;
use tokio::sync::watch;

/// Maximum number of streams that are kept: the oldest is dropped for a further one.
const MAX_STREAMS: usize = 32;

/// Limit of the chunks of a job that are kept, in bytes of their JSON.
const MAX_KEPT: usize = 8 * 1024 * 1024;

/// The chunks of a job that have arrived.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    pub(crate) items: Vec<Value>,
    bytes: usize,
    /// True if chunks may be missing.
    pub(crate) has_gap: bool,
    pub(crate) end: Option<StreamEnd>,
}

/// Reason for which no further chunk follows.
#[derive(Debug)]
pub(crate) enum StreamEnd {
    /// The job has ended.
    Complete,
    /// The stream cannot be read.
    Failed(Error),
    /// The chunks are larger than what is kept.
    TooLarge,
}

/// A job: the identity of its service, its endpoint and its id.
type JobKey = (String, String, String);

/// A job whose stream is followed. Dropped, it is followed no longer.
struct Followed {
    job: JobKey,
    chunks: watch::Receiver<Chunks>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The streams that a server follows.
#[derive(Default)]
pub(crate) struct Streams {
    followed: Mutex<VecDeque<Followed>>,
    /// Jobs whose chunks were dropped.
    dropped: Mutex<HashSet<JobKey>>,
}

impl Streams {
    /// The chunks of a job whose stream is followed.
    pub(crate) fn find(&self, identity: &str, job: &Job) -> Option<watch::Receiver<Chunks>> {
        let key = key_of(identity, job);
        let followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let found = followed.iter().find(|followed| followed.job == key);
        found.map(|found| found.chunks.clone())
    }

    /// The chunks of a job, whose stream is followed from now on if it is not yet. `has_reader`
    /// says that another server has received chunks before.
    pub(crate) fn follow(
        &self,
        identity: &str,
        job: &Job,
        has_reader: bool,
    ) -> watch::Receiver<Chunks> {
        let key = key_of(identity, job);
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = followed.iter().find(|followed| followed.job == key) {
            return found.chunks.clone();
        }
        let mut dropped = self.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.len() >= MAX_STREAMS {
            dropped.extend(followed.pop_front().map(|oldest| oldest.job.clone()));
        }
        let has_gap = has_reader || dropped.contains(&key);
        drop(dropped);
        let (sender, chunks) = watch::channel(Chunks { has_gap, ..Chunks::default() });
        let task = tokio::spawn(collect(job.clone(), sender));
        followed.push_back(Followed { job: key, chunks: chunks.clone(), task });
        chunks
    }

    /// Forgets a job whose stream failed, so that the next call starts anew.
    pub(crate) fn forget(&self, identity: &str, job: &Job) {
        let key = key_of(identity, job);
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut dropped = self.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        followed.retain(|followed| {
            let is_kept = followed.job != key;
            let chunks = followed.chunks.borrow();
            if !is_kept && (chunks.has_gap || !chunks.items.is_empty()) {
                dropped.insert(key.clone());
            }
            is_kept
        });
    }
}

fn key_of(identity: &str, job: &Job) -> JobKey {
    (identity.to_owned(), job.endpoint().id().to_owned(), job.id().to_owned())
}

/// Receives the chunks of a job until it ends.
async fn collect(job: Job, sender: watch::Sender<Chunks>) {
    let mut stream = job.stream::<Value>();
    let end = loop {
        match stream.next().await {
            None => break StreamEnd::Complete,
            Some(Ok(chunk)) => {
                sender.send_modify(|chunks| {
                    chunks.bytes += chunk.output.to_string().len();
                    chunks.has_gap |= chunk.after_gap;
                    chunks.items.push(chunk.output);
                });
                if sender.borrow().bytes > MAX_KEPT {
                    break StreamEnd::TooLarge;
                }
            }
            Some(Err(error)) if error.kind() == ErrorKind::StreamGap => {
                sender.send_modify(|chunks| chunks.has_gap = true);
            }
            // The job failed: its record says how.
            Some(Err(error)) if error.record().is_some() || error.job_failure().is_some() => {
                break StreamEnd::Complete;
            }
            Some(Err(error)) => break StreamEnd::Failed(error),
        }
    };
    sender.send_modify(|chunks| chunks.end = Some(end));
}
