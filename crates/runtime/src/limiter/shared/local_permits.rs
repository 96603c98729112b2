//! Local permits: a process's part of one operation's limit, and its next report.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::Limit;
use super::allocation::{Ask, Grant, HORIZON, LEASE};
use super::waker::ExchangeWaker;
use crate::fair_queue::Blocked;

/// With a limit of so many requests, permits are given only to those who wait: one more for a
/// process that may not need it would be a good part of the limit.
const SMALL: u64 = 10;

/// How many permits and concurrency are kept at hand for a while after a call.
const AT_HAND: u64 = 2;
const AWHILE: Duration = Duration::from_secs(1);

/// How many times the permits that were used at once are asked for.
const AHEAD: u64 = 3;

/// Permits, and what became of them.
pub(in crate::limiter) struct LocalPermits {
    waker: Arc<ExchangeWaker>,
    /// Permits, by the moment from which on they may be used.
    permits: VecDeque<(Instant, u64)>,
    /// The end of the lease.
    until: Instant,
    /// How many concurrency may be taken.
    concurrency: u64,
    /// Whether the last exchange brought all that was asked for, so that another may bring more.
    had_all: bool,
    /// When answered requests stop to count; until then they may have to be reported again.
    departures: Vec<(Instant, u64)>,
    /// How many of these were reported, and how many are once the exchange on its way has succeeded.
    reported: usize,
    in_report: usize,
    /// The record that they were reported to, and its moment then, at the earliest time at which
    /// that may have been.
    allocation: u64,
    reported_at: Option<(Instant, u64)>,
    /// Since the last report: permits used, and most concurrency taken.
    used: u64,
    most_open: u64,
    /// Permits used between two exchanges, the most of late: who comes in bursts needs as many again.
    peak: u64,
    used_at: Option<Instant>,
    /// Whether the last report left anything to be reported later.
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

    /// Whether so many callers have permits, and concurrency beside those that are taken.
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
            self.waker.ring(self.had_all);
        }
        Blocked { until }
    }

    /// A permit is used.
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
        self.waker.ring(false);
    }

    /// A permit was not used after all. What was given with an earlier lease is over with it.
    pub(in crate::limiter) fn refund(&mut self, taken_at: Instant, now: Instant) {
        if now < self.until {
            self.permits.push_front((taken_at, 1));
        }
    }

    /// A request stops to count then.
    pub(in crate::limiter) fn departs(&mut self, at: Instant) {
        let unreported = &mut self.departures[self.in_report..];
        match unreported.last_mut().filter(|(last, _)| *last == at) {
            Some((_, requests)) => *requests += 1,
            None => self.departures.push((at, 1)),
        }
    }

    /// Whether nothing is to be reported, and nothing is kept.
    pub(in crate::limiter) fn is_idle(&self) -> bool {
        let is_reported = self.reported == self.departures.len();
        !self.is_listed && self.permits.is_empty() && is_reported
    }

    /// What to report, and to ask for; `None` where there is neither. Who leaves asks for nothing.
    pub(super) fn ask(
        &mut self,
        state: State,
        participant: u64,
        is_leaving: bool,
        now: Instant,
    ) -> Option<Ask> {
        if now >= self.until {
            self.permits.clear();
            self.concurrency = 0;
        }
        self.peak = self.used.max(self.peak - self.peak.div_ceil(4));
        let is_active = self.used_at.is_some_and(|at| now < at + AWHILE);
        let soon = AT_HAND + AHEAD * self.peak;
        let (mut wants, mut wants_slots) = (state.waiting, state.waiting + state.open);
        if state.limit.requests > SMALL && (is_active || state.waiting > 0) {
            wants += soon;
        }
        if is_active && state.limit.concurrent.is_some_and(|most| most > SMALL) {
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
        let ask = Ask {
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
        let holds = ask.unanswered + ask.concurrency + ask.permits + ask.wants;
        let is_news = holds > 0 || !ask.departures.is_empty();
        (std::mem::replace(&mut self.is_listed, holds > 0) || is_news).then_some(ask)
    }

    /// Keeps so many permits, those that can be used first. How many it had beyond these.
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

    /// What an exchange brought that was begun at `asked_at` and came to an end at `now`.
    pub(super) fn take(&mut self, grant: &Grant, asked_at: Instant, now: Instant) {
        self.reported = self.in_report;
        self.allocation = grant.allocation;
        self.reported_at = Some((asked_at, grant.moment));
        if !grant.goes_on {
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

    /// Whether permits are used, or waited for, so that more will be needed soon.
    pub(super) fn is_busy(&self, waiting: u64, now: Instant) -> bool {
        let horizon = Duration::from_micros(HORIZON);
        waiting > 0 || self.used_at.is_some_and(|at| now < at + horizon)
    }
}

/// In microseconds.
fn elapsed(from: Instant, to: Instant) -> u64 {
    u64::try_from((to - from).as_micros()).unwrap_or(u64::MAX)
}

/// How the operation_limiter stands.
#[derive(Clone, Copy)]
pub(in crate::limiter) struct State {
    pub(in crate::limiter) limit: Limit,
    pub(in crate::limiter) waiting: u64,
    pub(in crate::limiter) unanswered: u64,
    pub(in crate::limiter) open: u64,
}
