//! Clients that share limits through a file, against the local service with the documented limits.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use podqueue::{Client, ErrorKind, RetryPolicy, SharedLimits};
use podqueue_limits::SqliteLimits;
use podqueue_local::{LocalService, RateLimits};
use serde_json::json;
use tokio::task::JoinSet;

const KEY: &str = "a-key-that-nobody-may-read";

async fn service() -> LocalService {
    let limits = RateLimits::documented();
    LocalService::builder().api_key(KEY).rate_limits(limits).start().await.unwrap()
}

/// A client that shares its limits, and for which each 429 is an error.
fn client(base_url: &str, file: &Path, patience: Duration) -> Client {
    let limits = SharedLimits::new(SqliteLimits::file(file)).patience(patience);
    let builder = Client::builder().api_key(KEY).base_url(base_url).retry(RetryPolicy::never());
    builder.shared_limits(limits).build().unwrap()
}

/// Cancels a job that does not exist, again and again, in so many tasks.
fn ask(client: &Client, tasks: usize, until: Instant) -> JoinSet<usize> {
    let mut set = JoinSet::new();
    for _ in 0..tasks {
        let endpoint = client.endpoint("echo");
        set.spawn(async move {
            let mut cancelled = 0;
            while Instant::now() < until {
                match endpoint.job("nobody").cancel().await {
                    Err(error) if error.kind() == ErrorKind::NotFound => cancelled += 1,
                    other => panic!("{other:?}"),
                }
            }
            cancelled
        });
    }
    set
}

fn throttled(local: &LocalService) -> usize {
    local.requests().iter().filter(|request| request.status == Some(429)).count()
}

#[tokio::test]
async fn clients_with_one_file_use_the_limit_and_exceed_it_never() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let until = Instant::now() + Duration::from_secs(21);
    let patience = Duration::from_secs(30);
    let clients: Vec<_> = (0..3).map(|_| client(&local.base_url(), &file, patience)).collect();
    let mut all: Vec<_> = clients.iter().map(|client| ask(client, 4, until)).collect();
    let mut each = Vec::new();
    for set in &mut all {
        let mut sum = 0;
        while let Some(cancelled) = set.join_next().await {
            sum += cancelled.unwrap();
        }
        each.push(sum);
    }
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

/// Ends its process with itself.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_are_killed_and_started_again_exceed_no_limit() {
    let local = service().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.db");
    let start = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "a_process_that_is_killed", "--ignored"]);
        command.env("LIMITS_URL", local.base_url()).env("LIMITS_FILE", &file);
        Killed(command.stdout(std::process::Stdio::null()).spawn().unwrap())
    };
    let mut all: Vec<_> = (0..3).map(|_| start()).collect();
    for kill in 0..12 {
        tokio::time::sleep(Duration::from_millis(1_700)).await;
        all[kill % 3] = start();
    }
    drop(all);
    assert_eq!(throttled(&local), 0);
    // 20 seconds, at 100 in ten.
    let sent = local.requests().len();
    assert!((150..=300).contains(&sent), "{sent}");
}

/// Not a test: what [`processes_that_are_killed_and_started_again_exceed_no_limit`] starts.
#[tokio::test]
#[ignore = "it runs until it is killed"]
async fn a_process_that_is_killed() {
    let base_url = std::env::var("LIMITS_URL").unwrap();
    let file = PathBuf::from(std::env::var_os("LIMITS_FILE").unwrap());
    let client = client(&base_url, &file, Duration::from_secs(30));
    ask(&client, 4, Instant::now() + Duration::from_secs(40)).join_all().await;
}
