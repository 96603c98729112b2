//! Workers that attach over HTTP: how they find the service, what starts them, and what they print.

use std::io;
use std::pin::pin;
use std::process::Stdio;

use futures_util::future::join;
use tokio_util::sync::CancellationToken;

use super::environment::Environment;
use super::logs::{LogSource, Logs};
use super::process::{Process, shell};

/// The workers of an endpoint that attach.
pub(crate) struct Crew {
    pub(crate) environment: Environment,
    /// What starts a worker; none where they are started elsewhere.
    pub(crate) command: Option<String>,
    pub(crate) logs: Logs,
}

impl Crew {
    /// Runs the command as a worker until it ends by itself, and says how that was. Dropping this
    /// ends it too, with the processes that it started.
    pub(crate) async fn run(&self, worker: &str) -> String {
        match self.run_process(worker).await {
            Ok(how) => how,
            Err(error) => format!("failed to start: {error}"),
        }
    }

    async fn run_process(&self, worker: &str) -> io::Result<String> {
        let mut shell = shell(self.command.as_deref().unwrap_or_default());
        shell.stdin(Stdio::null()).stderr(Stdio::piped());
        shell.env_remove(self.environment.forbidden());
        shell.envs(self.environment.variables(Some(worker)));
        let mut child = shell.spawn()?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::Error::other("no pipe to the process"));
        };
        let mut process = Process::new(child);
        let ended = CancellationToken::new();
        let mut reading = pin!(join(
            self.logs.read(worker, LogSource::Stdout, output, ended.cancelled()),
            self.logs.read(worker, LogSource::Stderr, errors, ended.cancelled()),
        ));
        let status = tokio::select! {
            status = process.wait() => {
                // What it started may still hold its pipes.
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
