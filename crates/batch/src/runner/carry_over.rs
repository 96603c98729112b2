//! State kept when a process rejoins after losing its lease.
//!
//! Another process has recovered the jobs of this one, which continues under a new lease: with the time
//! and the counts of the run, and the outcomes that it could not record.

use tokio::time::Instant;

use crate::error::{ErrorKind, Result};
use crate::requests::standing;
use crate::shared::Shared;
use crate::store::Change;

/// State of a run that survives a lost lease.
pub(super) struct CarryOver {
    pub(super) started: Instant,
    /// The cancel request that stood when the run began, of a shared journal.
    pub(super) standing: Option<String>,
    /// How many inputs it has submitted.
    pub(super) submitted: u64,
    /// How often the lease was lost.
    pub(super) interrupted: u64,
    /// Outcomes of submissions that could not be recorded.
    pub(super) unrecorded: Vec<Change>,
}

impl CarryOver {
    pub(super) async fn begin(shared: &Shared) -> Result<Self> {
        let standing = shared.journal.with(|state| match state.store.sharing() {
            Some(_) => standing(&mut *state.store),
            None => Ok(None),
        });
        let (standing, started) = (standing.await?, Instant::now());
        Ok(Self { started, standing, submitted: 0, interrupted: 0, unrecorded: Vec::new() })
    }

    /// Rejoins under a new lease.
    pub(super) async fn begin_anew(&mut self, shared: &Shared) -> Result<()> {
        self.interrupted += 1;
        loop {
            match self.try_begin_anew(shared).await {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                begun => return begun,
            }
        }
    }

    async fn try_begin_anew(&mut self, shared: &Shared) -> Result<()> {
        let begun = shared.journal.with(|state| {
            state.begin_anew()?;
            state.store.sharing().map(|sharing| sharing.time()).transpose()
        });
        if let Some(time) = begun.await? {
            shared.clock.follow(time);
        }
        // The process that recovered these inputs could not know their outcome.
        while let Some(change) = self.unrecorded.last() {
            shared.record_late(change.clone()).await?;
            self.unrecorded.pop();
        }
        Ok(())
    }
}
