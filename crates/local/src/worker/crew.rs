//! Workers that attach over HTTP: how they find the service, what starts them, and what they print.

use std::io;
use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use futures_util::future::join;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::environment::Environment;
use super::logs::{LogSource, Logs};
use super::process::{Process, shell};

/// How much of a line is kept, in bytes.
const MAX_LINE: usize = 64 * 1024;
/// What takes the place of a secret.
const HIDDEN: &str = "[hidden]";
/// How long what an ended worker printed may take to arrive, in real time.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The workers of an endpoint that attach.
pub(crate) struct Crew {
    pub(crate) environment: Environment,
    /// What starts a worker; none where they are started elsewhere.
    pub(crate) command: Option<String>,
    pub(crate) logs: Logs,
    /// What a worker may print, and must not be read in its logs.
    pub(crate) secrets: Vec<String>,
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
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let mut process = Process::new(child);
        let mut reading = pin!(join(
            self.read(worker, LogSource::Stdout, output),
            self.read(worker, LogSource::Stderr, errors),
        ));
        let status = tokio::select! {
            status = process.wait() => {
                // What it started may still hold its pipes.
                drop(process);
                let _ = tokio::time::timeout(LAST_WORDS, reading).await;
                status?
            }
            _ = &mut reading => process.wait().await?,
        };
        Ok(status.to_string())
    }

    /// A line without what is secret in it, such as the environment that a worker prints.
    fn hide(&self, text: &str, is_cut: bool) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret, HIDDEN);
            let cut = (1..secret.len()).rev().find(|length| text.ends_with(&secret[..*length]));
            if let Some(length) = cut.filter(|_| is_cut) {
                text.truncate(text.len() - length);
            }
        }
        text
    }

    async fn read(&self, worker: &str, source: LogSource, from: Option<impl AsyncRead + Unpin>) {
        let Some(from) = from else { return };
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        let mut after_return = false;
        let add = |line: &mut Vec<u8>| {
            let text = String::from_utf8_lossy(line);
            let is_cut = line.len() >= MAX_LINE;
            self.logs.add(worker, source, self.hide(&text, is_cut));
            line.clear();
        };
        while let Ok(read) = from.fill_buf().await {
            if read.is_empty() {
                break;
            }
            if std::mem::take(&mut after_return) && read[0] == b'\n' {
                from.consume(1);
                continue;
            }
            // A bar that shows progress returns to the beginning of its line, and may never leave it.
            let end = read.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = &read[..end.unwrap_or(read.len())];
            let room = MAX_LINE.saturating_sub(line.len());
            line.extend_from_slice(&piece[..piece.len().min(room)]);
            after_return = end.is_some_and(|end| read[end] == b'\r');
            let used = piece.len() + usize::from(end.is_some());
            from.consume(used);
            if end.is_some() {
                add(&mut line);
                // One that never stops printing leaves room for others.
                tokio::task::consume_budget().await;
            }
        }
        if !line.is_empty() {
            add(&mut line);
        }
    }
}
