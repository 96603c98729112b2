//! Command handler: jobs as JSON lines on the standard input of a process, responses on its
//! standard output.
//!
//! A worker is one process, which runs one job after another. Invariant: a line is never taken for
//! the response to another job. Lines that were written after a response, before the next job was
//! read, are dropped; and a process that ends between two jobs fails neither.
//!
//! Checked by `tests/interface/handlers.rs`.

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

use super::handler::{FailedWithOutput, Handler, HandlerError, WorkerLost};
use super::local_job::{JobJson, LocalJob, WorkerId};
use super::processes::{Process, shell};
use super::worker_log::{LogSource, WorkerLog};
use crate::tasks::locked;

/// A shell command whose processes are the workers of an endpoint.
pub(crate) struct CommandHandler {
    command: String,
    log: Arc<WorkerLog>,
    /// The idle processes. A process that runs a job is owned by the job, so that dropping the job
    /// kills it.
    idle: Mutex<HashMap<WorkerId, CommandProcess>>,
}

impl CommandHandler {
    pub(crate) fn new(command: String, log: WorkerLog) -> Self {
        Self { command, log: Arc::new(log), idle: Mutex::default() }
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
            let mut process =
                CommandProcess::start(&self.command, &self.log, worker).map_err(|error| {
                    WorkerLost(format!("failed to start the worker `{}`: {error}", self.command))
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

impl Handler for CommandHandler {
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>> {
        Box::pin(self.run_job(job))
    }

    fn log(&self) -> Option<&WorkerLog> {
        Some(&self.log)
    }

    fn worker_stopped(&self, worker: WorkerId) {
        locked(&self.idle).remove(&worker);
    }
}

/// A process that ended or broke the protocol.
struct LostProcess {
    why: WorkerLost,
    /// True if the process may have read its job. If not, another process can run it: a process
    /// that ended after its last response fails no other job.
    has_job: bool,
}

/// The largest number of lines that a process may write between a response and its next job.
const MAX_UNEXPECTED_LINES: usize = 1000;

/// A process of the command.
struct CommandProcess {
    process: Process,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// True if the process has responded to a job. Later lines do not belong to the next job.
    is_used: bool,
    log: ProcessLog,
    /// Notifies the reader of its standard error of its end.
    _running: DropGuard,
}

impl CommandProcess {
    fn start(command: &str, log: &Arc<WorkerLog>, worker: WorkerId) -> io::Result<Self> {
        let mut child = shell(command).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("no pipe to the process"));
        };
        let lines = BufReader::new(stdout).lines();
        let log = ProcessLog { log: log.clone(), worker: format!("worker-{worker}") };
        let ended = CancellationToken::new();
        let running = ended.clone().drop_guard();
        let reader = log.clone();
        // In a task, because it continues while the process has no job.
        tokio::spawn(async move {
            let ProcessLog { log, worker } = reader;
            log.read(&worker, LogSource::Stderr, stderr, ended.cancelled()).await;
        });
        let process = Process::new(child);
        Ok(Self { process, stdin, lines, is_used: false, log, _running: running })
    }

    /// Drops the lines that it wrote after its last response. Returns true if it can take another
    /// job.
    async fn is_ready(&mut self) -> bool {
        for _ in 0..MAX_UNEXPECTED_LINES {
            // Polled once, without waiting.
            let next = poll_fn(|context| {
                let next = Pin::new(&mut self.lines).poll_next_line(context);
                Poll::Ready(match next {
                    Poll::Ready(line) => Some(line),
                    Poll::Pending => None,
                })
            });
            match next.await {
                None => return matches!(self.process.exit_status(), Ok(None)),
                Some(Ok(Some(line))) => self.log.report_unexpected(&line),
                Some(Ok(None) | Err(_)) => return false,
            }
        }
        false
    }

    /// Writes a job to the process, and reads lines until its response. The outer error means that
    /// the process is lost.
    async fn run(&mut self, job: &LocalJob) -> Result<Result<Value, HandlerError>, LostProcess> {
        let mut line = JobJson::of(job).to_string();
        line.push('\n');
        let mut written = 0;
        let mut unexpected = 0;
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
                // The process has not read this job.
                self.log.report_unexpected(&line);
                unexpected += 1;
                if unexpected > MAX_UNEXPECTED_LINES {
                    let why =
                        WorkerLost("the worker keeps writing without reading its job".to_owned());
                    return Err(LostProcess { why, has_job: false });
                }
                continue;
            }
            if line.trim().is_empty() {
                continue;
            }
            match ResponseLine::parse(&line)
                .map_err(|why| LostProcess { why: WorkerLost(why), has_job: true })?
            {
                ResponseLine::Stream(chunk) => job.emit(chunk).await,
                ResponseLine::Progress(value) => job.progress(value),
                ResponseLine::Output(output) => {
                    self.is_used = true;
                    return Ok(Ok(output));
                }
                ResponseLine::Error(error) => {
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

    /// Returns true if all bytes of a job are still in the pipe. On systems that do not tell, it
    /// may have been read.
    #[cfg(target_os = "linux")]
    fn is_unread(&self, written: usize) -> bool {
        let left = rustix::io::ioctl_fionread(&self.stdin);
        left.is_ok_and(|left| usize::try_from(left).is_ok_and(|left| left >= written))
    }

    #[cfg(not(target_os = "linux"))]
    fn is_unread(&self, written: usize) -> bool {
        written == 0
    }

    async fn lost(&self, what: &str, written: usize) -> LostProcess {
        let has_job = !self.is_unread(written);
        LostProcess { why: self.reason(what).await, has_job }
    }

    /// The reason why a process did not respond.
    async fn reason(&self, what: &str) -> WorkerLost {
        // The exit status is available only shortly after the end of the output.
        let mut status: Option<ExitStatus> = None;
        for _ in 0..20 {
            status = self.process.exit_status().ok().flatten();
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

/// The log of one worker.
#[derive(Clone)]
struct ProcessLog {
    log: Arc<WorkerLog>,
    worker: String,
}

impl ProcessLog {
    /// Reports a dropped line without its text, which may contain secrets of a job.
    fn report_unexpected(&self, line: &str) {
        if !line.trim().is_empty() {
            let length = line.len();
            let text =
                format!("dropped a line of {length} bytes that was written after a response");
            self.log.add_message(&self.worker, None, text);
        }
    }
}

/// A line that the process writes.
enum ResponseLine {
    Stream(Value),
    Progress(Value),
    Output(Value),
    Error(HandlerError),
}

impl ResponseLine {
    fn parse(line: &str) -> Result<Self, String> {
        let invalid = || {
            format!(
                "the worker wrote a line that is not an object with output, error, stream or \
                 progress: {}",
                line.chars().take(200).collect::<String>(),
            )
        };
        let Ok(Value::Object(mut members)) = serde_json::from_str(line) else {
            return Err(invalid());
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
            Err(invalid())
        }
    }
}
