//! Tests of the SQLite store: clients and processes that share limits through a file.

#![cfg(unix)]
#![allow(clippy::print_stderr, reason = "a failing seed must be reproducible")]
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

use crate::support::{ChildProcess, KEY, cancel_until, counts, service, throttled};

fn client(base_url: &str, file: &Path, store_timeout: Duration) -> Client {
    support::client(base_url, SqliteLimits::file(file), store_timeout)
}

#[tokio::test]
async fn clients_sharing_a_file_use_the_whole_limit_and_never_exceed_it() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let until = Instant::now() + Duration::from_secs(21);
    let store_timeout = Duration::from_secs(30);
    let clients: Vec<_> = (0..3).map(|_| client(&local.base_url(), &file, store_timeout)).collect();
    let counts =
        counts(clients.iter().map(|client| cancel_until(client, 4, until)).collect()).await;
    assert_eq!(throttled(&local), 0);
    // 100 in ten seconds.
    let sum: usize = counts.iter().sum();
    assert!((190..=320).contains(&sum), "{counts:?}");
    assert!(counts.iter().all(|count| *count >= sum / 6), "a fair part: {counts:?}");
}

#[tokio::test]
async fn the_file_is_private_and_contains_no_key() {
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
async fn an_unreachable_file_is_an_error_after_the_patience_and_nothing_is_sent() {
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

/// Replaces the record "key" by `value`, and returns its previous value and the moment.
#[cfg(target_os = "linux")]
fn exchange(store: &mut SqliteLimits, value: &[u8]) -> (Option<Vec<u8>>, Duration) {
    let mut found = (None, Duration::ZERO);
    let change: ChangeRecords<'_> = &mut |time, records| {
        found = (records[0].replace(value.to_vec()), time);
    };
    store.exchange(&["key".to_owned()], change).unwrap();
    found
}

/// Changes the file as another process could.
#[cfg(target_os = "linux")]
fn change(file: &Path, sql: &str) {
    rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn store_time_is_monotonic_when_clocks_disagree() {
    const HOUR: Duration = Duration::from_secs(3_600);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let new = || SqliteLimits::file(&file);
    let is_soon_after = |then: Duration, at: Duration| at >= then && at < then + HOUR / 60;
    let mut store = new();
    let mut last = exchange(&mut store, b"1").1;
    // Another process has advanced the time, or the machine is another: the next moment is no
    // earlier, and time passes from there, for a process with an earlier exchange and for a new
    // one.
    for mut store in [store, new()] {
        change(&file, "UPDATE store_clock SET moment = moment + 3600000000");
        thread::sleep(Duration::from_millis(50));
        let ahead = exchange(&mut store, b"2").1;
        // The time since that moment counts, too.
        let least = last + HOUR + Duration::from_millis(50);
        assert!(is_soon_after(least, ahead), "{last:?} {ahead:?}");
        thread::sleep(Duration::from_millis(50));
        let then = exchange(&mut store, b"3").1;
        assert!(then >= ahead + Duration::from_millis(50), "{ahead:?} {then:?}");
        // The time of day is set ahead: a process with an earlier exchange ignores it.
        change(&file, "UPDATE store_clock SET time_of_day = time_of_day - 86400000000");
        last = exchange(&mut store, b"4").1;
        assert!(is_soon_after(then, last), "{then:?} {last:?}");
    }
    // It is set back: for a new process, no time has passed.
    change(&file, "UPDATE store_clock SET time_of_day = time_of_day + 86400000000");
    let (record, then) = exchange(&mut new(), b"5");
    assert_eq!((record.as_deref(), then), (Some(&b"4"[..]), last));
    // An hour has passed since the last exchange of any process.
    change(&file, "UPDATE store_clock SET time_of_day = time_of_day - 3600000000");
    let (_, after) = exchange(&mut new(), b"6");
    assert!(is_soon_after(then + HOUR, after), "{then:?} {after:?}");
    // Time does not stand still at the end of the range.
    let mut store = new();
    for _ in 0..2 {
        change(&file, &format!("UPDATE store_clock SET moment = {}", i64::MAX));
        let (_, before) = exchange(&mut store, b"7");
        thread::sleep(Duration::from_millis(50));
        let (_, after) = exchange(&mut store, b"8");
        assert!(after >= before + Duration::from_millis(50), "{before:?} {after:?}");
    }
}

/// The monotonic clock of a time namespace is ahead or behind.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn processes_whose_monotonic_clocks_disagree_share_the_limits() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let ahead = match ChildProcess::start_ahead("helper_process_of_a_client", &local, &file) {
        Some(process) => process,
        None => return eprintln!("not tested: this machine allows no time namespace"),
    };
    let sent = || local.requests().len();
    let began = Instant::now();
    while sent() < 20 {
        assert!(began.elapsed() < Duration::from_secs(30), "the process ahead sends nothing");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The clock of this process is 1,000 s behind, while the other process runs and after it has
    // died.
    let client = client(&local.base_url(), &file, Duration::from_secs(30));
    let mut alone = cancel_until(&client, 4, Instant::now() + Duration::from_secs(12));
    tokio::time::sleep(Duration::from_secs(4)).await;
    drop(ahead);
    let mut cancelled = 0;
    while let Some(count) = alone.join_next().await {
        cancelled += count.unwrap();
    }
    assert!(cancelled >= 20, "{cancelled}");
    assert_eq!(throttled(&local), 0);
}

/// A store whose clock is set back by 1,000 s while the flag is set.
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
async fn earlier_requests_count_after_a_clock_is_set_back() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let is_set_back = Arc::new(AtomicBool::new(false));
    let file = SqliteLimits::file(folder.path().join("limits.db"));
    let store = SetBack(Arc::clone(&is_set_back), file);
    let client = support::client(&local.base_url(), store, Duration::from_secs(30));
    let calls = cancel_until(&client, 4, Instant::now() + Duration::from_secs(15));
    tokio::time::sleep(Duration::from_secs(4)).await;
    is_set_back.store(true, Ordering::Relaxed);
    let cancelled: usize = counts(vec![calls]).await.iter().sum();
    assert!(cancelled >= 100, "{cancelled}");
    assert_eq!(throttled(&local), 0);
}

/// A process that continued with a deleted file would share its limits with no other process.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn earlier_requests_count_after_the_file_is_deleted() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let start = || client(&local.base_url(), &file, Duration::from_secs(30));
    let until = Instant::now() + Duration::from_secs(24);
    let first: Vec<_> = (0..3).map(|_| start()).collect();
    let mut all: Vec<_> = first.iter().map(|client| cancel_until(client, 4, until)).collect();
    // Until the window is full.
    tokio::time::sleep(Duration::from_secs(11)).await;
    for name in ["limits.db", "limits.db-wal", "limits.db-shm"] {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    tokio::time::sleep(Duration::from_millis(700)).await;
    let second = start();
    all.push(cancel_until(&second, 4, until));
    let counts = counts(all).await;
    assert_eq!(throttled(&local), 0, "{counts:?}");
    assert!(counts[3] >= 12, "the new process has a fair part: {counts:?}");
}

/// A store that hangs while the flag is set.
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
async fn a_hanging_store_is_an_error_until_it_responds() {
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
    // The exchange that hung has failed; the next one grants permits.
    client.endpoint("echo").run(&json!({})).await.unwrap();
    // Dropping a client does not wait for the store.
    hangs.store(true, Ordering::Relaxed);
    drop(client);
    hangs.store(false, Ordering::Relaxed);
}

#[tokio::test]
async fn a_dropped_client_releases_its_permits() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let store_timeout = Duration::from_secs(30);
    let call = |client: &Client, calls: usize| {
        let all = (0..calls).map(|_| {
            let endpoint = client.endpoint("echo");
            async move { endpoint.job("missing").cancel().await.map(drop) }
        });
        all.collect::<JoinSet<_>>().join_all()
    };
    let first = client(&local.base_url(), &file, store_timeout);
    call(&first, 20).await;
    drop(first);
    let second = client(&local.base_url(), &file, store_timeout);
    let started = Instant::now();
    call(&second, 75).await;
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    assert_eq!(throttled(&local), 0);
}

#[tokio::test]
async fn consecutive_clients_share_a_limit_of_two() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let store_timeout = Duration::from_secs(30);
    for _ in 0..2 {
        let client = client(&local.base_url(), &file, store_timeout);
        client.endpoint("echo").purge_queue().await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let third = client(&local.base_url(), &file, store_timeout);
    let started = Instant::now();
    third.endpoint("echo").purge_queue().await.unwrap();
    assert!(started.elapsed() > Duration::from_secs(9), "{:?}", started.elapsed());
    assert!(started.elapsed() < Duration::from_millis(10_700), "{:?}", started.elapsed());
    assert_eq!(throttled(&local), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_and_restarted_processes_exceed_no_limit() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let start = || ChildProcess::start("helper_process_of_a_client", &local, &file);
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
async fn processes_suspended_beyond_their_lease_exceed_no_limit() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let start = || ChildProcess::start("helper_process_of_a_client", &local, &file);
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

/// Child process of the tests above.
#[tokio::test]
#[ignore = "it runs until it is killed"]
async fn helper_process_of_a_client() {
    let base_url = std::env::var("LIMITS_URL").unwrap();
    let file = PathBuf::from(std::env::var_os("LIMITS_STORE").unwrap());
    let client = client(&base_url, &file, Duration::from_secs(30));
    cancel_until(&client, 4, Instant::now() + Duration::from_secs(40)).join_all().await;
}
