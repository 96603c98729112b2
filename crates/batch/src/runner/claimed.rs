//! One claimed input: from its text to the record of what became of it.

use std::sync::Arc;

use podqueue::{Endpoint, Policy};
use serde_json::value::RawValue;

use super::pause::Pause;
use super::submit::{Verdict, Why};
use crate::error::{Error, Result};
use crate::journal::{Claimed, Settled};
use crate::shared::Shared;
use crate::state::State;
use crate::store::{Change, Ended, Event, Input};
use crate::submit::{Submission, Submit};
use crate::ticket::Ticket;
use crate::unknown::OnUnknown;

/// How often an input is submitted at most, of which it stays unknown whether it was accepted.
const ATTEMPTS: u64 = 10;

/// How a run submits.
pub(super) struct Submitter {
    pub(super) step: Arc<dyn Submit>,
    pub(super) endpoint: Endpoint,
    pub(super) policy: Option<Policy>,
    pub(super) pause: Pause,
}

/// What became of a claimed input.
pub(super) struct Submitted {
    pub(super) input: Input,
    pub(super) outcome: Outcome,
    /// Or what could not be recorded.
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
    NotSent(Why),
    Stop(podqueue::Error),
    Changed(Error),
}

/// Submits an input, and records what became of it.
pub(super) async fn submit(
    shared: &Shared,
    submitter: Arc<Submitter>,
    claimed: Claimed,
    must_wait: bool,
) -> Submitted {
    let Claimed { input, text } = claimed;
    let (event, outcome) = match (text, must_wait) {
        (_, true) => (Event::NotSent, Outcome::Unused),
        (Err(error), _) => (Event::NotSent, Outcome::Changed(error)),
        (Ok(text), _) => match read(shared, &input, text) {
            Err(flaw) => refuse(flaw, false),
            Ok(value) => {
                let webhook = match &shared.on_unknown {
                    OnUnknown::ByWebhook(url) => {
                        let ticket = Ticket { index: input.index, attempt: input.attempt };
                        Some(shared.identity.webhook(url, ticket))
                    }
                    _ => None,
                };
                let submission = Submission {
                    endpoint: &submitter.endpoint,
                    index: input.index,
                    attempt: input.attempt,
                    input: &value,
                    policy: submitter.policy.as_ref(),
                    webhook,
                };
                let submitted = submitter.step.submit(submission).await;
                settle(shared, &input, Verdict::of(submitted))
            }
        },
    };
    if let Outcome::NotSent(why) = &outcome {
        submitter.pause.at_least(why.pause());
    }
    let change = Change { index: input.index, attempt: input.attempt, event };
    match shared.journal.record_submission(change.clone()).await {
        Ok(None) => Submitted { input, outcome, recorded: Ok(()) },
        Ok(Some(holder)) => disputed(shared, input, outcome, holder).await,
        Err(error) => Submitted { input, outcome, recorded: Err((error, change)) },
    }
}

/// The service said that an input is a job that another one is already. Which of them the job's output
/// is for cannot be known; the other one came first.
async fn disputed(shared: &Shared, input: Input, outcome: Outcome, holder: u64) -> Submitted {
    let job = match &outcome {
        Outcome::Accepted { job_id, .. } => job_id.as_str(),
        _ => "",
    };
    let why = format!(
        "the service accepted it as job {job:?}, which is the job of input {holder} already: whether it runs is not known"
    );
    let change =
        Change { index: input.index, attempt: input.attempt, event: unknown(shared, &input, why) };
    let settled = vec![Settled { change: change.clone(), completed: None }];
    let recorded = shared.journal.apply(settled).await.map_err(|error| (error, change));
    Submitted { input, outcome: Outcome::Unknown(None), recorded }
}

/// What happens to an input if it is not known whether it was accepted.
fn unknown(shared: &Shared, input: &Input, why: String) -> Event {
    match shared.on_unknown {
        OnUnknown::Resubmit if input.attempt < ATTEMPTS => Event::Resubmit,
        _ => Event::Unknown(why),
    }
}

/// What to submit, or what is wrong with the input. The text is not held meanwhile.
fn read(shared: &Shared, input: &Input, text: Vec<u8>) -> Result<Box<RawValue>, String> {
    let flawed = |flaw: &str| format!("line {} of the inputs {flaw}", input.line);
    match &input.flaw {
        Some(flaw) => Err(flawed(flaw)),
        None => match shared.shape.parse(&text) {
            Ok(parsed) => Ok(parsed.input),
            Err(flaw) => Err(flawed(&flaw)),
        },
    }
}

fn settle(shared: &Shared, input: &Input, verdict: Verdict) -> (Event, Outcome) {
    match verdict {
        Verdict::Accepted(job_id) => {
            let at = shared.clock.now();
            (Event::Accepted { job_id: job_id.clone(), at }, Outcome::Accepted { job_id, at })
        }
        Verdict::Unknown(error) => {
            (unknown(shared, input, error.to_string()), Outcome::Unknown(Some(error)))
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
