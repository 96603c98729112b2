//! The other processes that share a batch, as a run knows them.

use tokio::time::Instant;

use crate::error::Result;
use crate::journal::Keeper;
use crate::state::State;
use crate::store::Input;

/// What is known of the others.
#[derive(Default)]
pub(super) struct Others {
    /// How many there are.
    pub(super) processes: u64,
    /// What was requested before this run began.
    pub(super) standing: Option<String>,
    /// When to look again; `None` if the batch is this process's alone.
    pub(super) look_at: Option<Instant>,
}

impl Others {
    /// There are so many; `None` if the batch is this process's alone.
    pub(super) fn new(processes: Option<u64>, standing: Option<String>) -> Self {
        let look_at = processes.map(|_| Instant::now());
        Self { processes: processes.unwrap_or(0), standing, look_at }
    }
}

/// What a run finds when it begins.
pub(super) fn outstanding(keeper: &mut Keeper) -> Result<(Vec<Input>, Option<u64>)> {
    match keeper.store.sharing() {
        Some(sharing) => {
            let others = sharing.others()?;
            sharing.take_over()?;
            Ok((sharing.outstanding()?, Some(others)))
        }
        None => Ok((keeper.store.inputs(&[State::Submitted], 0, usize::MAX)?, None)),
    }
}
