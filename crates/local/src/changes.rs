//! That something has changed, for whoever watches the service. While nobody does, saying so costs a
//! look at a number.

use std::sync::Arc;

use tokio::sync::watch;

/// What is told of each change, by every part of the service. A clone is the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(Arc<watch::Sender<()>>);

impl Changes {
    /// Says that something has changed, after it did: a watcher that looks now sees it.
    pub(crate) fn note(&self) {
        if self.0.receiver_count() > 0 {
            self.0.send_replace(());
        }
    }

    /// Watches from now on.
    pub(crate) fn watch(&self) -> Watcher {
        Watcher(self.0.subscribe())
    }
}

pub(crate) struct Watcher(watch::Receiver<()>);

impl Watcher {
    /// Forgets what has changed until now: to be called before a look.
    pub(crate) fn catch_up(&mut self) {
        self.0.mark_unchanged();
    }

    /// Waits until something has changed since then.
    pub(crate) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            // Nothing is left that could change.
            std::future::pending().await
        }
    }
}
