//! Handle state: shared by the handles of a batch and its run.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::clock::Clock;
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::State;
use crate::inputs::Shape;
use crate::journal::{Journal, Settled};
use crate::store::{Change, Commit, Ended, Event, Input, PAGE, RunRecord, Store, lock, unlock};
use crate::submission::OnUnknown;
use crate::sync::{Mutex, MutexGuard};
use crate::webhook::{Identity, Ticket};

/// State of an open batch, which its clones and its run share.
pub(crate) struct HandleState {
    journal: Journal,
    identity: Identity,
    on_unknown: OnUnknown,
    shape: Shape,
    clock: Clock,
    /// The channel to the run in progress. [`Guard`] sets and removes it.
    running: Mutex<Option<UnboundedSender<WebhookCall>>>,
}

/// A webhook call about a submission.
pub(crate) struct WebhookCall {
    pub(crate) ticket: Ticket,
    pub(crate) job_id: String,
    pub(crate) reply: oneshot::Sender<Result<()>>,
}

impl HandleState {
    pub(crate) fn new(
        journal: Journal,
        identity: Identity,
        on_unknown: OnUnknown,
        shape: Shape,
        clock: Clock,
    ) -> Self {
        Self { journal, identity, on_unknown, shape, clock, running: Mutex::new(None) }
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn on_unknown(&self) -> &OnUnknown {
        &self.on_unknown
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    fn running(&self) -> MutexGuard<'_, Option<UnboundedSender<WebhookCall>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Delivers a call to the run in progress. Returns true if a run is in progress.
    pub(crate) fn forward(&self, delivered: WebhookCall) -> bool {
        self.running().as_ref().is_some_and(|runner| runner.send(delivered).is_ok())
    }

    /// Records the job of an input, if that input is unknown.
    pub(crate) async fn resolve(&self, ticket: Ticket, job_id: String) -> Result<Resolved> {
        let at = self.clock.now();
        let resolve = self.journal.with(move |state| {
            let store = state.store();
            let Some(input) = find(store, &State::ALL, ticket)? else {
                return Ok(Resolved::Nothing);
            };
            match input.state {
                State::Unknown => {
                    lock(store)?;
                    let accepted = accept(store, ticket, job_id, at);
                    unlock(store, accepted)
                }
                State::Submitted if input.job_id.as_ref() == Some(&job_id) => {
                    // Another process collects a job that this process does not own.
                    let is_own = store.sharing().map_or(Ok(true), |it| it.owns(input.index))?;
                    Ok(if is_own { job(store, input)? } else { Resolved::Nothing })
                }
                State::Intent => Ok(Resolved::NotYet),
                _ => Ok(Resolved::Nothing),
            }
        });
        resolve.await
    }

    /// Records the outcome of a submission that was recorded as unknown meanwhile.
    pub(crate) async fn record_late(&self, change: Change) -> Result<()> {
        let Change { index, attempt, event } = change;
        match event {
            Event::Accepted { job_id, .. } => {
                self.resolve(Ticket { index, attempt }, job_id).await.map(drop)
            }
            // The input is recorded as unknown already.
            Event::Unknown(_) => Ok(()),
            event => {
                let recorded = self.journal.with(move |state| {
                    lock(state.store())?;
                    let ticket = Ticket { index, attempt };
                    let found = find(state.store(), &[State::Unknown], ticket);
                    let changed = found.and_then(|found| match found {
                        Some(input) => state.commit(vec![settled(&input, event).change]),
                        None => Ok(()),
                    });
                    unlock(state.store(), changed)
                });
                recorded.await
            }
        }
    }
}

/// The input of a submission, if it is in one of these states.
fn find(store: &mut dyn Store, states: &[State], ticket: Ticket) -> Result<Option<Input>> {
    let found = store.inputs(states, ticket.index, 1)?.pop();
    Ok(found.filter(|input| input.index == ticket.index && input.attempt == ticket.attempt))
}

/// Records the job of an unknown input, unless another process has recorded it meanwhile.
fn accept(store: &mut dyn Store, ticket: Ticket, job_id: String, at: u64) -> Result<Resolved> {
    let found = find(store, &[State::Unknown], ticket)?;
    let Some(mut input) = found else { return Ok(Resolved::Nothing) };
    if store.holder(&job_id, input.index)?.is_some() {
        return Ok(Resolved::Nothing);
    }
    let event = Event::Accepted { job_id: job_id.clone(), at };
    let change = Change { index: input.index, attempt: input.attempt, event };
    store.commit(&Commit { changes: vec![change], ..Commit::default() })?;
    (input.state, input.job_id, input.submitted_at) = (State::Submitted, Some(job_id), Some(at));
    (input.seen_at, input.error) = (None, None);
    job(store, input)
}

fn job(store: &mut dyn Store, input: Input) -> Result<Resolved> {
    // Another process may have submitted it, in a run that this process does not know.
    Ok(Resolved::Job(Box::new((input, store.runs()?))))
}

/// Result of a webhook call.
pub(crate) enum Resolved {
    /// The job of this input, which was unknown; and all runs.
    Job(Box<(Input, Vec<(u64, RunRecord)>)>),
    /// The call adds nothing to the journal.
    Nothing,
    /// The outcome of the submission has not been recorded, and may never be by this process.
    NotYet,
}

/// The error of a call that the service must repeat.
pub(crate) fn not_yet(ticket: Ticket) -> Error {
    let message = format!(
        "a webhook call about input {} came before the outcome of its submission was recorded: let the service call again",
        ticket.index
    );
    Error::new(ErrorKind::Journal, message)
}

/// Error of a cancelled input.
pub(crate) const CANCELLED: &str = "the batch was cancelled";

/// Ends all inputs that are pending.
pub(crate) async fn cancel_pending(journal: &Journal) -> Result<()> {
    let mut from = 0;
    let end = |from| journal.with(move |it| it.end_pending(from, PAGE, &cancelled(None, None)));
    while let Some(next) = end(from).await? {
        from = next;
    }
    Ok(())
}

pub(crate) fn settled(input: &Input, event: Event) -> Settled {
    let change = Change { index: input.index, attempt: input.attempt, event };
    Settled { change, completed: None }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}

/// The event of a cancelled input, with what its job took as far as that is known.
pub(crate) fn cancelled(delay: Option<Duration>, execution: Option<Duration>) -> Event {
    let error = Some(CANCELLED.to_owned());
    let (delay_ms, execution_ms) = (delay.map(milliseconds), execution.map(milliseconds));
    Event::Ended(Ended { state: State::Cancelled, error, delay_ms, execution_ms })
}

/// Marks that a run is in progress, until it is dropped.
pub(crate) struct Guard(Arc<HandleState>);

impl Guard {
    pub(crate) fn begin(
        shared: &Arc<HandleState>,
        runner: UnboundedSender<WebhookCall>,
    ) -> Result<Self> {
        let mut running = shared.running();
        if running.is_some() {
            let message = "a run of this batch is in progress, or was dropped and records the last submissions: wait for its end, after stopping it with a `Stopper`";
            return Err(Error::new(ErrorKind::Settings, message));
        }
        *running = Some(runner);
        Ok(Self(Arc::clone(shared)))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *self.0.running() = None;
    }
}
