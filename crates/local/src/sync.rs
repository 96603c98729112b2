//! What all parts share to run next to each other: a lock that cannot fail, and tasks that end
//! with the service.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Locks a mutex whose holder never leaves the data half-changed: a panic elsewhere does not
/// spread to every later request.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts background work that is dropped when the service stops.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    handle: Handle,
    stop: CancellationToken,
}

impl Tasks {
    pub(crate) fn new(handle: Handle) -> Self {
        Self { handle, stop: CancellationToken::new() }
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.handle.spawn(async move {
            // In this order, work that ends at once never has to wait for the stop.
            tokio::select! {
                biased;
                () = work => {}
                () = stop.cancelled() => {}
            }
        });
    }

    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stop
    }
}
