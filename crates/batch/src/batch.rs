//! An open batch.

mod open;
mod operations;

pub use open::Open;
pub use operations::{Checked, Retried};

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use podqueue::Endpoint;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::clock::Clock;
use crate::error::{Error, ErrorKind, Result};
use crate::inputs::Shape;
use crate::journal::Journal;
use crate::run::Run;
use crate::runner::{Delivered, Happened};
use crate::state::State;
use crate::status::{Status, UnknownInput};
use crate::store::{Change, Commit, Event, Input, OpenStore};
use crate::ticket::{Identity, Ticket};
use crate::unknown::OnUnknown;

/// A batch: inputs, a journal of what became of each, and a file of results.
///
/// Cheap to clone. The journal is closed, and can be opened by another process, when the last clone
/// and the last [`Run`] are dropped.
///
/// ```no_run
/// # async fn example(client: podqueue::Client) -> Result<(), podqueue_batch::Error> {
/// use podqueue_batch::{Batch, Inputs, OnUnknown, Sqlite};
///
/// let batch = Batch::open(Sqlite::file("answers.journal"))
///     .inputs(Inputs::jsonl("prompts.jsonl"))
///     .results("answers.jsonl")
///     .on_unknown(OnUnknown::Hold)
///     .await?;
/// let report = batch.run(client.endpoint("painter")).await?;
/// println!("{} of {} completed", report.counts.of(podqueue_batch::State::Completed), report.counts.total());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Batch {
    shared: Arc<Shared>,
}

/// What the clones of a batch, and its run, share.
pub(crate) struct Shared {
    pub(crate) journal: Journal,
    pub(crate) identity: Identity,
    pub(crate) on_unknown: OnUnknown,
    pub(crate) shape: Shape,
    pub(crate) clock: Clock,
    /// The run that is going on.
    running: Mutex<Option<UnboundedSender<Happened>>>,
}

impl Batch {
    /// Opens a batch, or begins a new one. What was submitted before and got no response becomes
    /// [`State::Unknown`], or is submitted again: see [`Open::on_unknown`].
    pub fn open<S: OpenStore>(store: S) -> Open {
        Open::new(store)
    }

    /// Submits what is pending to this endpoint, and collects what is outstanding, also from
    /// endpoints that earlier runs submitted to.
    pub fn run(&self, endpoint: Endpoint) -> Run {
        Run::new(Arc::clone(&self.shared), endpoint)
    }

    /// How many inputs are in each state, and what they took.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub async fn status(&self) -> Result<Status> {
        self.shared.journal.with(|keeper| Status::read(&mut *keeper.store)).await
    }

    /// The inputs of which it is not known whether they were accepted.
    ///
    /// # Errors
    ///
    /// If the journal or the inputs cannot be read.
    pub async fn unknown(&self) -> Result<Vec<UnknownInput>> {
        let list = self
            .shared
            .journal
            .with(|keeper| UnknownInput::list(&mut *keeper.store, &mut keeper.texts));
        list.await
    }

    /// Passes on a webhook call: the query of the URL that was called, or the whole URL, and the
    /// body. If it is about an input that is [`State::Unknown`], the job is now known, and is
    /// collected by the current or the next run. Returns whether the call is about this batch;
    /// respond with 200 only once this has returned.
    ///
    /// See [`OnUnknown::ByWebhook`].
    ///
    /// # Errors
    ///
    /// If the journal cannot be written: respond with 500, so that the service calls again.
    pub async fn deliver(&self, url: &str, body: &[u8]) -> Result<bool> {
        #[derive(serde::Deserialize)]
        struct Record {
            id: String,
        }
        let query = url.split_once('?').map_or(url, |(_, query)| query);
        let Some(ticket) = self.shared.identity.ticket(query) else { return Ok(false) };
        let Ok(Record { id: job_id }) = serde_json::from_slice(body) else { return Ok(false) };
        let (reply, done) = oneshot::channel();
        let delivered = Delivered { ticket, job_id: job_id.clone(), reply };
        let sent = match &*self.shared.running() {
            Some(runner) => runner.send(Happened::Delivered(delivered)).is_ok(),
            None => false,
        };
        if sent && let Ok(done) = done.await {
            return done.map(|()| true);
        }
        // No run goes on, or it ended in between.
        self.shared.resolve(ticket, job_id).await.map(|_| true)
    }
}

impl Shared {
    fn running(&self) -> std::sync::MutexGuard<'_, Option<UnboundedSender<Happened>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the job of an input, if that input is unknown.
    pub(crate) async fn resolve(&self, ticket: Ticket, job_id: String) -> Result<Option<Input>> {
        let at = self.clock.now();
        let resolve = self.journal.with(move |keeper| {
            let found = keeper.store.inputs(&State::ALL, ticket.index, 1)?.pop();
            let Some(mut input) = found.filter(|input| {
                input.index == ticket.index
                    && input.attempt == ticket.attempt
                    && input.state == State::Unknown
            }) else {
                return Ok(None);
            };
            let event = Event::Accepted { job_id: job_id.clone(), at };
            let change = Change { index: input.index, attempt: input.attempt, event };
            keeper.store.commit(&Commit { changes: vec![change], ..Commit::default() })?;
            (input.state, input.job_id, input.submitted_at) =
                (State::Submitted, Some(job_id), Some(at));
            (input.seen_at, input.error) = (None, None);
            Ok(Some(input))
        });
        resolve.await
    }
}

/// Marks that a run goes on.
pub(crate) struct Guard(Arc<Shared>);

impl Guard {
    pub(crate) fn begin(shared: &Arc<Shared>, runner: UnboundedSender<Happened>) -> Result<Self> {
        let mut running = shared.running();
        if running.is_some() {
            let message = "a run of this batch is going on: wait for its end";
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

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("on_unknown", &self.shared.on_unknown).finish_non_exhaustive()
    }
}
