//! Who reports the end of a job to those who wait for it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use super::{Job, JobRecord};

/// Reports the end of jobs, so that a [`Wait`](crate::Wait) need not poll for it. It is created
/// from the `Webhooks` of the feature `webhook`, and passed to
/// [`Wait::notified_by`](crate::Wait::notified_by).
#[derive(Clone)]
pub struct Notifier(pub(crate) Arc<dyn ReportsEnds>);

pub(crate) trait ReportsEnds: Send + Sync {
    /// Completes with the record of the job as it ended, once that is confirmed. It reports whatever
    /// is seen from this call on, even where it is first polled later.
    fn end_of(self: Arc<Self>, job: &Job) -> Pin<Box<dyn Future<Output = JobRecord> + Send>>;
}

impl Notifier {
    /// As [`ReportsEnds::end_of`].
    pub(super) fn end_of(&self, job: &Job) -> Pin<Box<dyn Future<Output = JobRecord> + Send>> {
        Arc::clone(&self.0).end_of(job)
    }
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifier").finish_non_exhaustive()
    }
}
