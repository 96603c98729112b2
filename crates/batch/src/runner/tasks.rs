//! Tasks of one part of a run, each of which ends in an event that its part applies.
//!
//! Invariant: every task ends in exactly one event, also if it panics, so a part always knows what
//! is in flight. A task records its outcome in the journal before it ends, so an event is never
//! ahead of what is durable.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

/// The tasks of a part, and their events.
pub(super) struct Tasks<E> {
    sender: UnboundedSender<E>,
    receiver: UnboundedReceiver<E>,
    /// The event that comes next, if it has been received.
    next: Option<E>,
    tasks: JoinSet<()>,
}

impl<E: Send + 'static> Tasks<E> {
    pub(super) fn new() -> Self {
        let (sender, receiver) = unbounded_channel();
        Self { sender, receiver, next: None, tasks: JoinSet::new() }
    }

    /// Spawns a task that is aborted when the run ends. If it panics, it ends in the event
    /// `panicked`.
    pub(super) fn spawn(&mut self, panicked: E, work: impl Future<Output = E> + Send + 'static) {
        while self.tasks.try_join_next().is_some() {}
        let task = self.task(panicked, work);
        self.tasks.spawn(task);
    }

    /// Spawns a task that outlives the run, because what it has begun must be recorded.
    pub(super) fn spawn_detached(
        &self,
        panicked: E,
        work: impl Future<Output = E> + Send + 'static,
    ) {
        tokio::spawn(self.task(panicked, work));
    }

    fn task(
        &self,
        panicked: E,
        work: impl Future<Output = E> + Send + 'static,
    ) -> impl Future<Output = ()> + Send + 'static {
        let sender = self.sender.clone();
        async move {
            let event = AssertUnwindSafe(work).catch_unwind().await;
            // The receiver is dropped when the run has ended.
            let _ = sender.send(event.unwrap_or(panicked));
        }
    }

    /// Waits for an event, which [`try_next`](Self::try_next) returns. Cancel-safe.
    pub(super) async fn arrived(&mut self) {
        if self.next.is_none() {
            self.next = self.receiver.recv().await;
        }
    }

    /// Returns the next event, if there is one.
    pub(super) fn try_next(&mut self) -> Option<E> {
        self.next.take().or_else(|| self.receiver.try_recv().ok())
    }

    /// Aborts all tasks except detached tasks, and waits for their end.
    pub(super) async fn shutdown(&mut self) {
        self.tasks.shutdown().await;
    }
}
