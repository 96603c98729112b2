//! Held calls: a bound on concurrent long-running requests over one HTTP/2 connection.
//!
//! Over HTTP/1.1 each open request has a connection to itself. Over HTTP/2 all requests share one
//! connection, which takes as many as the peer admits, often a hundred: a few hundred requests that
//! are held open would fill it, and later requests would queue inside the HTTP client until they
//! end. The default HTTP client speaks HTTP/1.1 for this reason. A client that the user provides
//! may speak HTTP/2, so its held calls are bounded unless a response shows that it does not.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Version;
use tokio::time::Instant;

use crate::fair_queue::{Admission, Blocked, FairQueue};
use crate::in_flight::{InFlight, Ticket};
use crate::limiter::ABANDONED_GRACE;

/// The bound: low enough for a peer that admits ten requests on a connection.
const HELD: usize = 8;

/// The permits of held calls.
pub(crate) struct HeldCalls(FairQueue<HeldCallCapacity>);

struct HeldCallCapacity {
    are_bounded: bool,
    /// A permit is free again after the timeout of its call, even if the caller is not polled.
    taken: InFlight,
}

/// The permit of a held call, returned when dropped.
pub(super) struct HeldCallPermit {
    held_calls: Arc<HeldCalls>,
    ticket: Ticket,
}

impl HeldCalls {
    /// Assumes HTTP/2 until a response shows the version.
    pub(crate) fn new() -> Self {
        Self(FairQueue::new(HeldCallCapacity { are_bounded: true, taken: InFlight::default() }))
    }

    /// Returns true if held calls need a permit.
    pub(super) fn is_bounded(&self) -> bool {
        self.0.update(|capacity| capacity.are_bounded)
    }

    /// Records the version of a response.
    pub(super) fn saw(&self, version: Version) {
        self.0.update(|capacity| capacity.are_bounded = version >= Version::HTTP_2);
    }

    /// Waits for a permit for a call that takes `time` at most.
    pub(super) async fn acquire(self: &Arc<Self>, time: Duration) -> HeldCallPermit {
        let ticket = self.0.acquire(time, None).await;
        HeldCallPermit { held_calls: Arc::clone(self), ticket }
    }
}

impl Admission for HeldCallCapacity {
    type Request = Duration;
    type Permit = Ticket;

    fn admits(&mut self, callers: u64, now: Instant, _: bool) -> Result<(), Blocked> {
        self.taken.end_overdue(now);
        if !self.are_bounded || self.taken.len() as u64 + callers <= HELD as u64 {
            return Ok(());
        }
        Err(Blocked { until: self.taken.next_overdue() })
    }

    fn take(&mut self, time: Duration, now: Instant) -> Ticket {
        self.taken.add(now.checked_add(time.saturating_add(ABANDONED_GRACE)))
    }
}

impl Drop for HeldCallPermit {
    fn drop(&mut self) {
        self.held_calls.0.update(|capacity| capacity.taken.end(&self.ticket));
    }
}
