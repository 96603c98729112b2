//! A job: its script, and what was done to it.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::reply::Reply;
use crate::plan::{End, JobScript};

const TTL: Duration = Duration::from_secs(24 * 60 * 60);

pub struct Job {
    pub id: String,
    /// The call that submitted it.
    pub call: u64,
    pub script: JobScript,
    pub submitted: Instant,
    /// How long `/runsync` waits for it.
    wait: Option<Duration>,
    /// When it was queued last.
    queued: Instant,
    pub cancelled: Option<Instant>,
    /// Purged from the queue.
    pub removed: Option<Instant>,
    /// How often it was retried.
    pub retries: u64,
    /// How many chunks of this run were handed out.
    drained: u64,
    /// How it ended in its earlier runs.
    earlier: Vec<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Queued,
    Running,
    Completed,
    Failed,
    Cancelled,
    TimedOut,
    /// Expired, or purged.
    Gone,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "IN_QUEUE",
            Self::Running => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::TimedOut => "TIMED_OUT",
            Self::Gone => "gone",
        }
    }
}

impl Job {
    pub(super) fn new(
        id: String,
        call: u64,
        script: JobScript,
        now: Instant,
        wait: Option<Duration>,
    ) -> Self {
        Self {
            id,
            call,
            script,
            submitted: now,
            wait,
            queued: now,
            cancelled: None,
            removed: None,
            retries: 0,
            drained: 0,
            earlier: Vec::new(),
        }
    }

    pub fn state(&self, now: Instant) -> State {
        if self.removed.is_some() || now >= self.gone_at() {
            return State::Gone;
        }
        match self.cancelled {
            Some(_) => State::Cancelled,
            None if now < self.starts_at() => State::Queued,
            None if now < self.ends_at() => State::Running,
            None => match self.end() {
                End::Completed => State::Completed,
                End::Failed => State::Failed,
                End::TimedOut => State::TimedOut,
            },
        }
    }

    /// Whether it is or ever was in this state.
    pub fn has_been(&self, state: State, now: Instant) -> bool {
        let went_through = match state {
            State::Queued => true,
            State::Running => now >= self.starts_at(),
            // It ended, and has expired since.
            State::Cancelled => self.cancelled.is_some(),
            State::Gone => self.state(now) == State::Gone,
            ended => {
                self.cancelled.is_none()
                    && self.removed.is_none()
                    && now >= self.ends_at()
                    && self.state(self.ends_at()) == ended
            }
        };
        went_through || self.retries > 0 && state == State::Running || self.earlier.contains(&state)
    }

    /// When it ended for good, or would.
    pub fn ended_at(&self) -> Instant {
        self.cancelled.unwrap_or_else(|| self.ends_at())
    }

    /// From when on the service does not hold it.
    pub fn gone_at(&self) -> Instant {
        let kept = match self.wait {
            Some(wait) => wait.clamp(Duration::from_secs(60), Duration::from_secs(300)),
            None => Duration::from_secs(30 * 60),
        };
        (self.ended_at() + kept).min(self.submitted + TTL)
    }

    /// It has failed already.
    pub fn fail_at_once(&mut self) {
        self.script =
            JobScript { queued: Duration::ZERO, runs: Duration::ZERO, chunks: 0, end: End::Failed };
    }

    pub(super) fn answers_sync_at(&self) -> Instant {
        self.ends_at().min(self.submitted + self.wait.unwrap_or_default())
    }

    /// After a retry it succeeds.
    fn end(&self) -> End {
        if self.retries > 0 { End::Completed } else { self.script.end }
    }

    fn starts_at(&self) -> Instant {
        self.queued + self.script.queued
    }

    fn ends_at(&self) -> Instant {
        self.starts_at() + self.script.runs
    }

    pub(super) fn record(&self, now: Instant) -> Value {
        let state = self.state(now);
        let mut record = json!({ "id": self.id, "status": state.name() });
        if matches!(state, State::Completed | State::Failed | State::TimedOut) {
            record["delayTime"] = json!(self.script.queued.as_millis() as u64);
            record["executionTime"] = json!(self.script.runs.as_millis() as u64);
        }
        match state {
            State::Completed => record["output"] = json!({ "call": self.call, "job": self.id }),
            State::Failed => record["error"] = json!(format!("the handler of {} failed", self.id)),
            _ => {}
        }
        record
    }

    /// How many chunks of this run the handler has emitted.
    fn emitted(&self, now: Instant) -> u64 {
        let until = now.min(self.ended_at());
        let ran = until.saturating_duration_since(self.starts_at());
        if until < self.starts_at() {
            return 0;
        }
        let each = self.script.runs / (self.script.chunks as u32 + 1);
        if each.is_zero() {
            return self.script.chunks;
        }
        ((ran.as_millis() / each.as_millis().max(1)) as u64).min(self.script.chunks)
    }

    pub(super) fn drain(&mut self, now: Instant) -> Value {
        let emitted = self.emitted(now);
        let chunk = |index: u64| json!({ "output": { "job": self.id, "run": self.retries, "chunk": index } });
        let chunks = (self.drained..emitted).map(chunk).collect();
        self.drained = emitted;
        // Both forms, as the job's number has it.
        if (self.call / 1_000).is_multiple_of(2) {
            Value::Array(chunks)
        } else {
            json!({ "status": self.state(now).name(), "stream": Value::Array(chunks) })
        }
    }

    /// How many chunks there were in the last run, all in all.
    pub fn all_chunks(&self) -> u64 {
        self.emitted(self.ended_at())
    }

    pub(super) fn cancel(&mut self, now: Instant) -> Reply {
        match self.state(now) {
            State::Queued | State::Running => self.cancelled = Some(now),
            State::Cancelled => {}
            _ => return Reply::error(400, "the job has ended"),
        }
        Reply::json(200, &json!({ "id": self.id, "status": "CANCELLED" }))
    }

    pub(super) fn retry(&mut self, now: Instant) -> Reply {
        let state = self.state(now);
        if !matches!(state, State::Failed | State::TimedOut) {
            return Reply::error(400, "only a failed job can be retried");
        }
        self.earlier.push(state);
        self.retries += 1;
        self.queued = now;
        self.drained = 0;
        Reply::json(200, &json!({ "id": self.id, "status": "IN_QUEUE" }))
    }
}
