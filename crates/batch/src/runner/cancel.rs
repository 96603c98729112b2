//! Cancellation of a running batch, requested by another process.

use std::collections::HashSet;
use std::sync::Arc;

use super::core::{Cancelling, Runner, RunnerEvent};
use crate::progress::Stopped;
use crate::shared::cancel_pending;

/// How many calls are in flight at most.
const CALLS: usize = 16;

impl Runner {
    /// Ends all pending inputs, and begins to cancel what is outstanding.
    pub(super) async fn cancel(&mut self) {
        // Submissions in flight may be accepted: their jobs are cancelled once that is known.
        self.stopped.get_or_insert(Stopped::Cancelled);
        if self.cancelling.is_some() || !self.submissions.is_idle() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        if let Err(error) = cancel_pending(&shared.journal).await {
            self.fail(error);
        }
        let left = self.schedule.indexes().collect();
        self.cancelling = Some(Cancelling { left, calls: HashSet::new() });
    }

    pub(super) fn cancel_more(&mut self) {
        let may_poll = self.may_poll();
        let Some(cancelling) = &mut self.cancelling else { return };
        while may_poll && cancelling.calls.len() < CALLS {
            let Some(index) = cancelling.left.pop() else { return };
            let Some(job) = self.schedule.job(index) else { continue };
            cancelling.calls.insert(index);
            let happened = self.happened.clone();
            self.tasks.spawn(async move {
                // If the call fails, the job continues, and is collected as any other.
                let _ = job.cancel().await;
                let _ = happened.send(RunnerEvent::Cancelled(index));
            });
        }
    }

    /// A cancel call has returned: the next poll shows the result.
    pub(super) fn cancelled(&mut self, index: u64) {
        if let Some(cancelling) = &mut self.cancelling {
            cancelling.calls.remove(&index);
        }
        self.schedule.cancelled(index);
    }
}
