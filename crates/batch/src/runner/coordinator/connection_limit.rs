//! Connection limit: an AIMD bound on concurrent calls, for a process that may open few files.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use tokio::time::Instant;

/// Initial bound: more calls than a run ever makes.
const INITIAL_LIMIT: usize = 400;

/// Failures for lack of files within this time count once.
const SAME_EXHAUSTION: Duration = Duration::from_secs(1);

/// Interval at which the bound grows by one.
const GROWTH: Duration = Duration::from_secs(10);

/// The numbers of the errors of a process, and of a system, that may open no more files.
#[cfg(unix)]
const OUT_OF_FILES: [i32; 2] = [24, 23];
#[cfg(not(unix))]
const OUT_OF_FILES: [i32; 1] = [10_024];

/// The bound, and the number of calls in flight.
pub(super) struct ConnectionLimit {
    max: usize,
    /// Time of the last change of the bound.
    changed_at: Instant,
    in_flight: usize,
}

impl ConnectionLimit {
    pub(super) fn new() -> Self {
        Self { max: INITIAL_LIMIT, changed_at: Instant::now(), in_flight: 0 }
    }

    pub(super) fn began(&mut self) {
        self.in_flight += 1;
    }

    pub(super) fn ended(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// Lowers the bound, because a call failed for lack of files with those in flight still open.
    pub(super) fn record_exhaustion(&mut self) {
        if self.max == INITIAL_LIMIT || self.changed_at.elapsed() >= SAME_EXHAUSTION {
            self.max = (self.max.min(self.in_flight + 1) * 3 / 4).max(2);
            self.changed_at = Instant::now();
        }
    }

    pub(super) fn grow(&mut self) {
        if self.max < INITIAL_LIMIT && self.changed_at.elapsed() >= GROWTH {
            self.max += 1;
            self.changed_at = Instant::now();
        }
    }

    /// Returns the share of submissions, and that of polls.
    pub(super) fn half(&self) -> usize {
        self.max / 2
    }
}

/// Returns true if a call failed because no more files could be opened.
pub(super) fn is_out_of_files(error: &podqueue::Error) -> bool {
    let mut next = error.source();
    while let Some(cause) = next {
        let code = cause.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error);
        if code.is_some_and(|code| OUT_OF_FILES.contains(&code)) {
            return true;
        }
        next = cause.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn concurrent_failures_shrink_the_limit_once_and_it_grows_slowly() {
        let mut connections = ConnectionLimit::new();
        assert_eq!(connections.half(), 200);
        for _ in 0..39 {
            connections.began();
        }
        for _ in 0..20 {
            connections.record_exhaustion();
        }
        assert_eq!(connections.half(), 15);
        for _ in 0..20 {
            connections.ended();
        }
        tokio::time::advance(SAME_EXHAUSTION).await;
        connections.record_exhaustion();
        assert_eq!(connections.half(), 7);
        for _ in 0..2 {
            tokio::time::advance(GROWTH).await;
            connections.grow();
        }
        connections.grow();
        assert_eq!(connections.half(), 8);
        for _ in 0..19 {
            connections.ended();
        }
        for _ in 0..9 {
            tokio::time::advance(SAME_EXHAUSTION).await;
            connections.record_exhaustion();
        }
        assert_eq!(connections.half(), 1, "never none");
    }
}
