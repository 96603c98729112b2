//! Local permits: a process's share of one operation's limit, the next report of the process, and
//! the waker by which it asks the exchange thread for an exchange.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

use super::super::Limit;
use super::allocation::{ExchangeRequest, Grant, HORIZON, LEASE};
use crate::fair_queue::Blocked;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::thread::Thread;

/// Up to this limit, permits are requested only for waiting requests: a spare permit for a process
/// that may not need it would be a large part of the limit.
const NO_SPARE_LIMIT: u64 = 10;

/// The number of spare permits and slots that are kept for [`SPARE_FOR`] after a call.
const SPARE_PERMITS: u64 = 2;
const SPARE_FOR: Duration = Duration::from_secs(1);

/// The permits to request, as a multiple of those that were used between two exchanges.
const PREFETCH_FACTOR: u64 = 3;

/// The permits of a process, and its requests that still count.
pub(in crate::limiter) struct LocalPermits {
    waker: Arc<ExchangeWaker>,
    /// Permits, by the moment from which they may be used.
    permits: VecDeque<(Instant, u64)>,
    /// The end of the lease.
    until: Instant,
    /// The slots that may be used.
    concurrency: u64,
    /// True if the last exchange granted all that was requested, so that another may grant more.
    had_all: bool,
    /// The moments at which answered requests stop counting; until then they may have to be
    /// reported again.
    departures: Vec<(Instant, u64)>,
    /// The number of these that were reported, and that will be once the exchange in progress has
    /// succeeded.
    reported: usize,
    in_report: usize,
    /// The record that they were reported to, and its moment then, at the earliest time at which
    /// that may have been.
    allocation: u64,
    reported_at: Option<(Instant, u64)>,
    /// Since the last report: permits used, and the peak of slots in use.
    used: u64,
    most_open: u64,
    /// The recent peak of permits used between two exchanges: a bursty caller needs as many again.
    peak: u64,
    used_at: Option<Instant>,
    /// True if the record lists this process, because its last report held or requested permits or
    /// slots.
    is_listed: bool,
}

impl LocalPermits {
    pub(super) fn new(waker: Arc<ExchangeWaker>, now: Instant) -> Self {
        Self {
            waker,
            permits: VecDeque::new(),
            until: now,
            concurrency: 0,
            had_all: true,
            departures: Vec::new(),
            reported: 0,
            in_report: 0,
            allocation: 0,
            reported_at: None,
            used: 0,
            most_open: 0,
            peak: 0,
            used_at: None,
            is_listed: false,
        }
    }

    /// Returns `Ok` if there are permits and free slots for this many callers.
    pub(in crate::limiter) fn admits(
        &mut self,
        callers: u64,
        taken: Option<u64>,
        now: Instant,
    ) -> Result<(), Blocked> {
        let lacks_slots = taken.is_some_and(|taken| taken + callers > self.concurrency);
        if now >= self.until || lacks_slots {
            return Err(self.blocked(None));
        }
        let mut missing = callers;
        for (from, permits) in &self.permits {
            missing = missing.saturating_sub(*permits);
            if missing == 0 {
                return if *from <= now { Ok(()) } else { Err(self.blocked(Some(*from))) };
            }
        }
        Err(self.blocked(None))
    }

    fn blocked(&self, until: Option<Instant>) -> Blocked {
        if until.is_none() {
            self.waker.request(self.had_all);
        }
        Blocked { until }
    }

    /// Uses a permit.
    pub(in crate::limiter) fn spend(&mut self, open: u64, now: Instant) {
        if let Some((_, permits)) = self.permits.front_mut() {
            *permits -= 1;
            if *permits == 0 {
                self.permits.pop_front();
            }
        }
        self.used += 1;
        self.most_open = self.most_open.max(open);
        self.used_at = Some(now);
        self.waker.request(false);
    }

    /// Returns a permit that was not used after all. A permit of an earlier lease has expired with
    /// it.
    pub(in crate::limiter) fn refund(&mut self, taken_at: Instant, now: Instant) {
        if now < self.until {
            self.permits.push_front((taken_at, 1));
        }
    }

    /// Records the moment at which a request stops counting.
    pub(in crate::limiter) fn departs(&mut self, at: Instant) {
        let unreported = &mut self.departures[self.in_report..];
        match unreported.last_mut().filter(|(last, _)| *last == at) {
            Some((_, requests)) => *requests += 1,
            None => self.departures.push((at, 1)),
        }
    }

    /// Returns true if there is nothing to report and no permit is kept.
    pub(in crate::limiter) fn is_idle(&self) -> bool {
        let is_reported = self.reported == self.departures.len();
        !self.is_listed && self.permits.is_empty() && is_reported
    }

    /// The report and request of the next exchange; `None` if both are empty. A process that is
    /// leaving requests nothing.
    pub(super) fn report(
        &mut self,
        state: LimiterState,
        participant: u64,
        is_leaving: bool,
        now: Instant,
    ) -> Option<ExchangeRequest> {
        if now >= self.until {
            self.permits.clear();
            self.concurrency = 0;
        }
        self.peak = self.used.max(self.peak - self.peak.div_ceil(4));
        let is_active = self.used_at.is_some_and(|at| now < at + SPARE_FOR);
        let soon = SPARE_PERMITS + PREFETCH_FACTOR * self.peak;
        let (mut wants, mut wants_slots) = (state.waiting, state.waiting + state.open);
        if state.limit.requests > NO_SPARE_LIMIT && (is_active || state.waiting > 0) {
            wants += soon;
        }
        if is_active && state.limit.concurrent.is_some_and(|most| most > NO_SPARE_LIMIT) {
            wants_slots = self.most_open + state.waiting + soon;
        }
        if is_leaving {
            (wants, wants_slots) = (0, state.open);
        }
        (self.used, self.most_open) = (0, state.open);
        let returned = self.keep(wants);
        self.concurrency = self.concurrency.min(wants_slots);
        let over = self.departures.iter().take_while(|(at, _)| *at <= now).count();
        self.departures.drain(..over);
        self.reported = self.reported.saturating_sub(over);
        self.in_report = self.departures.len();
        let moment = self.reported_at.map_or(0, |(at, moment)| moment + elapsed(at, now));
        let later = |(at, requests): &(Instant, u64)| (elapsed(now, *at) + 1, *requests);
        let (reported, departures) = self.departures.split_at(self.reported);
        let report = ExchangeRequest {
            participant,
            departures: departures.iter().filter(|it| it.0 > now).map(later).collect(),
            reported: reported.iter().filter(|it| it.0 > now).map(later).collect(),
            allocation: self.allocation,
            moment,
            reported_at: self.reported_at.map_or(0, |(_, moment)| moment),
            is_listed: self.is_listed && self.allocation != 0,
            unanswered: state.unanswered,
            concurrency: self.concurrency.max(state.open),
            permits: self.permits.iter().map(|(_, permits)| permits).sum(),
            returned,
            wants,
            wants_slots,
        };
        let holds = report.unanswered + report.concurrency + report.permits + report.wants;
        let is_news = holds > 0 || !report.departures.is_empty();
        (std::mem::replace(&mut self.is_listed, holds > 0) || is_news).then_some(report)
    }

    /// Keeps the first `most` permits, and returns the number of permits removed.
    fn keep(&mut self, most: u64) -> u64 {
        let mut kept = 0;
        let mut returned = 0;
        for (_, permits) in &mut self.permits {
            let keep = (*permits).min(most - kept);
            returned += *permits - keep;
            *permits = keep;
            kept += keep;
        }
        self.permits.retain(|(_, permits)| *permits > 0);
        returned
    }

    /// Takes the grant of an exchange that began at `asked_at` and ended at `now`.
    pub(super) fn take(&mut self, grant: &Grant, asked_at: Instant, now: Instant) {
        self.reported = self.in_report;
        self.allocation = grant.allocation;
        self.reported_at = Some((asked_at, grant.moment));
        if !grant.is_renewed {
            self.permits.clear();
        }
        let permits = grant.permits.iter();
        self.permits.extend(permits.map(|(time, it)| (now + Duration::from_micros(*time), *it)));
        self.permits.make_contiguous().sort_unstable_by_key(|(from, _)| *from);
        self.until = asked_at + Duration::from_micros(LEASE);
        self.concurrency = grant.concurrency;
        self.had_all = grant.is_all;
    }

    /// The end of the lease.
    #[cfg(test)]
    pub(super) fn until(&self) -> Instant {
        self.until
    }

    /// Returns true if permits are in use or requests wait, so that more will be needed soon.
    pub(super) fn is_busy(&self, waiting: u64, now: Instant) -> bool {
        let horizon = Duration::from_micros(HORIZON);
        waiting > 0 || self.used_at.is_some_and(|at| now < at + horizon)
    }
}

/// The time between two moments, in microseconds.
fn elapsed(from: Instant, to: Instant) -> u64 {
    u64::try_from((to - from).as_micros()).unwrap_or(u64::MAX)
}

/// State of an operation limiter at an exchange.
#[derive(Clone, Copy)]
pub(in crate::limiter) struct LimiterState {
    pub(in crate::limiter) limit: Limit,
    pub(in crate::limiter) waiting: u64,
    pub(in crate::limiter) unanswered: u64,
    pub(in crate::limiter) open: u64,
}

/// Wakes the exchange thread; called by operation limiters, which must not block.
#[derive(Default)]
pub(super) struct ExchangeWaker {
    is_requested: AtomicBool,
    is_urgent: AtomicBool,
    is_closed: AtomicBool,
    thread: OnceLock<Thread>,
    /// Wakes the task that stands in for the thread in a simulation.
    #[cfg(feature = "unstable-store")]
    task: tokio::sync::Notify,
}

impl ExchangeWaker {
    /// Sets the thread to wake.
    pub(super) fn set_thread(&self, thread: Thread) {
        self.thread.get_or_init(|| thread);
    }

    /// Requests an exchange, at once if it is urgent.
    pub(super) fn request(&self, is_urgent: bool) {
        let is_new = !self.is_requested.swap(true, Ordering::AcqRel);
        let is_newly_urgent = is_urgent && !self.is_urgent.swap(true, Ordering::AcqRel);
        if is_new || is_newly_urgent {
            self.wake();
        }
    }

    /// Ends the thread: no operation limiter will request an exchange again.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.wake();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Clears the requests: an exchange begins.
    pub(super) fn clear(&self) {
        self.is_urgent.store(false, Ordering::Release);
        self.is_requested.store(false, Ordering::Release);
    }

    /// Returns true if an exchange was requested since the last exchange began.
    pub(super) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Acquire)
    }

    pub(super) fn is_urgent(&self) -> bool {
        self.is_urgent.load(Ordering::Acquire)
    }

    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
        #[cfg(feature = "unstable-store")]
        self.task.notify_one();
    }

    /// Completes when the task has been woken.
    #[cfg(feature = "unstable-store")]
    pub(super) async fn woken(&self) {
        self.task.notified().await;
    }
}
