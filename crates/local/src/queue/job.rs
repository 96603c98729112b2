//! Job: its states, and the transitions between them (interface: "States and transitions"). Nothing
//! else changes the state of a job; [`endpoint`](super::endpoint) has the diagram.
//!
//! [`Record`] is a job as the interface returns it, [`WebhookEvent`] as its webhook is called with
//! it, and [`Jobs`] the table of an endpoint's jobs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::stream::Backlog;
use super::submission::Submission;
use super::timers::shrink;
use crate::clock::{Moment, milliseconds, wall_milliseconds};
use crate::worker::WorkerId;

/// The state of a job.
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

    /// The name of the status in the interface.
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

pub(crate) type JobId = Arc<str>;

const ASYNC_RETENTION: Duration = Duration::from_secs(30 * 60);
const MIN_SYNC_RETENTION: Duration = Duration::from_secs(60);
const MAX_SYNC_RETENTION: Duration = Duration::from_secs(5 * 60);

/// The way in which a job was submitted. Its id and the retention of its result follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By `/run`.
    Async,
    /// By `/runsync`, with the time that the request waits.
    Sync { wait: Duration },
}

impl Mode {
    /// Retention of the result.
    fn retention(self) -> Duration {
        match self {
            Self::Async => ASYNC_RETENTION,
            Self::Sync { wait } => wait.clamp(MIN_SYNC_RETENTION, MAX_SYNC_RETENTION),
        }
    }

    /// A new id for a job of this mode.
    pub(crate) fn new_id(self) -> JobId {
        // An id has to be unique, not secret, so it needs no random numbers of the system.
        let random = fastrand::u128(..).to_ne_bytes();
        let uuid = uuid::Builder::from_random_bytes(random).into_uuid();
        match self {
            Self::Async => format!("{uuid}-u1").into(),
            Self::Sync { .. } => format!("sync-{uuid}").into(),
        }
    }
}

const DEFAULT_TTL: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug)]
enum JobPhase {
    Queued {
        position: u64,
    },
    /// The position in the queue, kept in case the worker is lost.
    Running {
        position: u64,
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

/// The result of a job. If it has an output and an error, it is a failure with output.
#[derive(Debug)]
pub(crate) struct JobResult {
    pub(crate) output: Option<Value>,
    pub(crate) error: Option<String>,
}

impl JobResult {
    pub(crate) fn failure(error: String) -> Self {
        Self { output: None, error: Some(error) }
    }
}

/// The queue position or worker that a job occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occupancy {
    Queue { position: u64 },
    Worker(WorkerId),
    None,
}

/// A worker, and its name if it is attached.
pub(crate) type WorkerLabel = (WorkerId, Option<Arc<str>>);

#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: JobId,
    /// The number of the job within its endpoint, in the order of submission.
    number: u64,
    pub(crate) submission: Arc<Submission>,
    /// The number of times that the job was started, by which a late result is recognized.
    pub(crate) attempt: u64,
    backlog: Backlog,
    /// See [`changed`](Self::changed).
    changed: Arc<Notify>,
    /// True if its worker was lost since it was submitted or retried.
    has_lost_worker: bool,
    retried: u32,
    worker: Option<WorkerLabel>,
    pub(crate) mode: Mode,
    /// The reason of the last final refusal of a report of its worker.
    refusal: Option<Arc<str>>,
    ttl: Duration,
    execution_timeout: Duration,
    submitted_at: Moment,
    queued_at: Moment,
    wall_times: WallTimes,
    phase: JobPhase,
    output: Option<Arc<Value>>,
    error: Option<Arc<str>>,
}

impl Job {
    pub(crate) fn new(
        id: JobId,
        submission: Submission,
        mode: Mode,
        endpoint_timeout: Duration,
        position: u64,
        now: Moment,
    ) -> Self {
        Self {
            id,
            number: position,
            attempt: 0,
            backlog: Backlog::default(),
            changed: Arc::default(),
            has_lost_worker: false,
            retried: 0,
            worker: None,
            mode,
            refusal: None,
            ttl: submission.policy.ttl.unwrap_or(DEFAULT_TTL),
            execution_timeout: submission.policy.execution_timeout.unwrap_or(endpoint_timeout),
            submission: Arc::new(submission),
            submitted_at: now,
            queued_at: now,
            wall_times: WallTimes::of_submission(),
            phase: JobPhase::Queued { position },
            output: None,
            error: None,
        }
    }

    pub(crate) fn status(&self) -> Status {
        match self.phase {
            JobPhase::Queued { .. } => Status::InQueue,
            JobPhase::Running { .. } => Status::InProgress,
            JobPhase::Finished { status, .. } => status,
        }
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        match self.phase {
            JobPhase::Queued { position } => Occupancy::Queue { position },
            JobPhase::Running { worker, .. } => Occupancy::Worker(worker),
            JobPhase::Finished { .. } => Occupancy::None,
        }
    }

    pub(crate) fn submitted_at(&self) -> Moment {
        self.submitted_at
    }

    /// Returns true if the job may start a worker while it is queued.
    pub(crate) fn may_start_worker(&self) -> bool {
        !self.submission.policy.low_priority
    }

    pub(crate) fn set_ttl(&mut self, ttl: Duration) {
        self.ttl = ttl;
    }

    /// IN_QUEUE to IN_PROGRESS on a worker, with its name if it is attached. The returned token
    /// tells the handler to stop.
    pub(crate) fn start(
        &mut self,
        worker: WorkerId,
        name: Option<Arc<str>>,
        now: Moment,
    ) -> CancellationToken {
        let stop = CancellationToken::new();
        self.attempt += 1;
        self.worker = Some((worker, name));
        self.wall_times.started = wall_milliseconds();
        if let JobPhase::Queued { position } = self.phase {
            self.phase =
                JobPhase::Running { position, worker, started_at: now, stop: stop.clone() };
        }
        stop
    }

    /// IN_PROGRESS to IN_QUEUE at its old position: the worker did not get the job, or was lost.
    pub(crate) fn requeue(&mut self) {
        let JobPhase::Running { position, .. } = self.phase else { return };
        self.stop_handler();
        self.output = None;
        self.refusal = None;
        self.backlog.clear();
        self.phase = JobPhase::Queued { position };
        self.changed.notify_waiters();
    }

    /// IN_PROGRESS to COMPLETED or FAILED.
    pub(crate) fn finish(&mut self, result: JobResult, now: Moment) {
        let status = if result.error.is_some() { Status::Failed } else { Status::Completed };
        self.output = result.output.map(Arc::new);
        self.error = result.error.map(Into::into);
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
        // A refused report is the likely reason for the missing result.
        self.error = self
            .refusal
            .take()
            .map(|why| format!("a report of the worker was refused: {why}").into());
        self.end(Status::TimedOut, now);
    }

    /// FAILED or TIMED_OUT to IN_QUEUE. The id, the input and the time of submission stay; output,
    /// error and chunks of the earlier attempt are removed.
    pub(crate) fn retry(&mut self, position: u64, now: Moment) {
        self.retried += 1;
        self.worker = None;
        self.queued_at = now;
        self.wall_times.queued = wall_milliseconds();
        self.output = None;
        self.error = None;
        self.has_lost_worker = false;
        self.refusal = None;
        self.backlog.clear();
        self.phase = JobPhase::Queued { position };
    }

    /// Records that the worker was lost. Returns true if the job has lost a worker before.
    pub(crate) fn lose_worker(&mut self) -> bool {
        let was_lost = std::mem::replace(&mut self.has_lost_worker, true);
        self.retried += u32::from(!was_lost);
        was_lost
    }

    /// Any state to deleted: stops its handler, and wakes the requests that wait for it.
    pub(crate) fn delete(self) {
        self.stop_handler();
        self.changed.notify_waiters();
    }

    /// Sets the output while the job runs.
    pub(crate) fn set_progress(&mut self, value: Value) {
        self.output = Some(Arc::new(value));
    }

    /// Adds a chunk to its stream.
    pub(crate) fn emit(&mut self, output: Value, metrics: Map<String, Value>) {
        self.backlog.push(output, metrics, self.submission.has_whole_chunks);
        self.changed.notify_waiters();
    }

    /// Removes and returns the chunks that were not fetched yet.
    pub(crate) fn take_chunks(&mut self) -> Vec<Value> {
        self.backlog.take()
    }

    /// Wakes the requests that wait for the job, after a chunk and at its end.
    pub(crate) fn changed(&self) -> Arc<Notify> {
        self.changed.clone()
    }

    /// Records a final refusal of a report of the worker. Returns true if the reason is new.
    pub(crate) fn note_refusal(&mut self, why: &str) -> bool {
        let is_new = self.refusal.as_deref() != Some(why);
        self.refusal = Some(why.into());
        self.changed.notify_waiters();
        is_new
    }

    /// The reason of the last final refusal of a report of its worker.
    pub(crate) fn refusal(&self) -> Option<Arc<str>> {
        self.refusal.clone()
    }

    /// Returns true if a worker has ended the job.
    pub(crate) fn has_result(&self) -> bool {
        matches!(self.status(), Status::Completed | Status::Failed)
    }

    fn end(&mut self, status: Status, now: Moment) {
        self.stop_handler();
        let started_at = match self.phase {
            JobPhase::Running { started_at, .. } => Some(started_at),
            _ => None,
        };
        self.wall_times.ended = wall_milliseconds();
        self.phase = JobPhase::Finished { status, started_at, finished_at: now };
        self.changed.notify_waiters();
    }

    fn stop_handler(&self) {
        if let JobPhase::Running { stop, .. } = &self.phase {
            stop.cancel();
        }
    }

    /// The number of times that it was queued again, by a retry or because its worker was lost.
    pub(crate) fn retried(&self) -> u32 {
        self.retried
    }

    /// The worker that ran it last.
    pub(crate) fn worker(&self) -> Option<&WorkerLabel> {
        self.worker.as_ref()
    }

    /// The output and the error.
    pub(crate) fn result(&self) -> (Option<&Arc<Value>>, Option<&Arc<str>>) {
        (self.output.as_ref(), self.error.as_ref())
    }

    /// The number of chunks of this attempt, fetched or not.
    pub(crate) fn chunks(&self) -> u64 {
        self.backlog.emitted()
    }

    /// The number of the job within its endpoint, in the order of submission.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

/// The effect of the timer of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerEffect {
    /// The end of its ttl, or of the retention of its result.
    Delete,
    /// The end of its execution timeout.
    TimeOut,
}

/// The times of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) submitted: Moment,
    /// The submission, or the last retry.
    pub(crate) queued: Moment,
    pub(crate) started: Option<Moment>,
    pub(crate) ended: Option<Moment>,
    /// The end of its execution timeout, while it runs.
    pub(crate) times_out: Option<Moment>,
    pub(crate) expires: Moment,
    /// These times on the computer's clock.
    pub(crate) wall: WallTimes,
}

/// The times of a job on the computer's clock, in milliseconds since 1970; 0 of what has not
/// happened.
///
/// They do not follow from those on the service's clock, which may stand still for an hour and then
/// jump: what became due in a jump has happened when the clock was advanced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallTimes {
    pub(crate) submitted: u64,
    pub(crate) queued: u64,
    pub(crate) started: u64,
    pub(crate) ended: u64,
    pub(crate) expired: u64,
}

impl WallTimes {
    /// Those of a job that is submitted now.
    fn of_submission() -> Self {
        let now = wall_milliseconds();
        Self { submitted: now, queued: now, started: 0, ended: 0, expired: 0 }
    }
}

impl Job {
    /// The timer of the job: its due time and effect.
    pub(crate) fn timer(&self) -> (Moment, TimerEffect) {
        let end_of_life = self.submitted_at.saturating_add(self.ttl);
        let (due, effect) = match &self.phase {
            JobPhase::Queued { .. } => (end_of_life, TimerEffect::Delete),
            JobPhase::Running { started_at, .. } => {
                (started_at.saturating_add(self.execution_timeout), TimerEffect::TimeOut)
            }
            JobPhase::Finished { finished_at, .. } => {
                (finished_at.saturating_add(self.mode.retention()), TimerEffect::Delete)
            }
        };
        if end_of_life <= due { (end_of_life, TimerEffect::Delete) } else { (due, effect) }
    }

    pub(crate) fn times(&self) -> Times {
        let (started, ended) = match self.phase {
            JobPhase::Queued { .. } => (None, None),
            JobPhase::Running { started_at, .. } => (Some(started_at), None),
            JobPhase::Finished { started_at, finished_at, .. } => (started_at, Some(finished_at)),
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
            wall: self.wall_times,
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

/// The response of `/run`, `/cancel` and `/retry`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Receipt {
    #[serde(serialize_with = "shared_text")]
    pub(crate) id: JobId,
    pub(crate) status: Status,
}

impl Job {
    /// The response to a change of the job.
    pub(crate) fn receipt(&self) -> Receipt {
        Receipt { id: self.id.clone(), status: self.status() }
    }

    /// The status record of the job.
    pub(crate) fn record(&self, now: Moment) -> Record {
        let (started_at, ended_at) = match self.phase {
            JobPhase::Queued { .. } => (None, now),
            JobPhase::Running { started_at, .. } => (Some(started_at), now),
            JobPhase::Finished { started_at, finished_at, .. } => (started_at, finished_at),
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

/// The body of a webhook call: the record of a job that has ended, with its input (interface:
/// "Events").
#[derive(Serialize)]
pub(crate) struct WebhookEvent {
    #[serde(flatten)]
    record: Record,
    #[serde(rename = "input", serialize_with = "serialize_input")]
    submission: Arc<Submission>,
    webhook: String,
}

impl WebhookEvent {
    pub(crate) fn of(job: &Job, webhook: &str, now: Moment) -> Self {
        let submission = job.submission.clone();
        Self { record: job.record(now), submission, webhook: webhook.to_owned() }
    }
}

fn serialize_input<S: Serializer>(submission: &Arc<Submission>, to: S) -> Result<S::Ok, S::Error> {
    submission.input.serialize(to)
}

/// The jobs of an endpoint by id, and the number of jobs in each state.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    by_id: HashMap<JobId, Job>,
    counts: [usize; Status::ALL.len()],
}

impl Jobs {
    pub(super) fn get(&self, id: &str) -> Option<&Job> {
        self.by_id.get(id)
    }

    /// A job, whose state must not be changed; see [`change`](Self::change).
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Job> {
        self.by_id.get_mut(id)
    }

    /// Changes a job in place, also its state.
    pub(super) fn change<R>(
        &mut self,
        id: &str,
        change: impl FnOnce(&mut Job) -> R,
    ) -> Option<(&Job, R)> {
        let job = self.by_id.get_mut(id)?;
        self.counts[job.status() as usize] -= 1;
        let result = change(job);
        self.counts[job.status() as usize] += 1;
        Some((job, result))
    }

    pub(super) fn insert(&mut self, job: Job) -> &Job {
        self.counts[job.status() as usize] += 1;
        self.by_id.entry(job.id.clone()).insert_entry(job).into_mut()
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Job> {
        let job = self.by_id.remove(id)?;
        self.counts[job.status() as usize] -= 1;
        Some(job)
    }

    /// Releases memory after jobs were deleted.
    pub(super) fn shrink(&mut self) {
        shrink(&mut self.by_id);
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Job> {
        self.by_id.values()
    }

    /// The number of jobs in a state.
    pub(super) fn count(&self, status: Status) -> usize {
        self.counts[status as usize]
    }
}
