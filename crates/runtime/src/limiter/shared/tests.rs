//! Tests of shared limits: the grants and permits of a process, exchange by exchange.

mod allocation;
mod explored;
mod simulation;
#[cfg(shuttle)]
mod threads;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::allocation::{Allocation, ExchangeRequest, Grant, LEASE};
use super::local_permits::{ExchangeWaker, LimiterState, LocalPermits};
use crate::limiter::Limit;

/// Every 100 ms for a minute, each process requests a slot, and keeps it for 300 ms. Returns how
/// often each had a slot.
fn slots_held(processes: u64, concurrent: u64) -> Vec<u64> {
    let limit = Limit { requests: 1_000, concurrent: Some(concurrent) };
    let mut allocation = Allocation::default();
    let mut open_until = vec![0; processes as usize];
    let mut had = vec![0; processes as usize];
    for tick in 0..600 {
        for participant in 0..processes {
            let now = tick * 100_000 + participant * 1_000;
            let it = participant as usize;
            let open = u64::from(now < open_until[it]);
            let report = ExchangeRequest {
                participant,
                concurrency: open,
                wants: 1,
                wants_slots: 1,
                ..ExchangeRequest::default()
            };
            if allocation.exchange(now, limit, &report).concurrency > 0 && open == 0 {
                open_until[it] = now + 300_000;
            }
            had[it] += u64::from(now < open_until[it]);
        }
        let open = open_until.iter().filter(|until| tick * 100_000 + 99_000 < **until).count();
        assert!(open as u64 <= concurrent, "{open}");
    }
    had
}

#[test]
fn no_process_is_starved_of_slots() {
    for (processes, concurrent) in [(3, 2), (3, 1), (8, 4), (2, 2)] {
        let had = slots_held(processes, concurrent);
        let fair = 600 * concurrent / processes;
        let least = fair * 8 / 10;
        assert!(had.iter().all(|had| *had >= least), "{had:?}, of {fair} each");
    }
}

#[test]
fn permits_of_a_lost_lease_are_not_used() {
    let now = Instant::now();
    let mut local_permits = LocalPermits::new(Arc::<ExchangeWaker>::default(), now);
    let grant = |is_renewed, permits| Grant {
        allocation: 1,
        moment: 1,
        is_renewed,
        permits,
        concurrency: 9,
        is_all: true,
    };
    local_permits.take(&grant(true, vec![(0, 5)]), now, now);
    assert!(local_permits.admits(5, None, now).is_ok());
    // Before its end, so that they are kept, and reported; but the report comes too late.
    let before = now + Duration::from_micros(LEASE) - Duration::from_millis(10);
    let limit = Limit { requests: 100, concurrent: None };
    let state = LimiterState { limit, waiting: 5, unanswered: 0, open: 0 };
    assert_eq!(local_permits.report(state, 1, false, before).expect("a report").permits, 5);
    let after = before + Duration::from_millis(20);
    local_permits.take(&grant(false, vec![(0, 1)]), before, after);
    assert!(local_permits.admits(1, None, after).is_ok());
    assert!(local_permits.admits(2, None, after).is_err());
}

#[test]
fn counted_requests_are_reported_again_when_a_record_is_lost_or_a_clock_was_set() {
    const START: i64 = 20_000_000;
    let began = Instant::now();
    let second = Duration::from_secs(1);
    let limit = Limit { requests: 100, concurrent: None };
    let mut local_permits = LocalPermits::new(Arc::<ExchangeWaker>::default(), began);
    // An exchange at second `at`, with a record of the store, whose clock was set by `set` seconds.
    let exchange = |local_permits: &mut LocalPermits,
                    stored: Option<Allocation>,
                    at: u32,
                    set: i64,
                    new_id| {
        let now = began + second * at;
        let state = LimiterState { limit, waiting: 9, unanswered: 0, open: 0 };
        let report = local_permits.report(state, 1, false, now).expect("a report");
        let moment = START + (i64::from(at) + set) * 1_000_000;
        let moment = u64::try_from(moment).expect("it is not set back by that much");
        let mut allocation = Allocation::current(moment, stored, &report, 0, new_id);
        let grant = allocation.exchange(moment, limit, &report);
        local_permits.take(&grant, now, now);
        (allocation, grant.permits.iter().map(|(_, permits)| permits).sum::<u64>())
    };
    for at in [0, 1] {
        (0..50).for_each(|_| local_permits.departs(began + 10 * second));
        exchange(&mut local_permits, None, at, 0, 1);
    }
    // 100 requests count.
    let (allocation, given) = exchange(&mut local_permits, None, 2, 0, 3);
    assert_eq!(given, 0, "it was lost");
    let (allocation, given) = exchange(&mut local_permits, Some(allocation), 3, 0, 4);
    assert_eq!((allocation.id(), given), (3, 0));
    let (allocation, given) = exchange(&mut local_permits, Some(allocation), 4, -15, 5);
    assert_eq!((allocation.id(), given), (5, 0), "the clock was set back");
    let (allocation, given) = exchange(&mut local_permits, Some(allocation), 5, 300, 6);
    assert_eq!((allocation.id(), given), (6, 0), "it was set ahead");
    let (allocation, given) = exchange(&mut local_permits, Some(allocation), 12, 300, 7);
    assert!(allocation.id() == 6 && given >= 9, "they count no more: {given}");
}

/// The waiting process has sent nothing to report again, and cannot know what other processes have
/// sent.
#[test]
fn a_waiting_process_lets_others_report_after_a_lost_record_or_a_set_clock() {
    let (began, second) = (Instant::now(), Duration::from_secs(1));
    let limit = Limit { requests: 2, concurrent: None };
    let state = LimiterState { limit, waiting: 1, unanswered: 0, open: 0 };
    for (is_lost, set) in [(true, 0), (false, 300_000_000)] {
        let mut sender = LocalPermits::new(Arc::<ExchangeWaker>::default(), began);
        let mut waiter = LocalPermits::new(Arc::<ExchangeWaker>::default(), began);
        (0..2).for_each(|_| sender.departs(began + 10 * second));
        let exchange = |local_permits: &mut LocalPermits, participant, stored, at, moment| {
            let now = began + Duration::from_micros(at);
            let report = local_permits.report(state, participant, false, now).expect("a report");
            let mut allocation = Allocation::current(moment, stored, &report, 0, moment);
            let grant = allocation.exchange(moment, limit, &report);
            local_permits.take(&grant, now, now);
            (allocation, grant.permits.len())
        };
        let (allocation, _) = exchange(&mut sender, 1, None, 0, 1_000_000);
        let (allocation, given) = exchange(&mut waiter, 2, Some(allocation), 50_000, 1_050_000);
        assert_eq!(given, 0, "two requests count");
        let stored = Some(allocation).filter(|_| !is_lost);
        let (allocation, given) = exchange(&mut waiter, 2, stored, 150_000, 1_150_000 + set);
        assert_eq!(given, 0, "lost: {is_lost}");
        let (allocation, _) = exchange(&mut sender, 1, Some(allocation), 200_000, 1_200_000 + set);
        let (_, given) = exchange(&mut waiter, 2, Some(allocation), 2_000_000, 3_000_000 + set);
        assert_eq!(given, 0, "lost: {is_lost}");
    }
}

/// The copy has the same id, and a new process may have reported to it already.
#[test]
fn counted_requests_are_reported_again_when_an_older_copy_of_a_record_is_restored() {
    let (began, second) = (Instant::now(), Duration::from_secs(1));
    let limit = Limit { requests: 10, concurrent: None };
    let state = LimiterState { limit, waiting: 10, unanswered: 0, open: 0 };
    for is_first in [true, false] {
        let mut sender = LocalPermits::new(Arc::<ExchangeWaker>::default(), began);
        let mut newcomer = LocalPermits::new(Arc::<ExchangeWaker>::default(), began);
        let exchange = |local_permits: &mut LocalPermits, participant, stored, at| {
            let now = began + Duration::from_micros(at);
            let report = local_permits.report(state, participant, false, now).expect("a report");
            let mut allocation = Allocation::current(at, stored, &report, 0, at);
            let grant = allocation.exchange(at, limit, &report);
            local_permits.take(&grant, now, now);
            (allocation, grant.permits.iter().map(|(_, permits)| permits).sum::<u64>())
        };
        let (copy, _) = exchange(&mut sender, 1, None, 1_000_000);
        (0..10).for_each(|_| sender.departs(began + 10 * second));
        let (current, given) = exchange(&mut sender, 1, Some(copy.clone()), 1_100_000);
        assert_eq!(given, 0, "ten requests count");
        let mut stored = copy;
        if !is_first {
            (stored, _) = exchange(&mut newcomer, 2, Some(stored), 1_200_000);
        }
        let (stored, given) = exchange(&mut sender, 1, Some(stored), 1_300_000);
        assert_ne!(stored.id(), current.id());
        assert_eq!(given, 0, "they still count");
        let (_, given) = exchange(&mut newcomer, 2, Some(stored), 2_500_000);
        assert_eq!(given, 0, "also for others");
    }
}
