//! Admits the requests of one operation in one scope in turn.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::concurrency::Slots;
#[cfg(feature = "shared-limits")]
use super::shared::{Holding, State};
use super::throttle_backoff::Brake;
use super::token_bucket::Pace;
use super::window_log::Log;
use super::{GRACE, Limit};
use crate::fair_queue::{Blocked, Line, Rule};
use crate::in_flight::{Ticket, UnderWay};

/// Lets requests pass first in, first out, within a limit that may change at any time.
pub(crate) struct Gate(Line<Limits>);

/// What the service counts.
struct Limits {
    limit: Limit,
    log: Log,
    slots: Slots,
    pace: Pace,
    brake: Brake,
    under_way: UnderWay,
    /// What other processes leave, where the limit is shared.
    #[cfg(feature = "shared-limits")]
    holding: Option<Holding>,
}

/// A request that may be sent.
struct Admitted {
    at: Instant,
    ticket: Ticket,
    is_crowded: bool,
}

impl Gate {
    pub(super) fn new(limit: Limit) -> Self {
        Self(Line::new(Limits::new(limit)))
    }

    /// A gate whose requests need permits.
    #[cfg(feature = "shared-limits")]
    pub(super) fn shared(limit: Limit, holding: Holding) -> Self {
        Self(Line::new(Limits { holding: Some(holding), ..Limits::new(limit) }))
    }

    /// Lets a request pass that takes `time` at most, if nobody waits and there is room now.
    pub(super) fn enter(self: Arc<Self>, time: Duration) -> Result<Pass, Arc<Self>> {
        match self.0.turn_at_once(time) {
            Some(admitted) => Ok(Pass(Some(Held { gate: self, admitted, is_sent: false }))),
            None => Err(self),
        }
    }

    /// Waits until a request may be sent, which then takes `time` at most. From `urgent_from` on it
    /// goes before all that are not urgent. Dropping the future gives its place in the line up and
    /// changes nothing else.
    pub(crate) async fn pass(
        self: Arc<Self>,
        time: Duration,
        urgent_from: Option<Instant>,
    ) -> Pass {
        let admitted = self.0.turn(time, urgent_from).await;
        Pass(Some(Held { gate: self, admitted, is_sent: false }))
    }

    /// How many requests could pass at once now, up to `most`.
    pub(crate) fn room(&self, most: u64) -> u64 {
        self.0.room(most)
    }

    /// Changes the limit, for those who wait as well.
    pub(super) fn resize(&self, limit: Limit) {
        self.0.update(|limits| limits.limit = limit);
    }

    /// Whether it would make no difference if this gate were a new one.
    pub(super) fn is_idle(&self) -> bool {
        let now = Instant::now();
        self.0.is_empty_and(|limits| {
            #[cfg(feature = "shared-limits")]
            if limits.holding.as_ref().is_some_and(|holding| !holding.is_idle()) {
                return false;
            }
            limits.log.count(now) == 0 && limits.slots.taken(now) == 0 && limits.brake.is_off(now)
        })
    }

    /// Reports and asks, or takes, what is shared, where it is.
    #[cfg(feature = "shared-limits")]
    pub(super) fn with_holding<T>(
        &self,
        now: Instant,
        work: impl FnOnce(&mut Holding, State) -> T,
    ) -> Option<T> {
        let waiting = self.0.waiting() as u64;
        self.0.update(|limits| {
            limits.end_overdue(now);
            let unanswered = limits.log.unanswered();
            let state =
                State { limit: limits.limit, waiting, unanswered, open: limits.slots.taken(now) };
            Some(work(limits.holding.as_mut()?, state))
        })
    }
}

impl Rule for Limits {
    type Ask = Duration;
    type Turn = Admitted;

    fn room_for(&mut self, callers: u64, now: Instant, calls_wait: bool) -> Result<(), Blocked> {
        let requests = self.brake.part_of(self.limit.requests, now);
        self.pace.grow(now, requests, calls_wait);
        if let Some(until) = self.brake.held(now) {
            return Err(Blocked { until: Some(until) });
        }
        self.end_overdue(now);
        if let Some(concurrent) = self.limit.concurrent {
            let concurrent = self.brake.part_of(concurrent, now);
            if self.slots.taken(now).saturating_add(callers) > concurrent {
                return Err(self.blocked(self.slots.next_free()));
            }
        }
        if self.log.count(now).saturating_add(callers) > requests {
            return Err(self.blocked(self.log.next_departure()));
        }
        #[cfg(feature = "shared-limits")]
        if let Some(holding) = &mut self.holding {
            let taken = self.limit.concurrent.map(|_| self.slots.taken(now));
            if let Err(Blocked { until }) = holding.room_for(callers, taken, now) {
                return Err(self.blocked(until));
            }
        }
        match self.pace.next(callers, requests) {
            Some(until) => Err(Blocked { until: Some(until) }),
            None => Ok(()),
        }
    }

    fn take(&mut self, time: Duration, now: Instant) -> Admitted {
        self.pace.spend();
        self.log.send();
        self.slots.take();
        #[cfg(feature = "shared-limits")]
        if let Some(holding) = &mut self.holding {
            holding.spend(self.slots.open(), now);
        }
        // An attempt whose caller is polled is over by itself before that.
        let over = now.checked_add(time.saturating_add(GRACE));
        let is_crowded = self.limit.concurrent.is_some_and(|most| 2 * self.slots.open() > most)
            || 2 * self.log.unanswered() > self.limit.requests;
        Admitted { at: now, ticket: self.under_way.add(over), is_crowded }
    }
}

impl Limits {
    fn new(limit: Limit) -> Self {
        let now = Instant::now();
        Self {
            limit,
            log: Log::new(now),
            slots: Slots::new(),
            pace: Pace::new(now, limit.requests),
            brake: Brake::new(now),
            under_way: UnderWay::default(),
            #[cfg(feature = "shared-limits")]
            holding: None,
        }
    }

    fn blocked(&self, until: Option<Instant>) -> Blocked {
        let until = [until, self.under_way.next_overdue()].into_iter().flatten().min();
        Blocked { until }
    }

    /// Gives up requests whose time is over and whose callers do not look after them.
    fn end_overdue(&mut self, now: Instant) {
        for is_answered in self.under_way.end_overdue(now) {
            self.give_up(is_answered, now);
        }
    }

    fn give_up(&mut self, is_answered: bool, now: Instant) {
        let until = now + GRACE;
        self.slots.give_up(until);
        if !is_answered {
            self.settle(until);
        }
    }

    /// The answer to a request has come, or will not come any more.
    fn settle(&mut self, at: Instant) {
        let _departs = self.log.settle(at);
        #[cfg(feature = "shared-limits")]
        if let Some(holding) = &mut self.holding {
            holding.departs(_departs);
        }
    }
}

/// The leave to send one request. It is told how the request fares; dropped in between, the request
/// counts as one that the service may still work on for a moment.
pub(crate) struct Pass(Option<Held>);

struct Held {
    gate: Arc<Gate>,
    admitted: Admitted,
    is_sent: bool,
}

impl Pass {
    /// The leave for a request that no limit applies to.
    pub(crate) fn unlimited() -> Self {
        Self(None)
    }

    /// Whether so many requests are open that others may soon have to wait for the end of this one.
    pub(crate) fn is_crowded(&self) -> bool {
        self.0.as_ref().is_some_and(|held| held.admitted.is_crowded)
    }

    /// The request leaves.
    pub(crate) fn sent(&mut self) {
        if let Some(held) = &mut self.0 {
            held.is_sent = true;
        }
    }

    /// The request has not left after all.
    pub(crate) fn not_sent(&mut self) {
        if let Some(held) = &mut self.0 {
            held.is_sent = false;
        }
    }

    /// The head of the response has come.
    pub(crate) fn answered(&mut self) {
        let Some(held) = &mut self.0 else { return };
        held.is_sent = true;
        held.gate.0.update(|limits| {
            if limits.under_way.answer(&held.admitted.ticket) {
                limits.settle(Instant::now());
            }
        });
    }

    /// The response continues for as long as the caller and the service like, and keeps its place
    /// until then at most.
    pub(crate) fn stays(&self, until: Option<Instant>) {
        let Some(held) = &self.0 else { return };
        let over = until.and_then(|until| until.checked_add(GRACE));
        held.gate.0.update(|limits| limits.under_way.stay(&held.admitted.ticket, over));
    }

    /// The response is a 429, with this `Retry-After`.
    pub(crate) fn refused(&self, retry_after: Option<Duration>) {
        let Some(held) = &self.0 else { return };
        held.gate.0.update(|limits| {
            if limits.brake.pull(held.admitted.at, Instant::now(), retry_after) {
                limits.pace.forfeit();
            }
        });
    }

    /// The response has been read to its end.
    pub(crate) fn finished(mut self) {
        let Some(held) = self.0.take() else { return };
        held.gate.0.update(|limits| {
            let Some(is_answered) = limits.under_way.end(&held.admitted.ticket) else { return };
            limits.slots.give_back();
            if !is_answered {
                limits.settle(Instant::now());
            }
        });
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let Some(held) = self.0.take() else { return };
        held.gate.0.update(|limits| {
            let Some(is_answered) = limits.under_way.end(&held.admitted.ticket) else { return };
            if held.is_sent {
                limits.give_up(is_answered, Instant::now());
            } else {
                limits.log.withdraw();
                limits.slots.give_back();
                limits.pace.refund();
                #[cfg(feature = "shared-limits")]
                if let Some(holding) = &mut limits.holding {
                    holding.refund(held.admitted.at, Instant::now());
                }
            }
        });
    }
}
