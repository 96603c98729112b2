//! Handle type of a batch, which its clones share.

use std::fmt;
use std::sync::Arc;

use crate::shared::Shared;

/// A batch: inputs, a journal of their states, and a file of results.
///
/// Cheap to clone. The journal is closed, and can be opened by another process, when the last clone
/// and the last [`Run`](crate::Run) are dropped.
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
    pub(super) shared: Arc<Shared>,
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("on_unknown", &self.shared.on_unknown).finish_non_exhaustive()
    }
}
