//! Fixtures: clients and child processes that share limits, and a local service with the documented
//! limits.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use podqueue::{Client, ErrorKind, LimitStore, RetryPolicy, SharedLimits};
use podqueue_local::{LocalService, RateLimits};
use tokio::task::JoinSet;

pub const KEY: &str = "a-key-that-must-not-be-stored";

pub async fn service() -> LocalService {
    let limits = RateLimits::documented();
    LocalService::builder().api_key(KEY).rate_limits(limits).start().await.unwrap()
}

/// A client that shares its limits, and for which each 429 is an error.
pub fn client(base_url: &str, store: impl LimitStore, store_timeout: Duration) -> Client {
    let limits = SharedLimits::new(store).store_timeout(store_timeout);
    let builder = Client::builder().api_key(KEY).base_url(base_url).retry(RetryPolicy::never());
    builder.shared_limits(limits).build().unwrap()
}

/// Cancels a job that does not exist in a loop, in this many tasks.
pub fn cancel_until(client: &Client, tasks: usize, until: Instant) -> JoinSet<usize> {
    let mut set = JoinSet::new();
    for _ in 0..tasks {
        let endpoint = client.endpoint("echo");
        set.spawn(async move {
            let mut cancelled = 0;
            while Instant::now() < until {
                match endpoint.job("missing").cancel().await {
                    Err(error) if error.kind() == ErrorKind::NotFound => cancelled += 1,
                    other => panic!("{other:?}"),
                }
            }
            cancelled
        });
    }
    set
}

/// The number of calls of each client.
pub async fn counts(clients: Vec<JoinSet<usize>>) -> Vec<usize> {
    let mut counts = Vec::new();
    for set in clients {
        counts.push(set.join_all().await.iter().sum());
    }
    counts
}

pub fn throttled(local: &LocalService) -> usize {
    local.requests().iter().filter(|request| request.status == Some(429)).count()
}

/// A child process of a test, killed on drop.
pub struct ChildProcess(Child);

impl ChildProcess {
    /// Runs the ignored test of this name, with the URL of the service and the store in its
    /// environment.
    pub fn start(test: &str, local: &LocalService, store: impl AsRef<Path>) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--ignored"]).stdout(Stdio::null());
        command.env("LIMITS_URL", local.base_url()).env("LIMITS_STORE", store.as_ref());
        Self(command.spawn().unwrap())
    }

    /// The same in a time namespace whose monotonic clock is 1,000 s ahead; `None` if this user may
    /// not create one.
    #[cfg(target_os = "linux")]
    #[allow(dead_code, reason = "not all stores need it")]
    pub fn start_ahead(test: &str, local: &LocalService, store: impl AsRef<Path>) -> Option<Self> {
        let arguments = ["--user", "--map-root-user", "--time", "--monotonic", "1000"];
        let unshare = || {
            let mut command = Command::new("unshare");
            command.args(arguments);
            command
        };
        let is_allowed = unshare().arg("true").stderr(Stdio::null()).status();
        if !is_allowed.is_ok_and(|status| status.success()) {
            return None;
        }
        let mut command = unshare();
        command.arg(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--ignored"]).stdout(Stdio::null());
        command.env("LIMITS_URL", local.base_url()).env("LIMITS_STORE", store.as_ref());
        Some(Self(command.spawn().unwrap()))
    }

    pub fn signal(&self, signal: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
