//! What outlasts an interruption: a run goes on as a new process, after another one has taken over
//! the jobs of this one.

use tokio::time::Instant;

use crate::error::{ErrorKind, Result};
use crate::requests::standing;
use crate::shared::Shared;
use crate::store::Change;

/// What a run has done before it was interrupted.
pub(super) struct SoFar {
    pub(super) started: Instant,
    /// What was requested before it began, of a shared journal.
    pub(super) standing: Option<String>,
    /// How many inputs it has submitted.
    pub(super) submitted: u64,
    /// How often it was interrupted.
    pub(super) interrupted: u64,
    /// What became of submissions when nothing could be recorded any more.
    pub(super) unrecorded: Vec<Change>,
}

impl SoFar {
    pub(super) async fn begin(shared: &Shared) -> Result<Self> {
        let standing = shared.journal.with(|keeper| match keeper.store.sharing() {
            Some(_) => standing(&mut *keeper.store),
            None => Ok(None),
        });
        let (standing, started) = (standing.await?, Instant::now());
        Ok(Self { started, standing, submitted: 0, interrupted: 0, unrecorded: Vec::new() })
    }

    /// Goes on as a new process.
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
        let begun = shared.journal.with(|keeper| {
            keeper.begin_anew()?;
            keeper.store.sharing().map(|sharing| sharing.time()).transpose()
        });
        if let Some(time) = begun.await? {
            shared.clock.follow(time);
        }
        // Whoever took these inputs over could not know.
        while let Some(change) = self.unrecorded.last() {
            shared.make_up_for(change.clone()).await?;
            self.unrecorded.pop();
        }
        Ok(())
    }
}
