//! Allocation: the record in the store for one operation in one scope, which all processes of an
//! account agree upon, and the only way to change it. Without a clock, a lock, or I/O.
//!
//! A process is granted *permits*, each for one request, and renews a lease with each exchange.
//!
//! # Invariant
//!
//! The sum of three numbers never exceeds the limit N: requests that the service can still count,
//! requests without a response, and permits.
//!
//! The moment at which an answered request stops counting is known ten seconds ahead, so a permit
//! can be granted before there is capacity for it, to be used *from* that moment on. Of the
//! permits, in the order of these moments, the k-th is within N together with the k - 1 before it,
//! whatever happens to them: a permit that is used becomes a request, and a request stops counting
//! ten seconds later at the earliest. A process that does not renew its lease may have sent
//! requests with all its permits until the lease ended, so these count from then.
//!
//! The explorer (`tests::explored`) checks it for two processes in all short runs, with exchanges
//! that are delayed or lost and processes that crash or stop; `tests::simulation` measures how much
//! of the limit several processes use.
//!
//! All moments and durations are in microseconds, moments by the clock of the store.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::token_bucket::burst;
use super::super::window_log::MARGIN;
use super::super::{ABANDONED_GRACE, Limit, WINDOW};

/// The lease: how long a process may use its grant.
pub(super) const LEASE: u64 = 1_000_000;

/// The horizon: permits are granted this far ahead.
pub(super) const HORIZON: u64 = 250_000;

/// The resolution of the moments at which requests stop counting, rounded up.
const BUCKET: u64 = 20_000;

/// The time for which an unsatisfied request of a process is considered.
const RECENT: u64 = 400_000;

/// The time for which a process may reuse a slot while other processes have none.
const SLOT_REUSE: u64 = 3_000_000;

/// The lateness with which permits may be used without a loss of rate, as in the
/// [bucket](super::super::token_bucket).
const LATENESS: u64 = 50_000;

/// The excess over even spacing of permits, in percent, to make up for permits that were lost with
/// a crashed process.
const CATCH_UP_PERCENT: u64 = 5;

/// The record of one operation in one scope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Allocation {
    /// Identifies the record. If the store has lost a record, each process reports again to the new
    /// record what still counts.
    #[serde(default)]
    id: u64,
    /// The moment of the last exchange.
    #[serde(default)]
    exchanged_at: u64,
    /// The moment from which the next permit may be used if permits are spaced evenly.
    bucket: u64,
    /// The number of requests that stop counting, by moment in multiples of [`BUCKET`].
    departures: BTreeMap<u64, u64>,
    /// The number of slots of crashed processes that become free, by moment.
    orphans: BTreeMap<u64, u64>,
    members: Vec<Participant>,
}

/// A process that uses the operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Participant {
    id: u64,
    /// The end of its lease.
    until: u64,
    asked_at: u64,
    /// The moment at which the process was last granted permits.
    given_at: u64,
    unanswered: u64,
    permits: u64,
    concurrency: u64,
    /// The permits and slots that the process requested in total.
    wants: u64,
    wants_slots: u64,
}

/// The report and request of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct ExchangeRequest {
    pub(super) participant: u64,
    /// Answered requests that were not reported before: the time until they stop counting, and
    /// their number.
    pub(super) departures: Vec<(u64, u64)>,
    /// Answered requests that were reported, with the record to which they were reported, and an
    /// upper bound of the time by that record's clock.
    pub(super) reported: Vec<(u64, u64)>,
    pub(super) allocation: u64,
    pub(super) moment: u64,
    /// The moment of that record when the process reported to it last.
    pub(super) reported_at: u64,
    /// True if that record lists the process.
    pub(super) is_listed: bool,
    /// The number of requests without a response.
    pub(super) unanswered: u64,
    /// The slots that may be used until the grant arrives.
    pub(super) concurrency: u64,
    /// The permits that the process still has, and those that it returns.
    pub(super) permits: u64,
    pub(super) returned: u64,
    /// The permits and slots that the process requests in total.
    pub(super) wants: u64,
    pub(super) wants_slots: u64,
}

/// The grant to a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Grant {
    /// The record that granted it, and the time by that record's clock.
    pub(super) allocation: u64,
    pub(super) moment: u64,
    /// True if the lease was renewed, so that earlier permits remain valid.
    pub(super) is_renewed: bool,
    /// Further permits: the time until they may be used, and their number, in order.
    pub(super) permits: Vec<(u64, u64)>,
    /// The slots that the process may use in total.
    pub(super) concurrency: u64,
    /// True if the request was granted in full.
    pub(super) is_all: bool,
}

impl ExchangeRequest {
    /// Returns true if the record to which the process reported cannot have become idle since.
    fn expects_a_record(&self) -> bool {
        self.is_listed || !self.reported.is_empty()
    }
}

impl Allocation {
    /// The record in the store; or a new record with this id if there is none, or if it is invalid:
    ///
    /// - Clock set back: the last exchange of the record is later than `now`.
    /// - Clock set forward: `now` is later than possible for the requesting process, which knows a
    ///   moment of this record and has waited for the store for `waited`.
    /// - Restored copy: the record lacks the last report of the requesting process.
    pub(super) fn current(
        now: u64,
        stored: Option<Self>,
        report: &ExchangeRequest,
        waited: u64,
        new_id: u64,
    ) -> Self {
        let is_intact = |stored: &Self| {
            let reported = stored.id == report.allocation && report.expects_a_record();
            stored.exchanged_at <= now
                && !(reported && now > report.moment + waited + LEASE)
                && !(stored.id == report.allocation && stored.lacks_report(report))
        };
        stored.filter(is_intact).unwrap_or_else(|| Self { id: new_id, ..Self::default() })
    }

    /// Returns true if the record is from before the last report of the process, also if other
    /// processes have reported to it since it was restored.
    fn lacks_report(&self, report: &ExchangeRequest) -> bool {
        let own = self.members.iter().find(|participant| participant.id == report.participant);
        self.exchanged_at < report.reported_at
            || own.is_some_and(|participant| participant.asked_at < report.reported_at)
    }

    /// Processes the report of a process and its request for permits.
    pub(super) fn exchange(&mut self, now: u64, limit: Limit, report: &ExchangeRequest) -> Grant {
        self.remove_expired(now);
        self.exchanged_at = now;
        let position =
            self.members.iter().position(|participant| participant.id == report.participant);
        let known = position.map(|position| self.members.remove(position));
        for (time, requests) in &report.departures {
            self.depart(now + time, *requests);
        }
        if report.allocation != self.id && report.expects_a_record() {
            // The store has lost the record of this process. Other processes are about to report,
            // too, and may still use the permits that they have.
            for (time, requests) in &report.reported {
                self.depart(now + time, *requests);
            }
            self.bucket = self.bucket.max(now + LEASE);
        }
        let step = step(limit.requests);
        let mut kept = 0;
        if let Some(known) = &known {
            kept = report.permits;
            self.bucket = self.bucket.saturating_sub(report.returned.min(known.permits) * step);
        }
        self.bucket = self.bucket.max(now.saturating_sub(burst(limit.requests) as u64 * step));

        let counted = report.unanswered + self.members.iter().map(Participant::counts).sum::<u64>();
        let free = self.free(now, limit.requests, counted + kept);
        let others = self.members.iter().map(|it| (it.permits, it.demand(now, it.wants)));
        let fair = fair(free + kept, others, report.wants);
        let given_at = known.as_ref().map_or(0, |known| known.given_at);
        // If permits are scarce, the first process to report would get them all: processes that
        // have waited longer come first.
        let before = self.members.iter().filter(|it| it.given_at < given_at);
        let theirs = before.map(|it| it.demand(now, it.wants).min(fair).saturating_sub(it.permits));
        let free = free.saturating_sub(theirs.sum());
        let given = fair.saturating_sub(kept).min(report.wants.saturating_sub(kept)).min(free);
        let permits = self.give(now, limit.requests, counted + kept, given);
        let mut is_all = kept + given >= report.wants;
        if !is_all {
            // Time in which calls wait earns no burst.
            self.bucket = self.bucket.max(now.saturating_sub(LATENESS));
        }

        let mut concurrency = u64::MAX;
        let mut held = 0;
        if let Some(concurrent) = limit.concurrent {
            let orphans: u64 = self.orphans.values().sum();
            let of_others: u64 =
                self.members.iter().map(|participant| participant.concurrency).sum();
            let places = concurrent.saturating_sub(orphans);
            let free = places.saturating_sub(of_others);
            let others =
                self.members.iter().map(|it| (it.concurrency, it.demand(now, it.wants_slots)));
            concurrency =
                self::fair(free, others, report.wants_slots).min(report.wants_slots).min(free);
            if !self.has_turn(now, places, report.participant) {
                concurrency = 0;
            }
            held = concurrency.max(report.concurrency);
            is_all &= concurrency >= report.wants_slots;
        }
        let participant = Participant {
            id: report.participant,
            until: now + LEASE,
            asked_at: now,
            given_at: if given > 0 { now } else { given_at },
            unanswered: report.unanswered,
            permits: kept + given,
            concurrency: held,
            wants: report.wants,
            wants_slots: report.wants_slots,
        };
        if participant.counts() + participant.concurrency + participant.wants > 0 {
            self.members.push(participant);
        }
        Grant {
            allocation: self.id,
            moment: now,
            is_renewed: known.is_some(),
            permits,
            concurrency,
            is_all,
        }
    }

    #[cfg(test)]
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Returns true if the record is equivalent to a new one.
    pub(super) fn is_idle(&self) -> bool {
        self.members.is_empty() && self.departures.is_empty() && self.orphans.is_empty()
    }

    /// Removes requests that no longer count, and participants whose lease has ended.
    fn remove_expired(&mut self, now: u64) {
        let (dead, alive) =
            std::mem::take(&mut self.members).into_iter().partition(|it| it.until <= now);
        self.members = alive;
        let dead: Vec<Participant> = dead;
        for participant in dead {
            // The last request of the process may have been in flight at the end of the lease.
            let over = participant.until + micros(ABANDONED_GRACE);
            self.depart(over + micros(WINDOW) + micros(MARGIN), participant.counts());
            *self.orphans.entry(over).or_default() += participant.concurrency;
        }
        self.departures.retain(|bucket, _| bucket * BUCKET > now);
        self.orphans.retain(|at, concurrency| *at > now && *concurrency > 0);
    }

    /// Returns true if a process may have a slot now: processes take turns if they are more than
    /// the slots.
    fn has_turn(&self, now: u64, places: u64, id: u64) -> bool {
        let wanting = self.members.iter().filter(|it| it.demand(now, it.wants_slots) > 0);
        let (mut before, mut all) = (0, 1);
        for other in wanting {
            all += 1;
            before += u64::from(other.id < id);
        }
        all <= places || (before + now / SLOT_REUSE) % all < places
    }

    fn depart(&mut self, at: u64, requests: u64) {
        if requests > 0 {
            *self.departures.entry(at.div_ceil(BUCKET)).or_default() += requests;
        }
    }

    /// The number of further permits that could be granted for use within the horizon.
    fn free(&self, now: u64, requests: u64, counted: u64) -> u64 {
        let ahead = now + HORIZON;
        let later: u64 = self.departures.range(ahead / BUCKET + 1..).map(|(_, it)| it).sum();
        let evenly = ahead.checked_sub(self.bucket).map_or(0, |time| time / step(requests) + 1);
        requests.saturating_sub(counted + later).min(evenly)
    }

    /// Grants permits for which there is capacity.
    fn give(&mut self, now: u64, requests: u64, counted: u64, given: u64) -> Vec<(u64, u64)> {
        let mut permits: Vec<(u64, u64)> = Vec::new();
        let mut count = counted + self.departures.values().sum::<u64>();
        let mut departures = self.departures.iter();
        let mut from = now;
        for _ in 0..given {
            while count >= requests {
                let Some((bucket, gone)) = departures.next() else { return permits };
                count -= gone;
                from = bucket * BUCKET;
            }
            count += 1;
            from = from.max(self.bucket);
            self.bucket += step(requests);
            match permits.last_mut().filter(|(time, _)| *time == from - now) {
                Some((_, number)) => *number += 1,
                None => permits.push((from - now, 1)),
            }
        }
        permits
    }
}

impl Participant {
    /// The maximum number of requests of the process that the service counts.
    fn counts(&self) -> u64 {
        self.unanswered + self.permits
    }

    /// The demand of the process, if it was reported recently.
    fn demand(&self, now: u64, wants: u64) -> u64 {
        if now.saturating_sub(self.asked_at) <= RECENT { wants } else { 0 }
    }
}

/// Max-min fair share of a process that requests `wants`, among other participants, each with what
/// it has and requests. `rest`: the part of the limit that no other participant holds.
fn fair(rest: u64, others: impl Iterator<Item = (u64, u64)>, wants: u64) -> u64 {
    let mut total = rest;
    let mut demands = vec![wants];
    for (has, demand) in others {
        total += has;
        demands.push(demand.max(has));
    }
    demands.sort_unstable();
    let mut left = demands.len() as u64;
    for demand in demands {
        let level = total.div_ceil(left);
        if demand >= level {
            return level.min(wants);
        }
        total -= demand;
        left -= 1;
    }
    wants
}

/// The time between two permits.
fn step(requests: u64) -> u64 {
    (micros(WINDOW) * 100 / (100 + CATCH_UP_PERCENT) / requests.max(1)).max(1)
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
