//! What a store does in one exchange, whatever the limits are.

use std::thread;
use std::time::{Duration, Instant};

use podqueue::{LimitStore, StoreError};
use podqueue_limits::PostgresLimits;
use podqueue_pgserver::{Pooler, Proxy, Server, Traffic};

use crate::{SERVER, store};

fn keys(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Counts in each of these records; the moment, and the counts as they are now.
fn count(store: &mut PostgresLimits, names: &[&str]) -> Result<(Duration, Vec<u64>), StoreError> {
    let (mut moment, mut counts) = (Duration::ZERO, Vec::new());
    store.exchange(&keys(names), &mut |now, records| {
        moment = now;
        counts = Vec::new();
        for record in records {
            let before = record.as_deref().map_or("0", |it| str::from_utf8(it).unwrap());
            let count = before.parse::<u64>().unwrap() + 1;
            counts.push(count);
            *record = Some(count.to_string().into_bytes());
        }
    })?;
    Ok((moment, counts))
}

/// Processes that count in records, which they name in different orders.
fn count_together(url: &str) {
    const TIMES: u64 = 60;
    let orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]];
    thread::scope(|scope| {
        for number in 0..6 {
            scope.spawn(move || {
                let mut store = store(url);
                let mut last = Duration::ZERO;
                for _ in 0..TIMES {
                    let (moment, _) = count(&mut store, &orders[number % 3]).unwrap();
                    assert!(moment >= last, "{moment:?} < {last:?}");
                    last = moment;
                }
            });
        }
    });
    let (_, counts) = count(&mut store(url), &["a", "b", "c", "d"]).unwrap();
    assert_eq!(counts, [6 * TIMES + 1, 6 * TIMES + 1, 6 * TIMES + 1, 1]);
}

#[test]
fn exchanges_exclude_each_other_whatever_the_order_of_their_records() {
    count_together(&SERVER.create("together"));
}

#[test]
fn a_pooler_in_transaction_mode_may_be_in_between() {
    let _ = SERVER.create("pooled");
    let pooler = Pooler::start(&SERVER);
    count_together(&pooler.url("pooled"));
}

#[test]
fn four_that_begin_at_the_same_moment_make_the_tables_once() {
    for round in 0..5 {
        let url = SERVER.create(&format!("new-{round}"));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| count(&mut store(&url), &["a", "b"]).unwrap());
            }
        });
        assert_eq!(count(&mut store(&url), &["b", "a"]).unwrap().1, [5, 5]);
    }
}

#[test]
fn a_record_that_becomes_none_is_none() {
    let mut store = store(&SERVER.create("none"));
    count(&mut store, &["a", "b"]).unwrap();
    store.exchange(&keys(&["b"]), &mut |_, records| records[0] = None).unwrap();
    assert_eq!(count(&mut store, &["a", "b"]).unwrap().1, [2, 1]);
}

#[test]
fn time_goes_on_when_the_clock_of_the_database_is_set_back() {
    let mut store = store(&SERVER.create("back"));
    let (before, _) = count(&mut store, &["a", "b"]).unwrap();
    // As if it had been an hour later.
    SERVER.sql("back", "UPDATE podqueue.limit_record SET clock = clock + 3600000000");
    let (then, _) = count(&mut store, &["a"]).unwrap();
    assert!(then >= before && then < before + Duration::from_secs(60), "{before:?} {then:?}");
    thread::sleep(Duration::from_millis(50));
    let (later, _) = count(&mut store, &["a", "b", "c"]).unwrap();
    assert!(later >= then + Duration::from_millis(50), "{then:?} {later:?}");
}

#[test]
fn records_that_nobody_uses_are_removed_and_can_be_used_again() {
    let mut store = store(&SERVER.create("old"));
    count(&mut store, &["a", "b"]).unwrap();
    SERVER.sql("old", "UPDATE podqueue.limit_record SET clock = clock - 601000000 WHERE key = 'a'");
    count(&mut store, &["b", "c"]).unwrap();
    let left = "SELECT string_agg(key, ' ' ORDER BY key) FROM podqueue.limit_record";
    assert_eq!(SERVER.sql("old", left), "b c");
    assert_eq!(count(&mut store, &["a", "b"]).unwrap().1, [1, 3]);
}

#[test]
fn tables_that_were_removed_are_made_again() {
    let mut store = store(&SERVER.create("dropped"));
    count(&mut store, &["a"]).unwrap();
    SERVER.sql("dropped", "DROP SCHEMA podqueue CASCADE");
    count(&mut store, &["a"]).unwrap_err();
    assert_eq!(count(&mut store, &["a"]).unwrap().1, [1]);
}

#[test]
fn an_exchange_whose_response_was_lost_is_an_error_and_the_next_one_succeeds() {
    let _ = SERVER.create("lost");
    let proxy = Proxy::start(&SERVER);
    let mut store = store(&proxy.url("lost"));
    count(&mut store, &["a"]).unwrap();
    proxy.lose_next_commit();
    count(&mut store, &["a"]).unwrap_err();
    assert!(!proxy.loses_next_commit());
    assert_eq!(count(&mut store, &["a"]).unwrap().1, [3]);
}

#[test]
fn a_database_that_hangs_is_an_error_within_seconds() {
    let url = SERVER.create("hangs");
    let proxy = Proxy::start(&SERVER);
    let mut connected = store(&proxy.url("hangs"));
    count(&mut connected, &["a"]).unwrap();
    proxy.set(Traffic::Stalls);
    let fail = &|mut store: PostgresLimits| {
        let began = Instant::now();
        let error = count(&mut store, &["a"]).unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(8), "{error}: {:?}", began.elapsed());
        store
    };
    let new = store(&proxy.url("hangs"));
    let stores = thread::scope(|scope| {
        let both = [connected, new].map(|store| scope.spawn(move || fail(store)));
        both.map(|one| one.join().unwrap())
    });
    // Whatever was on its way is over when the network is back.
    proxy.set(Traffic::Passes);
    for mut store in stores {
        count(&mut store, &["a"]).unwrap();
    }
    count(&mut store(&url), &["a"]).unwrap();
}

#[test]
fn whoever_is_stopped_in_the_middle_of_an_exchange_keeps_others_waiting_for_a_second() {
    let url = SERVER.create("stopped");
    let proxy = Proxy::start(&SERVER);
    let mut stopped = store(&proxy.url("stopped"));
    count(&mut stopped, &["a"]).unwrap();
    proxy.hold_next_commit();
    thread::scope(|scope| {
        scope.spawn(move || count(&mut stopped, &["a"]).unwrap_err());
        thread::sleep(Duration::from_millis(200));
        let began = Instant::now();
        assert_eq!(count(&mut store(&url), &["a"]).unwrap().1, [2], "it is undone");
        assert!(began.elapsed() < Duration::from_millis(2_500), "{:?}", began.elapsed());
        proxy.set(Traffic::Cut);
    });
}

#[test]
fn whoever_may_not_create_a_schema_works_in_one_that_is_there() {
    let url = SERVER.create("rights");
    SERVER.sql("rights", "CREATE ROLE limited LOGIN; REVOKE CREATE ON DATABASE rights FROM PUBLIC");
    let mut store = store(&url.replace("postgres@", "limited@"));
    let error = count(&mut store, &["a"]).unwrap_err();
    assert!(error.to_string().contains("the user needs rights"), "{error}");
    SERVER.sql("rights", "CREATE SCHEMA podqueue AUTHORIZATION limited");
    assert_eq!(count(&mut store, &["a"]).unwrap().1, [1]);
}

#[test]
fn a_database_that_cannot_be_written_is_an_error_that_says_so() {
    let url = SERVER.create("standby");
    count(&mut store(&url), &["a"]).unwrap();
    SERVER.sql("standby", "ALTER DATABASE standby SET default_transaction_read_only = on");
    let mut store = store(&url);
    let error = count(&mut store, &["a"]).unwrap_err();
    assert!(error.to_string().contains("that of the primary"), "{error}");
}

#[test]
fn commits_wait_for_the_disk_where_they_otherwise_would_not() {
    let server = Server::start();
    let url = server.create("jobs");
    server.sql("jobs", "ALTER DATABASE jobs SET synchronous_commit = off");
    let written = || {
        let sql = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), pg_current_wal_flush_lsn())";
        server.sql("jobs", sql)
    };
    let mut store = store(&url);
    for _ in 0..20 {
        count(&mut store, &["a"]).unwrap();
        assert_eq!(written(), "0");
    }
}

#[test]
fn a_password_is_shown_nowhere() {
    let secret = "s3cr3t";
    for url in [
        format!("postgres://user:pass?{secret}@127.0.0.1:1/db"),
        format!("postgres://user:{secret}/x@[::1/db"),
        format!("host=127.0.0.1 port=1 user=u password='{secret}"),
    ] {
        let connected = PostgresLimits::connect(&url);
        let error = connected.and_then(|mut store| count(&mut store, &["a"])).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(secret), "{error:?}");
    }
    let mut store = store(&format!("postgres://user:{secret}@127.0.0.1:1/db"));
    let error = count(&mut store, &["a"]).unwrap_err();
    let said = format!("{error} {error:?} {store:?} {}", store.name());
    assert!(said.contains("the database \"db\" at 127.0.0.1:1"), "{said}");
    assert!(!said.contains(secret), "{said}");
}
