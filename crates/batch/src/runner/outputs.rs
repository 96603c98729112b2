//! Memory budget of outputs: a semaphore of bytes, from which each poll acquires what its response may
//! need before that is read.
//!
//! How large an output is shows only when it arrives. A poll therefore reads small responses only; one
//! that is larger is refused before it is read, and read again under the next limit, and in the end
//! alone. Invariant: the responses being read, and those read and not yet recorded, together fit into
//! the budget, or there is only one response. `a_batch_of_large_outputs_needs_little_memory` of the program holds it.

use std::sync::Arc;

use podqueue::{ErrorKind, Job, JobRecord};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many polls are in flight at most: a slow response delays no other poll.
pub(super) const POLLS: usize = 64;

/// The limits of responses, in bytes, that are read beside others.
const LIMITS: [usize; 2] = [256 * 1024, 4 * 1024 * 1024];

/// Copies of a response in memory: as it was received, its output, and the line or what the buffer
/// has grown by.
const COPIES: usize = 3;

/// Bytes of a permit of the semaphore.
const UNIT: usize = 1024;

/// The budget, in units: 64 MiB.
const BUDGET: u32 = 64 * 1024;

/// The budget of a run. Clones are the same.
#[derive(Clone)]
pub(super) struct Outputs(Arc<Semaphore>);

/// A part of the budget, which returns to it when this is dropped.
pub(super) struct Held {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Outputs {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(BUDGET as usize)))
    }

    /// Reads the status of a job. What it returns is in the budget until `Held` is dropped.
    pub(super) async fn read(&self, job: &Job) -> (podqueue::Result<JobRecord>, Held) {
        for limit in LIMITS {
            let held = self.acquire(units(limit)).await;
            let read = job.status().largest_response(limit).await;
            if !read.as_ref().is_err_and(|error| error.kind() == ErrorKind::ResponseTooLarge) {
                return (read, held);
            }
        }
        let held = self.acquire(BUDGET).await;
        (job.status().await, held)
    }

    async fn acquire(&self, units: u32) -> Held {
        // The semaphore is never closed.
        Held { _permit: Arc::clone(&self.0).acquire_many_owned(units).await.ok() }
    }
}

/// Permits of a response within this limit.
fn units(limit: usize) -> u32 {
    u32::try_from(limit * COPIES / UNIT).unwrap_or(BUDGET).min(BUDGET)
}
