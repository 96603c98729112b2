//! Concurrency limit: the number of requests that are open at the same time.

use std::collections::VecDeque;

use tokio::time::Instant;

/// The slots in use. A slot is used from the send until the end of the response's body.
pub(super) struct Concurrency {
    open: u64,
    /// The ends of the slots of abandoned requests: the service may still work on these.
    abandoned: VecDeque<Instant>,
}

impl Concurrency {
    pub(super) fn new() -> Self {
        Self { open: 0, abandoned: VecDeque::new() }
    }

    /// The number of slots in use now.
    pub(super) fn taken(&mut self, now: Instant) -> u64 {
        while self.abandoned.front().is_some_and(|until| *until <= now) {
            self.abandoned.pop_front();
        }
        self.open + self.abandoned.len() as u64
    }

    /// The earliest time at which a slot becomes free without a response.
    pub(super) fn next_free(&self) -> Option<Instant> {
        self.abandoned.front().copied()
    }

    /// The number of open requests that are not abandoned.
    pub(super) fn open(&self) -> u64 {
        self.open
    }

    pub(super) fn take(&mut self) {
        self.open += 1;
    }

    pub(super) fn give_back(&mut self) {
        self.open -= 1;
    }

    /// Abandons a request, whose slot stays in use until `until`.
    pub(super) fn abandon(&mut self, until: Instant) {
        self.open -= 1;
        self.abandoned.push_back(until);
    }
}
