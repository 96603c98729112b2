//! Blocking calls: [`block`](Block::block) runs any call to its end on the calling
//! thread, and [`block_iter`](BlockIter::block_iter) turns any stream into an iterator.
//!
//! There is no second client with a method per call. Everything that can be awaited can be blocked
//! on: jobs, waits, streams, many jobs, REST, GraphQL, generated operations, and the calls of other
//! crates, such as `LocalService::builder().start()`.
//!
//! ```
//! use podqueue::Client;
//! use podqueue::blocking::{Block, BlockIter};
//! use podqueue_local::{LocalJob, LocalService};
//! use serde_json::{Value, json};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let echo = |job: LocalJob| async move { Ok(job.input) };
//! let local = LocalService::builder().endpoint("echo", echo).start().block()?;
//! let client = Client::builder().api_key(local.api_key()).base_url(local.base_url()).build()?;
//!
//! let job = client.endpoint("echo").run(json!({ "text": "hi" })).block()?;
//! let output: Value = job.wait().block()?.output()?;
//! assert_eq!(output["text"], "hi");
//!
//! let inputs = (1..=3).map(|n| json!({ "n": n }));
//! for finished in client.endpoint("echo").run_all(inputs).block_iter() {
//!     println!("{}: {}", finished.input, finished.result?.output::<Value>()?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Threads and runtimes
//!
//! The call's own work is done by the calling thread. Connections, timers and the tasks that a call
//! starts belong to a runtime on a thread named `podqueue-blocking`, which is shared by the whole
//! process, starts with the first call or [`start`], and never ends. Dropping what a call returned
//! needs no runtime.
//!
//! Futures can be combined before they are blocked on: `async { tokio::select! { … } }.block()`
//! gives up a wait for another reason than a timeout.
//!
//! Inside an async runtime a call works like any other that blocks: it does not panic, but it keeps
//! its thread busy. Use `spawn_blocking` there, or `.await`. On a runtime with a single thread,
//! nothing else makes progress in the meantime, so a call to a server on that same runtime, such as
//! a local service started there, only returns when it times out.
//!
//! Two places have no runtime to offer. A process that was forked lacks the thread: make the first
//! call, and the client, after the fork. And a thread that is ending has already dropped what a
//! call requires: do not block in the destructor of a thread-local value.

use std::cell::Cell;
use std::future::{Future, IntoFuture, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use std::{io, thread};

use futures_util::Stream;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::{block_in_place, unconstrained};

use crate::sync::{Condvar, Mutex};

/// Blocks on anything that can be awaited.
pub trait Block: IntoFuture + Sized {
    /// Blocks the calling thread until the result is there, and returns it: what `.await` would.
    ///
    /// # Panics
    ///
    /// If the system does not provide what the [runtime](self#threads-and-runtimes) requires, such
    /// as a thread, which [`start`] reports as an error. Panics of the call itself are passed on.
    fn block(self) -> Self::Output {
        // Inside, since the conversion may already require a runtime.
        drive(async { self.await })
    }
}

impl<F: IntoFuture> Block for F {}

/// Blocks on the items of anything that is a stream.
pub trait BlockIter: Stream + Sized {
    /// Turns the stream into an iterator, whose [`next`](Iterator::next) blocks the calling thread
    /// until the next item is there. Panics as [`Block::block`] does.
    fn block_iter(self) -> BlockingIter<Self> {
        BlockingIter { stream: Some(Box::pin(self)) }
    }
}

impl<S: Stream> BlockIter for S {}

/// The items of a stream, see [`BlockIter::block_iter`]. Dropping it drops the stream.
#[derive(Debug)]
#[must_use = "an iterator does nothing until it is iterated"]
pub struct BlockingIter<S> {
    /// `None` once it has ended.
    stream: Option<Pin<Box<S>>>,
}

impl<S: Stream> Iterator for BlockingIter<S> {
    type Item = S::Item;

    fn next(&mut self) -> Option<S::Item> {
        let stream = self.stream.as_mut()?;
        let item = drive(poll_fn(|context| stream.as_mut().poll_next(context)));
        if item.is_none() {
            self.stream = None;
        }
        item
    }
}

fn drive<F: Future>(future: F) -> F::Output {
    let was_marked = ClearedMark::take();
    let is_inside = || Handle::try_current().is_ok_and(|it| it.id() == started().handle().id());
    // A blocking call in a task of a blocking call: another thread continues with all other tasks.
    // A caller's runtime on this thread has no tasks of the shared runtime.
    if was_marked.0 && is_inside() {
        block_in_place(|| poll_here(future))
    } else {
        poll_here(future)
    }
}

/// Polls the future on this thread, with the timers and connections of the shared runtime.
fn poll_here<F: Future>(future: F) -> F::Output {
    // A task that calls `yield_now` under the caller's runtime is woken only after this call
    // returns.
    let longest = if Handle::try_current().is_ok() { REPOLL_INTERVAL } else { Duration::MAX };
    let _runtime = started().enter();
    // A task of the caller's runtime that polls this has a budget, which only refills when the task
    // returns: with it spent, all of tokio's futures would stay pending.
    let mut future = pin!(unconstrained(future));
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        woken.wait(longest);
    }
}

/// The time after which a future that may have yielded is polled again.
const REPOLL_INTERVAL: Duration = Duration::from_millis(5);

/// Wake-up flag of one blocking call. `thread::park` would not do: its token may be meant for the
/// caller, or for a call nested in this call.
#[derive(Default)]
struct Woken {
    flag: Mutex<bool>,
    changed: Condvar,
}

impl Woken {
    /// Waits until it is woken, or for this long.
    fn wait(&self, longest: Duration) {
        let flag = self.flag.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(flag, longest, |flag| !*flag);
        let (mut flag, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *flag = false;
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        *self.flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_one();
    }
}

/// Starts the [runtime](self#threads-and-runtimes), which the first call does otherwise: for a
/// program that reports a failure to start instead of panicking in a call.
///
/// # Errors
///
/// If the system does not provide a thread or a file descriptor that it requires. It can be called
/// again; once it has succeeded, it does nothing.
pub fn start() -> io::Result<()> {
    runtime().map(|_| ())
}

fn started() -> &'static Runtime {
    runtime().unwrap_or_else(|error| panic!("no runtime for blocking calls: {error}"))
}

fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    // For the lack of a thread, tokio panics.
    drop(thread::Builder::new().spawn(|| ())?);
    let mut runtime = Builder::new_multi_thread();
    runtime.worker_threads(1).thread_name("podqueue-blocking").enable_all();
    let runtime = runtime.on_thread_start(|| ON_RUNTIME_THREAD.set(true)).build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

thread_local! {
    /// True on a thread of the runtime.
    static ON_RUNTIME_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Clears the runtime mark during a call: calls nested in that call find no tasks on the thread.
struct ClearedMark(bool);

impl ClearedMark {
    fn take() -> Self {
        Self(ON_RUNTIME_THREAD.replace(false))
    }
}

impl Drop for ClearedMark {
    fn drop(&mut self) {
        ON_RUNTIME_THREAD.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    #[cfg(shuttle)]
    mod threads;
}
