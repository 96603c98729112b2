//! Concurrency limit: how many requests are open at the same time.

use std::collections::VecDeque;

use tokio::time::Instant;

/// A slot is taken from the send until the end of the answer's body.
pub(super) struct Concurrency {
    open: u64,
    /// Until when the service may work on requests that the client has given up.
    given_up: VecDeque<Instant>,
}

impl Concurrency {
    pub(super) fn new() -> Self {
        Self { open: 0, given_up: VecDeque::new() }
    }

    /// How many are taken now.
    pub(super) fn taken(&mut self, now: Instant) -> u64 {
        while self.given_up.front().is_some_and(|until| *until <= now) {
            self.given_up.pop_front();
        }
        self.open + self.given_up.len() as u64
    }

    /// When the next slot is free without an answer.
    pub(super) fn next_free(&self) -> Option<Instant> {
        self.given_up.front().copied()
    }

    /// How many are open, without those that were given up.
    pub(super) fn open(&self) -> u64 {
        self.open
    }

    pub(super) fn take(&mut self) {
        self.open += 1;
    }

    pub(super) fn give_back(&mut self) {
        self.open -= 1;
    }

    /// A request was given up that the service may work on for a moment more.
    pub(super) fn give_up(&mut self, until: Instant) {
        self.open -= 1;
        self.given_up.push_back(until);
    }
}
