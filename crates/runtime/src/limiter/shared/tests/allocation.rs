//! Tests of the record in the store, exchange by exchange, to the number.

use serde_json::{Value, json};

use crate::limiter::Limit;
use crate::limiter::shared::allocation::{Allocation, ExchangeRequest, Grant};

/// A moment by the clock of the store.
const NOW: u64 = 20_000_000;

const LIMIT: Limit = Limit { requests: 1_000, concurrent: None };

fn slots(concurrent: u64) -> Limit {
    Limit { concurrent: Some(concurrent), ..LIMIT }
}

/// The report of a process whose record has the id 7.
fn of(participant: u64) -> ExchangeRequest {
    ExchangeRequest { participant, allocation: 7, ..ExchangeRequest::default() }
}

/// A record with the id 7.
fn record() -> Allocation {
    Allocation::current(NOW, None, &of(1), 0, 7)
}

fn json_of(allocation: &Allocation) -> Value {
    serde_json::to_value(allocation).expect("a record is JSON")
}

/// The requests that stop counting, and the slots of crashed processes that become free.
fn counted(allocation: &Allocation) -> Value {
    let Value::Object(fields) = json_of(allocation) else { unreachable!("it is an object") };
    json!([fields["departures"], fields["orphans"]])
}

#[test]
fn a_record_has_what_was_reported_and_granted() {
    let limit = slots(20);
    let mut first = ExchangeRequest { departures: vec![(5_000_000, 3)], ..of(1) };
    (first.unanswered, first.concurrency, first.wants, first.wants_slots) = (2, 1, 4, 3);
    first.allocation = 0;
    let mut allocation = Allocation::current(NOW, None, &first, 0, 7);
    let grant = allocation.exchange(NOW, limit, &first);
    let (permits, moment) = (vec![(0, 4)], NOW);
    let expected =
        Grant { allocation: 7, moment, is_renewed: false, permits, concurrency: 3, is_all: true };
    assert_eq!(grant, expected, "a new process waits for nothing");
    // A quarter of the limit at once, and then one every 9,523 µs.
    let bucket = NOW - 250 * 9_523 + 4 * 9_523;
    let mut member = json!({
        "id": 1, "until": NOW + 1_000_000, "asked_at": NOW, "given_at": NOW,
        "unanswered": 2, "permits": 4, "concurrency": 3, "wants": 4, "wants_slots": 3,
    });
    let expected = json!({
        "id": 7, "exchanged_at": NOW, "bucket": bucket, "departures": { "1250": 3 },
        "orphans": {}, "members": [member],
    });
    assert_eq!(json_of(&allocation), expected);

    // It has used one permit, and returns another.
    let later = NOW + 1;
    let mut second = ExchangeRequest { permits: 2, returned: 1, is_listed: true, ..of(1) };
    (second.unanswered, second.concurrency, second.wants, second.wants_slots) = (3, 3, 2, 3);
    let grant = allocation.exchange(later, limit, &second);
    assert!(grant.is_all && grant.is_renewed && grant.permits.is_empty(), "{grant:?}");
    (member["until"], member["asked_at"]) = ((later + 1_000_000).into(), later.into());
    (member["unanswered"], member["permits"], member["wants"]) = (3.into(), 2.into(), 2.into());
    let bucket = bucket - 9_523;
    let expected = json!({
        "id": 7, "exchanged_at": later, "bucket": bucket, "departures": { "1250": 3 },
        "orphans": {}, "members": [member],
    });
    assert_eq!(json_of(&allocation), expected);

    // As many as are possible within 250 ms, each from its moment on.
    let other = ExchangeRequest { unanswered: 6, wants: 2_000, wants_slots: 30, ..of(2) };
    let grant = allocation.exchange(later, limit, &other);
    let evenly = (1..27).map(|permit| (bucket + 247 * 9_523 + permit * 9_523 - later, 1));
    assert_eq!(grant.permits[0], (0, 248));
    assert_eq!(grant.permits[1..], evenly.collect::<Vec<_>>()[..grant.permits.len() - 1]);
    assert_eq!(grant.permits.iter().map(|(_, permits)| permits).sum::<u64>(), 274);
    assert_eq!((grant.concurrency, grant.is_all), (17, false));

    // Both die: their requests and permits count until 10.255 s after the lease, in steps of 20 ms,
    // and their slots are free 0.25 s after it.
    let over = later + 1_250_000;
    allocation.exchange(over - 1, limit, &of(3));
    assert_eq!(counted(&allocation), json!([{ "1250": 3, "1563": 285 }, { over.to_string(): 20 }]));
    allocation.exchange(over, limit, &of(3));
    assert_eq!(counted(&allocation), json!([{ "1250": 3, "1563": 285 }, {}]));
    allocation.exchange(1_563 * 20_000 - 1, limit, &of(3));
    assert_eq!(counted(&allocation), json!([{ "1563": 285 }, {}]));
    assert!(!allocation.is_idle());
    allocation.exchange(1_563 * 20_000, limit, &of(3));
    assert!(allocation.is_idle());
}

#[test]
fn a_record_that_lists_nothing_is_idle() {
    for (report, has_orphans) in [
        (ExchangeRequest { wants: 1, unanswered: 1_000, ..of(1) }, false),
        (ExchangeRequest { concurrency: 1, ..of(1) }, true),
        (ExchangeRequest { unanswered: 1, ..of(1) }, false),
    ] {
        let mut allocation = record();
        assert!(allocation.is_idle());
        allocation.exchange(NOW, slots(1), &report);
        assert!(!allocation.is_idle(), "{report:?}");
        allocation.exchange(NOW + 1_000_000, slots(1), &of(2));
        assert!(!allocation.is_idle(), "after the lease of {report:?}");
        let departures = if has_orphans { json!({}) } else { json!({ "1563": report.unanswered }) };
        let orphans = if has_orphans { json!({ "21250000": 1 }) } else { json!({}) };
        assert_eq!(counted(&allocation), json!([departures, orphans]));
    }
    // A process that has got nothing leaves nothing behind.
    let mut allocation = record();
    // 10.255 s after its lease are within a step of 20 ms that 10.25 s end.
    allocation.exchange(NOW + 15_000, LIMIT, &ExchangeRequest { unanswered: 1_000, ..of(1) });
    let grant = allocation.exchange(NOW + 100_000, LIMIT, &ExchangeRequest { wants: 1, ..of(2) });
    assert!(grant.permits.is_empty() && !grant.is_all);
    allocation.exchange(NOW + 1_100_000, LIMIT, &of(3));
    assert_eq!(counted(&allocation), json!([{ "1564": 1_000 }, {}]));
}

#[test]
fn permits_are_for_the_moments_at_which_requests_stop_counting() {
    let mut allocation = record();
    allocation.exchange(NOW, LIMIT, &ExchangeRequest { unanswered: 500, ..of(1) });
    let waiting = ExchangeRequest { unanswered: 496, wants: 100, wants_slots: 1, ..of(2) };
    let grant = allocation.exchange(NOW, slots(20), &waiting);
    assert_eq!((grant.permits, grant.concurrency, grant.is_all), (vec![(0, 4)], 1, false));
    // 250 ms ahead: the last bucket that begins before that, and no later one.
    for (departures, permits) in [
        (vec![(100_000, 3), (200_000, 7)], vec![(100_000, 3), (200_000, 2)]),
        (vec![(240_000, 10)], vec![(240_000, 5)]),
        (vec![(260_000, 10)], vec![]),
    ] {
        let report = ExchangeRequest { departures, unanswered: 990, wants: 5, ..of(1) };
        assert_eq!(record().exchange(NOW, LIMIT, &report).permits, permits, "{report:?}");
    }
}

#[test]
fn a_process_that_has_waited_longer_comes_first() {
    let mut allocation = record();
    let full = |unanswered| ExchangeRequest { unanswered, ..of(9) };
    let waiting = |id, unanswered| ExchangeRequest { unanswered, wants: 1, ..of(id) };
    allocation.exchange(NOW, LIMIT, &full(1_000));
    assert_eq!(allocation.exchange(NOW, LIMIT, &waiting(1, 0)).permits, []);
    assert_eq!(allocation.exchange(NOW, LIMIT, &waiting(2, 0)).permits, []);
    allocation.exchange(NOW, LIMIT, &full(999));
    // Neither has had any.
    assert_eq!(allocation.exchange(NOW, LIMIT, &waiting(1, 0)).permits, [(0, 1)]);
    allocation.exchange(NOW, LIMIT, &full(998));
    assert_eq!(allocation.exchange(NOW, LIMIT, &waiting(1, 1)).permits, []);
    assert_eq!(allocation.exchange(NOW, LIMIT, &waiting(2, 0)).permits, [(0, 1)]);
}

#[test]
fn slots_that_some_processes_do_not_want_are_divided_among_the_others() {
    let wanting = |id, wants_slots| ExchangeRequest { wants_slots, wants: 1, ..of(id) };
    let mut allocation = record();
    assert_eq!(allocation.exchange(NOW, slots(20), &wanting(4, 20)).concurrency, 20);
    for (id, wants) in [(1, 2), (2, 15)] {
        assert_eq!(allocation.exchange(NOW, slots(20), &wanting(id, wants)).concurrency, 0);
    }
    allocation.exchange(NOW, slots(20), &of(4));
    // Of 20, one process wants two, and two have the same share of the rest.
    assert_eq!(allocation.exchange(NOW, slots(20), &wanting(3, 15)).concurrency, 9);
    // A process that wants no slot takes no turn.
    for turn in 0..3 {
        let (now, mut allocation) = (NOW + turn * 3_000_000, record());
        for (id, wants) in [(3, 0), (1, 1), (2, 1)] {
            let grant = allocation.exchange(now, slots(2), &wanting(id, wants));
            assert_eq!(grant.concurrency, wants, "in turn {turn}");
        }
    }
}

#[test]
fn a_record_is_replaced_only_if_it_contradicts_the_report() {
    let mut stored = record();
    stored.exchange(NOW, LIMIT, &ExchangeRequest { wants: 1, ..of(1) });
    let told = |now, stored: &Allocation, report: &ExchangeRequest| {
        Allocation::current(now, Some(stored.clone()), report, 300_000, 8).id()
    };
    let report =
        ExchangeRequest { moment: NOW + 1_000_000, reported_at: NOW, is_listed: true, ..of(1) };
    // The process knows a moment of it, has waited for 0.3 s, and has a lease of a second.
    assert_eq!(told(NOW + 2_300_000, &stored, &report), 7);
    assert_eq!(told(NOW + 2_300_001, &stored, &report), 8);
    let unlisted = ExchangeRequest { is_listed: false, ..report.clone() };
    assert_eq!(told(NOW + 90_000_000, &stored, &unlisted), 7);
    // Another process has reported since; a copy from before the last report has not.
    stored.exchange(NOW + 500_000, LIMIT, &ExchangeRequest { wants: 1, ..of(2) });
    assert_eq!(told(NOW + 600_000, &stored, &report), 7);
    assert_eq!(
        told(NOW + 600_000, &stored, &ExchangeRequest { reported_at: NOW + 1, ..report }),
        8
    );
    // Reports to a record that is lost count in the next record, which grants nothing yet.
    let lost = ExchangeRequest { reported: vec![(5_000_000, 3)], allocation: 6, wants: 1, ..of(1) };
    let mut allocation = record();
    assert_eq!(allocation.exchange(NOW, LIMIT, &lost).permits, []);
    assert_eq!(counted(&allocation), json!([{ "1250": 3 }, {}]));
}
