//! Held calls: a bound on concurrent long-running requests over one HTTP/2 connection.
//!
//! Over HTTP/1.1 each open request has a connection to itself. Over HTTP/2 all share one, which takes
//! as many as the peer admits, often a hundred: a few hundred requests that are held open would fill it, and
//! whatever follows would queue inside the HTTP client until they end. The default HTTP client
//! speaks HTTP/1.1 for this reason. One that the user brings may not, so its held calls go by few at a
//! time unless a response shows that it does.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Version;
use tokio::time::Instant;

use crate::fair_queue::{Admission, Blocked, FairQueue};
use crate::in_flight::{InFlight, Ticket};
use crate::limiter::GRACE;

/// Few enough for a peer that admits ten requests on a connection.
const HELD: usize = 8;

/// The places of held calls, where they are bounded.
pub(crate) struct HeldCalls(FairQueue<HeldCallCapacity>);

struct HeldCallCapacity {
    are_bounded: bool,
    /// A place is free again when the time of its call is over, whatever became of the caller: its
    /// runtime may stand still.
    taken: InFlight,
}

/// A place that is taken, until it is dropped.
pub(super) struct HeldCallPermit {
    held_calls: Arc<HeldCalls>,
    ticket: Ticket,
}

impl HeldCalls {
    /// Until a response tells the version, the narrower one is assumed.
    pub(crate) fn new() -> Self {
        Self(FairQueue::new(HeldCallCapacity { are_bounded: true, taken: InFlight::default() }))
    }

    /// Whether held calls have to wait for a place.
    pub(super) fn is_bounded(&self) -> bool {
        self.0.update(|places| places.are_bounded)
    }

    /// A response has come in this version.
    pub(super) fn saw(&self, version: Version) {
        self.0.update(|places| places.are_bounded = version >= Version::HTTP_2);
    }

    /// Waits for a place for a call that takes `time` at most.
    pub(super) async fn place(self: &Arc<Self>, time: Duration) -> HeldCallPermit {
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
        self.taken.add(now.checked_add(time.saturating_add(GRACE)))
    }
}

impl Drop for HeldCallPermit {
    fn drop(&mut self) {
        self.held_calls.0.update(|places| places.taken.end(&self.ticket));
    }
}
