//! Waker of the exchange thread.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;

/// Rung by operations, which must not block.
#[derive(Default)]
pub(super) struct ExchangeWaker {
    is_rung: AtomicBool,
    is_urgent: AtomicBool,
    is_closed: AtomicBool,
    thread: OnceLock<Thread>,
}

impl ExchangeWaker {
    /// The thread that is to be woken.
    pub(super) fn wakes(&self, thread: Thread) {
        self.thread.get_or_init(|| thread);
    }

    /// There is something to exchange, at once where that is urgent.
    pub(super) fn ring(&self, is_urgent: bool) {
        let is_new = !self.is_rung.swap(true, Ordering::AcqRel);
        let is_newly_urgent = is_urgent && !self.is_urgent.swap(true, Ordering::AcqRel);
        if is_new || is_newly_urgent {
            self.wake();
        }
    }

    /// No operation_limiter will ring again.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.wake();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// What it was rung for before is being done.
    pub(super) fn answer(&self) {
        self.is_urgent.store(false, Ordering::Release);
        self.is_rung.store(false, Ordering::Release);
    }

    /// Whether it was rung since it was last answered.
    pub(super) fn is_rung(&self) -> bool {
        self.is_rung.load(Ordering::Acquire)
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
