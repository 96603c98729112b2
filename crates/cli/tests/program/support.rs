//! Fixture: a local service, and runs of the program.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use podqueue_local::{Builder, LocalService};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

/// The key of the service, which the program must never show.
pub const KEY: &str = "canary-5f0e7c1a9b";

/// Timeout of a command on a slow machine.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A local service, and a home folder of the program.
pub struct Fixture {
    pub local: LocalService,
    pub home: TempDir,
}

impl Fixture {
    pub async fn start() -> Self {
        Self::with(LocalService::builder()).await
    }

    pub async fn with(builder: Builder) -> Self {
        let local = builder.api_key(KEY).start().await.unwrap();
        Self { local, home: tempfile::tempdir().unwrap() }
    }

    /// The program, with the variables of the service.
    pub fn program(&self, arguments: &[&str]) -> Command {
        let mut command = bare(self.home.path(), arguments);
        command
            .env("PODQUEUE_API_KEY", KEY)
            .env("PODQUEUE_BASE_URL", self.local.base_url())
            .env("PODQUEUE_REST_URL", self.local.rest_url())
            .env("PODQUEUE_GRAPHQL_URL", self.local.graphql_url());
        command
    }

    pub async fn run(&self, arguments: &[&str]) -> Ran {
        ran(&mut self.program(arguments)).await
    }

    /// Submits a job, and returns its id.
    pub async fn submit(&self, endpoint: &str, input: &str) -> String {
        let ran = self.run(&["run", endpoint, input, "--detach"]).await;
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout.trim_end().to_owned()
    }

    /// Waits until the service got a request with this in its path.
    pub async fn requested(&self, path: &str) {
        self.requests_to(path, 1).await;
    }

    /// Waits until the service got a request with this in its path, beyond the first ones.
    pub async fn requested_since(&self, first: usize, path: &str) {
        let all = self.local.requests();
        let before = all[..first].iter().filter(|request| request.path.contains(path)).count();
        self.requests_to(path, before + 1).await;
    }

    /// Waits until the service got this many requests with this in their paths.
    pub async fn requests_to(&self, path: &str, count: usize) {
        let all = || self.local.requests();
        let polling = async {
            while all().iter().filter(|request| request.path.contains(path)).count() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let found = tokio::time::timeout(TIMEOUT, polling).await;
        found.unwrap_or_else(|_| panic!("no {count} requests to {path}"));
    }
}

/// The program without any settings, in its home.
pub fn bare(home: &Path, arguments: &[&str]) -> Command {
    #[cfg(unix)]
    crate::signal_dispositions::default_in_children();
    let mut command = Command::new(env!("CARGO_BIN_EXE_podqueue"));
    command
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("PODQUEUE_CONFIG", home.join("config.toml"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// The outcome of a process.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

pub async fn ran(command: &mut Command) -> Ran {
    ended(command.spawn().unwrap()).await
}

pub async fn ran_with_stdin(command: &mut Command, stdin: &str) -> Ran {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // The program may not read it.
    let _ = pipe.write_all(stdin.as_bytes()).await;
    drop(pipe);
    ended(child).await
}

/// Awaits the end of a process, and asserts that its output does not contain the key.
pub async fn ended(child: Child) -> Ran {
    let output = tokio::time::timeout(TIMEOUT, child.wait_with_output()).await;
    let output = output.expect("the program ends").unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!stdout.contains(KEY) && !stderr.contains(KEY), "{stdout}\n{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("has crashed"), "{stderr}");
    // The builder of the library is not available in the program.
    assert!(!stderr.contains("ClientBuilder"), "{stderr}");
    Ran { code: code(output.status), stdout, stderr }
}

/// The exit code, as a shell reports it.
#[cfg(unix)]
fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

impl Ran {
    #[track_caller]
    pub fn assert(&self, code: i32, stdout: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (code, stdout), "{}", self.stderr);
    }

    #[track_caller]
    pub fn assert_code(&self, code: i32) {
        assert_eq!(self.code, code, "{self:?}");
    }

    #[track_caller]
    pub fn fails(&self, code: i32, stderr: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.stderr.contains(stderr), "{}", self.stderr);
    }
}
