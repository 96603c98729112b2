//! Submission attempt: one claimed input, from its text to the record of its outcome.
//!
//! Claimed → sent or not → verdict → event in the journal. The outcome is recorded before the
//! submitter gets the event; a pause starts before the record that makes an input pending again,
//! because a claim may find it as soon as that is durable. The text travels once, with the claim,
//! and is dropped once it is parsed: from then on, a [`Ticket`] stands for the input.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use podqueue::{Endpoint, ErrorKind, Policy};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::handle_state::HandleState;
use crate::input_state::State;
use crate::journal::{Claimed, Settled};
use crate::run::settings::Settings;
use crate::store::{Change, Ended, Event};
use crate::submission::{OnUnknown, Submission, Submit};
use crate::webhook::Ticket;

/// Largest number of attempts of an input whose outcomes stay unknown.
const ATTEMPTS: u64 = 10;

/// Destination of the submissions of a run: the step, endpoint and policy; and their pause.
pub(super) struct Destination {
    step: Arc<dyn Submit>,
    endpoint: Endpoint,
    policy: Option<Policy>,
    pause: Pause,
}

impl Destination {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            step: Arc::clone(&settings.step),
            endpoint: settings.endpoint.clone(),
            policy: settings.policy.clone(),
            pause: Pause::default(),
        }
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(super) fn pause(&self) -> &Pause {
        &self.pause
    }
}

/// Outcome of a claimed input, and the result of recording it.
pub(super) struct Submitted {
    pub(super) ticket: Ticket,
    pub(super) outcome: Outcome,
    /// The change that could not be recorded, otherwise.
    pub(super) recorded: Result<(), (Error, Change)>,
}

pub(super) enum Outcome {
    Accepted {
        job_id: String,
        at: u64,
    },
    Refused {
        was_sent: bool,
    },
    /// With the call's error, if it failed.
    Unknown(Option<podqueue::Error>),
    /// Not sent, because the run stops or pauses.
    Unused,
    NotSent(TransientReason),
    Stop(podqueue::Error),
    Changed(Error),
}

/// Submits an input, and records the outcome.
pub(super) async fn submit(
    shared: &HandleState,
    destination: &Destination,
    claimed: Claimed,
    must_wait: bool,
) -> Submitted {
    let ticket = claimed.ticket;
    let (event, outcome) = match claimed.text {
        _ if must_wait => (Event::NotSent, Outcome::Unused),
        Err(error) => (Event::NotSent, Outcome::Changed(error)),
        Ok(text) => match parse(shared, claimed.rejection, &text) {
            Err(rejection) => {
                refuse(format!("line {} of the inputs {rejection}", claimed.line), false)
            }
            Ok(input) => {
                drop(text);
                let webhook = match shared.on_unknown() {
                    OnUnknown::ByWebhook(url) => Some(shared.identity().webhook(url, ticket)),
                    _ => None,
                };
                let submission = Submission {
                    endpoint: &destination.endpoint,
                    index: ticket.index,
                    attempt: ticket.attempt,
                    input: &input,
                    policy: destination.policy.as_ref(),
                    webhook,
                };
                let submitted = destination.step.submit(submission).await;
                settle(shared, ticket, Verdict::of(submitted))
            }
        },
    };
    if let Outcome::NotSent(why) = &outcome {
        destination.pause.at_least(why.pause());
    }
    let change = Change { index: ticket.index, attempt: ticket.attempt, event };
    match shared.journal().record_submission(change.clone()).await {
        Ok(None) => Submitted { ticket, outcome, recorded: Ok(()) },
        Ok(Some(holder)) => record_duplicate_job(shared, ticket, outcome, holder).await,
        Err(error) => Submitted { ticket, outcome, recorded: Err((error, change)) },
    }
}

/// Records an input as unknown whose job id an earlier input already has: the job runs only one of
/// them.
async fn record_duplicate_job(
    shared: &HandleState,
    ticket: Ticket,
    outcome: Outcome,
    holder: u64,
) -> Submitted {
    let job = match &outcome {
        Outcome::Accepted { job_id, .. } => job_id.as_str(),
        _ => "",
    };
    let why = format!(
        "the service accepted it as job {job:?}, which is the job of input {holder} already: whether it runs is not known"
    );
    let event = unknown(shared, ticket, why);
    let change = Change { index: ticket.index, attempt: ticket.attempt, event };
    let settled = vec![Settled { change: change.clone(), completed: None }];
    let recorded = shared.journal().apply(settled).await.map_err(|error| (error, change));
    Submitted { ticket, outcome: Outcome::Unknown(None), recorded }
}

/// The event of an unknown outcome.
fn unknown(shared: &HandleState, ticket: Ticket, why: String) -> Event {
    match shared.on_unknown() {
        OnUnknown::Resubmit if ticket.attempt < ATTEMPTS => Event::Resubmit,
        _ => Event::Unknown(why),
    }
}

/// Parses the text, or returns the validation error of the input.
fn parse(
    shared: &HandleState,
    rejection: Option<String>,
    text: &[u8],
) -> Result<Box<RawValue>, String> {
    match rejection {
        Some(rejection) => Err(rejection),
        None => shared.shape().parse(text).map(|parsed| parsed.input),
    }
}

fn settle(shared: &HandleState, ticket: Ticket, verdict: Verdict) -> (Event, Outcome) {
    match verdict {
        Verdict::Accepted(job_id) => {
            let at = shared.clock().now();
            (Event::Accepted { job_id: job_id.clone(), at }, Outcome::Accepted { job_id, at })
        }
        Verdict::Unknown(error) => {
            (unknown(shared, ticket, error.to_string()), Outcome::Unknown(Some(error)))
        }
        Verdict::Refused { why, was_sent } => refuse(why, was_sent),
        Verdict::NotSent(why) => (Event::NotSent, Outcome::NotSent(why)),
        Verdict::Stop(error) => (Event::NotSent, Outcome::Stop(error)),
    }
}

fn refuse(why: String, was_sent: bool) -> (Event, Outcome) {
    let (delay_ms, execution_ms) = (None, None);
    let ended = Ended { state: State::Refused, error: Some(why), delay_ms, execution_ms };
    (Event::Ended(ended), Outcome::Refused { was_sent })
}

/// Pause after a full queue, and after the service could not be reached.
const FULL_QUEUE_PAUSE: Duration = Duration::from_millis(500);
const UNREACHABLE_PAUSE: Duration = Duration::from_secs(1);

/// Longest `Retry-After` that is respected: the service may err.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(5 * 60);

/// Meaning of a response for its input.
pub(super) enum Verdict {
    /// Accepted as this job.
    Accepted(String),
    /// The input may have been accepted.
    Unknown(podqueue::Error),
    /// The input was certainly not accepted because of its content: by the service, or before it
    /// was sent.
    Refused { why: String, was_sent: bool },
    /// The input was certainly not accepted, for a transient reason.
    NotSent(TransientReason),
    /// The input was certainly not accepted, and any other input would not be accepted either.
    Stop(podqueue::Error),
}

/// Transient reason of a submission that was not accepted.
pub(super) enum TransientReason {
    /// Too many jobs or requests, with `Retry-After` if there is one.
    QueueFull(Option<Duration>),
    /// The service could not be reached.
    Unreachable(podqueue::Error),
}

impl TransientReason {
    /// The pause that follows.
    pub(super) fn pause(&self) -> Duration {
        match self {
            Self::QueueFull(asked) => {
                asked.unwrap_or_default().clamp(FULL_QUEUE_PAUSE, MAX_RETRY_AFTER)
            }
            Self::Unreachable(_) => UNREACHABLE_PAUSE,
        }
    }
}

impl Verdict {
    pub(super) fn of(submitted: podqueue::Result<String>) -> Self {
        submitted.map_or_else(of_error, Self::Accepted)
    }
}

/// Any kind but `OutcomeUnknown` means that nothing was accepted.
fn of_error(error: podqueue::Error) -> Verdict {
    let is_about_input = matches!(error.field(), Some("input" | "body"));
    match (error.kind(), error.status()) {
        (ErrorKind::OutcomeUnknown, _) => match error.job_id() {
            Some(job_id) => Verdict::Accepted(job_id.to_owned()),
            None => Verdict::Unknown(error),
        },
        (ErrorKind::RateLimited, _) => {
            Verdict::NotSent(TransientReason::QueueFull(error.retry_after()))
        }
        (ErrorKind::BadRequest, _) | (ErrorKind::UnexpectedStatus, Some(413 | 422)) => {
            Verdict::Refused { why: error.to_string(), was_sent: true }
        }
        (ErrorKind::InvalidRequest, _) if is_about_input => {
            Verdict::Refused { why: error.to_string(), was_sent: false }
        }
        _ if error.is_retryable() => Verdict::NotSent(TransientReason::Unreachable(error)),
        (
            ErrorKind::InvalidRequest
            | ErrorKind::Unauthorized
            | ErrorKind::NotFound
            | ErrorKind::Gone
            | ErrorKind::Redirect
            | ErrorKind::Server
            | ErrorKind::UnexpectedStatus,
            _,
        ) => Verdict::Stop(error),
        // Of a kind that this crate does not know.
        _ => Verdict::Unknown(error),
    }
}

/// Pause of all submissions. It starts before its cause is recorded: once that is recorded, the
/// input is pending, and a claim may find it.
#[derive(Default)]
pub(super) struct Pause(Mutex<Option<Instant>>);

impl Pause {
    /// Extends the pause to at least this time from now.
    pub(super) fn at_least(&self, time: Duration) {
        let at = Instant::now() + time;
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *ends = Some(ends.map_or(at, |it| it.max(at)));
    }

    /// Returns the end of the pause; `None` if there is none.
    pub(super) fn ends(&self) -> Option<Instant> {
        let ends = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ends.filter(|at| *at > Instant::now())
    }
}
