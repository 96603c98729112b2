//! Test suite of every shared store. The tests know the traits alone.

use std::cell::Cell;
use std::mem;
use std::thread;
use std::time::{Duration, Instant};

use podqueue_batch::store::{
    Change, Claim, Commit, Event, Input, OpenStore, Postgres, PostgresStore, RunRecord, Store,
};
use podqueue_batch::{ErrorKind, State};
use podqueue_pgserver::{Proxy, Server, Traffic};

use crate::journal;
use crate::kill::say;
use crate::rules::{change, counts, stored};

const LEASE: Duration = Duration::from_secs(1);

fn batch(name: &str) -> Postgres {
    journal::of(name.as_ref()).lease(LEASE)
}

/// A process that writes these results.
fn process(batch: &Postgres, results: &str) -> PostgresStore {
    let mut store = batch.clone().open().unwrap();
    store.sharing().unwrap().identify(results, State::Unknown).unwrap();
    store
}

fn run_at(service: &str) -> RunRecord {
    RunRecord {
        endpoint_id: "e".into(),
        base_url: service.into(),
        policy: None,
        ttl: None,
        started_at: 1,
    }
}

fn claim(store: &mut PostgresStore, limit: usize) -> Vec<Input> {
    let run = store.begin_run(&run_at("u")).unwrap();
    store
        .commit(&Commit {
            claim: Some(Claim { limit, bytes: u64::MAX, run, ..Claim::default() }),
            ..Commit::default()
        })
        .unwrap()
}

fn accepted(input: &Input) -> Commit {
    change(input, Event::Accepted { job_id: format!("job-{}", input.index), at: 9 })
}

/// Ten inputs, four of which this process has claimed and two of which were accepted.
fn begin(store: &mut PostgresStore) -> Vec<Input> {
    let inputs: Vec<_> = (0..10).map(|n| stored(&n.to_string())).collect();
    store.add(&inputs, &[]).unwrap();
    let claimed = claim(store, 4);
    for input in &claimed[..2] {
        store.commit(&accepted(input)).unwrap();
    }
    claimed
}

#[test]
fn a_process_with_an_expired_lease_is_recovered_and_fenced_off() {
    let batch = batch("lease");
    let mut first = process(&batch, "a");
    let claimed = begin(&mut first);
    assert_eq!(first.sharing().unwrap().peers(false).unwrap(), 0);
    let mut second = process(&batch, "b");
    assert!(second.sharing().unwrap().recover().unwrap().is_empty());
    assert_eq!(second.sharing().unwrap().peers(false).unwrap(), 1);
    assert!(!second.sharing().unwrap().owns(0).unwrap());
    let silent = Instant::now();
    let taken = loop {
        let taken = second.sharing().unwrap().recover().unwrap();
        if !taken.is_empty() {
            break taken;
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert!(silent.elapsed() > LEASE / 2, "{:?}", silent.elapsed());
    assert_eq!(taken.iter().map(|input| input.index).collect::<Vec<_>>(), [0, 1]);
    assert!(second.sharing().unwrap().owns(0).unwrap());
    assert_eq!(counts(&mut second), "6 pending, 2 submitted, 2 unknown");

    let ended = podqueue_batch::store::Ended {
        state: State::Completed,
        error: None,
        delay_ms: None,
        execution_ms: Some(5.0),
    };
    let commit = change(&claimed[0], Event::Ended(ended));
    let error = first.commit(&commit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    assert_eq!(counts(&mut second), "6 pending, 2 submitted, 2 unknown");
    // It may not notice by what it was about to write.
    first.tally().unwrap();
    for error in [
        first.commit(&commit).unwrap_err(),
        first.add(&[stored("a")], &[]).unwrap_err(),
        first.sharing().unwrap().recover().unwrap_err(),
        first.sharing().unwrap().lock().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    }
    // As a new process, it has nothing of what it had.
    first.sharing().unwrap().rejoin().unwrap();
    let error = first.commit(&commit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
    assert!(first.sharing().unwrap().outstanding().unwrap().is_empty());
    second.commit(&commit).unwrap();
    assert_eq!(claim(&mut first, 1)[0].index, 4);
    // The counts are those of all.
    assert_eq!(counts(&mut first), "5 pending, 1 intent, 1 submitted, 1 completed, 2 unknown");
    assert_eq!(first.tally().unwrap(), second.tally().unwrap());
    assert!((first.tally().unwrap().execution_ms - 5.0).abs() < 1e-9);
}

#[test]
fn processes_that_claim_at_the_same_time_share_a_budget() {
    let batch = batch("budget");
    let mut store = process(&batch, "a");
    store.add(&(0..200).map(|n| stored(&n.to_string())).collect::<Vec<_>>(), &[]).unwrap();
    let claim = |number: u64| {
        let mut store = process(&batch, &format!("process {number}"));
        let run = store.begin_run(&run_at("u")).unwrap();
        let mut claimed = 0;
        for limit in [1, 3, 2, 5, 1, 4, 9, 9] {
            let max_charged_ms = Some(1_050.0);
            let claim = Claim { limit, bytes: u64::MAX, run, reserve_ms: 10.0, max_charged_ms };
            let commit = Commit { claim: Some(claim), ..Commit::default() };
            claimed += store.commit(&commit).unwrap().len();
            assert!(store.tally().unwrap().charged_ms <= 1_050.0);
        }
        (store, claimed)
    };
    let all: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|number| scope.spawn(move || claim(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    // Nothing is left, and nothing was taken twice.
    assert_eq!(all.iter().map(|(_, claimed)| claimed).sum::<usize>(), 105);
    assert_eq!(store.tally().unwrap().charged_ms, 1_050.0);
}

#[test]
fn a_process_that_leaves_or_reopens_its_results_is_recovered_at_once() {
    let batch = batch("leave");
    let mut first = process(&batch, "a");
    begin(&mut first);
    first.sharing().unwrap().release().unwrap();
    first.sharing().unwrap().renew().unwrap();
    assert_eq!(first.sharing().unwrap().position(), None, "there is no lease to renew");
    let mut second = process(&batch, "b");
    assert_eq!(second.sharing().unwrap().recover().unwrap().len(), 2);
    // One that was killed a moment ago.
    mem::forget(second);
    let mut again = process(&batch, "b");
    assert_eq!(again.sharing().unwrap().recover().unwrap().len(), 2);
    assert_eq!(counts(&mut again), "6 pending, 2 submitted, 2 unknown");
    drop(again);
    let mut last = process(&batch, "c");
    assert_eq!(last.sharing().unwrap().recover().unwrap().len(), 2);
}

#[test]
fn a_lease_is_renewed_as_long_as_the_process_does_anything() {
    let batch = batch("renewed");
    let mut first = process(&batch, "a");
    begin(&mut first);
    let mut second = process(&batch, "b");
    let began = Instant::now();
    while began.elapsed() < LEASE * 3 {
        // Reading is enough.
        first.tally().unwrap();
        assert!(second.sharing().unwrap().recover().unwrap().is_empty());
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(first.sharing().unwrap().outstanding().unwrap().len(), 2);
    // No oftener than it has to be.
    let mut third = process(&batch.lease(Duration::from_secs(600)), "c");
    third.add(&[stored("more")], &[]).unwrap();
    let position = third.sharing().unwrap().position().unwrap();
    third.tally().unwrap();
    third.inputs(&State::ALL, 0, 1).unwrap();
    assert_eq!(third.sharing().unwrap().position(), Some(position));
}

#[test]
fn processes_at_work_use_the_same_service() {
    let batch = batch("services");
    let mut first = process(&batch, "a");
    begin(&mut first);
    let mut second = process(&batch, "b");
    let error = second.begin_run(&run_at("another")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InUse, "{error}");
    assert!(error.to_string().contains("the service u"), "{error}");
    second.begin_run(&run_at("u")).unwrap();
    second.sharing().unwrap().release().unwrap();
    first.sharing().unwrap().release().unwrap();
    // It recovers the jobs, which it reports as not collected.
    process(&batch, "c").begin_run(&run_at("another")).unwrap();
}

#[test]
fn an_input_is_claimed_by_one_process() {
    let batch = batch("claims");
    let mut first = process(&batch, "first");
    let inputs: Vec<_> = (0..600).map(|n| stored(&n.to_string())).collect();
    first.add(&inputs, &[]).unwrap();
    let claims = thread::scope(|scope| {
        let claims: Vec<_> = (0..4)
            .map(|number| {
                let batch = &batch;
                scope.spawn(move || {
                    let mut store = process(batch, &format!("results-{number}"));
                    let mut claimed = Vec::new();
                    loop {
                        let some = claim(&mut store, 7);
                        if some.is_empty() {
                            return claimed;
                        }
                        claimed.extend(some.into_iter().map(|input| input.index));
                    }
                })
            })
            .collect();
        claims.into_iter().map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(claims.iter().filter(|claimed| !claimed.is_empty()).count() > 1, "{claims:?}");
    let mut all: Vec<_> = claims.concat();
    all.sort_unstable();
    assert_eq!(all, (0..600).collect::<Vec<_>>());
}

#[test]
fn processes_that_begin_at_the_same_moment_make_the_tables_once() {
    for round in 0..5 {
        let url = journal::database(&format!("new-{round}"));
        thread::scope(|scope| {
            for number in 0..4 {
                let url = &url;
                scope.spawn(move || {
                    let mut store = Postgres::connect(url, "same").open().unwrap();
                    store.sharing().unwrap().identify(&number.to_string(), State::Unknown).unwrap();
                    store.add(&[stored("a")], &[]).unwrap();
                });
            }
        });
        let mut store = Postgres::connect(&url, "same").open().unwrap();
        assert_eq!(counts(&mut store), "4 pending");
        assert_eq!(store.inputs(&State::ALL, 0, 9).unwrap().len(), 4);
    }
}

#[test]
fn changes_between_lock_and_unlock_take_effect_together_or_not_at_all() {
    let batch = batch("lock");
    let mut first = process(&batch, "a");
    let mut second = process(&batch, "b");
    begin(&mut first);
    let run = second.begin_run(&run_at("u")).unwrap();
    first.sharing().unwrap().lock().unwrap();
    let pending = first.inputs(&[State::Pending], 0, 2).unwrap();
    assert_eq!(pending.iter().map(|input| input.index).collect::<Vec<_>>(), [4, 5]);
    let claim = Claim { limit: 1, bytes: u64::MAX, run, ..Claim::default() };
    let claim = Commit { claim: Some(claim), ..Commit::default() };
    // What was found to be pending stays so until the lock is given up.
    assert_eq!(second.commit(&claim).unwrap()[0].index, 6);
    first.add(&[stored("more")], &[("n", "1".into())]).unwrap();
    assert_eq!(second.tally().unwrap().counts.total(), 10);
    first.sharing().unwrap().unlock(false).unwrap();
    assert_eq!(first.note("n").unwrap(), None);
    assert_eq!(first.tally().unwrap().counts.total(), 10);

    first.sharing().unwrap().lock().unwrap();
    first.add(&[stored("more")], &[("n", "1".into())]).unwrap();
    // Longer than a lease: the process that holds the lock is at work.
    thread::sleep(LEASE * 2);
    assert!(second.sharing().unwrap().recover().unwrap().is_empty());
    let waiting = thread::spawn(move || {
        second.sharing().unwrap().lock().unwrap();
        let total = second.tally().unwrap().counts.total();
        second.sharing().unwrap().unlock(true).unwrap();
        total
    });
    thread::sleep(Duration::from_millis(100));
    assert!(!waiting.is_finished());
    first.sharing().unwrap().unlock(true).unwrap();
    assert_eq!(waiting.join().unwrap(), 11);
    assert_eq!(first.note("n").unwrap().as_deref(), Some("1"));
    assert_eq!(first.sharing().unwrap().outstanding().unwrap().len(), 2);
}

#[test]
fn a_change_whose_response_was_lost_is_made_once() {
    let server = Server::start();
    let url = server.create("jobs");
    let proxy = Proxy::start(&server);
    let batch = Postgres::connect(proxy.url("jobs"), "lost");
    let mut store = process(&batch, "a");
    let lose = |store: &mut PostgresStore, change: &dyn Fn(&mut PostgresStore)| {
        proxy.lose_next_commit();
        change(store);
        assert!(!proxy.loses_next_commit());
    };
    store.tally().unwrap();
    let inputs = ["a", "b", "c", "d", "e", "f", "g"].map(stored);
    lose(&mut store, &|store| store.add(&inputs, &[("n", "1".into())]).unwrap());
    assert_eq!(counts(&mut store), "7 pending");
    let first = claim(&mut store, 4);
    store.commit(&change(&first[3], Event::NotSent)).unwrap();
    let run = first[0].run.unwrap();
    let claimed = Cell::new(Vec::new());
    lose(&mut store, &|store| {
        let commit = Commit {
            claim: Some(Claim { limit: 2, bytes: u64::MAX, run, ..Claim::default() }),
            ..accepted(&first[0])
        };
        claimed.set(store.commit(&commit).unwrap());
    });
    let claimed: Vec<_> = claimed.take().into_iter().map(|it| (it.index, it.attempt)).collect();
    assert_eq!(claimed, [(3, 1), (4, 1)], "those of before are not claimed again");
    assert_eq!(counts(&mut store), "2 pending, 4 intent, 1 submitted");
    let record = store.runs().unwrap()[0].1.clone();
    let begun = Cell::new(0);
    lose(&mut store, &|store| begun.set(store.begin_run(&record).unwrap()));
    assert_eq!(store.runs().unwrap().last().unwrap().0, begun.get());
    assert_eq!(store.runs().unwrap().len(), 2);
    store.sharing().unwrap().release().unwrap();
    let mut other = process(&Postgres::connect(&url, "lost"), "b");
    other.sharing().unwrap().recover().unwrap();
    other.sharing().unwrap().release().unwrap();
    lose(&mut store, &|store| drop(store.sharing().unwrap().recover().unwrap()));
    assert_eq!(counts(&mut store), "2 pending, 1 submitted, 4 unknown");
    assert_eq!(store.sharing().unwrap().outstanding().unwrap().len(), 1);
}

#[test]
fn a_process_stopped_in_the_middle_of_a_change_blocks_no_other() {
    let server = Server::start();
    let url = server.create("jobs");
    let proxy = Proxy::start(&server);
    // Longer than a transaction may be idle.
    let lease = Duration::from_secs(6);
    let mut first = process(&Postgres::connect(proxy.url("jobs"), "held").lease(lease), "a");
    let claimed = begin(&mut first);
    let mut second = process(&Postgres::connect(&url, "held").lease(lease), "b");
    second.sharing().unwrap().recover().unwrap();
    proxy.hold_next_commit();
    let held = thread::spawn(move || first.commit(&accepted(&claimed[2])));
    let began = Instant::now();
    let taken = loop {
        assert!(began.elapsed() < lease + Duration::from_secs(2), "it is waited for");
        let taken = second.sharing().unwrap().recover().unwrap();
        if !taken.is_empty() {
            break taken;
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(taken.len(), 2, "the change was not made");
    proxy.set(Traffic::Cut);
    thread::sleep(Duration::from_millis(100));
    proxy.set(Traffic::Passes);
    let error = held.join().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    assert_eq!(counts(&mut second), "6 pending, 2 submitted, 2 unknown");
}

#[test]
fn no_process_is_recovered_before_a_lease_after_the_database_has_started() {
    let mut server = Server::start();
    let url = server.create("jobs");
    let batch = Postgres::connect(&url, "restart").lease(LEASE);
    let mut first = process(&batch, "a");
    let claimed = begin(&mut first);
    server.stop();
    thread::sleep(LEASE * 2);
    server.resume();
    let mut second = process(&batch, "b");
    assert!(second.sharing().unwrap().recover().unwrap().is_empty());
    first.commit(&accepted(&claimed[2])).unwrap();
    assert_eq!(counts(&mut second), "6 pending, 1 intent, 3 submitted");
}

#[test]
fn no_process_is_recovered_before_a_lease_after_a_standby_was_promoted() {
    let mut server = Server::start();
    let _ = server.create("jobs");
    let standby = server.standby();
    let proxy = Proxy::start(&server);
    let batch = Postgres::connect(proxy.url("jobs"), "promoted").lease(LEASE);
    let mut first = process(&batch, "a");
    let claimed = begin(&mut first);
    let position = "SELECT pg_current_wal_lsn()";
    let reached = |at: &str| format!("SELECT pg_last_wal_replay_lsn() >= '{at}'");
    let at = server.sql("jobs", position);
    while standby.sql("jobs", &reached(&at)) != "t" {
        thread::sleep(Duration::from_millis(20));
    }
    server.crash();
    thread::sleep(LEASE * 2);
    standby.promote();
    proxy.lead_to(&standby);
    // It has never seen the first process, whose lease is over by every clock.
    let mut second = process(&batch, "b");
    assert!(second.sharing().unwrap().recover().unwrap().is_empty());
    first.commit(&accepted(&claimed[2])).unwrap();
    assert_eq!(counts(&mut second), "6 pending, 1 intent, 3 submitted");
}

#[test]
fn no_process_is_recovered_because_the_clock_of_the_database_was_set() {
    let server = Server::start_with_clock();
    let batch = Postgres::connect(server.create("jobs"), "clock").lease(LEASE);
    let mut first = process(&batch, "a");
    let claimed = begin(&mut first);
    let mut second = process(&batch, "b");
    let time = second.sharing().unwrap().time().unwrap();
    for ahead in [3_600, -3_600] {
        server.set_clock(ahead);
        let passed = second.sharing().unwrap().time().unwrap().cast_signed() - time.cast_signed();
        assert!((0..3_600_000).contains(&(passed - ahead * 1_000)), "{passed} ms");
        assert!(second.sharing().unwrap().recover().unwrap().is_empty());
        first.tally().unwrap();
        assert!(process(&batch, "c").sharing().unwrap().recover().unwrap().is_empty());
    }
    first.commit(&accepted(&claimed[2])).unwrap();
    assert_eq!(counts(&mut second), "6 pending, 1 intent, 3 submitted");
    // A crashed process is recovered as soon with a clock that was set back.
    mem::forget(first);
    let silent = Instant::now();
    while second.sharing().unwrap().recover().unwrap().is_empty() {
        assert!(silent.elapsed() < LEASE * 5, "it is not recovered");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(counts(&mut second), "6 pending, 3 submitted, 1 unknown");
}

#[test]
fn nul_characters_are_replaced_in_stored_texts() {
    let batch = batch("zero");
    let mut store = process(&batch, "a");
    let claimed = begin(&mut store);
    let event = Event::Unknown("a\0b".to_owned());
    let change = Change { index: claimed[2].index, attempt: claimed[2].attempt, event };
    store.commit(&Commit { changes: vec![change], ..Commit::default() }).unwrap();
    let unknown = store.inputs(&[State::Unknown], 0, 1).unwrap();
    assert_eq!(unknown[0].error.as_deref(), Some("a\u{fffd}b"));
}

#[test]
fn inputs_are_found_by_index_whatever_the_statistics() {
    let url = journal::database("plans");
    let inputs: Vec<_> = (0..5_000).map(|n| stored(&n.to_string())).collect();
    for (name, few) in [("one", 300), ("another", 200)] {
        process(&Postgres::connect(&url, name), "a").add(&inputs[..few], &[]).unwrap();
    }
    let believe =
        "ALTER TABLE podqueue.input SET (autovacuum_enabled = off); ANALYZE podqueue.input";
    journal::sql("plans", believe);
    let mut store = process(&Postgres::connect(&url, "many"), "a");
    store.add(&inputs, &[]).unwrap();
    let numbered: Vec<_> = (0..).zip(inputs).take(1_000).collect();
    numbered.chunks(50).for_each(|some| store.replace(some).unwrap());
    for some in claim(&mut store, 1_000).chunks(50) {
        let changes = some.iter().flat_map(|it| accepted(it).changes).collect();
        store.commit(&Commit { changes, ..Commit::default() }).unwrap();
    }
    assert_eq!(counts(&mut store), "4000 pending, 1000 submitted");
    drop(store);
    // The server counts the reads of a session when it has ended.
    let began = Instant::now();
    let read = loop {
        let sql = "SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
            WHERE relname = 'input'";
        let read: u64 = journal::sql("plans", sql).parse().unwrap();
        if read > 1_000 || began.elapsed() > Duration::from_secs(20) {
            break read;
        }
        thread::sleep(Duration::from_millis(50));
    };
    say(format_args!("{read} entries of indexes were read"));
    assert!((1_000..100_000).contains(&read), "{read}");
}
