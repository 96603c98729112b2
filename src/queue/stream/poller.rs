//! Polls `/stream` until the job has ended and nothing is left.

use std::collections::VecDeque;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::chunk::{Batch, RawChunk, StreamChunk};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::queue::operations::STREAM;
use crate::queue::polling::{Pauses, rarest};
use crate::queue::wait::{PATIENCE, may_pass, pause_after};
use crate::queue::{Job, JobRecord, JobStatus};

/// The state of a stream between two items.
pub(super) struct Poller {
    job: Job,
    attempted: Attempted,
    ready: VecDeque<RawChunk>,
    pauses: Pauses,
    /// How long to wait before the next poll.
    pause: Duration,
    /// When `/stream` was last asked.
    asked: Instant,
    /// Since when `/stream` was asked and has not answered.
    no_chunks_since: Option<Instant>,
    /// Since when `/status` was asked and has not answered.
    no_status_since: Option<Instant>,
    /// An answer was lost that may have carried chunks.
    gap: bool,
    /// How the job has ended, once that is known.
    ended: Option<Ended>,
    over: bool,
}

struct Ended {
    status: JobStatus,
    record: Option<JobRecord>,
}

impl Poller {
    pub(super) fn new(job: Job) -> Self {
        Self {
            attempted: job.attempted("stream"),
            pauses: job.endpoint().client().polling().pauses(job.id()),
            job,
            ready: VecDeque::new(),
            pause: Duration::ZERO,
            asked: Instant::now(),
            no_chunks_since: None,
            no_status_since: None,
            gap: false,
            ended: None,
            over: false,
        }
    }

    /// The next item; `None` when the stream is over.
    pub(super) async fn next<T: DeserializeOwned>(&mut self) -> Option<Result<StreamChunk<T>>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                let gap = std::mem::take(&mut self.gap);
                let chunk = chunk.decode(&self.attempted, gap);
                return Some(chunk.map_err(|error| error.with_job_id(self.job.id())));
            }
            if self.over {
                return None;
            }
            tokio::time::sleep(std::mem::take(&mut self.pause)).await;
            if let Err(error) = self.poll().await {
                self.over = true;
                return Some(Err(error));
            }
        }
    }

    async fn poll(&mut self) -> Result<()> {
        self.job.tell_of_poll(&STREAM);
        let rarest = rarest(self.job.id());
        let due = std::mem::replace(&mut self.asked, Instant::now()) + rarest;
        let call = self.job.call(&STREAM)?.longest_pause(rarest).urgent_from(due);
        let reply = match self.job.send(call).await {
            Ok(reply) => reply,
            Err(error) => {
                self.gap |= !matches!(error.kind(), ErrorKind::Connect | ErrorKind::RateLimited);
                return self.survive_without_chunks(error);
            }
        };
        self.gap |= reply.after_unknown_outcome;
        let batch = match Batch::read(&self.attempted, &reply.body) {
            Ok(batch) => batch,
            Err(error) => {
                self.gap = true;
                let error = reply.explain(error).with_job_id(self.job.id());
                return self.survive_without_chunks(error);
            }
        };
        self.no_chunks_since = None;
        let drained = batch.chunks.is_empty();
        self.ready.extend(batch.chunks);
        let told = batch.status.filter(JobStatus::is_terminal);
        match (drained, self.ended.is_some() || told.is_some()) {
            (true, true) => return self.finish(told).await,
            (true, false) => return self.look().await,
            (false, ended) => {
                self.pauses.restart();
                if !ended {
                    self.pause = self.pauses.next();
                }
            }
        }
        if let (Some(status), None) = (told, &self.ended) {
            self.ended = Some(Ended { status, record: None });
        }
        Ok(())
    }

    /// Nothing new, and the answer did not say that the job has ended: its status does. A job that
    /// has ended is polled once more, for what it emitted in between.
    async fn look(&mut self) -> Result<()> {
        match self.job.look().await {
            Ok(record) => {
                self.no_status_since = None;
                if record.status().is_terminal() {
                    let status = record.status().clone();
                    self.ended = Some(Ended { status, record: Some(record) });
                } else {
                    self.pause = self.pauses.next();
                }
                Ok(())
            }
            Err(error) => self.survive_without_status(error),
        }
    }

    /// The job has ended and nothing is left.
    async fn finish(&mut self, told: Option<JobStatus>) -> Result<()> {
        let known = self.ended.take();
        let record = known.as_ref().and_then(|ended| ended.record.clone());
        let status = known.map(|ended| ended.status).or(told);
        let record = match (record, &status) {
            (Some(record), _) => record,
            (None, Some(JobStatus::Completed) | None) => {
                self.over = true;
                return Ok(());
            }
            (None, Some(status)) => match self.job.look().await {
                // It was retried in between.
                Ok(record) if !record.status().is_terminal() => {
                    self.no_status_since = None;
                    self.pause = self.pauses.next();
                    return Ok(());
                }
                Ok(record) => record,
                Err(error) if may_pass(&error) => {
                    self.ended = Some(Ended { status: status.clone(), record: None });
                    return self.survive_without_status(error);
                }
                Err(_) => JobRecord::known_by_status(self.job.clone(), status.clone()),
            },
        };
        self.over = true;
        record.into_result().map(drop)
    }

    fn survive_without_chunks(&mut self, error: Error) -> Result<()> {
        let since = *self.no_chunks_since.get_or_insert_with(Instant::now);
        self.survive(error, since)
    }

    /// An answer of `/stream` does not help where the status is what is missing.
    fn survive_without_status(&mut self, error: Error) -> Result<()> {
        let since = *self.no_status_since.get_or_insert_with(Instant::now);
        self.survive(error, since)
    }

    /// Goes on after a failure that may pass, one of a row that began then.
    fn survive(&mut self, error: Error, since: Instant) -> Result<()> {
        if !may_pass(&error) || since.elapsed() > PATIENCE {
            return Err(error);
        }
        self.pause = pause_after(&error, self.pauses.next(), self.job.id());
        Ok(())
    }
}
