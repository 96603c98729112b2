//! Streams of jobs: their chunks so far, in memory.
//!
//! The service delivers each chunk once, so the server follows the stream of a job from the first
//! call on and keeps its chunks, and a call may read them again. After a restart, the stream
//! continues where the service is.

use std::collections::VecDeque;
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

/// Why no further chunk follows.
#[derive(Debug)]
pub(crate) enum StreamEnd {
    /// The job has ended.
    Complete,
    /// The stream cannot be read.
    Failed(Error),
    /// The chunks are larger than what is kept.
    TooLarge,
}

/// A job whose stream is followed. Dropped, it is followed no longer.
struct Followed {
    job: (String, String, String),
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
}

impl Streams {
    /// The chunks of a job, whose stream is followed from now on if it is not yet.
    pub(crate) fn follow(&self, identity: &str, job: &Job) -> watch::Receiver<Chunks> {
        let key = (identity.to_owned(), job.endpoint().id().to_owned(), job.id().to_owned());
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = followed.iter().find(|followed| followed.job == key) {
            return found.chunks.clone();
        }
        if followed.len() >= MAX_STREAMS {
            followed.pop_front();
        }
        let (sender, chunks) = watch::channel(Chunks::default());
        let task = tokio::spawn(collect(job.clone(), sender));
        followed.push_back(Followed { job: key, chunks: chunks.clone(), task });
        chunks
    }

    /// Forgets a job whose stream failed, so that the next call starts anew.
    pub(crate) fn forget(&self, identity: &str, job: &Job) {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        followed.retain(|followed| {
            (followed.job.0.as_str(), followed.job.1.as_str(), followed.job.2.as_str())
                != (identity, job.endpoint().id(), job.id())
        });
    }
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
