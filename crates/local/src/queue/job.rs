//! One job: its states, and what moves it from one to the next (interface: "States and
//! transitions"). Nothing else changes a job's state.

mod mode;
mod record;
mod status;
mod times;

pub(crate) use mode::{JobId, Mode};
pub(crate) use record::{Receipt, Record};
pub(crate) use status::Status;
pub(crate) use times::{Fate, Times};

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::stream::Backlog;
use super::submission::Submission;
use crate::clock::Moment;
use crate::worker::WorkerId;

const DEFAULT_TTL: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug)]
enum Phase {
    Queued {
        turn: u64,
    },
    /// It keeps the turn that it had in the queue, in case its worker is lost.
    Running {
        turn: u64,
        worker: WorkerId,
        started_at: Moment,
        stop: CancellationToken,
    },
    Finished {
        status: Status,
        started_at: Option<Moment>,
        finished_at: Moment,
    },
}

/// What a handler made of a job. Both an output and an error are a failure with output.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) output: Option<Value>,
    pub(crate) error: Option<String>,
}

impl Ending {
    pub(crate) fn failure(error: String) -> Self {
        Self { output: None, error: Some(error) }
    }
}

/// What a job occupied until it left a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Queue { turn: u64 },
    Worker(WorkerId),
    Nothing,
}

/// A worker, and its name if it has one.
pub(crate) type WorkerTag = (WorkerId, Option<Arc<str>>);

#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: JobId,
    /// Counts the jobs of the endpoint in the order of their submission.
    number: u64,
    pub(crate) submission: Arc<Submission>,
    /// Counts the times that a worker took the job, so that a late result is known as late.
    pub(crate) attempt: u64,
    pub(crate) backlog: Backlog,
    /// Wakes the requests that wait for the job: a chunk has come, or it has ended.
    pub(crate) changed: Arc<Notify>,
    /// Whether a worker was lost with it, since it was submitted or retried.
    was_lost: bool,
    retried: u32,
    worker: Option<WorkerTag>,
    pub(crate) mode: Mode,
    /// Why the last report that was refused for good was, of the worker that has the job.
    refusal: Option<Arc<str>>,
    ttl: Duration,
    execution_timeout: Duration,
    submitted_at: Moment,
    queued_at: Moment,
    phase: Phase,
    output: Option<Arc<Value>>,
    error: Option<Arc<str>>,
}

impl Job {
    pub(crate) fn new(
        id: JobId,
        submission: Submission,
        mode: Mode,
        endpoint_timeout: Duration,
        turn: u64,
        now: Moment,
    ) -> Self {
        Self {
            id,
            number: turn,
            attempt: 0,
            backlog: Backlog::default(),
            changed: Arc::default(),
            was_lost: false,
            retried: 0,
            worker: None,
            mode,
            refusal: None,
            ttl: submission.policy.ttl.unwrap_or(DEFAULT_TTL),
            execution_timeout: submission.policy.execution_timeout.unwrap_or(endpoint_timeout),
            submission: Arc::new(submission),
            submitted_at: now,
            queued_at: now,
            phase: Phase::Queued { turn },
            output: None,
            error: None,
        }
    }

    pub(crate) fn status(&self) -> Status {
        match self.phase {
            Phase::Queued { .. } => Status::InQueue,
            Phase::Running { .. } => Status::InProgress,
            Phase::Finished { status, .. } => status,
        }
    }

    pub(crate) fn place(&self) -> Place {
        match self.phase {
            Phase::Queued { turn } => Place::Queue { turn },
            Phase::Running { worker, .. } => Place::Worker(worker),
            Phase::Finished { .. } => Place::Nothing,
        }
    }

    pub(crate) fn submitted_at(&self) -> Moment {
        self.submitted_at
    }

    /// Whether the job, while it is queued, is a reason to start a worker.
    pub(crate) fn calls_for_worker(&self) -> bool {
        !self.submission.policy.low_priority
    }

    pub(crate) fn set_ttl(&mut self, ttl: Duration) {
        self.ttl = ttl;
    }

    /// IN_QUEUE to IN_PROGRESS: a worker takes the job, which may have a name. The token tells its
    /// handler to stop.
    pub(crate) fn start(
        &mut self,
        worker: WorkerId,
        name: Option<Arc<str>>,
        now: Moment,
    ) -> CancellationToken {
        let stop = CancellationToken::new();
        self.attempt += 1;
        self.worker = Some((worker, name));
        if let Phase::Queued { turn } = self.phase {
            self.phase = Phase::Running { turn, worker, started_at: now, stop: stop.clone() };
        }
        stop
    }

    /// IN_PROGRESS to IN_QUEUE: no worker has the job after all. Returns its turn, the one that it
    /// had.
    pub(crate) fn put_back(&mut self) -> Option<u64> {
        let Phase::Running { turn, .. } = self.phase else { return None };
        self.stop_handler();
        self.output = None;
        self.refusal = None;
        self.backlog.clear();
        self.phase = Phase::Queued { turn };
        self.changed.notify_waiters();
        Some(turn)
    }

    /// IN_PROGRESS to COMPLETED or FAILED: the handler is done.
    pub(crate) fn finish(&mut self, ending: Ending, now: Moment) {
        let status = if ending.error.is_some() { Status::Failed } else { Status::Completed };
        self.output = ending.output.map(Arc::new);
        self.error = ending.error.map(Into::into);
        self.end(status, now);
    }

    /// IN_QUEUE or IN_PROGRESS to CANCELLED.
    pub(crate) fn cancel(&mut self, now: Moment) {
        self.output = None;
        self.end(Status::Cancelled, now);
    }

    /// IN_PROGRESS to TIMED_OUT.
    pub(crate) fn time_out(&mut self, now: Moment) {
        self.output = None;
        // The likely reason why there is no result.
        self.error = self
            .refusal
            .take()
            .map(|why| format!("a report of the worker was refused: {why}").into());
        self.end(Status::TimedOut, now);
    }

    /// FAILED or TIMED_OUT to IN_QUEUE: the id, the input and the time of submission stay, what
    /// the earlier attempt left behind goes.
    pub(crate) fn retry(&mut self, turn: u64, now: Moment) {
        self.retried += 1;
        self.worker = None;
        self.queued_at = now;
        self.output = None;
        self.error = None;
        self.was_lost = false;
        self.refusal = None;
        self.backlog.clear();
        self.phase = Phase::Queued { turn };
    }

    /// Its worker is lost for the first time, so that it runs on another one. Says whether it was lost
    /// before.
    pub(crate) fn lose_worker(&mut self) -> bool {
        let was_lost = std::mem::replace(&mut self.was_lost, true);
        self.retried += u32::from(!was_lost);
        was_lost
    }

    /// Any state to gone: whoever still works on it or waits for it learns of it.
    pub(crate) fn delete(self) {
        self.stop_handler();
        self.changed.notify_waiters();
    }

    /// Sets the output that is shown while the job runs.
    pub(crate) fn progress(&mut self, value: Value) {
        self.output = Some(Arc::new(value));
    }

    /// Notes why a report of its worker was refused for good. Says whether that is new.
    pub(crate) fn note_refusal(&mut self, why: &str) -> bool {
        let is_new = self.refusal.as_deref() != Some(why);
        self.refusal = Some(why.into());
        self.changed.notify_waiters();
        is_new
    }

    /// Why a report of the worker that has the job was refused for good.
    pub(crate) fn refusal(&self) -> Option<Arc<str>> {
        self.refusal.clone()
    }

    /// Whether a worker has made something of the job.
    pub(crate) fn has_result(&self) -> bool {
        matches!(self.status(), Status::Completed | Status::Failed)
    }

    fn end(&mut self, status: Status, now: Moment) {
        self.stop_handler();
        let started_at = match self.phase {
            Phase::Running { started_at, .. } => Some(started_at),
            _ => None,
        };
        self.phase = Phase::Finished { status, started_at, finished_at: now };
        self.changed.notify_waiters();
    }

    fn stop_handler(&self) {
        if let Phase::Running { stop, .. } = &self.phase {
            stop.cancel();
        }
    }

    /// How often it was queued again, on request or because its worker was lost.
    pub(crate) fn retried(&self) -> u32 {
        self.retried
    }

    /// The worker that had it last.
    pub(crate) fn worker(&self) -> Option<&WorkerTag> {
        self.worker.as_ref()
    }

    /// Its output and its error, as far as there are any.
    pub(crate) fn result(&self) -> (Option<&Arc<Value>>, Option<&Arc<str>>) {
        (self.output.as_ref(), self.error.as_ref())
    }

    /// How many chunks its attempt has emitted, fetched or not.
    pub(crate) fn chunks(&self) -> u64 {
        self.backlog.emitted()
    }

    /// Counts the jobs of the endpoint in the order of their submission.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}
