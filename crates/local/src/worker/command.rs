//! Handlers in any language: a command runs as the worker, one process for each, and speaks JSON
//! lines on its standard input and output.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::assignment::Assignment;
use super::handler::{Handler, HandlerError};
use super::job::{LocalJob, WorkerId};
use super::logs::{LogSource, Logs};
use super::outcome::{FailedWithOutput, WorkerLost};
use super::process::{Process, shell};
use crate::sync::locked;

/// A shell command that serves as the endpoint's worker.
pub(crate) struct Command {
    line: String,
    logs: Arc<Logs>,
    /// The processes that wait for a job. One that runs a job is with the job, so that dropping
    /// the job ends it.
    idle: Mutex<HashMap<WorkerId, Talk>>,
}

impl Command {
    pub(crate) fn new(line: String, logs: Logs) -> Self {
        Self { line, logs: Arc::new(logs), idle: Mutex::default() }
    }

    async fn run_job(&self, job: LocalJob) -> Result<Value, HandlerError> {
        let worker = job.worker();
        let idle = locked(&self.idle).remove(&worker);
        let work = async {
            if let Some(mut process) = idle
                && process.is_ready().await
            {
                match process.run(&job).await {
                    Err(lost) if !lost.has_job => {}
                    ended => {
                        return ended.map(|response| (response, process)).map_err(|lost| lost.why);
                    }
                }
            }
            let mut process = Talk::start(&self.line, &self.logs, worker).map_err(|error| {
                WorkerLost(format!("failed to start the worker `{}`: {error}", self.line))
            })?;
            let response = process.run(&job).await.map_err(|lost| lost.why)?;
            Ok((response, process))
        };
        let (response, process) = tokio::select! {
            done = work => done?,
            () = job.cancelled() => return Err("stopped".into()),
        };
        locked(&self.idle).insert(worker, process);
        response
    }
}

impl Handler for Command {
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>> {
        Box::pin(self.run_job(job))
    }

    fn logs(&self) -> Option<&Logs> {
        Some(&self.logs)
    }

    fn worker_stopped(&self, worker: WorkerId) {
        locked(&self.idle).remove(&worker);
    }
}

/// How a process is of no more use.
struct Lost {
    why: WorkerLost,
    /// Whether it may have read any of its job. Another may be given a job that it has not: one
    /// that has ended after its last response ends no other job.
    has_job: bool,
}

/// How many lines that nobody asked for a process may have written when it gets its next job.
const MAX_SURPLUS: usize = 1000;

/// A running command, and the lines that it reads and writes.
struct Talk {
    process: Process,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Whether it has answered a job. What it wrote since then is not about the next one.
    is_used: bool,
    log: WorkerOutput,
    /// Tells the reader of its standard error that it has ended.
    _running: DropGuard,
}

impl Talk {
    fn start(line: &str, logs: &Arc<Logs>, worker: WorkerId) -> io::Result<Self> {
        let mut child = shell(line).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("no pipe to the process"));
        };
        let lines = BufReader::new(stdout).lines();
        let log = WorkerOutput { logs: logs.clone(), worker: format!("worker-{worker}") };
        let ended = CancellationToken::new();
        let running = ended.clone().drop_guard();
        let reader = log.clone();
        // In a task, because it has to go on while the process has no job, too.
        tokio::spawn(async move {
            let WorkerOutput { logs, worker } = reader;
            logs.read(&worker, LogSource::Stderr, stderr, ended.cancelled()).await;
        });
        let process = Process::new(child);
        Ok(Self { process, stdin, lines, is_used: false, log, _running: running })
    }

    /// Whether it can take another job, after what it wrote behind its last response is dropped.
    async fn is_ready(&mut self) -> bool {
        for _ in 0..MAX_SURPLUS {
            // Once, and without waiting: there is a line, or there is none yet.
            let next = poll_fn(|context| {
                let next = Pin::new(&mut self.lines).poll_next_line(context);
                Poll::Ready(match next {
                    Poll::Ready(line) => Some(line),
                    Poll::Pending => None,
                })
            });
            match next.await {
                None => return matches!(self.process.ended(), Ok(None)),
                Some(Ok(Some(line))) => self.log.report_surplus(&line),
                Some(Ok(None) | Err(_)) => return false,
            }
        }
        false
    }

    /// Gives the process a job and reads lines until its response. An outer error means that the
    /// process is of no more use.
    async fn run(&mut self, job: &LocalJob) -> Result<Result<Value, HandlerError>, Lost> {
        let mut line = Assignment::of(job).to_string();
        line.push('\n');
        let mut written = 0;
        let mut surplus = 0;
        if let Err(error) = self.send(line.as_bytes(), &mut written).await {
            return Err(self.lost(&error.to_string(), written).await);
        }
        loop {
            let line = match self.lines.next_line().await {
                Ok(Some(line)) => line,
                Ok(None) => {
                    return Err(self.lost("its output ended before a response", written).await);
                }
                Err(error) => return Err(self.lost(&error.to_string(), written).await),
            };
            if self.is_used && self.is_unread(written) {
                // It does not know this job yet.
                self.log.report_surplus(&line);
                surplus += 1;
                if surplus > MAX_SURPLUS {
                    let why =
                        WorkerLost("the worker keeps writing without reading its job".to_owned());
                    return Err(Lost { why, has_job: false });
                }
                continue;
            }
            if line.trim().is_empty() {
                continue;
            }
            match Line::parse(&line).map_err(|why| Lost { why: WorkerLost(why), has_job: true })? {
                Line::Stream(chunk) => job.emit(chunk).await,
                Line::Progress(value) => job.progress(value),
                Line::Output(output) => {
                    self.is_used = true;
                    return Ok(Ok(output));
                }
                Line::Error(error) => {
                    self.is_used = true;
                    return Ok(Err(error));
                }
            }
        }
    }

    async fn send(&mut self, mut line: &[u8], written: &mut usize) -> io::Result<()> {
        while !line.is_empty() {
            let count = self.stdin.write(line).await?;
            *written += count;
            line = &line[count..];
        }
        self.stdin.flush().await
    }

    /// Whether all that was written of a job is still in the pipe. Where the system does not tell,
    /// it may have been read.
    #[cfg(target_os = "linux")]
    fn is_unread(&self, written: usize) -> bool {
        let left = rustix::io::ioctl_fionread(&self.stdin);
        left.is_ok_and(|left| usize::try_from(left).is_ok_and(|left| left >= written))
    }

    #[cfg(not(target_os = "linux"))]
    fn is_unread(&self, written: usize) -> bool {
        written == 0
    }

    async fn lost(&self, what: &str, written: usize) -> Lost {
        let has_job = !self.is_unread(written);
        Lost { why: self.death(what).await, has_job }
    }

    /// Says how a process that does not respond ended.
    async fn death(&self, what: &str) -> WorkerLost {
        // Its exit status comes a moment after the end of its output.
        let mut status: Option<ExitStatus> = None;
        for _ in 0..20 {
            status = self.process.ended().ok().flatten();
            if status.is_some() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        WorkerLost(match status {
            Some(status) => format!("the worker died: {what} ({status})"),
            None => format!("the worker died: {what}"),
        })
    }
}

/// The logs of one worker.
#[derive(Clone)]
struct WorkerOutput {
    logs: Arc<Logs>,
    worker: String,
}

impl WorkerOutput {
    /// Reports a line that was dropped, without its text, which may hold what is secret in a job.
    fn report_surplus(&self, line: &str) {
        if !line.trim().is_empty() {
            let length = line.len();
            let words =
                format!("dropped a line of {length} bytes that was written after a response");
            self.logs.say(&self.worker, None, words);
        }
    }
}

/// A line of the process.
enum Line {
    Stream(Value),
    Progress(Value),
    Output(Value),
    Error(HandlerError),
}

impl Line {
    fn parse(line: &str) -> Result<Self, String> {
        let unusable = || {
            format!(
                "the worker wrote a line that is not an object with output, error, stream or \
                 progress: {}",
                line.chars().take(200).collect::<String>(),
            )
        };
        let Ok(Value::Object(mut members)) = serde_json::from_str(line) else {
            return Err(unusable());
        };
        let mut take = |name| members.remove(name);
        let text = |error| match error {
            Value::String(text) => text,
            other => other.to_string(),
        };
        if let Some(output) = take("output") {
            Ok(match take("error").filter(|error| !error.is_null()) {
                None => Self::Output(output),
                Some(error) => Self::Error(FailedWithOutput::new(text(error), output).into()),
            })
        } else if let Some(error) = take("error") {
            Ok(Self::Error(text(error).into()))
        } else if let Some(chunk) = take("stream") {
            Ok(Self::Stream(chunk))
        } else if let Some(value) = take("progress") {
            Ok(Self::Progress(value))
        } else {
            Err(unusable())
        }
    }
}
