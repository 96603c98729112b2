//! Stream poller: polls `/stream` until the job has ended and no chunk is left.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::chunk::{Batch, RawChunk, StreamChunk};
use crate::error::{Error, ErrorKind, Result};
use crate::queue::operations::{STATUS, STREAM};
use crate::queue::poll_rate::PollRate;
use crate::queue::polling::{PollIntervals, max_interval, poll_timeout};
use crate::queue::transient::{Outage, interval_after, is_transient};
use crate::queue::{Job, JobRecord, JobStatus};
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::require_runtime;
use podqueue_runtime::Reply;

/// The state of a stream between two items.
pub(super) struct Poller {
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
    stream_outage: Outage,
    /// The outage of `/status`, which a response of `/stream` does not end.
    status_outage: Outage,
    /// True if a response was lost that may have carried chunks, or an earlier stream was dropped with some,
    /// and no item has reported the gap yet.
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
    pub(super) fn new(job: Job) -> Self {
        Self {
            attempted: job.attempted("stream"),
            rate: job.endpoint().poll_rate(),
            intervals: job.endpoint().context().polling.intervals(max_interval(job.id())),
            ready: VecDeque::new(),
            pause: Duration::ZERO,
            asked: Instant::now(),
            stream_outage: Outage::default(),
            status_outage: Outage::default(),
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
    pub(super) async fn next<T: DeserializeOwned>(&mut self) -> Option<Result<StreamChunk<T>>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                self.repeats = false;
                let decoded = chunk.decode(&self.attempted, self.gap);
                // An item that is an error does not report a gap: the next item does, or the end. An
                // element that is no chunk may replace lost chunks.
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
        let mut call = call.longest_silence(poll_timeout(id));
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

    fn read(&self, reply: &Reply) -> Result<Batch> {
        let batch = Batch::read(&self.attempted, reply.body())
            .map_err(|error| error.explained_by(reply).with_job_id(self.job.id()))?;
        match &batch.job_id {
            Some(id) if !self.job.has_id(id) => Err(self.job.about_another(&STREAM, id)),
            _ => Ok(batch),
        }
    }

    /// Reads the status after a response without chunks that does not say whether the job has ended. A
    /// job that has ended is polled once more, for chunks that it emitted in between.
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
                self.job.has_streamed();
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
        self.job.has_streamed();
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
    // A 408 may come from a gateway that timed out, and a response that is too large carried chunks.
    error.is_after_unknown_outcome()
        || error.kind() == ErrorKind::ResponseTooLarge
        || error.status() == Some(408)
}
