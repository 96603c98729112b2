//! Clients that share limits, against the local service with the documented limits.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use podqueue::{Client, ErrorKind, LimitStore, RetryPolicy, SharedLimits};
use podqueue_local::{LocalService, RateLimits};
use tokio::task::JoinSet;

pub const KEY: &str = "a-key-that-nobody-may-read";

pub async fn service() -> LocalService {
    let limits = RateLimits::documented();
    LocalService::builder().api_key(KEY).rate_limits(limits).start().await.unwrap()
}

/// A client that shares its limits, and for which each 429 is an error.
pub fn client(base_url: &str, store: impl LimitStore, patience: Duration) -> Client {
    let limits = SharedLimits::new(store).patience(patience);
    let builder = Client::builder().api_key(KEY).base_url(base_url).retry(RetryPolicy::never());
    builder.shared_limits(limits).build().unwrap()
}

/// Cancels a job that does not exist, again and again, in so many tasks.
pub fn ask(client: &Client, tasks: usize, until: Instant) -> JoinSet<usize> {
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

/// How often each of these clients has cancelled.
pub async fn each(all: Vec<JoinSet<usize>>) -> Vec<usize> {
    let mut each = Vec::new();
    for set in all {
        each.push(set.join_all().await.iter().sum());
    }
    each
}

pub fn throttled(local: &LocalService) -> usize {
    local.requests().iter().filter(|request| request.status == Some(429)).count()
}

/// A process of a test, which ends with this.
pub struct Killed(Child);

impl Killed {
    /// Runs this test, which is not one, with what tells it where the service is, and its store.
    pub fn start(test: &str, local: &LocalService, store: impl AsRef<Path>) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--ignored"]).stdout(Stdio::null());
        command.env("LIMITS_URL", local.base_url()).env("LIMITS_STORE", store.as_ref());
        Self(command.spawn().unwrap())
    }

    /// The same in a time namespace whose monotonic clock is 1,000 s ahead; `None` where this user
    /// may not make one.
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

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
