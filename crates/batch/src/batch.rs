//! Handle of an open batch: its operations, and its status.

mod handle;
mod open;
mod operations;
mod paths;

pub use handle::Batch;
pub use open::Open;
pub use operations::{Checked, Retried};

use std::sync::Arc;

use podqueue::Endpoint;
use tokio::sync::oneshot;

use crate::error::Result;
use crate::inputs::ChangedInputs;
use crate::run::Run;
use crate::shared::{Resolved, WebhookCall, not_yet};
use crate::status::{RefusedInput, Status, UnknownInput};
use crate::store::JournalStore;
use crate::webhook::{Ticket, job_id};

impl Batch {
    /// Opens a batch, or begins a new one. Inputs that were submitted before and got no response become
    /// [`State::Unknown`](crate::State::Unknown), or are submitted again: see [`Open::on_unknown`].
    pub fn open<S: JournalStore>(store: S) -> Open {
        Open::new(store)
    }

    /// Submits what is pending to this endpoint, and collects what is outstanding, also from
    /// endpoints that earlier runs submitted to.
    pub fn run(&self, endpoint: Endpoint) -> Run {
        Run::new(Arc::clone(&self.shared), endpoint)
    }

    /// How many inputs had changed when the batch was opened: see [`Open::accept_changed_inputs`].
    #[must_use]
    pub fn changed_inputs(&self) -> ChangedInputs {
        self.shared.changed
    }

    /// How many results were imported that the journal did not know when the batch was opened, because
    /// its database has lost changes, and that is to be accepted (`Postgres::accept_loss`).
    #[must_use]
    pub fn imported_results(&self) -> u64 {
        self.shared.imported
    }

    /// How many inputs are in each state, and what they took.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub async fn status(&self) -> Result<Status> {
        self.shared.journal.with(|state| Status::read(&mut *state.store)).await
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
            .with(|state| UnknownInput::list(&mut *state.store, Some(&mut state.texts)));
        list.await
    }

    /// The first inputs that were refused, at most so many, by index.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub async fn refused(&self, most: usize) -> Result<Vec<RefusedInput>> {
        let list =
            self.shared.journal.with(move |state| RefusedInput::list(&mut *state.store, most));
        list.await
    }

    /// Delivers a webhook call: the query of the URL that was called, or the whole URL, and the
    /// body. If it is about an input that is [`State::Unknown`](crate::State::Unknown), the job is
    /// now known, and is collected by the current or the next run. Returns whether the call is about
    /// this batch, and names a job; respond with 200 only once this has returned.
    ///
    /// Calls about any other submission change nothing, also about one that was refused, as with a
    /// 429: a refusal is believed, and the input is submitted again.
    ///
    /// See [`OnUnknown::ByWebhook`](crate::OnUnknown::ByWebhook).
    ///
    /// # Errors
    ///
    /// If the journal cannot be written, or it is not known yet whether the input is unknown:
    /// respond with 500, so that the service calls again.
    pub async fn deliver(&self, url: &str, body: &[u8]) -> Result<bool> {
        let Some(ticket) = self.ticket(url) else { return Ok(false) };
        let Some(job_id) = job_id(body) else { return Ok(false) };
        let (reply, done) = oneshot::channel();
        let delivered = WebhookCall { ticket, job_id: job_id.clone(), reply };
        if self.shared.forward(delivered)
            && let Ok(done) = done.await
        {
            return done.map(|()| true);
        }
        // There is no run, or it ended in between.
        if let Resolved::NotYet = self.shared.resolve(ticket, job_id.clone()).await? {
            return Err(not_yet(ticket));
        }
        // A run that has begun in between may not know of it.
        let (reply, _) = oneshot::channel();
        self.shared.forward(WebhookCall { ticket, job_id, reply });
        Ok(true)
    }

    /// Whether a webhook call is about this batch, given the query of the URL that was called, or
    /// the whole URL: of any other one, the body need not be read.
    #[must_use]
    pub fn expects(&self, url: &str) -> bool {
        self.ticket(url).is_some()
    }

    fn ticket(&self, url: &str) -> Option<Ticket> {
        let query = url.split_once('?').map_or(url, |(_, query)| query);
        self.shared.identity.ticket(query)
    }
}
