//! Change notification: a revision counter that every part of the service increments after a
//! change, which wakes the streams of the page.

use std::sync::Arc;

use tokio::sync::watch;

/// A revision counter. Without a watcher, a notification costs one atomic load. A clone is the same
/// counter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(Arc<watch::Sender<u64>>);

impl Changes {
    /// Notifies the watchers of a change, after it was made: a watcher that reads now sees it.
    pub(crate) fn notify(&self) {
        if self.0.receiver_count() > 0 {
            self.0.send_modify(|revision| *revision += 1);
        }
    }

    /// The number of changes while there were watchers.
    pub(crate) fn revision(&self) -> u64 {
        *self.0.borrow()
    }

    /// Subscribes to changes.
    pub(crate) fn watch(&self) -> Watcher {
        let watcher = Watcher(self.0.subscribe());
        // Changes without a watcher were not counted.
        self.notify();
        watcher
    }
}

/// Waits for changes.
pub(crate) struct Watcher(watch::Receiver<u64>);

impl Watcher {
    /// Marks all changes until now as seen, and returns their revision. To be called before
    /// reading.
    pub(crate) fn catch_up(&mut self) -> u64 {
        *self.0.borrow_and_update()
    }

    /// Waits for a change after the last seen change.
    pub(crate) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            // The service has stopped.
            std::future::pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_without_a_watcher_are_new_to_the_next_watcher() {
        let changes = Changes::default();
        let before = changes.watch().catch_up();
        assert_eq!(changes.revision(), before);
        changes.notify();
        assert!(changes.watch().catch_up() > before);
    }
}
