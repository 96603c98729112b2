//! Stream of the chunks that a handler emits: polls `/stream` until the job has ended and no chunk
//! is left.
//!
//! The service delivers each chunk once. A response that is lost may have carried some, which is a
//! gap; the [poller](Poller) reports it with the next chunk, or at the end.
//! `docs/design/streams-and-gaps.md` has the states of a stream.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::gateway::is_http_status;
use super::operations::{STATUS, STREAM};
use super::poll_rate::PollRate;
use super::polling::{PollIntervals, max_interval, poll_timeout};
use super::transient_failures::{TransientFailures, interval_after, is_transient};
use super::{Job, JobRecord, JobStatus, Run};
use crate::error::{Error, ErrorKind, Result};
use podqueue_runtime::__private::json::{
    RawField, decode_at, elements, not_decodable, without_mark,
};
use podqueue_runtime::__private::{Attempted, require_runtime};
use podqueue_runtime::Reply;

/// A stream of a job's chunks, in order, until the job ends; returned by [`Job::stream`] and
/// [`Run::stream`].
///
/// The service delivers each chunk once. The stream ends when the job has ended *and* all chunks
/// are delivered: for a completed job it just ends; for a job that failed, was cancelled or timed
/// out, its last item is that error. It survives transient failures as a wait does, and polls in
/// order with all other streams and waits on the endpoint according to the client's
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
/// the chunks between them. If an earlier stream of the same handle, or of a clone of it, has
/// ended, and a further stream gets no chunk, because the job was not retried in between, it yields
/// an error of kind [`ErrorKind::StreamGap`](crate::ErrorKind::StreamGap) that says so.
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
    /// Streams the handler's output, from the first chunk that was not delivered yet to the end of
    /// the job, by polling `GET /stream/{job_id}`.
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

impl<T> fmt::Debug for JobStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobStream").finish_non_exhaustive()
    }
}

/// The state of a stream between two items.
struct Poller {
    job: Job,
    /// The poll rate of all waits and streams on the endpoint.
    rate: Arc<PollRate>,
    attempted: Attempted,
    ready: VecDeque<RawChunk>,
    intervals: PollIntervals,
    /// The interval before the next poll.
    pause: Duration,
    /// The time of the last poll of `/stream`.
    asked: Instant,
    /// The outage of `/stream`.
    stream_outage: TransientFailures,
    /// The outage of `/status`, which a response of `/stream` does not end.
    status_outage: TransientFailures,
    /// True if a response was lost that may have carried chunks, or an earlier stream was dropped
    /// with some, and no item has reported the gap yet.
    gap: bool,
    /// True if a poll of `/stream` is in flight.
    is_polling: bool,
    /// True if the connection is to be closed, because it may mix up its responses.
    closes: bool,
    /// The end of the job, once it is known.
    ended: Option<Ended>,
    over: bool,
    /// The error to yield as the last item, if any.
    failure: Option<Error>,
    /// True if an earlier stream of the job has ended, and this stream has yielded nothing.
    repeats: bool,
}

struct Ended {
    status: JobStatus,
    record: Option<JobRecord>,
    /// True if the job may have been retried since.
    is_old: bool,
}

impl Poller {
    fn new(job: Job) -> Self {
        Self {
            attempted: job.attempted("stream"),
            rate: job.endpoint().poll_rate(),
            intervals: job.endpoint().context().polling.intervals(max_interval(job.id())),
            ready: VecDeque::new(),
            pause: Duration::ZERO,
            asked: Instant::now(),
            stream_outage: TransientFailures::default(),
            status_outage: TransientFailures::default(),
            gap: job.take_dropped_chunks(),
            is_polling: false,
            closes: false,
            ended: None,
            over: false,
            failure: None,
            repeats: job.is_streamed(),
            job,
        }
    }

    /// The next item; `None` when the stream is over.
    async fn next<T: DeserializeOwned>(&mut self) -> Option<Result<StreamChunk<T>>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                self.repeats = false;
                let decoded = chunk.decode(&self.attempted, self.gap);
                // An item that is an error does not report a gap: the next item does, or the end.
                // An element that is not a chunk may replace lost chunks.
                self.gap = decoded.is_err() && (self.gap || !chunk.is_object());
                return Some(decoded.map_err(|error| self.explain(error, &chunk)));
            }
            if self.over {
                let is_empty = std::mem::take(&mut self.repeats) && self.failure.is_none();
                let gap = std::mem::take(&mut self.gap).then(|| self.gap_at_the_end());
                let gap = gap.or_else(|| is_empty.then(|| self.delivered_before()));
                return gap.or_else(|| self.failure.take()).map(Err);
            }
            if let Err(error) = require_runtime(&self.attempted) {
                self.over = true;
                return Some(Err(error.into()));
            }
            tokio::time::sleep(std::mem::take(&mut self.pause)).await;
            if let Err(error) = self.poll().await {
                self.over = true;
                self.failure = Some(error);
            }
        }
    }

    /// Attaches the bytes of a chunk that cannot be read: the service does not deliver them again.
    fn explain(&self, error: Error, chunk: &RawChunk) -> Error {
        let secrets = self.job.secrets();
        let error = error.redacted(&secrets.redactor());
        error.with_job_id(self.job.id()).with_body(chunk.bytes(), secrets)
    }

    fn gap_at_the_end(&self) -> Error {
        let what = "chunks may be missing: a response was lost that may have contained some, or an earlier stream was dropped with some, and the service delivers each only once. The job's record may contain the whole output: read it with `job.status()`";
        Error::new(ErrorKind::StreamGap, &self.attempted, what).with_job_id(self.job.id())
    }

    fn delivered_before(&self) -> Error {
        let what = "there is nothing to stream: an earlier stream of this job has ended, and the service delivers each chunk only once. The job's record may contain the whole output: read it with `job.status()`";
        Error::new(ErrorKind::StreamGap, &self.attempted, what).with_job_id(self.job.id())
    }

    async fn poll(&mut self) -> Result<()> {
        let due = self.due();
        self.rate.acquire_by(due).await;
        self.asked = Instant::now();
        self.job.observe_poll(&STREAM);
        let id = self.job.id();
        let call = self.job.call(&STREAM)?.longest_pause(max_interval(id)).urgent_from(due);
        let mut call = call.idle_timeout(poll_timeout(id));
        if std::mem::take(&mut self.closes) {
            call = call.closing();
        }
        self.is_polling = true;
        let reply = self.job.send(call).await;
        self.is_polling = false;
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                self.gap |= may_have_drained(&error);
                return self.survive_without_chunks(error);
            }
        };
        self.gap |= reply.is_after_unknown_outcome();
        let batch = match self.read(&reply) {
            Ok(batch) => batch,
            Err(error) => {
                self.gap = true;
                return self.survive_without_chunks(error);
            }
        };
        self.job.lifespan().saw();
        self.stream_outage.end();
        let drained = batch.chunks.is_empty();
        self.ready.extend(batch.chunks);
        let is_running = batch.status.is_some_and(|status| !status.is_terminal());
        let told = batch.status.filter(|status| status.is_terminal());
        // The job runs, or there are new chunks: it may have been retried since its end was seen.
        if let Some(ended) = &mut self.ended
            && (is_running || !drained)
        {
            ended.is_old = true;
        }
        match (drained, self.ended.is_some() || told.is_some()) {
            (true, true) => return self.finish(told).await,
            (true, false) => return self.poll_status().await,
            (false, ended) => {
                self.intervals.restart();
                if !ended {
                    self.pause = self.intervals.next();
                }
            }
        }
        if let (Some(status), None) = (told, &self.ended) {
            self.ended = Some(Ended { status, record: None, is_old: true });
        }
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<StreamResponse> {
        let batch = StreamResponse::read(&self.attempted, reply.body())
            .map_err(|error| error.explained_by(reply).with_job_id(self.job.id()))?;
        match &batch.job_id {
            Some(id) if !self.job.has_id(id) => Err(self.job.about_another(&STREAM, id)),
            _ => Ok(batch),
        }
    }

    /// Reads the status after a response without chunks that does not say whether the job has
    /// ended. A job that has ended is polled once more, for chunks that it emitted in between.
    async fn poll_status(&mut self) -> Result<()> {
        match self.status().await {
            Ok(record) => {
                self.status_outage.end();
                if record.status().is_terminal() {
                    let status = record.status();
                    self.ended = Some(Ended { status, record: Some(record), is_old: false });
                } else {
                    self.pause = self.intervals.next();
                }
                Ok(())
            }
            Err(error) => self.survive_without_status(error),
        }
    }

    /// The latest time of the next poll of `/stream`, before the remaining chunks could expire.
    fn due(&self) -> Instant {
        self.asked + max_interval(self.job.id())
    }

    async fn status(&self) -> Result<JobRecord> {
        let due = self.due();
        self.rate.acquire_by(due).await;
        self.job.observe_poll(&STATUS);
        self.job.poll_status().urgent_from(due).await
    }

    /// The job has ended and no chunk is left.
    async fn finish(&mut self, told: Option<JobStatus>) -> Result<()> {
        let known = self.ended.take();
        let known = known.or(told.map(|status| Ended { status, record: None, is_old: true }));
        let record = match known {
            None | Some(Ended { status: JobStatus::Completed, .. }) => {
                self.over = true;
                self.job.mark_streamed();
                return Ok(());
            }
            Some(Ended { record: Some(record), is_old: false, .. }) => record,
            Some(Ended { status, record, .. }) => match self.status().await {
                Ok(now) if !now.status().is_terminal() => {
                    self.status_outage.end();
                    self.pause = self.intervals.next();
                    return Ok(());
                }
                // The job was retried, and may have emitted more chunks before its new end.
                Ok(now) if now.status() != status => {
                    let status = now.status();
                    self.ended = Some(Ended { status, record: Some(now), is_old: false });
                    return Ok(());
                }
                Ok(now) => now,
                Err(error) if is_transient(self.job.lifespan(), &error) => {
                    self.ended = Some(Ended { status, record, is_old: true });
                    return self.survive_without_status(error);
                }
                Err(_) => {
                    record.unwrap_or_else(|| JobRecord::known_by_status(self.job.clone(), status))
                }
            },
        };
        self.over = true;
        self.job.mark_streamed();
        record.into_result().map(drop)
    }

    fn survive_without_chunks(&mut self, error: Error) -> Result<()> {
        let is_over = self.stream_outage.exceeds_limit(self.job.id());
        self.survive(error, is_over)
    }

    fn survive_without_status(&mut self, error: Error) -> Result<()> {
        let is_over = self.status_outage.exceeds_limit(self.job.id());
        self.survive(error, is_over)
    }

    /// Continues after a transient failure, unless the outage has lasted too long.
    fn survive(&mut self, error: Error, is_over: bool) -> Result<()> {
        if is_over || !is_transient(self.job.lifespan(), &error) {
            return Err(error);
        }
        self.closes |= error.kind() == ErrorKind::ForeignRecord;
        self.pause = interval_after(&error, self.intervals.next(), self.job.id());
        Ok(())
    }
}

impl Drop for Poller {
    /// Chunks that were delivered and not handed out are reported by the next stream of the job.
    fn drop(&mut self) {
        if self.gap || self.is_polling || !self.ready.is_empty() {
            self.job.drop_chunks();
        }
    }
}

/// Returns true if the service may have handed out chunks to a call that has failed.
fn may_have_drained(error: &Error) -> bool {
    // A 408 may come from a gateway that timed out, and a response that is too large carried
    // chunks.
    error.is_after_unknown_outcome()
        || error.kind() == ErrorKind::ResponseTooLarge
        || error.status() == Some(408)
}

/// A chunk of a handler's output ([Stream chunk](crate#the-interface)). The service splits chunks
/// larger than 1 MB.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamChunk<T> {
    /// The chunk's content; its shape is defined by the handler.
    pub output: T,
    /// The metrics that the handler reports with the chunk.
    pub metrics: Metrics,
    /// True if chunks may be missing before this one, because a response that may have contained
    /// them was lost in transit. If no chunk follows, the stream yields a separate error of kind
    /// [`ErrorKind::StreamGap`](crate::ErrorKind::StreamGap) instead.
    pub after_gap: bool,
}

/// The metrics of a chunk, as its handler reports them. Their shape is defined by the handler:
/// these are the fields seen in practice, and any others are kept in `others`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Value")]
#[non_exhaustive]
pub struct Metrics {
    /// Tokens generated per second, on average.
    pub avg_gen_throughput: Option<f64>,
    /// Prompt tokens processed per second, on average.
    pub avg_prompt_throughput: Option<f64>,
    /// The usage of the KV cache in main memory.
    pub cpu_kv_cache_usage: Option<f64>,
    /// The usage of the KV cache in GPU memory.
    pub gpu_kv_cache_usage: Option<f64>,
    /// The number of input tokens.
    pub input_tokens: Option<f64>,
    /// The number of output tokens.
    pub output_tokens: Option<f64>,
    /// The number of requests waiting at the worker.
    pub pending: Option<f64>,
    /// The number of requests running at the worker.
    pub running: Option<f64>,
    /// The scenario, as named by the worker.
    pub scenario: Option<String>,
    /// The chunk's index in the stream.
    pub stream_index: Option<f64>,
    /// The number of requests swapped out at the worker.
    pub swapped: Option<f64>,
    /// All other fields, and those above that have an unexpected type.
    pub others: Map<String, Value>,
}

impl From<Value> for Metrics {
    fn from(value: Value) -> Self {
        let Value::Object(mut others) = value else {
            return Self::default();
        };
        let mut number = |name: &str| {
            let number = others.get(name)?.as_f64()?;
            others.remove(name);
            Some(number)
        };
        let mut metrics = Self {
            avg_gen_throughput: number("avg_gen_throughput"),
            avg_prompt_throughput: number("avg_prompt_throughput"),
            cpu_kv_cache_usage: number("cpu_kv_cache_usage"),
            gpu_kv_cache_usage: number("gpu_kv_cache_usage"),
            input_tokens: number("input_tokens"),
            output_tokens: number("output_tokens"),
            pending: number("pending"),
            running: number("running"),
            scenario: None,
            stream_index: number("stream_index"),
            swapped: number("swapped"),
            others: Map::new(),
        };
        if others.get("scenario").is_some_and(Value::is_string)
            && let Some(Value::String(scenario)) = others.remove("scenario")
        {
            metrics.scenario = Some(scenario);
        }
        metrics.others = others;
        metrics
    }
}

/// A chunk as it was received.
struct RawChunk {
    json: Bytes,
}

impl RawChunk {
    /// The bytes received.
    fn bytes(&self) -> Bytes {
        self.json.clone()
    }

    fn is_object(&self) -> bool {
        self.json.starts_with(b"{")
    }

    fn decode<T: DeserializeOwned>(
        &self,
        attempted: &Attempted,
        after_gap: bool,
    ) -> Result<StreamChunk<T>> {
        let mut output: &[u8] = b"null";
        let mut metrics = Metrics::default();
        let fields = RawField::named(attempted, &self.json, &["output", "metrics"])?;
        for field in &fields {
            match field.name {
                "output" => output = &field.json,
                // Read in any shape, so that an unexpected field does not lose a chunk.
                "metrics" => metrics = field.read(attempted).unwrap_or_default(),
                _ => {}
            }
        }
        Ok(StreamChunk { output: decode_at(attempted, "output", output)?, metrics, after_gap })
    }
}

/// A response of `/stream`.
struct StreamResponse {
    chunks: Vec<RawChunk>,
    /// The job's status, if the response has it.
    status: Option<JobStatus>,
    /// The job's id, if the response has it.
    job_id: Option<String>,
}

impl StreamResponse {
    /// Reads a response in both forms: the documented array of chunks, and the object seen in
    /// practice, whose list of chunks may be absent if there is a status.
    fn read(attempted: &Attempted, body: &Bytes) -> Result<Self> {
        let mut batch = Self { chunks: Vec::new(), status: None, job_id: None };
        if !without_mark(body).trim_ascii_start().starts_with(b"{") {
            batch.chunks = raw_chunks(attempted, body)?;
            return Ok(batch);
        }
        let mut is_batch = false;
        for field in RawField::named(attempted, body, &["stream", "status", "id"])? {
            match field.name {
                "stream" => {
                    batch.chunks = raw_chunks(attempted, &field.json)?;
                    is_batch = true;
                }
                // A status that cannot be read can be polled.
                "status" => {
                    is_batch |= !is_http_status(&field.json);
                    batch.status = field.read(attempted).unwrap_or_default();
                }
                _ => batch.job_id = field.read(attempted).unwrap_or_default(),
            }
        }
        if is_batch {
            return Ok(batch);
        }
        let missing = <serde_json::Error as serde::de::Error>::missing_field("stream");
        Err(not_decodable(attempted, "stream", missing).into())
    }
}

fn raw_chunks(attempted: &Attempted, json: &Bytes) -> Result<Vec<RawChunk>> {
    let elements = elements(attempted, "stream", json)?;
    Ok(elements.into_iter().map(|json| RawChunk { json }).collect())
}

/// Reads a response of `/stream` and each chunk of it.
#[cfg(fuzzing)]
pub(super) fn fuzz_chunks(body: &Bytes) {
    let attempted = Attempted::new("stream").on_interface("queue");
    if let Ok(batch) = StreamResponse::read(&attempted, body) {
        for chunk in batch.chunks {
            let _ = chunk.decode::<serde_json::Value>(&attempted, false);
            let _ = chunk.decode::<Vec<String>>(&attempted, true);
        }
    }
}
