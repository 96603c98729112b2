//! What is kept of an endpoint only to be shown: jobs that have expired, and chunks that were fetched.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::job::{Job, JobId};
use super::view::JobView;

/// How many expired jobs are kept.
const MAX_EXPIRED: usize = 1000;
/// How many bytes of chunks are kept, of all jobs of the endpoint.
const MAX_CHUNK_BYTES: usize = 16 * 1024 * 1024;
/// How many chunks of a job are shown.
const MAX_CHUNKS: usize = 1000;

/// The output of a chunk, as JSON. A clone is cheap.
#[derive(Clone, Debug)]
pub(crate) struct ShownChunk(Arc<RawValue>);

impl ShownChunk {
    /// None where the output is nothing that JSON could express.
    pub(super) fn of(output: &Value) -> Option<Self> {
        to_raw_value(output).ok().map(|output| Self(output.into()))
    }

    /// In bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.get().len()
    }
}

impl Serialize for ShownChunk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[derive(Debug, Default)]
pub(super) struct History {
    expired: VecDeque<JobView>,
    chunks: VecDeque<KeptChunk>,
    chunk_bytes: usize,
}

#[derive(Debug)]
struct KeptChunk {
    job: JobId,
    attempt: u64,
    output: ShownChunk,
}

impl KeptChunk {
    fn size(&self) -> usize {
        size_of::<Self>() + self.output.len()
    }
}

impl History {
    /// Keeps of a job that it was there.
    pub(super) fn expire(&mut self, job: &Job) {
        if self.expired.len() == MAX_EXPIRED {
            self.expired.pop_front();
        }
        let view = JobView::of(job);
        self.expired.push_back(JobView {
            status: None,
            submission: None,
            output: None,
            error: None,
            ..view
        });
    }

    /// The jobs that have expired, the first one first.
    pub(super) fn expired(&self) -> impl ExactSizeIterator<Item = &JobView> {
        self.expired.iter()
    }

    pub(super) fn add_chunk(&mut self, job: &Job, output: ShownChunk) {
        let chunk = KeptChunk { job: job.id.clone(), attempt: job.attempt, output };
        self.chunk_bytes += chunk.size();
        self.chunks.push_back(chunk);
        while self.chunk_bytes > MAX_CHUNK_BYTES {
            let Some(oldest) = self.chunks.pop_front() else { return };
            self.chunk_bytes -= oldest.size();
        }
    }

    /// The last chunks of the attempt that a job is in, the oldest first.
    pub(super) fn chunks(&self, job: &Job) -> Vec<ShownChunk> {
        // What an attempt left behind that is over does not count.
        let most = usize::try_from(job.chunks()).unwrap_or(MAX_CHUNKS).min(MAX_CHUNKS);
        let of_job = self.chunks.iter().rev();
        let of_job = of_job.filter(|chunk| chunk.attempt == job.attempt && chunk.job == job.id);
        let mut chunks: Vec<_> = of_job.take(most).map(|chunk| chunk.output.clone()).collect();
        chunks.reverse();
        chunks
    }
}
