//! Streaming what a handler emits, by polling.

mod chunk;
mod poller;

pub use chunk::{Metrics, StreamChunk};

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::Stream;
use serde::de::DeserializeOwned;

use self::poller::Poller;
use super::Job;
use crate::error::Result;

/// The chunks of a job, in order, until the job has ended; made by [`Job::stream`].
///
/// The service hands out each chunk once. The stream ends when the job has ended *and* nothing is
/// left to hand out: for a completed job it just ends, for one that failed, was cancelled or timed
/// out its last item is that error. It survives what passes, as a wait does, and takes turns with all
/// other streams and waits on the endpoint by the client's [`Polling`](crate::Polling).
///
/// An item that is an error of kind [`ErrorKind::Decode`](crate::ErrorKind::Decode) stands for one
/// chunk that is no `T`, with what was received as [`Error::body`](crate::Error::body); the stream
/// goes on after it.
///
/// A response that is lost on its way takes the chunks with it that the service had handed out. The
/// next chunk then has [`after_gap`](StreamChunk::after_gap). Where none follows, an error of kind
/// [`ErrorKind::StreamGap`](crate::ErrorKind::StreamGap) comes at the end: [`Job::status`] may have the
/// whole output nevertheless. Only the error of the job itself, or of the stream, comes after it; any
/// such error is the last item.
///
/// The handler must support streaming. Dropping the stream leaves the job as it is. The chunks that
/// were not asked for yet stay at the service; those that were are gone with the stream, because the
/// service has handed them out: what came in one response and was not taken from the stream, and what a
/// request on its way brings.
#[must_use = "nothing is sent until it is polled"]
pub struct JobStream<T> {
    inner: Pin<Box<dyn Stream<Item = Result<StreamChunk<T>>> + Send>>,
}

impl Job {
    /// Streams what the handler emits, from the first chunk that nobody has read yet to the end of
    /// the job: `GET /stream/{job_id}`, polled.
    ///
    /// ```no_run
    /// # async fn example(job: podqueue::Job) -> podqueue::Result<()> {
    /// use futures_util::StreamExt;
    ///
    /// let mut chunks = job.stream::<String>();
    /// while let Some(chunk) = chunks.next().await {
    ///     print!("{}", chunk?.output);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream<T: DeserializeOwned + Send + 'static>(&self) -> JobStream<T> {
        JobStream::new(self.clone())
    }
}

impl<T: DeserializeOwned + Send + 'static> JobStream<T> {
    fn new(job: Job) -> Self {
        let chunks = futures_util::stream::unfold(Poller::new(job), |mut poller| async move {
            poller.next().await.map(|chunk| (chunk, poller))
        });
        Self { inner: Box::pin(chunks) }
    }
}

impl<T> Stream for JobStream<T> {
    type Item = Result<StreamChunk<T>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.inner.as_mut().poll_next(context)
    }
}

/// Reads an answer of `/stream` and each chunk of it.
#[cfg(fuzzing)]
pub(super) fn fuzz_chunks(body: &bytes::Bytes) {
    let attempted = crate::error::Attempted::on_interface("stream", "queue");
    if let Ok(batch) = chunk::Batch::read(&attempted, body) {
        for chunk in batch.chunks {
            let _ = chunk.decode::<serde_json::Value>(&attempted, false);
            let _ = chunk.decode::<Vec<String>>(&attempted, true);
        }
    }
}

impl<T> fmt::Debug for JobStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobStream").finish_non_exhaustive()
    }
}
