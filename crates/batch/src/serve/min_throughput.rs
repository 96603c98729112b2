//! Minimum throughput: a transfer whose peer is slower ends.
//!
//! A deadline starts when the server waits for the peer: by then, a number of bytes must have been
//! transferred. So a peer that transfers a byte now and then holds no connection. The deadline is
//! checked only when the server waits again: a slow server cuts off no peer that is fast enough.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// Time for the minimum progress.
const PROGRESS_TIMEOUT: Duration = Duration::from_secs(60);

/// Minimum progress within that time, in bytes.
const MIN_PROGRESS_BYTES: usize = 16 * 1024;

/// The progress of a transfer.
#[derive(Default)]
pub(super) struct MinThroughput(Option<Waiting>);

/// The time in which the minimum progress is expected, and the bytes in it so far.
struct Waiting {
    time: Pin<Box<Sleep>>,
    bytes: usize,
}

impl MinThroughput {
    /// Records that bytes were transferred.
    pub(super) fn advance(&mut self, bytes: usize) {
        if let Some(waiting) = &mut self.0 {
            waiting.bytes += bytes;
            if waiting.bytes >= MIN_PROGRESS_BYTES {
                self.0 = None;
            }
        }
    }

    /// Records that there is nothing to transfer.
    pub(super) fn set_idle(&mut self) {
        self.0 = None;
    }

    /// Waits for the peer: ready with an error once it has been too slow.
    pub(super) fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let begin = || Waiting { time: Box::pin(sleep(PROGRESS_TIMEOUT)), bytes: 0 };
        ready!(self.0.get_or_insert_with(begin).time.as_mut().poll(context));
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }
}
