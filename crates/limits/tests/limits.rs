//! Clients that share limits through a file, against the local service with the documented limits.

#![cfg(unix)]
#![allow(clippy::print_stderr, reason = "a seed that fails is to be known")]
#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use podqueue::{ChangeRecords, Client, ErrorKind, LimitStore, StoreError};
use podqueue_limits::SqliteLimits;
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{KEY, Killed, ask, each, service, throttled};

fn client(base_url: &str, file: &Path, patience: Duration) -> Client {
    support::client(base_url, SqliteLimits::file(file), patience)
}

#[tokio::test]
async fn clients_with_one_file_use_the_limit_and_exceed_it_never() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let until = Instant::now() + Duration::from_secs(21);
    let patience = Duration::from_secs(30);
    let clients: Vec<_> = (0..3).map(|_| client(&local.base_url(), &file, patience)).collect();
    let each = each(clients.iter().map(|client| ask(client, 4, until)).collect()).await;
    assert_eq!(throttled(&local), 0);
    // 100 in ten seconds.
    let sum: usize = each.iter().sum();
    assert!((190..=320).contains(&sum), "{each:?}");
    assert!(each.iter().all(|one| *one >= sum / 6), "a fair part: {each:?}");
}

#[tokio::test]
async fn the_file_contains_no_key_and_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let client = client(&local.base_url(), &file, Duration::from_secs(30));
    client.endpoint("echo").run(&json!({})).await.unwrap();
    let mut files = 0;
    for found in std::fs::read_dir(folder.path()).unwrap() {
        let found = found.unwrap();
        assert_eq!(found.metadata().unwrap().permissions().mode() & 0o077, 0, "{found:?}");
        let bytes = std::fs::read(found.path()).unwrap();
        let shown = String::from_utf8_lossy(&bytes);
        assert!(!shown.contains(KEY), "{found:?}");
        files += 1;
    }
    assert!(files >= 1);
}

#[tokio::test]
async fn a_file_out_of_reach_is_an_error_after_a_while_and_nothing_is_sent() {
    let local = service().await;
    let file = PathBuf::from("/nowhere/limits.db");
    let client = client(&local.base_url(), &file, Duration::from_millis(300));
    let started = Instant::now();
    let error = client.endpoint("echo").run(&json!({})).await.unwrap_err();
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(error.kind(), ErrorKind::Connect);
    let text = error.to_string();
    assert!(text.contains("the file /nowhere/limits.db"), "{text}");
    assert!(std::error::Error::source(&error).is_some());
    assert!(local.requests().is_empty());
    // Operations without a limit do not need the file.
    client.endpoint("echo").health().await.unwrap();
}

/// The record "key" as the next exchange finds it, which then writes `value`, and the time then.
#[cfg(target_os = "linux")]
fn exchange(store: &mut SqliteLimits, value: &[u8]) -> (Option<Vec<u8>>, Duration) {
    let mut found = (None, Duration::ZERO);
    let change: ChangeRecords<'_> = &mut |time, records| {
        found = (records[0].replace(value.to_vec()), time);
    };
    store.exchange(&["key".to_owned()], change).unwrap();
    found
}

/// A file that another process has changed.
#[cfg(target_os = "linux")]
fn change(file: &Path, sql: &str) {
    rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn time_elapses_from_the_stored_moment_whatever_the_clocks_say() {
    const HOUR: Duration = Duration::from_secs(3_600);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let new = || SqliteLimits::file(&file);
    let is_soon_after = |then: Duration, at: Duration| at >= then && at < then + HOUR / 60;
    let mut store = new();
    let mut last = exchange(&mut store, b"1").1;
    // Another process has moved time on, or the machine is another: the next moment is no earlier,
    // and time passes from there, for a process that was there and for a new one.
    for mut store in [store, new()] {
        change(&file, "UPDATE store_clock SET moment = moment + 3600000000");
        thread::sleep(Duration::from_millis(50));
        let ahead = exchange(&mut store, b"2").1;
        // Also the time counts that has elapsed since that moment.
        let least = last + HOUR + Duration::from_millis(50);
        assert!(is_soon_after(least, ahead), "{last:?} {ahead:?}");
        thread::sleep(Duration::from_millis(50));
        let then = exchange(&mut store, b"3").1;
        assert!(then >= ahead + Duration::from_millis(50), "{ahead:?} {then:?}");
        // The time of day is set ahead: a process that was there does not go by it.
        change(&file, "UPDATE store_clock SET time_of_day = time_of_day - 86400000000");
        last = exchange(&mut store, b"4").1;
        assert!(is_soon_after(then, last), "{then:?} {last:?}");
    }
    // It is set back: for a new process, no time has elapsed.
    change(&file, "UPDATE store_clock SET time_of_day = time_of_day + 86400000000");
    let (record, then) = exchange(&mut new(), b"5");
    assert_eq!((record.as_deref(), then), (Some(&b"4"[..]), last));
    // Since a process was there last, an hour has elapsed.
    change(&file, "UPDATE store_clock SET time_of_day = time_of_day - 3600000000");
    let (_, after) = exchange(&mut new(), b"6");
    assert!(is_soon_after(then + HOUR, after), "{then:?} {after:?}");
}

/// Processes of one machine need not have the same monotonic clock: that of a time namespace is
/// ahead or behind.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn processes_whose_monotonic_clocks_disagree_share_the_limits() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let ahead = match Killed::start_ahead("a_process_that_is_killed", &local, &file) {
        Some(process) => process,
        None => return eprintln!("not tested: this machine allows no time namespace"),
    };
    let sent = || local.requests().len();
    let began = Instant::now();
    while sent() < 20 {
        assert!(began.elapsed() < Duration::from_secs(30), "the process ahead sends nothing");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // This one's clock is 1,000 s behind, while the other goes on, and after it has died.
    let client = client(&local.base_url(), &file, Duration::from_secs(30));
    let mut alone = ask(&client, 4, Instant::now() + Duration::from_secs(12));
    tokio::time::sleep(Duration::from_secs(4)).await;
    drop(ahead);
    let mut cancelled = 0;
    while let Some(one) = alone.join_next().await {
        cancelled += one.unwrap();
    }
    assert!(cancelled >= 20, "{cancelled}");
    assert_eq!(throttled(&local), 0);
}

/// A store of another kind, whose clock is set back by 1,000 s while this is set.
struct SetBack(Arc<AtomicBool>, SqliteLimits);

impl LimitStore for SetBack {
    fn name(&self) -> String {
        "a store whose clock is set back".to_owned()
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        let ahead = match self.0.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => Duration::from_secs(1_000),
        };
        self.1.exchange(keys, &mut |time, records| change(time + ahead, records))
    }
}

#[tokio::test]
async fn a_clock_that_is_set_back_stops_nothing_and_what_was_sent_before_still_counts() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let is_set_back = Arc::new(AtomicBool::new(false));
    let file = SqliteLimits::file(folder.path().join("limits.db"));
    let store = SetBack(Arc::clone(&is_set_back), file);
    let client = support::client(&local.base_url(), store, Duration::from_secs(30));
    let asked = ask(&client, 4, Instant::now() + Duration::from_secs(15));
    tokio::time::sleep(Duration::from_secs(4)).await;
    is_set_back.store(true, Ordering::Relaxed);
    let cancelled: usize = each(vec![asked]).await.iter().sum();
    assert!(cancelled >= 100, "{cancelled}");
    assert_eq!(throttled(&local), 0);
}

/// A process that goes on with a deleted file shares its limits with nobody.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_file_is_noticed_and_what_was_sent_before_still_counts() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let start = || client(&local.base_url(), &file, Duration::from_secs(30));
    let until = Instant::now() + Duration::from_secs(24);
    let first: Vec<_> = (0..3).map(|_| start()).collect();
    let mut all: Vec<_> = first.iter().map(|client| ask(client, 4, until)).collect();
    // Until the window is full.
    tokio::time::sleep(Duration::from_secs(11)).await;
    for name in ["limits.db", "limits.db-wal", "limits.db-shm"] {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    tokio::time::sleep(Duration::from_millis(700)).await;
    let second = start();
    all.push(ask(&second, 4, until));
    let each = each(all).await;
    assert_eq!(throttled(&local), 0, "{each:?}");
    assert!(each[3] >= 12, "the new process has a fair part: {each:?}");
}

/// A store that hangs while this is set.
struct Hanging(Arc<AtomicBool>, SqliteLimits);

impl LimitStore for Hanging {
    fn name(&self) -> String {
        "a store that hangs".to_owned()
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        while self.0.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(5));
        }
        self.1.exchange(keys, change)
    }
}

#[tokio::test]
async fn a_store_that_hangs_is_an_error_after_a_while_and_no_longer_than_it_hangs() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let hangs = Arc::new(AtomicBool::new(true));
    let file = SqliteLimits::file(folder.path().join("limits.db"));
    let store = Hanging(Arc::clone(&hangs), file);
    let client = support::client(&local.base_url(), store, Duration::from_millis(300));
    let error = client.endpoint("echo").run(&json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(error.to_string().contains("(a store that hangs)"), "{error}");
    assert!(error.to_string().contains("it did not respond"), "{error}");
    assert!(local.requests().is_empty());
    hangs.store(false, Ordering::Relaxed);
    // What the store was asked before it hung is over; the next exchange brings permits.
    client.endpoint("echo").run(&json!({})).await.unwrap();
    // Nor does the end of a client wait for it.
    hangs.store(true, Ordering::Relaxed);
    drop(client);
    hangs.store(false, Ordering::Relaxed);
}

#[tokio::test]
async fn a_client_that_is_dropped_leaves_its_permits_to_the_others() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let patience = Duration::from_secs(30);
    let call = |client: &Client, calls: usize| {
        let all = (0..calls).map(|_| {
            let endpoint = client.endpoint("echo");
            async move { endpoint.job("nobody").cancel().await.map(drop) }
        });
        all.collect::<JoinSet<_>>().join_all()
    };
    let first = client(&local.base_url(), &file, patience);
    call(&first, 20).await;
    drop(first);
    let second = client(&local.base_url(), &file, patience);
    let started = Instant::now();
    call(&second, 75).await;
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    assert_eq!(throttled(&local), 0);
}

#[tokio::test]
async fn clients_that_follow_each_other_share_a_limit_of_two() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let patience = Duration::from_secs(30);
    for _ in 0..2 {
        let client = client(&local.base_url(), &file, patience);
        client.endpoint("echo").purge_queue().await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let third = client(&local.base_url(), &file, patience);
    let started = Instant::now();
    third.endpoint("echo").purge_queue().await.unwrap();
    assert!(started.elapsed() > Duration::from_secs(9), "{:?}", started.elapsed());
    assert!(started.elapsed() < Duration::from_millis(10_700), "{:?}", started.elapsed());
    assert_eq!(throttled(&local), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_are_killed_and_started_again_exceed_no_limit() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let start = || Killed::start("a_process_that_is_killed", &local, &file);
    let mut all: Vec<_> = (0..3).map(|_| start()).collect();
    let seed = fastrand::u64(..);
    eprintln!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let began = Instant::now();
    for _ in 0..12 {
        tokio::time::sleep(Duration::from_millis(random.u64(1_000..2_400))).await;
        all[random.usize(..3)] = start();
    }
    let time = began.elapsed().as_secs_f64();
    drop(all);
    assert_eq!(throttled(&local), 0);
    // 100 in ten seconds, and as many at once in the beginning.
    let (sent, allowed) = (local.requests().len(), 100.0 + 10.0 * time);
    eprintln!("{sent} of {allowed:.0} requests");
    assert!(sent as f64 <= allowed, "{sent} in {time} s");
    assert!(sent as f64 >= 0.9 * 10.0 * time, "{sent} in {time} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_are_stopped_for_longer_than_their_lease_exceed_no_limit() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let start = || Killed::start("a_process_that_is_killed", &local, &file);
    let all: Vec<_> = (0..3).map(|_| start()).collect();
    let seed = fastrand::u64(..);
    eprintln!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..8 {
        let stopped = &all[random.usize(..3)];
        tokio::time::sleep(Duration::from_millis(random.u64(300..1_000))).await;
        stopped.signal("-STOP");
        tokio::time::sleep(Duration::from_millis(random.u64(900..2_500))).await;
        stopped.signal("-CONT");
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    drop(all);
    assert_eq!(throttled(&local), 0);
    let sent = local.requests().len();
    assert!(sent >= 150, "{sent}");
}

/// Not a test: what [`processes_that_are_killed_and_started_again_exceed_no_limit`] starts.
#[tokio::test]
#[ignore = "it runs until it is killed"]
async fn a_process_that_is_killed() {
    let base_url = std::env::var("LIMITS_URL").unwrap();
    let file = PathBuf::from(std::env::var_os("LIMITS_STORE").unwrap());
    let client = client(&base_url, &file, Duration::from_secs(30));
    ask(&client, 4, Instant::now() + Duration::from_secs(40)).join_all().await;
}
