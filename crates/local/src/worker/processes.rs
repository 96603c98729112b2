//! Worker processes: shell commands, which are killed with all processes that they started; and the
//! program of workers that attach over HTTP, with the environment variables that tell it how to
//! attach.

use std::io;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use super::worker_log::{LogSource, WorkerLog};
use crate::clock::milliseconds;
use crate::tasks::locked;

/// A shell that runs a command line, with a pipe as its standard output.
pub(super) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdout(Stdio::piped()).kill_on_drop(true);
    // A process group of its own, so that all that the shell starts is killed with it.
    #[cfg(unix)]
    shell.process_group(0);
    shell
}

/// A running shell. It is killed when dropped, with the processes that it started.
pub(super) struct Process(Mutex<Child>);

impl Process {
    pub(super) fn new(child: Child) -> Self {
        Self(Mutex::new(child))
    }

    /// The exit status, if the process has ended.
    pub(super) fn exit_status(&self) -> io::Result<Option<ExitStatus>> {
        locked(&self.0).try_wait()
    }

    /// Waits until it ends by itself.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let child = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        child.wait().await
    }
}

#[cfg(unix)]
impl Drop for Process {
    fn drop(&mut self) {
        use rustix::process::{Pid, Signal, kill_process_group};
        // There is an id only until the process was waited for, so no other process has it.
        let id = locked(&self.0).id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(Pid::from_raw) {
            // Fails if the group has ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// The program of the workers of an endpoint that attach.
pub(crate) struct WorkerProgram {
    pub(crate) environment: WorkerEnvironment,
    /// The shell command of a worker; none if workers are started elsewhere.
    pub(crate) command: Option<String>,
    pub(crate) log: WorkerLog,
}

impl WorkerProgram {
    /// Runs the command as a worker, and returns its exit status, or the reason for which it did
    /// not start. Dropping this kills it, with the processes that it started.
    pub(crate) async fn run(&self, worker: &str) -> String {
        match self.run_process(worker).await {
            Ok(status) => status,
            Err(error) => format!("failed to start: {error}"),
        }
    }

    async fn run_process(&self, worker: &str) -> io::Result<String> {
        let mut shell = shell(self.command.as_deref().unwrap_or_default());
        shell.stdin(Stdio::null()).stderr(Stdio::piped());
        shell.env_remove(self.environment.excluded());
        shell.envs(self.environment.variables(Some(worker)));
        let mut child = shell.spawn()?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::Error::other("no pipe to the process"));
        };
        let mut process = Process::new(child);
        let ended = CancellationToken::new();
        let mut reading = pin!(join(
            self.log.read(worker, LogSource::Stdout, output, ended.cancelled()),
            self.log.read(worker, LogSource::Stderr, errors, ended.cancelled()),
        ));
        let status = tokio::select! {
            status = process.wait() => {
                // Processes that it started may still hold its pipes.
                drop(process);
                ended.cancel();
                reading.await;
                status?
            }
            _ = &mut reading => process.wait().await?,
        };
        Ok(status.to_string())
    }
}

/// The environment of a worker that attaches.
#[derive(Clone)]
pub(crate) struct WorkerEnvironment {
    /// The prefix of the name of each variable.
    pub(crate) prefix: String,
    pub(crate) base_url: String,
    pub(crate) endpoint: String,
    /// The API key of workers.
    pub(crate) key: String,
    pub(crate) ping_interval: Duration,
}

impl WorkerEnvironment {
    /// The variables by name. Without a name, a worker chooses its own.
    pub(crate) fn variables(&self, worker: Option<&str>) -> Vec<(String, String)> {
        let Self { prefix, base_url, .. } = self;
        let endpoint = utf8_percent_encode(&self.endpoint, NON_ALPHANUMERIC);
        // Workers replace the placeholders: $ID by their name to take a job, and by the id of the
        // job to report on it.
        let url = |route: &str| format!("{base_url}/v2/{endpoint}/{route}");
        let job_url = |route: &str| url(&format!("{route}/${prefix}POD_ID/$ID?gpu=none"));
        let mut variables = vec![
            ("WEBHOOK_GET_JOB", url("job-take/$ID?gpu=none")),
            ("WEBHOOK_POST_OUTPUT", job_url("job-done")),
            ("WEBHOOK_POST_STREAM", job_url("job-stream")),
            ("WEBHOOK_PING", url(&format!("ping/${prefix}POD_ID"))),
            ("PING_INTERVAL", milliseconds(self.ping_interval).to_string()),
            ("AI_API_KEY", self.key.clone()),
            ("ENDPOINT_ID", self.endpoint.clone()),
            // There is no GPU to check.
            ("SKIP_AUTO_SYSTEM_CHECKS", "true".to_owned()),
            ("SKIP_GPU_CHECK", "true".to_owned()),
            ("LOG_LEVEL", "INFO".to_owned()),
        ];
        if let Some(worker) = worker {
            variables.push(("POD_ID", worker.to_owned()));
            variables.push(("POD_HOSTNAME", worker.to_owned()));
        }
        variables.into_iter().map(|(name, value)| (format!("{prefix}{name}"), value)).collect()
    }

    /// The variable that must not be set: with it a worker serves HTTP itself instead of attaching.
    pub(crate) fn excluded(&self) -> String {
        format!("{}REALTIME_PORT", self.prefix)
    }
}
