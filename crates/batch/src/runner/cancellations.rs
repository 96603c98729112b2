//! What is known of the cancellations of a run.

use std::collections::HashSet;

/// The jobs of a batch that is cancelled.
pub(super) struct Cancelling {
    /// The inputs whose jobs are still to be cancelled.
    pub(super) left: Vec<u64>,
    /// Those whose jobs are being cancelled.
    pub(super) calls: HashSet<u64>,
}
