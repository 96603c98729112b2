//! The thread on which a client exchanges.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::participant::{BUSY, Member, Unreachable};
use super::store::SharedLimits;
use crate::limiter::Limit;
use crate::limiter::operation::Gate;

/// The least time between two exchanges.
const LEAST: Duration = Duration::from_millis(5);

/// A client's part in shared limits. Its thread ends soon after this was dropped, and has then given
/// back what was not used.
pub(in crate::limiter) struct Shared(Arc<Member>);

impl Shared {
    pub(in crate::limiter) fn start(
        settings: SharedLimits,
        base_url: &str,
        key: &str,
    ) -> io::Result<Self> {
        let account = settings.account_of(base_url, key);
        let member = Arc::new(Member::new(settings, account));
        let of_thread = Arc::clone(&member);
        let name = "podqueue-limits".to_owned();
        let handle = thread::Builder::new().name(name).spawn(move || run(&of_thread))?;
        member.bell.wakes(handle.thread().clone());
        Ok(Self(member))
    }

    pub(in crate::limiter) fn gate(&self, scope: &str, operation: &str, limit: Limit) -> Arc<Gate> {
        self.0.gate(scope, operation, limit)
    }

    /// Waits until the store could not be reached for too long.
    pub(in crate::limiter) async fn unreachable(&self) -> Unreachable {
        self.0.unreachable().await
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.0.keep_gates();
        self.0.bell.close();
    }
}

fn run(member: &Member) {
    let bell = &member.bell;
    loop {
        let began = Instant::now();
        bell.answer();
        let is_leaving = bell.is_closed();
        let next = member.exchange();
        if is_leaving {
            return;
        }
        let mut due = next.map(|pause| began + pause);
        loop {
            if bell.is_closed() {
                break;
            }
            if bell.is_urgent() {
                due = Some(due.map_or(began, |due| due.min(began + LEAST)));
            } else if bell.is_rung() {
                due = Some(due.map_or(began + LEAST, |due| due.min(began + BUSY)));
            }
            match due.map(|due| due.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => break,
                Some(pause) => thread::park_timeout(pause),
                None => thread::park(),
            }
        }
    }
}
