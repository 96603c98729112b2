//! Handlers in any language: a command runs as the worker, one process for each, and speaks JSON
//! lines on its standard input and output.

use std::collections::HashMap;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Mutex;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command as Shell};

use super::{Handler, HandlerError, LocalJob, WorkerLost};
use crate::clock::milliseconds;
use crate::queue::WorkerId;
use crate::sync::locked;

/// A shell command that serves as the endpoint's worker.
pub(crate) struct Command {
    line: String,
    /// The processes that wait for a job. One that runs a job is with the job, so that dropping
    /// the job ends it.
    idle: Mutex<HashMap<WorkerId, Process>>,
}

impl Command {
    pub(crate) fn new(line: String) -> Self {
        Self { line, idle: Mutex::default() }
    }

    async fn run_job(&self, job: LocalJob) -> Result<Value, HandlerError> {
        let worker = job.worker();
        let idle = locked(&self.idle).remove(&worker);
        let mut process = match idle {
            Some(process) if process.is_alive() => process,
            _ => Process::start(&self.line).map_err(|error| {
                WorkerLost(format!("the worker `{}` did not start: {error}", self.line))
            })?,
        };
        let answer = tokio::select! {
            answer = process.run(&job) => answer?,
            () = job.cancelled() => return Err("stopped".into()),
        };
        locked(&self.idle).insert(worker, process);
        answer.map_err(Into::into)
    }
}

impl Handler for Command {
    fn run(&self, job: LocalJob) -> BoxFuture<'_, Result<Value, HandlerError>> {
        Box::pin(self.run_job(job))
    }

    fn worker_stopped(&self, worker: WorkerId) {
        locked(&self.idle).remove(&worker);
    }
}

/// A running command. It is killed when dropped, with the processes that it started.
struct Process {
    child: Mutex<Child>,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    fn start(line: &str) -> io::Result<Self> {
        let mut shell = Shell::new("sh");
        shell.args(["-c", line]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // A group of its own, so that what the shell starts can be ended with it.
        #[cfg(unix)]
        shell.process_group(0);
        let mut child = shell.spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipe to the process"));
        };
        Ok(Self { child: Mutex::new(child), stdin, lines: BufReader::new(stdout).lines() })
    }

    fn is_alive(&self) -> bool {
        matches!(locked(&self.child).try_wait(), Ok(None))
    }

    /// Gives the process a job and reads lines until its answer. An outer error means that the
    /// process is of no more use.
    async fn run(&mut self, job: &LocalJob) -> Result<Result<Value, String>, WorkerLost> {
        let mut line = job_line(job).to_string();
        line.push('\n');
        if let Err(error) = self.send(line.as_bytes()).await {
            return Err(self.death(&error.to_string()).await);
        }
        loop {
            let line = match self.lines.next_line().await {
                Ok(Some(line)) => line,
                Ok(None) => return Err(self.death("its output ended before an answer").await),
                Err(error) => return Err(self.death(&error.to_string()).await),
            };
            if line.trim().is_empty() {
                continue;
            }
            match Line::parse(&line).map_err(WorkerLost)? {
                Line::Stream(chunk) => job.emit(chunk).await,
                Line::Progress(value) => job.progress(value),
                Line::Output(output) => return Ok(Ok(output)),
                Line::Error(message) => return Ok(Err(message)),
            }
        }
    }

    async fn send(&mut self, line: &[u8]) -> io::Result<()> {
        self.stdin.write_all(line).await?;
        self.stdin.flush().await
    }

    /// Says how a process that does not answer ended.
    async fn death(&self, what: &str) -> WorkerLost {
        // Its exit status comes a moment after the end of its output.
        let mut status: Option<ExitStatus> = None;
        for _ in 0..20 {
            status = locked(&self.child).try_wait().ok().flatten();
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

#[cfg(unix)]
impl Drop for Process {
    fn drop(&mut self) {
        use rustix::process::{Pid, Signal, kill_process_group};
        // There is an id only while the process was not waited for, so it is no other's.
        let id = locked(&self.child).id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(Pid::from_raw) {
            // A group that is gone already needs no killing.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// The job as the process reads it.
fn job_line(job: &LocalJob) -> Value {
    let mut line = json!({ "id": job.id, "input": job.input });
    let policy = policy(job);
    if !policy.is_empty() {
        line["policy"] = Value::Object(policy);
    }
    if let Some(s3) = &job.s3_config {
        let members = [
            ("accessId", &s3.access_id),
            ("accessSecret", &s3.access_secret),
            ("bucketName", &s3.bucket_name),
            ("endpointUrl", &s3.endpoint_url),
        ];
        let given = members.into_iter().filter_map(|(name, value)| {
            value.as_ref().map(|value| (name.to_owned(), json!(value)))
        });
        line["s3Config"] = Value::Object(given.collect());
    }
    line
}

fn policy(job: &LocalJob) -> Map<String, Value> {
    let mut policy = Map::new();
    if let Some(timeout) = job.policy.execution_timeout {
        policy.insert("executionTimeout".to_owned(), json!(milliseconds(timeout)));
    }
    if let Some(ttl) = job.policy.ttl {
        policy.insert("ttl".to_owned(), json!(milliseconds(ttl)));
    }
    if job.policy.low_priority {
        policy.insert("lowPriority".to_owned(), json!(true));
    }
    policy
}

/// A line of the process.
enum Line {
    Stream(Value),
    Progress(Value),
    Output(Value),
    Error(String),
}

impl Line {
    fn parse(line: &str) -> Result<Self, String> {
        let unusable = || {
            format!(
                "the worker wrote a line that is no object with output, error, stream or \
                 progress: {}",
                line.chars().take(200).collect::<String>(),
            )
        };
        let Ok(Value::Object(mut members)) = serde_json::from_str(line) else {
            return Err(unusable());
        };
        let mut take = |name| members.remove(name);
        if let Some(output) = take("output") {
            Ok(Self::Output(output))
        } else if let Some(error) = take("error") {
            Ok(Self::Error(match error {
                Value::String(text) => text,
                other => other.to_string(),
            }))
        } else if let Some(chunk) = take("stream") {
            Ok(Self::Stream(chunk))
        } else if let Some(value) = take("progress") {
            Ok(Self::Progress(value))
        } else {
            Err(unusable())
        }
    }
}
