//! Exchanges of the PostgreSQL store: serialization, time, outages and privileges.

use std::thread;
use std::time::{Duration, Instant};

use podqueue::{LimitStore, StoreError};
use podqueue_limits::PostgresLimits;
use podqueue_pgserver::{Pooler, Proxy, Server, Traffic};

use crate::{SERVER, store};

fn keys(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Increments the count in each of these records, and returns the moment and the new counts.
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

/// Increments counts from six threads, which list the keys in different orders.
fn count_concurrently(url: &str) {
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
fn exchanges_are_serialized_in_any_order_of_keys() {
    count_concurrently(&SERVER.create("together"));
}

#[test]
fn exchanges_work_through_a_pooler_in_transaction_mode() {
    let _ = SERVER.create("pooled");
    let pooler = Pooler::start(&SERVER);
    count_concurrently(&pooler.url("pooled"));
}

#[test]
fn four_concurrent_clients_create_the_tables_once() {
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
fn a_removed_record_reads_as_none() {
    let mut store = store(&SERVER.create("none"));
    count(&mut store, &["a", "b"]).unwrap();
    store.exchange(&keys(&["b"]), &mut |_, records| records[0] = None).unwrap();
    assert_eq!(count(&mut store, &["a", "b"]).unwrap().1, [2, 1]);
}

#[test]
fn store_time_continues_when_the_database_clock_is_set_back() {
    let mut store = store(&SERVER.create("back"));
    let (before, _) = count(&mut store, &["a", "b"]).unwrap();
    // As if the clock had been an hour ahead.
    SERVER.sql("back", "UPDATE podqueue.limit_record SET clock = clock + 3600000000");
    let (then, _) = count(&mut store, &["a"]).unwrap();
    assert!(then >= before && then < before + Duration::from_secs(60), "{before:?} {then:?}");
    thread::sleep(Duration::from_millis(50));
    let (later, _) = count(&mut store, &["a", "b", "c"]).unwrap();
    assert!(later >= then + Duration::from_millis(50), "{then:?} {later:?}");
}

#[test]
fn unused_records_are_removed_and_recreated() {
    let mut store = store(&SERVER.create("old"));
    count(&mut store, &["a", "b"]).unwrap();
    SERVER.sql("old", "UPDATE podqueue.limit_record SET clock = clock - 601000000 WHERE key = 'a'");
    count(&mut store, &["b", "c"]).unwrap();
    let left = "SELECT string_agg(key, ' ' ORDER BY key) FROM podqueue.limit_record";
    assert_eq!(SERVER.sql("old", left), "b c");
    assert_eq!(count(&mut store, &["a", "b"]).unwrap().1, [1, 3]);
}

#[test]
fn dropped_tables_are_recreated() {
    let mut store = store(&SERVER.create("dropped"));
    count(&mut store, &["a"]).unwrap();
    SERVER.sql("dropped", "DROP SCHEMA podqueue CASCADE");
    count(&mut store, &["a"]).unwrap_err();
    assert_eq!(count(&mut store, &["a"]).unwrap().1, [1]);
}

#[test]
fn a_lost_response_is_an_error_and_the_next_exchange_succeeds() {
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
fn a_hanging_database_times_out_within_seconds() {
    let url = SERVER.create("hangs");
    let proxy = Proxy::start(&SERVER);
    let mut connected = store(&proxy.url("hangs"));
    count(&mut connected, &["a"]).unwrap();
    proxy.set(Traffic::Stalls);
    let time_out = &|mut store: PostgresLimits| {
        let began = Instant::now();
        let error = count(&mut store, &["a"]).unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(8), "{error}: {:?}", began.elapsed());
        store
    };
    let new = store(&proxy.url("hangs"));
    let stores = thread::scope(|scope| {
        let both = [connected, new].map(|store| scope.spawn(move || time_out(store)));
        both.map(|thread| thread.join().unwrap())
    });
    // The exchanges in flight have failed when the network recovers.
    proxy.set(Traffic::Passes);
    for mut store in stores {
        count(&mut store, &["a"]).unwrap();
    }
    count(&mut store(&url), &["a"]).unwrap();
}

#[test]
fn a_client_suspended_in_an_exchange_blocks_its_peers_for_a_second() {
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
fn a_user_without_create_privilege_uses_an_existing_schema() {
    let url = SERVER.create("rights");
    SERVER.sql("rights", "CREATE ROLE limited LOGIN; REVOKE CREATE ON DATABASE rights FROM PUBLIC");
    let mut store = store(&url.replace("postgres@", "limited@"));
    let error = count(&mut store, &["a"]).unwrap_err();
    assert!(error.to_string().contains("the user needs the right to create"), "{error}");
    SERVER.sql("rights", "CREATE SCHEMA podqueue AUTHORIZATION limited");
    assert_eq!(count(&mut store, &["a"]).unwrap().1, [1]);
}

#[test]
fn a_read_only_database_is_an_error_with_a_hint() {
    let url = SERVER.create("standby");
    count(&mut store(&url), &["a"]).unwrap();
    SERVER.sql("standby", "ALTER DATABASE standby SET default_transaction_read_only = on");
    let mut store = store(&url);
    let error = count(&mut store, &["a"]).unwrap_err();
    assert!(error.to_string().contains("that of the primary"), "{error}");
}

#[test]
fn commits_are_durable_with_synchronous_commit_off() {
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
fn a_password_is_never_shown() {
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
    let shown = format!("{error} {error:?} {store:?} {}", store.name());
    assert!(shown.contains("the database \"db\" at 127.0.0.1:1"), "{shown}");
    assert!(!shown.contains(secret), "{shown}");
}
