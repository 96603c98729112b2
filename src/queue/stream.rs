//! Stream of the chunks that a handler emits, by polling.

mod chunk;
mod poller;

pub use chunk::{Metrics, StreamChunk};

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use futures_util::{Stream, TryStreamExt};
use serde::de::DeserializeOwned;

use self::poller::Poller;
use super::{Job, Run};
use crate::error::Result;

/// A stream of a job's chunks, in order, until the job ends; returned by [`Job::stream`] and
/// [`Run::stream`].
///
/// The service delivers each chunk once. The stream ends when the job has ended *and* all chunks
/// are delivered: for a completed job it just ends; for a job that failed, was cancelled or timed
/// out, its last item is that error. It survives transient failures as a wait does, and polls in order
/// with all other streams and waits on the endpoint according to the client's
/// [`Polling`](crate::Polling).
///
/// An item that is an error of kind [`ErrorKind::Decode`](crate::ErrorKind::Decode) stands for one
/// chunk that is not a `T`, with the received text as [`Error::body`](crate::Error::body); the
/// stream continues after it.
///
/// The chunks in a response that is lost in transit are lost, too, because the service considers
/// them delivered. The next chunk then has [`after_gap`](StreamChunk::after_gap) set. If none
/// follows, the stream yields an error of kind
/// [`ErrorKind::StreamGap`](crate::ErrorKind::StreamGap) at its end; [`Job::status`] may still
/// return the whole output. After it, only the error of the job itself or of the stream can follow,
/// as the last item.
///
/// A second stream of a job continues where the first was dropped, and two at the same time divide
/// the chunks between them. If an earlier stream of the same handle, or of a clone of it, has ended,
/// and a further stream gets no chunk, because the job was not retried in between, it yields an error of
/// kind [`ErrorKind::StreamGap`](crate::ErrorKind::StreamGap) that says so.
///
/// The handler must support streaming. Dropping the stream does not affect the job. Chunks that
/// were not requested yet stay on the service. Requested chunks are lost, because the service
/// considers them delivered: those already received but not yet yielded, and those in the response
/// to a request in flight. The next stream of the same handle, or of a clone of it, reports them as
/// a gap.
#[must_use = "nothing is sent until it is polled"]
pub struct JobStream<T> {
    /// The job; unset until it is submitted, if the submission is the first step.
    job: Arc<OnceLock<Job>>,
    inner: Pin<Box<dyn Stream<Item = Result<StreamChunk<T>>> + Send>>,
}

impl Job {
    /// Streams the handler's output, from the first chunk not yet read by anyone to the end of the
    /// job, by polling `GET /stream/{job_id}`.
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

impl Run {
    /// Submits the job and streams its chunks, from the first one: what [`Job::stream`] of the
    /// accepted job yields. If the submission fails, its error is the only item. Nothing is sent
    /// before the stream is polled; then [`JobStream::job`] is the accepted job.
    ///
    /// ```no_run
    /// # async fn example(endpoint: podqueue::Endpoint) -> podqueue::Result<()> {
    /// use futures_util::StreamExt;
    ///
    /// let mut chunks = endpoint.run(serde_json::json!({ "n": 5 })).stream::<String>();
    /// while let Some(chunk) = chunks.next().await {
    ///     print!("{}", chunk?.output);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream<T: DeserializeOwned + Send + 'static>(self) -> JobStream<T> {
        JobStream::submitted(self)
    }
}

impl<T: DeserializeOwned + Send + 'static> JobStream<T> {
    fn new(job: Job) -> Self {
        let inner = Box::pin(chunks(Poller::new(job.clone())));
        Self { job: Arc::new(OnceLock::from(job)), inner }
    }

    /// The stream of a job that is submitted first.
    fn submitted(run: Run) -> Self {
        let job = Arc::new(OnceLock::new());
        let accepted = Arc::clone(&job);
        let submission = futures_util::stream::once(async move {
            let job = run.send().await;
            job.map(|job| chunks(Poller::new(accepted.get_or_init(|| job).clone())))
        });
        Self { job, inner: Box::pin(submission.try_flatten()) }
    }
}

impl<T> JobStream<T> {
    /// The job; `None` as long as its submission by [`Run::stream`] is not accepted.
    #[must_use]
    pub fn job(&self) -> Option<&Job> {
        self.job.get()
    }
}

fn chunks<T: DeserializeOwned + Send + 'static>(
    poller: Poller,
) -> impl Stream<Item = Result<StreamChunk<T>>> + Send {
    futures_util::stream::unfold(poller, |mut poller| async move {
        poller.next().await.map(|chunk| (chunk, poller))
    })
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
    let attempted = podqueue_runtime::__private::Attempted::new("stream").on_interface("queue");
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
