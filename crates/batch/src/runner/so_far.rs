//! What outlasts an interruption: a run goes on as a new process, after another one has taken over
//! the jobs of this one.

use tokio::time::Instant;

use crate::error::{ErrorKind, Result};
use crate::requests::standing;
use crate::shared::Shared;
use crate::ticket::Ticket;

/// What a run has done before it was interrupted.
pub(super) struct SoFar {
    pub(super) started: Instant,
    /// What was requested before it began, of a shared journal.
    pub(super) standing: Option<String>,
    /// How many inputs it has submitted.
    pub(super) submitted: u64,
    /// How often it was interrupted.
    pub(super) interrupted: u64,
    /// Jobs that were accepted when nothing could be recorded any more.
    pub(super) unrecorded: Vec<(Ticket, String)>,
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
            let begun = shared.journal.with(|keeper| {
                keeper.begin_anew()?;
                keeper.store.sharing().map(|sharing| sharing.time()).transpose()
            });
            match begun.await {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                begun => {
                    if let Some(time) = begun? {
                        shared.clock.follow(time);
                    }
                    break;
                }
            }
        }
        // Whoever took these inputs over could not know.
        for (ticket, job_id) in self.unrecorded.drain(..) {
            shared.resolve(ticket, job_id).await?;
        }
        Ok(())
    }
}
