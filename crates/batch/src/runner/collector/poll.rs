//! Poll of one job: its outcome, and the record of it.
//!
//! A job ends only with what the service reported as terminal, with two 404s of the service itself
//! ten seconds apart, or once its ttl has elapsed on the monotonic clock. Everything else is
//! transient.
//!
//! # Memory budget of outputs
//!
//! A semaphore of bytes ([`OutputBudget`]), from which each poll acquires what its response may
//! need before that is read. The size of an output is known only when it arrives. A poll therefore
//! reads small responses only; a larger response is refused before it is read, and read again under
//! the next limit, and in the end alone. Invariant: the responses being read, and those read and
//! not yet recorded, together fit into the budget, or there is only one response. Checked by
//! `a_batch_of_large_outputs_needs_little_memory` of the program.

use std::sync::Arc;
use std::time::Duration;

use podqueue::{ErrorKind, Job, JobRecord, JobStatus};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::schedule::Outstanding;
use crate::error::Result;
use crate::handle_state::{CANCELLED, HandleState, milliseconds};
use crate::input_state::State;
use crate::journal::Settled;
use crate::results::Completed;
use crate::store::{Change, Ended, Event};
use crate::submission::OnUnknown;
use crate::webhook::Ticket;

/// Number of polls in a row that must not find a job before it ends: a gateway may err once.
const NOT_FOUND_POLLS: u32 = 2;

/// Time for which a job must not be found before it ends: a gateway may err for a while.
const NOT_FOUND_TIME: Duration = Duration::from_secs(10);

/// The longest status that is shown.
const LONGEST_STATUS: usize = 40;

/// The longest id that fits into a URL, in bytes: usual ids have about forty.
const LONGEST_ID: usize = 4_096;

/// Number of characters of an error that are kept: a traceback, but not a whole output.
const LONGEST_ERROR: usize = 8_000;

/// Interval at which it is recorded that a job has not ended, in milliseconds.
const RECORD_INTERVAL_MS: u64 = 5 * 60 * 1_000;

/// Outcome of a poll, and the result of recording it.
pub(super) struct Polled {
    pub(super) job: Outstanding,
    pub(super) outcome: PollOutcome,
    pub(super) recorded: Result<()>,
}

/// Outcome of a poll.
pub(super) enum PollOutcome {
    /// The job has not ended, or was not found for the first time.
    Unfinished(Seen),
    /// The job has ended: reported as terminal, or no longer there.
    Ended { ended: Ended, completed: Option<Completed>, took: Option<Duration> },
    /// The poll failed, for a transient reason.
    Transient(podqueue::Error),
    /// No job can be polled.
    Fatal(podqueue::Error),
}

pub(super) enum Seen {
    Running,
    /// An undocumented status, which may be terminal.
    Undocumented(String),
    Missing,
}

fn judge(
    job: &Outstanding,
    read: podqueue::Result<JobRecord>,
    now: impl Fn() -> u64,
) -> PollOutcome {
    match read {
        Ok(record) if record.status().is_terminal() => ended(&record, job.is_cancelled),
        Ok(record) => match record.status() {
            JobStatus::Other(status) => undocumented_status(job, status.as_str()),
            _ => PollOutcome::Unfinished(Seen::Running),
        },
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::JobExpired if is_from_service(&error) => {
                match job.missing + 1 >= NOT_FOUND_POLLS
                    && (job.is_cancelled || is_long_unseen(job))
                {
                    true => end_not_found(job, now()),
                    false => PollOutcome::Unfinished(Seen::Missing),
                }
            }
            ErrorKind::InvalidRequest
                if error.field() == Some("job id") || job.job.id().len() > LONGEST_ID =>
            {
                failed(format!("the job cannot be polled: {error}"))
            }
            ErrorKind::Unauthorized | ErrorKind::InvalidRequest | ErrorKind::Redirect => {
                PollOutcome::Fatal(error)
            }
            ErrorKind::ResponseTooLarge => failed(format!("the output could not be read: {error}")),
            _ if job.ttl_has_elapsed() => {
                let why = format!("its ttl has elapsed, and its status could not be read: {error}");
                end(State::Expired, Some(why))
            }
            _ => PollOutcome::Transient(error),
        },
    }
}

fn is_long_unseen(job: &Outstanding) -> bool {
    job.unseen_since.is_some_and(|since| since.elapsed() >= NOT_FOUND_TIME)
}

/// The outcome of a status that the interface does not document: it may never change.
fn undocumented_status(job: &Outstanding, status: &str) -> PollOutcome {
    // Any other text could be a secret.
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    let name = match status.len() <= LONGEST_STATUS && status.bytes().all(is_name) {
        true => format!("the status {status:?}"),
        false => "a status".to_owned(),
    };
    let said = format!("the service reports {name} that the interface does not document");
    match job.ttl_has_elapsed() {
        true => end(State::Expired, Some(format!("its ttl has elapsed, although {said}"))),
        false => PollOutcome::Unfinished(Seen::Undocumented(said)),
    }
}

/// Returns true if the service itself sent the error: an HTML page comes from a gateway, and tells
/// nothing about the job.
fn is_from_service(error: &podqueue::Error) -> bool {
    error.body().is_none_or(|body| {
        let body = body.trim();
        body.is_empty() || serde_json::from_str::<&RawValue>(body).is_ok()
    })
}

/// The end of a job that the service no longer has. The wall clock, which may be wrong, only
/// decides the reason that is recorded.
fn end_not_found(job: &Outstanding, now: u64) -> PollOutcome {
    let (state, why) = if job.is_cancelled {
        (State::Cancelled, CANCELLED)
    } else if now >= job.ttl_expires_at() {
        (State::Expired, "the service no longer has the job: its ttl has expired")
    } else if now >= job.may_expire_at() {
        (
            State::Expired,
            "the service no longer has the job: its result has expired, which was not collected within 30 minutes",
        )
    } else {
        (State::Lost, "the service no longer has the job, although it cannot have expired")
    };
    end(state, Some(why.to_owned()))
}

fn failed(error: String) -> PollOutcome {
    end(State::Failed, Some(error))
}

fn end(state: State, error: Option<String>) -> PollOutcome {
    let ended = Ended { state, error, delay_ms: None, execution_ms: None };
    PollOutcome::Ended { ended, completed: None, took: None }
}

fn ended(record: &JobRecord, is_cancelled: bool) -> PollOutcome {
    let delay_ms = record.delay_time().map(milliseconds);
    let execution_ms = record.execution_time().map(milliseconds);
    let (mut state, error) = match record.status() {
        JobStatus::Completed => (State::Completed, None),
        JobStatus::Cancelled if is_cancelled => (State::Cancelled, Some(CANCELLED.to_owned())),
        JobStatus::Cancelled => (State::Cancelled, message(record)),
        JobStatus::TimedOut => (State::TimedOut, message(record)),
        _ => (State::Failed, Some(message(record).unwrap_or_else(|| "the job failed".to_owned()))),
    };
    let mut completed = None;
    let mut why = error;
    if state == State::Completed {
        // The output is read as text, to keep the digits and the order of fields beside a `NaN`.
        match record.output::<Box<RawValue>>() {
            Ok(output) => {
                let job_id = record.id().to_owned();
                completed = Some(Completed { job_id, output, delay_ms, execution_ms });
            }
            Err(error) => {
                (state, why) = (State::Failed, Some(format!("the output is not JSON: {error}")));
            }
        }
    }
    let took = record.delay_time().zip(record.execution_time()).map(|(delay, run)| delay + run);
    let ended = Ended { state, error: why, delay_ms, execution_ms };
    PollOutcome::Ended { ended, completed, took }
}

fn message(record: &JobRecord) -> Option<String> {
    record.failure().map(|failure| failure.message)
}

/// Truncates an error for the record, and redacts the webhook that a handler may repeat.
fn shown(error: &str, on_unknown: &OnUnknown) -> String {
    let error = match on_unknown {
        OnUnknown::ByWebhook(url) => error.replace(url.expose(), "[redacted]"),
        _ => error.to_owned(),
    };
    match error.char_indices().nth(LONGEST_ERROR) {
        Some((end, _)) => format!("{}… (truncated)", &error[..end]),
        None => error,
    }
}

/// Polls a job, and records the outcome.
pub(super) async fn poll_and_record(
    shared: &HandleState,
    outputs: &OutputBudget,
    mut job: Outstanding,
) -> Polled {
    let (read, _held) = outputs.read(&job.job).await;
    let mut outcome = judge(&job, read, || shared.clock().now());
    if let PollOutcome::Ended { ended: Ended { error: Some(error), .. }, .. } = &mut outcome {
        *error = shown(error, shared.on_unknown());
    }
    let (event, completed) = match &mut outcome {
        PollOutcome::Ended { ended, completed, .. } => {
            (Some(Event::Ended(ended.clone())), completed.take())
        }
        PollOutcome::Unfinished(Seen::Running | Seen::Undocumented(_)) => {
            let now = shared.clock().now();
            job.seen_at = Some(now);
            let is_old = now
                >= job.recorded_at.unwrap_or(job.submitted_at).saturating_add(RECORD_INTERVAL_MS);
            (is_old.then_some(Event::Seen { at: now }), None)
        }
        _ => (None, None),
    };
    let mut recorded = Ok(());
    if let Some(event) = event {
        job.recorded_at = job.seen_at;
        let Ticket { index, attempt } = job.ticket;
        let change = Change { index, attempt, event };
        recorded = shared.journal().apply(vec![Settled { change, completed }]).await;
    }
    Polled { job, outcome, recorded }
}

/// The limits of responses, in bytes, that are read concurrently.
const LIMITS: [usize; 2] = [256 * 1024, 4 * 1024 * 1024];

/// Copies of a response in memory: as it was received, its output, and the line or what the buffer
/// has grown by.
const COPIES: usize = 3;

/// Bytes of a permit of the semaphore.
const PERMIT_BYTES: usize = 1024;

/// The budget, in units: 64 MiB.
const BUDGET: u32 = 64 * 1024;

/// Memory budget for the outputs of a run. Clones share it.
#[derive(Clone)]
pub(super) struct OutputBudget(Arc<Semaphore>);

/// A part of the budget, which returns to it when this is dropped.
pub(super) struct BudgetPermit {
    _permit: Option<OwnedSemaphorePermit>,
}

impl OutputBudget {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(BUDGET as usize)))
    }

    /// Reads the status of a job. The returned record counts towards the budget until
    /// `BudgetPermit` is dropped.
    pub(super) async fn read(&self, job: &Job) -> (podqueue::Result<JobRecord>, BudgetPermit) {
        for limit in LIMITS {
            let held = self.acquire(units(limit)).await;
            let read = job.status().largest_response(limit).await;
            if !read.as_ref().is_err_and(|error| error.kind() == ErrorKind::ResponseTooLarge) {
                return (read, held);
            }
        }
        let held = self.acquire(BUDGET).await;
        (job.status().await, held)
    }

    async fn acquire(&self, units: u32) -> BudgetPermit {
        // The semaphore is never closed.
        BudgetPermit { _permit: Arc::clone(&self.0).acquire_many_owned(units).await.ok() }
    }
}

/// Permits of a response within this limit.
fn units(limit: usize) -> u32 {
    u32::try_from(limit * COPIES / PERMIT_BYTES).unwrap_or(BUDGET).min(BUDGET)
}
