//! Worker log: the lines that worker processes print, and the messages of the service about them.
//!
//! The text of a line is kept as it is, cut at [`MAX_LINE`], with secrets replaced by `[redacted]`.
//! A line that is a JSON object with a string `requestId`, as workers of the hosted service write
//! them, belongs to that job. [`WorkerLogLine`] is the format in the Rust API and, serialized, of
//! `/_local/endpoints/{name}/worker-logs`; its `Display` is what the program prints. Requests are
//! in [`http::RequestLog`](crate::http::RequestLog).
//!
//! Invariant: a process is never blocked because its output is not read. Lines are read as they are
//! printed; the oldest are dropped beyond the bounds. Checked by
//! `tests/interface/worker_processes.rs`.

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::bounded_log::{BoundedLog, Numbered, Window};
use crate::clock::{Clock, milliseconds, wall_milliseconds};
use crate::tasks::locked;

/// The bounds of the log of an endpoint's workers.
const MAX_LINES: usize = 10_000;
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The bound of the log of workers within the service, which it writes itself, two lines a job.
const MAX_OWN_LINES: usize = 1_000;
/// The largest line, in bytes. A longer line is cut.
const MAX_LINE: usize = 64 * 1024;
/// The replacement of a secret.
const REDACTED: &str = "[redacted]";
/// The least time between the stamps of two lines.
const STAMP_STEP: Duration = Duration::from_micros(1);
/// Timeout of reading the output of a process after its end, in real time.
const READ_AFTER_END: Duration = Duration::from_secs(1);

/// A line that a worker printed, or a message of the service about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorkerLogLine {
    /// The endpoint of the worker.
    pub endpoint: String,
    /// The id of the worker.
    pub worker: String,
    /// The id of the job, if the line is a JSON object with a `requestId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Source of the line.
    pub source: LogSource,
    /// The line, cut at 64 KiB. The key of the workers is hidden in it, and so is any
    /// API key of at least 12 characters.
    pub text: String,
    /// Time at which the line was printed, on the service's clock.
    #[serde(rename = "atMs", serialize_with = "in_milliseconds")]
    pub at: Duration,
    /// That time on the computer's clock.
    pub(crate) wall_ms: u64,
    /// That time, but later than that of the line before: it identifies the line.
    #[serde(skip)]
    pub(crate) stamp: Duration,
}

/// Source of a [`WorkerLogLine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LogSource {
    /// The worker's standard output.
    Stdout,
    /// The worker's standard error.
    Stderr,
    /// The service: the end of a worker, the start of the next worker, or a refused report.
    Service,
}

fn in_milliseconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(milliseconds(*time))
}

/// Called with each line.
pub(crate) type LogListener = Arc<dyn Fn(&WorkerLogLine) + Send + Sync>;

/// The last lines of the workers of an endpoint.
pub(crate) struct WorkerLog {
    endpoint: String,
    clock: Clock,
    listener: Option<LogListener>,
    /// The keys that are replaced in lines.
    secrets: Vec<String>,
    lines: Mutex<BoundedLog<WorkerLogLine>>,
}

impl WorkerLog {
    pub(crate) fn new(
        endpoint: &str,
        clock: Clock,
        listener: Option<LogListener>,
        secrets: Vec<String>,
    ) -> Self {
        let lines = Mutex::new(BoundedLog::new(MAX_LINES, MAX_BYTES, size));
        Self { endpoint: endpoint.to_owned(), clock, listener, secrets, lines }
    }

    /// The log of workers within the service, which print nothing.
    pub(crate) fn of_own_workers(endpoint: &str, clock: Clock) -> Self {
        let lines = Mutex::new(BoundedLog::new(MAX_OWN_LINES, MAX_BYTES, size));
        Self { lines, ..Self::new(endpoint, clock, None, Vec::new()) }
    }

    /// Reads the output of a worker to its end. After the end of its process, it is read for a
    /// limited time: another process, which it started, may hold the pipe open.
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
                let _ = tokio::time::timeout(READ_AFTER_END, reading).await;
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
            // A progress bar returns to the beginning of its line, and may never print a line feed.
            let end = read.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = &read[..end.unwrap_or(read.len())];
            let capacity = MAX_LINE.saturating_sub(line.len());
            line.extend_from_slice(&piece[..piece.len().min(capacity)]);
            after_return = end.is_some_and(|end| read[end] == b'\r');
            let used = piece.len() + usize::from(end.is_some());
            from.consume(used);
            if end.is_some() {
                add(&mut line);
                // A process that never stops printing must not starve other tasks.
                tokio::task::consume_budget().await;
            }
        }
        if !line.is_empty() {
            add(&mut line);
        }
    }

    /// Adds a line of a worker, with secrets replaced.
    fn add(&self, worker: &str, source: LogSource, line: &[u8]) {
        let mut text = String::from_utf8_lossy(line).into_owned();
        for secret in &self.secrets {
            text = text.replace(secret, REDACTED);
            let cut = (1..secret.len()).rev().find(|length| text.ends_with(&secret[..*length]));
            if let Some(length) = cut.filter(|_| line.len() >= MAX_LINE) {
                text.truncate(text.len() - length);
            }
        }
        self.keep(worker, job_of(&text), source, text);
    }

    /// Adds a message of the service about a worker, and about a job of it.
    pub(crate) fn add_message(&self, worker: &str, job: Option<&str>, text: String) {
        self.keep(worker, job.map(str::to_owned), LogSource::Service, text);
    }

    fn keep(&self, worker: &str, job: Option<String>, source: LogSource, text: String) {
        let line = WorkerLogLine {
            endpoint: self.endpoint.clone(),
            worker: worker.to_owned(),
            job,
            source,
            text,
            at: self.clock.now(),
            wall_ms: wall_milliseconds(),
            stamp: Duration::ZERO,
        };
        if let Some(listener) = &self.listener {
            listener(&line);
        }
        {
            let mut lines = locked(&self.lines);
            let last = lines.iter().next_back().map(|line| line.stamp);
            let at = whole_steps(line.at);
            let stamp = last.map_or(at, |last| at.max(last + STAMP_STEP));
            lines.append(WorkerLogLine { stamp, ..line });
        }
        self.clock.changes().notify();
    }

    /// The number of all lines.
    pub(crate) fn revision(&self) -> u64 {
        locked(&self.lines).appended()
    }

    /// The number of kept lines that match, and those in a window, the newest first.
    pub(crate) fn window(
        &self,
        window: Window,
        matches: impl Fn(&WorkerLogLine) -> bool,
    ) -> (usize, Vec<Numbered<WorkerLogLine>>) {
        let lines = locked(&self.lines);
        let (total, lines) = window.of(lines.newest_first().filter(|(_, line)| matches(line)));
        (total, lines.into_iter().map(Numbered::from).collect())
    }

    /// The kept lines of a worker with a later stamp than this; all without one.
    pub(crate) fn of_worker(&self, worker: &str, after: Option<Duration>) -> Vec<WorkerLogLine> {
        let lines = locked(&self.lines);
        let newest = lines.iter().rev().take_while(|line| after.is_none_or(|it| line.stamp > it));
        let mut found: Vec<_> = newest.filter(|line| line.worker == worker).cloned().collect();
        found.reverse();
        found
    }

    pub(crate) fn all(&self) -> Vec<WorkerLogLine> {
        locked(&self.lines).iter().cloned().collect()
    }
}

/// The time without what a stamp does not show, so that a client can name a stamp exactly.
fn whole_steps(at: Duration) -> Duration {
    let rest = at.subsec_nanos() % STAMP_STEP.subsec_nanos();
    at.saturating_sub(Duration::from_nanos(rest.into()))
}

fn size(line: &WorkerLogLine) -> usize {
    size_of::<WorkerLogLine>()
        + [&line.endpoint, &line.worker, &line.text].map(String::len).iter().sum::<usize>()
        + line.job.as_ref().map_or(0, String::len)
}

/// The job of a line.
fn job_of(line: &str) -> Option<String> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    let line: Value = serde_json::from_str(line).ok()?;
    line.get("requestId")?.as_str().map(str::to_owned)
}

impl fmt::Display for WorkerLogLine {
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
        let log = WorkerLog::new("e", Clock::manual(), None, Vec::new());
        for _ in 0..MAX_LINES + 5 {
            log.add("w", LogSource::Stdout, b"short");
        }
        assert_eq!(log.all().len(), MAX_LINES);
        for _ in 0..MAX_BYTES / 1000 {
            log.add("w", LogSource::Stdout, &[b'x'; 1000]);
        }
        let all = log.all();
        let bytes: usize = all.iter().map(size).sum();
        assert!(all.len() < MAX_BYTES / 1000 && bytes <= MAX_BYTES, "{} {bytes}", all.len());
        assert_eq!(locked(&log.lines).bytes(), bytes);
    }

    #[test]
    fn stamps_are_whole_microseconds_and_increase() {
        let log = WorkerLog::new("e", Clock::real(), None, Vec::new());
        for _ in 0..100 {
            log.add("w", LogSource::Stdout, b"line");
        }
        let stamps: Vec<_> = log.all().iter().map(|line| line.stamp).collect();
        assert!(stamps.iter().all(|stamp| stamp.subsec_nanos() % 1_000 == 0), "{stamps:?}");
        assert!(stamps.is_sorted_by(|one, next| one < next), "{stamps:?}");
    }

    #[test]
    fn a_json_line_names_its_job() {
        assert_eq!(job_of(r#" {"requestId": "a", "message": "m"}"#).as_deref(), Some("a"));
        for line in ["", "{", "{}", r#"{"requestId": null}"#, r#""requestId""#, "requestId: a"] {
            assert_eq!(job_of(line), None, "{line}");
        }
    }
}
