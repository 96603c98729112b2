//! One job: its states, and what moves it from one to the next (interface: "States and
//! transitions"). Nothing else changes a job's state.

use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::stream::Backlog;
use super::submission::Submission;
use crate::clock::{Moment, milliseconds};
use crate::worker::WorkerId;

pub(crate) type JobId = Arc<str>;

const DEFAULT_TTL: Duration = Duration::from_secs(24 * 3600);
const ASYNC_RETENTION: Duration = Duration::from_secs(30 * 60);
const MIN_SYNC_RETENTION: Duration = Duration::from_secs(60);
const MAX_SYNC_RETENTION: Duration = Duration::from_secs(5 * 60);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Status {
    InQueue,
    InProgress,
    Completed,
    Failed,
    Cancelled,
    TimedOut,
}

impl Status {
    pub(crate) const ALL: [Self; 6] = [
        Self::InQueue,
        Self::InProgress,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::TimedOut,
    ];

    pub(crate) fn is_terminal(self) -> bool {
        !matches!(self, Self::InQueue | Self::InProgress)
    }

    /// As the interface spells it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::InQueue => "IN_QUEUE",
            Self::InProgress => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::TimedOut => "TIMED_OUT",
        }
    }
}

/// How a job was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By `/run`.
    Async,
    /// By `/runsync`, with the time that the request waits.
    Sync { wait: Duration },
}

impl Mode {
    /// How long a result is kept once there is one.
    fn retention(self) -> Duration {
        match self {
            Self::Async => ASYNC_RETENTION,
            Self::Sync { wait } => wait.clamp(MIN_SYNC_RETENTION, MAX_SYNC_RETENTION),
        }
    }

    /// An id for a job that is submitted so.
    pub(crate) fn new_id(self) -> JobId {
        // Unique is all that an id has to be, so the system need not be asked for random numbers.
        let random = fastrand::u128(..).to_ne_bytes();
        let uuid = uuid::Builder::from_random_bytes(random).into_uuid();
        match self {
            Self::Async => format!("{uuid}-u1").into(),
            Self::Sync { .. } => format!("sync-{uuid}").into(),
        }
    }
}

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

/// What happens to a job by the mere passing of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Its ttl or the retention of its result ends: it is gone.
    Deleted,
    /// It ran for as long as it may.
    TimedOut,
}

/// What a job occupied until it left a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Queue { turn: u64 },
    Worker(WorkerId),
    Nothing,
}

/// When things happen to a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) submitted: Moment,
    /// When it was submitted or retried.
    pub(crate) queued: Moment,
    pub(crate) started: Option<Moment>,
    pub(crate) ended: Option<Moment>,
    /// When it will time out, if it runs until then.
    pub(crate) times_out: Option<Moment>,
    pub(crate) expires: Moment,
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

    /// The next thing that time does to the job.
    pub(crate) fn fate(&self) -> (Moment, Fate) {
        let end_of_life = self.submitted_at.saturating_add(self.ttl);
        let (due, fate) = match &self.phase {
            Phase::Queued { .. } => (end_of_life, Fate::Deleted),
            Phase::Running { started_at, .. } => {
                (started_at.saturating_add(self.execution_timeout), Fate::TimedOut)
            }
            Phase::Finished { finished_at, .. } => {
                (finished_at.saturating_add(self.mode.retention()), Fate::Deleted)
            }
        };
        if end_of_life <= due { (end_of_life, Fate::Deleted) } else { (due, fate) }
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

    pub(crate) fn times(&self) -> Times {
        let (started, ended) = match self.phase {
            Phase::Queued { .. } => (None, None),
            Phase::Running { started_at, .. } => (Some(started_at), None),
            Phase::Finished { started_at, finished_at, .. } => (started_at, Some(finished_at)),
        };
        let end_of_life = self.submitted_at.saturating_add(self.ttl);
        let times_out = started.map(|started| started.saturating_add(self.execution_timeout));
        Times {
            submitted: self.submitted_at,
            queued: self.queued_at,
            started,
            ended,
            times_out: times_out.filter(|_| ended.is_none()),
            expires: ended.map_or(end_of_life, |ended| {
                end_of_life.min(ended.saturating_add(self.mode.retention()))
            }),
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

    /// The job's status record, as it stands.
    pub(crate) fn record(&self, now: Moment) -> Record {
        let (started_at, ended_at) = match self.phase {
            Phase::Queued { .. } => (None, now),
            Phase::Running { started_at, .. } => (Some(started_at), now),
            Phase::Finished { started_at, finished_at, .. } => (started_at, finished_at),
        };
        let started_or_ended = started_at.unwrap_or(ended_at);
        Record {
            id: self.id.clone(),
            status: self.status(),
            delay_time: milliseconds(started_or_ended.saturating_sub(self.queued_at)),
            execution_time: milliseconds(ended_at.saturating_sub(started_or_ended)),
            output: self.output.clone(),
            error: self.error.clone(),
        }
    }
}

/// The job status record of `/status` and `/runsync`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    #[serde(serialize_with = "shared_text")]
    pub(crate) id: JobId,
    pub(crate) status: Status,
    pub(crate) delay_time: u64,
    pub(crate) execution_time: u64,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub(crate) output: Option<Arc<Value>>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub(crate) error: Option<Arc<str>>,
}

/// What `/run`, `/cancel` and `/retry` return.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Receipt {
    #[serde(serialize_with = "shared_text")]
    pub(crate) id: JobId,
    pub(crate) status: Status,
}

fn shared<T, S>(value: &Option<Arc<T>>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Serialize + ?Sized,
    S: Serializer,
{
    value.as_deref().serialize(serializer)
}

fn shared_text<S: Serializer>(value: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value)
}
