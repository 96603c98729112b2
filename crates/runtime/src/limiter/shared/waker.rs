//! Waker of the exchange thread.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;

/// Wakes the exchange thread; called by operation limiters, which must not block.
#[derive(Default)]
pub(super) struct ExchangeWaker {
    is_requested: AtomicBool,
    is_urgent: AtomicBool,
    is_closed: AtomicBool,
    thread: OnceLock<Thread>,
}

impl ExchangeWaker {
    /// Sets the thread to wake.
    pub(super) fn set_thread(&self, thread: Thread) {
        self.thread.get_or_init(|| thread);
    }

    /// Requests an exchange, at once if it is urgent.
    pub(super) fn request(&self, is_urgent: bool) {
        let is_new = !self.is_requested.swap(true, Ordering::AcqRel);
        let is_newly_urgent = is_urgent && !self.is_urgent.swap(true, Ordering::AcqRel);
        if is_new || is_newly_urgent {
            self.wake();
        }
    }

    /// Ends the thread: no operation limiter will request an exchange again.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.wake();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Clears the requests: an exchange begins.
    pub(super) fn clear(&self) {
        self.is_urgent.store(false, Ordering::Release);
        self.is_requested.store(false, Ordering::Release);
    }

    /// Returns true if an exchange was requested since the last exchange began.
    pub(super) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Acquire)
    }

    pub(super) fn is_urgent(&self) -> bool {
        self.is_urgent.load(Ordering::Acquire)
    }

    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}
