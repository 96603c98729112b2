//! Detached work: continues in a task, whether or not its waiter is polled.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::Instrument;
use tracing::instrument::WithSubscriber;

/// Does the work, in a task of its own from the first wait on. `None` where that task's runtime was
/// shut down first. Dropping the future ends the work.
pub(super) async fn detached<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let mut work = Box::pin(work.in_current_span().with_current_subscriber());
    if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await {
        return Some(done);
    }
    let Ok(runtime) = Handle::try_current() else { return Some(work.await) };
    match AbortOnDrop(runtime.spawn(work)).await {
        Ok(done) => Some(done),
        Err(end) if end.is_panic() => std::panic::resume_unwind(end.into_panic()),
        Err(_) => None,
    }
}

/// A task that ends with this.
pub(super) struct AbortOnDrop<T>(pub(super) JoinHandle<T>);

impl<T> Future for AbortOnDrop<T> {
    type Output = <JoinHandle<T> as Future>::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
