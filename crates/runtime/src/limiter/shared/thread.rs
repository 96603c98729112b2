//! Exchange thread: reports and obtains permits of shared limits.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::participant::{BUSY_INTERVAL, Participant, Unreachable};
use super::store::SharedLimits;
use crate::limiter::Limit;
use crate::limiter::operation::OperationLimiter;

/// The minimum time between two exchanges.
const MIN_INTERVAL: Duration = Duration::from_millis(5);

/// A client's exchange thread. The thread ends soon after this handle is dropped, and returns unused permits
/// before.
pub(in crate::limiter) struct Shared(Arc<Participant>);

impl Shared {
    pub(in crate::limiter) fn start(
        settings: SharedLimits,
        base_url: &str,
        key: &str,
    ) -> io::Result<Self> {
        let account = settings.account_of(base_url, key);
        let participant = Arc::new(Participant::new(settings, account));
        let of_thread = Arc::clone(&participant);
        let name = "podqueue-limits".to_owned();
        let handle = thread::Builder::new().name(name).spawn(move || run(&of_thread))?;
        participant.waker.set_thread(handle.thread().clone());
        Ok(Self(participant))
    }

    pub(in crate::limiter) fn operation_limiter(
        &self,
        scope: &str,
        operation: &str,
        limit: Limit,
    ) -> Arc<OperationLimiter> {
        self.0.operation_limiter(scope, operation, limit)
    }

    /// Completes when the store has been unreachable for too long.
    pub(in crate::limiter) async fn unreachable(&self) -> Unreachable {
        self.0.unreachable().await
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.0.keep_operations();
        self.0.waker.close();
    }
}

fn run(participant: &Participant) {
    let waker = &participant.waker;
    loop {
        let began = Instant::now();
        waker.clear();
        let is_leaving = waker.is_closed();
        let next = participant.exchange();
        if is_leaving {
            return;
        }
        let mut due = next.map(|pause| began + pause);
        loop {
            if waker.is_closed() {
                break;
            }
            if waker.is_urgent() {
                due = Some(due.map_or(began, |due| due.min(began + MIN_INTERVAL)));
            } else if waker.is_requested() {
                due = Some(due.map_or(began + MIN_INTERVAL, |due| due.min(began + BUSY_INTERVAL)));
            }
            match due.map(|due| due.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => break,
                Some(pause) => thread::park_timeout(pause),
                None => thread::park(),
            }
        }
    }
}
