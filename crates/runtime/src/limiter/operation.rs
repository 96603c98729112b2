//! Rate limiter of one operation in one scope: admits requests first in, first out.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::concurrency::Concurrency;
#[cfg(feature = "shared-limits")]
use super::shared::{LimiterState, LocalPermits};
use super::throttle_backoff::ThrottleBackoff;
use super::token_bucket::TokenBucket;
use super::window_log::WindowLog;
use super::{ABANDONED_GRACE, Limit};
use crate::fair_queue::{Admission, Blocked, FairQueue};
use crate::in_flight::{InFlight, Ticket};

/// Admits requests first in, first out, within a limit that may change at any time.
pub(crate) struct OperationLimiter(FairQueue<Limits>);

/// The parts that must agree before a request is admitted.
struct Limits {
    limit: Limit,
    log: WindowLog,
    concurrency: Concurrency,
    bucket: TokenBucket,
    backoff: ThrottleBackoff,
    in_flight: InFlight,
    /// The permits granted to this process, if the limit is shared.
    #[cfg(feature = "shared-limits")]
    local_permits: Option<LocalPermits>,
}

/// An admitted request.
struct Admitted {
    at: Instant,
    ticket: Ticket,
    is_crowded: bool,
}

impl OperationLimiter {
    pub(super) fn new(limit: Limit) -> Self {
        Self(FairQueue::new(Limits::new(limit)))
    }

    /// An operation limiter whose requests need permits.
    #[cfg(feature = "shared-limits")]
    pub(super) fn shared(limit: Limit, local_permits: LocalPermits) -> Self {
        Self(FairQueue::new(Limits { local_permits: Some(local_permits), ..Limits::new(limit) }))
    }

    /// A permit for a request that takes `time` at most, if no request waits and there is capacity.
    pub(super) fn try_acquire(self: Arc<Self>, time: Duration) -> Result<Permit, Arc<Self>> {
        match self.0.try_acquire(time) {
            Some(admitted) => {
                Ok(Permit::of(Some(Held { operation_limiter: self, admitted, is_sent: false })))
            }
            None => Err(self),
        }
    }

    /// Waits for a permit for a request that takes `time` at most; from `urgent_from` on, before
    /// requests that are not urgent. Dropping the future gives up its position and changes nothing
    /// else.
    pub(crate) async fn acquire(
        self: Arc<Self>,
        time: Duration,
        urgent_from: Option<Instant>,
    ) -> Permit {
        let admitted = self.0.acquire(time, urgent_from).await;
        Permit::of(Some(Held { operation_limiter: self, admitted, is_sent: false }))
    }

    /// The number of requests that could be admitted at once now, up to `most`.
    pub(crate) fn available(&self, most: u64) -> u64 {
        self.0.available(most)
    }

    /// Changes the limit, also for waiting requests.
    pub(super) fn resize(&self, limit: Limit) {
        self.0.update(|limits| limits.limit = limit);
    }

    /// Returns true if this operation limiter is equivalent to a new one.
    pub(super) fn is_idle(&self) -> bool {
        let now = Instant::now();
        self.0.is_empty_and(|limits| {
            #[cfg(feature = "shared-limits")]
            if limits.local_permits.as_ref().is_some_and(|local_permits| !local_permits.is_idle()) {
                return false;
            }
            limits.log.count(now) == 0
                && limits.concurrency.taken(now) == 0
                && limits.backoff.recover_fully(now)
        })
    }

    /// Works on the local permits, if the limit is shared.
    #[cfg(feature = "shared-limits")]
    pub(super) fn with_local_permits<T>(
        &self,
        now: Instant,
        work: impl FnOnce(&mut LocalPermits, LimiterState) -> T,
    ) -> Option<T> {
        let waiting = self.0.waiting() as u64;
        self.0.update(|limits| {
            limits.end_overdue(now);
            let unanswered = limits.log.unanswered();
            let state = LimiterState {
                limit: limits.limit,
                waiting,
                unanswered,
                open: limits.concurrency.taken(now),
            };
            Some(work(limits.local_permits.as_mut()?, state))
        })
    }
}

impl Admission for Limits {
    type Request = Duration;
    type Permit = Admitted;

    fn admits(&mut self, callers: u64, now: Instant, calls_wait: bool) -> Result<(), Blocked> {
        let requests = self.backoff.part_of(self.limit.requests, now);
        self.bucket.grow(now, requests, calls_wait);
        if let Some(until) = self.backoff.paused_until(now) {
            return Err(Blocked { until: Some(until) });
        }
        self.end_overdue(now);
        if let Some(concurrent) = self.limit.concurrent {
            let concurrent = self.backoff.part_of(concurrent, now);
            if self.concurrency.taken(now).saturating_add(callers) > concurrent {
                return Err(self.blocked(self.concurrency.next_free()));
            }
        }
        if self.log.count(now).saturating_add(callers) > requests {
            return Err(self.blocked(self.log.next_departure()));
        }
        #[cfg(feature = "shared-limits")]
        if let Some(local_permits) = &mut self.local_permits {
            let taken = self.limit.concurrent.map(|_| self.concurrency.taken(now));
            if let Err(Blocked { until }) = local_permits.admits(callers, taken, now) {
                return Err(self.blocked(until));
            }
        }
        match self.bucket.next(callers, requests) {
            Some(until) => Err(Blocked { until: Some(until) }),
            None => Ok(()),
        }
    }

    fn take(&mut self, time: Duration, now: Instant) -> Admitted {
        self.bucket.spend();
        self.log.send();
        self.concurrency.take();
        #[cfg(feature = "shared-limits")]
        if let Some(local_permits) = &mut self.local_permits {
            local_permits.spend(self.concurrency.open(), now);
        }
        // An attempt whose caller is polled ends by its own timeout before that.
        let deadline = now.checked_add(time.saturating_add(ABANDONED_GRACE));
        let is_crowded =
            self.limit.concurrent.is_some_and(|most| 2 * self.concurrency.open() > most)
                || 2 * self.log.unanswered() > self.limit.requests;
        Admitted { at: now, ticket: self.in_flight.add(deadline), is_crowded }
    }
}

impl Limits {
    fn new(limit: Limit) -> Self {
        let now = Instant::now();
        Self {
            limit,
            log: WindowLog::new(now),
            concurrency: Concurrency::new(),
            bucket: TokenBucket::new(now, limit.requests),
            backoff: ThrottleBackoff::new(now),
            in_flight: InFlight::default(),
            #[cfg(feature = "shared-limits")]
            local_permits: None,
        }
    }

    fn blocked(&self, until: Option<Instant>) -> Blocked {
        let until = [until, self.in_flight.next_overdue()].into_iter().flatten().min();
        Blocked { until }
    }

    /// Abandons requests whose timeout has passed and whose callers are not polled.
    fn end_overdue(&mut self, now: Instant) {
        for is_answered in self.in_flight.end_overdue(now) {
            self.abandon(is_answered, now);
        }
    }

    /// Abandons a request, which the service may still work on for [`ABANDONED_GRACE`].
    fn abandon(&mut self, is_answered: bool, now: Instant) {
        let until = now + ABANDONED_GRACE;
        self.concurrency.abandon(until);
        if !is_answered {
            self.settle(until);
        }
    }

    /// Records that a response has arrived, or never will.
    fn settle(&mut self, at: Instant) {
        let _departs = self.log.settle(at);
        #[cfg(feature = "shared-limits")]
        if let Some(local_permits) = &mut self.local_permits {
            local_permits.departs(_departs);
        }
    }
}

/// Permit for one request, to which the request's progress is reported. Dropped before its end, the
/// request is abandoned: the service may still work on it for [`ABANDONED_GRACE`].
pub(crate) struct Permit {
    held: Option<Held>,
    /// The permit of the limits that the service announces.
    #[cfg(feature = "announced-limits")]
    announced: Option<super::AnnouncedPermit>,
}

struct Held {
    operation_limiter: Arc<OperationLimiter>,
    admitted: Admitted,
    is_sent: bool,
}

impl Permit {
    /// Permit for a request without a limit.
    pub(crate) fn unlimited() -> Self {
        Self::of(None)
    }

    fn of(held: Option<Held>) -> Self {
        Self {
            held,
            #[cfg(feature = "announced-limits")]
            announced: None,
        }
    }

    /// With a permit of the limits that the service announces.
    #[cfg(feature = "announced-limits")]
    pub(crate) fn with_announced(mut self, permit: super::AnnouncedPermit) -> Self {
        self.announced = Some(permit);
        self
    }

    /// Applies the limits that the response announces.
    #[cfg(feature = "announced-limits")]
    pub(crate) fn record_announced(
        &mut self,
        is_success: bool,
        headers: &reqwest::header::HeaderMap,
    ) {
        if let Some(announced) = &mut self.announced {
            announced.answered(is_success, headers);
        }
    }

    /// Returns true if more than half of the capacity is in use, or the service announces limits, so
    /// that other requests may soon wait for the end of this request.
    pub(crate) fn is_crowded(&self) -> bool {
        #[cfg(feature = "announced-limits")]
        if self.announced.as_ref().is_some_and(super::AnnouncedPermit::is_limited) {
            return true;
        }
        self.held.as_ref().is_some_and(|held| held.admitted.is_crowded)
    }

    /// The request is sent.
    pub(crate) fn sent(&mut self) {
        if let Some(held) = &mut self.held {
            held.is_sent = true;
        }
        #[cfg(feature = "announced-limits")]
        if let Some(announced) = &mut self.announced {
            announced.set_sent(true);
        }
    }

    /// The request was not sent after all.
    pub(crate) fn not_sent(&mut self) {
        if let Some(held) = &mut self.held {
            held.is_sent = false;
        }
        #[cfg(feature = "announced-limits")]
        if let Some(announced) = &mut self.announced {
            announced.set_sent(false);
        }
    }

    /// The head of the response has arrived.
    pub(crate) fn answered(&mut self) {
        let Some(held) = &mut self.held else { return };
        held.is_sent = true;
        held.operation_limiter.0.update(|limits| {
            if limits.in_flight.answer(&held.admitted.ticket) {
                limits.settle(Instant::now());
            }
        });
    }

    /// Keeps the slot for a response that is a stream, until `until` at most.
    pub(crate) fn hold_until(&self, until: Option<Instant>) {
        let Some(held) = &self.held else { return };
        let deadline = until.and_then(|until| until.checked_add(ABANDONED_GRACE));
        held.operation_limiter
            .0
            .update(|limits| limits.in_flight.extend(&held.admitted.ticket, deadline));
    }

    /// The response is a 429, with this `Retry-After`.
    pub(crate) fn refused(&self, retry_after: Option<Duration>) {
        let Some(held) = &self.held else { return };
        held.operation_limiter.0.update(|limits| {
            if limits.backoff.throttle(held.admitted.at, Instant::now(), retry_after) {
                limits.bucket.forfeit();
            }
        });
    }

    /// The response has been read to its end.
    pub(crate) fn finished(mut self) {
        let Some(held) = self.held.take() else { return };
        held.operation_limiter.0.update(|limits| {
            let Some(is_answered) = limits.in_flight.end(&held.admitted.ticket) else { return };
            limits.concurrency.give_back();
            if !is_answered {
                limits.settle(Instant::now());
            }
        });
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(held) = self.held.take() else { return };
        held.operation_limiter.0.update(|limits| {
            let Some(is_answered) = limits.in_flight.end(&held.admitted.ticket) else { return };
            if held.is_sent {
                limits.abandon(is_answered, Instant::now());
            } else {
                limits.log.withdraw();
                limits.concurrency.give_back();
                limits.bucket.refund();
                #[cfg(feature = "shared-limits")]
                if let Some(local_permits) = &mut limits.local_permits {
                    local_permits.refund(held.admitted.at, Instant::now());
                }
            }
        });
    }
}
