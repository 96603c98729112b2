//! Logs of worker processes: what they print, read as it comes and kept within bounds.
//!
//! Invariant: a process never waits for its output to be read. It is read whatever becomes of the
//! lines: the oldest are dropped, and a listener does not block.

use std::collections::VecDeque;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::clock::{Clock, milliseconds};
use crate::sync::locked;
use crate::window::Window;

/// How many lines are kept of the workers of an endpoint, and how many bytes.
const MAX_LINES: usize = 10_000;
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// How much of a line is kept, in bytes.
const MAX_LINE: usize = 64 * 1024;
/// What takes the place of a secret.
const HIDDEN: &str = "[hidden]";
/// How long what an ended process printed may take to arrive, in real time.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A line that a worker printed, or that the service has to say about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorkerLog {
    /// The endpoint of the worker.
    pub endpoint: String,
    /// The id of the worker.
    pub worker: String,
    /// The job that the line is about, if it is a JSON object that names one as `requestId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Where the line comes from.
    pub source: LogSource,
    /// The line, cut at 64 KiB. The key of the workers is hidden in it, and so is any
    /// API key of at least 12 characters.
    pub text: String,
    /// When it was printed, on the service's clock.
    #[serde(rename = "atMs", serialize_with = "in_milliseconds")]
    pub at: Duration,
}

/// Where a [`WorkerLog`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LogSource {
    /// The worker's standard output.
    Stdout,
    /// The worker's standard error.
    Stderr,
    /// The service: why a worker ended, when the next one starts, or which report was refused.
    Service,
}

fn in_milliseconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(milliseconds(*time))
}

/// Who is told of each line as it comes.
pub(crate) type Listener = Arc<dyn Fn(&WorkerLog) + Send + Sync>;

/// The last lines of the workers of an endpoint.
pub(crate) struct Logs {
    endpoint: String,
    clock: Clock,
    listener: Option<Listener>,
    /// What a worker may print, and must not be read in its logs.
    secrets: Vec<String>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    lines: VecDeque<WorkerLog>,
    bytes: usize,
    /// How many lines there were.
    printed: u64,
}

impl Logs {
    pub(crate) fn new(
        endpoint: &str,
        clock: Clock,
        listener: Option<Listener>,
        secrets: Vec<String>,
    ) -> Self {
        Self { endpoint: endpoint.to_owned(), clock, listener, secrets, kept: Mutex::default() }
    }

    /// Reads what a worker prints, to its end. When its process has ended, what is still to come gets
    /// a moment: another process, which it started, may hold the pipe open.
    pub(super) async fn read(
        &self,
        worker: &str,
        source: LogSource,
        from: impl AsyncRead + Unpin,
        process_ended: impl Future<Output = ()>,
    ) {
        let mut reading = pin!(self.read_lines(worker, source, from));
        tokio::select! {
            () = &mut reading => {}
            () = process_ended => {
                let _ = tokio::time::timeout(LAST_WORDS, reading).await;
            }
        }
    }

    async fn read_lines(&self, worker: &str, source: LogSource, from: impl AsyncRead + Unpin) {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        let mut after_return = false;
        let add = |line: &mut Vec<u8>| {
            self.add(worker, source, line);
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

    /// Adds what a worker printed, without what is secret in it, such as the environment.
    fn add(&self, worker: &str, source: LogSource, line: &[u8]) {
        let mut text = String::from_utf8_lossy(line).into_owned();
        for secret in &self.secrets {
            text = text.replace(secret, HIDDEN);
            let cut = (1..secret.len()).rev().find(|length| text.ends_with(&secret[..*length]));
            if let Some(length) = cut.filter(|_| line.len() >= MAX_LINE) {
                text.truncate(text.len() - length);
            }
        }
        self.keep(worker, job_of(&text), source, text);
    }

    /// Adds what the service has to say about a worker, and a job of it.
    pub(crate) fn say(&self, worker: &str, job: Option<&str>, text: String) {
        self.keep(worker, job.map(str::to_owned), LogSource::Service, text);
    }

    fn keep(&self, worker: &str, job: Option<String>, source: LogSource, text: String) {
        let line = WorkerLog {
            endpoint: self.endpoint.clone(),
            worker: worker.to_owned(),
            job,
            source,
            text,
            at: self.clock.now(),
        };
        if let Some(listener) = &self.listener {
            listener(&line);
        }
        locked(&self.kept).add(line);
        self.clock.changes().note();
    }

    /// How many lines there were.
    pub(crate) fn revision(&self) -> u64 {
        locked(&self.kept).printed
    }

    /// How many of the kept lines are wanted, and those in a window with their numbers, the newest
    /// first.
    pub(crate) fn window(
        &self,
        window: Window,
        is_wanted: impl Fn(&WorkerLog) -> bool,
    ) -> (usize, Vec<(u64, WorkerLog)>) {
        let kept = locked(&self.kept);
        let newest = (0..kept.printed).rev().zip(kept.lines.iter().rev());
        let (total, part) = window.of(newest.filter(|(_, line)| is_wanted(line)));
        (total, part.into_iter().map(|(number, line)| (number, line.clone())).collect())
    }

    pub(crate) fn all(&self) -> Vec<WorkerLog> {
        locked(&self.kept).lines.iter().cloned().collect()
    }
}

impl Kept {
    fn add(&mut self, line: WorkerLog) {
        self.printed += 1;
        self.bytes += size(&line);
        self.lines.push_back(line);
        while self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES {
            let Some(first) = self.lines.pop_front() else { return };
            self.bytes -= size(&first);
        }
    }
}

fn size(line: &WorkerLog) -> usize {
    size_of::<WorkerLog>()
        + [&line.endpoint, &line.worker, &line.text].map(String::len).iter().sum::<usize>()
        + line.job.as_ref().map_or(0, String::len)
}

/// The job that a line names. Workers write JSON lines once they know their endpoint.
fn job_of(line: &str) -> Option<String> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    let line: Value = serde_json::from_str(line).ok()?;
    line.get("requestId")?.as_str().map(str::to_owned)
}

impl fmt::Display for WorkerLog {
    /// The line, with its endpoint and worker in front.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}: {}", self.endpoint, self.worker, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bytes_are_bounded() {
        let logs = Logs::new("e", Clock::manual(), None, Vec::new());
        for _ in 0..MAX_LINES + 5 {
            logs.add("w", LogSource::Stdout, b"short");
        }
        assert_eq!(logs.all().len(), MAX_LINES);
        for _ in 0..MAX_BYTES / 1000 {
            logs.add("w", LogSource::Stdout, &[b'x'; 1000]);
        }
        let all = logs.all();
        let bytes: usize = all.iter().map(size).sum();
        assert!(all.len() < MAX_BYTES / 1000 && bytes <= MAX_BYTES, "{} {bytes}", all.len());
        assert_eq!(locked(&logs.kept).bytes, bytes);
    }

    #[test]
    fn a_json_line_names_its_job() {
        assert_eq!(job_of(r#" {"requestId": "a", "message": "m"}"#).as_deref(), Some("a"));
        for line in ["", "{", "{}", r#"{"requestId": null}"#, r#""requestId""#, "requestId: a"] {
            assert_eq!(job_of(line), None, "{line}");
        }
    }
}
