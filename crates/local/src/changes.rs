//! That something has changed, for whoever watches the service. While nobody does, saying so costs a
//! look at a number.

use std::sync::Arc;

use tokio::sync::watch;

/// What is told of each change, by every part of the service. A clone is the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(Arc<watch::Sender<u64>>);

impl Changes {
    /// Says that something has changed, after it did: a watcher that looks now sees it.
    pub(crate) fn note(&self) {
        if self.0.receiver_count() > 0 {
            self.0.send_modify(|revision| *revision += 1);
        }
    }

    /// A number that grows with each change that was watched.
    pub(crate) fn revision(&self) -> u64 {
        *self.0.borrow()
    }

    /// Watches from now on.
    pub(crate) fn watch(&self) -> Watcher {
        let watcher = Watcher(self.0.subscribe());
        // What changed while nobody watched was not counted.
        self.note();
        watcher
    }
}

pub(crate) struct Watcher(watch::Receiver<u64>);

impl Watcher {
    /// Forgets what has changed until now, to be called before a look, and returns its revision.
    pub(crate) fn catch_up(&mut self) -> u64 {
        *self.0.borrow_and_update()
    }

    /// Waits until something has changed since then.
    pub(crate) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            // Nothing is left that could change.
            std::future::pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_while_nobody_watched_is_news_to_the_next_watcher() {
        let changes = Changes::default();
        let before = changes.watch().catch_up();
        assert_eq!(changes.revision(), before);
        changes.note();
        assert!(changes.watch().catch_up() > before);
    }
}
