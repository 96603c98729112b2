//! Tasks: background work that ends with the service, and a mutex without poisoning.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Locks a mutex, ignoring poisoning: its holders never leave the data inconsistent, so a panic
/// must not make every later request fail.
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
            // In this order, work that is ready at once completes before a stop.
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
