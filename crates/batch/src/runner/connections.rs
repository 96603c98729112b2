//! Connection limit: an AIMD bound on concurrent calls, for a process that may open few files.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use tokio::time::Instant;

/// More than there ever are.
const MOST: usize = 400;

/// Calls that run out of files within this time are one event.
const SAME: Duration = Duration::from_secs(1);

/// Interval at which the bound grows by one.
const GROWTH: Duration = Duration::from_secs(10);

/// The numbers of the errors of a process, and of a system, that may open no more files.
#[cfg(unix)]
const OUT_OF_FILES: [i32; 2] = [24, 23];
#[cfg(not(unix))]
const OUT_OF_FILES: [i32; 1] = [10_024];

/// The bound.
pub(super) struct Connections {
    most: usize,
    /// When that last changed.
    at: Instant,
}

impl Connections {
    pub(super) fn new() -> Self {
        Self { most: MOST, at: Instant::now() }
    }

    /// No further connection could be opened while this many calls were in flight.
    pub(super) fn ran_out(&mut self, in_flight: usize) {
        if self.most == MOST || self.at.elapsed() >= SAME {
            self.most = (self.most.min(in_flight) * 3 / 4).max(2);
            self.at = Instant::now();
        }
    }

    pub(super) fn grow(&mut self) {
        if self.most < MOST && self.at.elapsed() >= GROWTH {
            self.most += 1;
            self.at = Instant::now();
        }
    }

    /// The share of submissions, and that of polls.
    pub(super) fn half(&self) -> usize {
        self.most / 2
    }
}

/// Whether a call failed because no more files could be opened.
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
        let mut connections = Connections::new();
        assert_eq!(connections.half(), 200);
        for _ in 0..20 {
            connections.ran_out(40);
        }
        assert_eq!(connections.half(), 15);
        tokio::time::advance(SAME).await;
        connections.ran_out(20);
        assert_eq!(connections.half(), 7);
        for _ in 0..2 {
            tokio::time::advance(GROWTH).await;
            connections.grow();
        }
        connections.grow();
        assert_eq!(connections.half(), 8);
        for _ in 0..9 {
            tokio::time::advance(SAME).await;
            connections.ran_out(1);
        }
        assert_eq!(connections.half(), 1, "never none");
    }
}
