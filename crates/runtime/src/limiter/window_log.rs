//! Sliding-window log: the requests that the service can still count.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::WINDOW;

/// Tolerance for clocks that do not run equally fast and services that count in whole milliseconds.
pub(super) const MARGIN: Duration = Duration::from_millis(5);

/// The capacity that is kept when no request counts, in entries.
const KEPT_CAPACITY: usize = 64;

/// Counts each request from its send until [`WINDOW`] after its response.
pub(super) struct WindowLog {
    started: Instant,
    unanswered: u64,
    answered: u64,
    /// The answered requests by the moment at which they no longer count, in order. Moments are
    /// rounded up to milliseconds, so that the length has a bound that no limit can exceed.
    departures: VecDeque<Departure>,
}

struct Departure {
    /// Milliseconds since the log was started.
    at: u64,
    requests: u64,
}

impl WindowLog {
    pub(super) fn new(now: Instant) -> Self {
        Self { started: now, unanswered: 0, answered: 0, departures: VecDeque::new() }
    }

    /// The number of requests that count now.
    pub(super) fn count(&mut self, now: Instant) -> u64 {
        let elapsed = millis(now - self.started);
        while let Some(departure) = self.departures.front().filter(|first| first.at <= elapsed) {
            self.answered -= departure.requests;
            self.departures.pop_front();
        }
        if self.departures.is_empty() && self.departures.capacity() > KEPT_CAPACITY {
            self.departures = VecDeque::new();
        }
        self.unanswered + self.answered
    }

    /// The time at which the next request stops counting; `None` while all are unanswered.
    pub(super) fn next_departure(&self) -> Option<Instant> {
        let first = self.departures.front()?;
        Some(self.started + Duration::from_millis(first.at))
    }

    /// The number of requests without a response.
    pub(super) fn unanswered(&self) -> u64 {
        self.unanswered
    }

    pub(super) fn send(&mut self) {
        self.unanswered += 1;
    }

    /// Removes a request that was not sent after all.
    pub(super) fn withdraw(&mut self) {
        self.unanswered -= 1;
    }

    /// Records that a response has arrived, or never will. Returns the moment at which the request
    /// stops counting.
    pub(super) fn settle(&mut self, at: Instant) -> Instant {
        let departs = millis(at + WINDOW + MARGIN - self.started) + 1;
        self.unanswered -= 1;
        self.answered += 1;
        match self.departures.back_mut().filter(|last| last.at >= departs) {
            Some(last) => last.requests += 1,
            None => self.departures.push_back(Departure { at: departs, requests: 1 }),
        }
        self.started + Duration::from_millis(departs)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
