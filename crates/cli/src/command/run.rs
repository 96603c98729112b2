//! Submits a job, and by default waits for its output.

use std::future::{Future, IntoFuture};
use std::slice;
use std::time::{Duration, Instant};

use clap::Args;
use futures_util::future::try_join_all;
use podqueue::{Endpoint, Error, ErrorKind, Job, JobRecord, Policy, RunSync, SecretString};
use serde_json::value::RawValue;

use super::{job, record};
use crate::arguments::duration;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::input::Input;
use crate::interrupt::Signals;

/// How long a synchronous submission is held open.
const SYNC_WAIT: Duration = Duration::from_secs(90);
const SHORTEST_SYNC_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,

    #[command(flatten)]
    input: Input,

    /// Print the job's id instead of waiting.
    #[arg(long, conflicts_with_all = ["sync", "stream", "timeout", "cancel_on_interrupt", "raw"])]
    detach: bool,

    /// Submit synchronously: fewer requests for short jobs, but results expire after a minute.
    #[arg(long, conflicts_with = "stream")]
    sync: bool,

    /// Print chunks as lines, as they come.
    #[arg(long)]
    stream: bool,

    #[command(flatten)]
    waiting: Waiting,

    /// The longest time that the job may run once a worker has it: 5s to 7days, 10m by default.
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Job")]
    execution_timeout: Option<Duration>,

    /// How long the job may exist, from submission on: 10s to 7days, 24h by default.
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Job")]
    ttl: Option<Duration>,

    /// Do not start workers for this job.
    #[arg(long, help_heading = "Job")]
    low_priority: bool,

    /// The URL that the service calls when the job has finished.
    #[arg(long, value_name = "URL", help_heading = "Job")]
    webhook: Option<String>,

    /// Submit again if the outcome is unknown: the job may then run twice.
    #[arg(long, help_heading = "Job")]
    at_least_once: bool,
}

/// How a command waits for a job.
#[derive(Debug, Default, Args)]
pub struct Waiting {
    /// The longest time to wait, such as 90s, 10m or 2h.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Duration>,

    /// Cancel the job when --timeout has passed.
    #[arg(long, requires = "timeout")]
    pub cancel_on_timeout: bool,

    /// Cancel the job on Ctrl-C or SIGTERM.
    #[arg(long)]
    pub cancel_on_interrupt: bool,

    /// Print outputs that are strings verbatim, without JSON's quotes.
    #[arg(long, short)]
    pub raw: bool,
}

pub async fn run(context: &Context, arguments: Arguments) -> Result<Exit, Failure> {
    let input = arguments.input.read()?;
    let endpoint = context.endpoint(&arguments.endpoint)?;
    let started = Instant::now();
    let mut signals = Signals::listen()?;
    let job = if arguments.sync {
        match submit_sync(context, &arguments, &endpoint, &input, &mut signals).await? {
            record if record.status().is_terminal() => {
                return finished(context, &record, &arguments.waiting);
            }
            record => record.job().clone(),
        }
    } else {
        submit(context, &arguments, &endpoint, &input, &mut signals).await?
    };
    if arguments.detach {
        return match context.output.is_json() {
            true => context.output.json(&serde_json::json!({
                "endpoint": endpoint.id(), "job_id": job.id(), "status": "IN_QUEUE",
            })),
            false => context.output.line(job.id()),
        }
        .map(|()| Exit::Done);
    }
    let waiting = Waiting {
        timeout: arguments.waiting.timeout.map(|timeout| timeout.saturating_sub(started.elapsed())),
        ..arguments.waiting
    };
    let follow = async {
        if arguments.stream {
            job::follow_stream(context, &job, &waiting).await
        } else {
            wait(context, &job, &waiting).await
        }
    };
    let command = if arguments.stream { "stream" } else { "wait" };
    unless_interrupted(&mut signals, command, slice::from_ref(&job), &waiting, follow).await
}

async fn submit(
    context: &Context,
    arguments: &Arguments,
    endpoint: &Endpoint,
    input: &RawValue,
    signals: &mut Signals,
) -> Result<Job, Failure> {
    let _progress = context.output.progress(format!("submitting to {}", endpoint.id()));
    let mut run = endpoint.run(input).policy(policy(arguments));
    if let Some(url) = &arguments.webhook {
        run = run.webhook(SecretString::from(url.as_str()));
    }
    if arguments.at_least_once {
        run = run.at_least_once();
    }
    submitted(endpoint, signals, run.into_future()).await
}

async fn submit_sync(
    context: &Context,
    arguments: &Arguments,
    endpoint: &Endpoint,
    input: &RawValue,
    signals: &mut Signals,
) -> Result<JobRecord, Failure> {
    let _progress = context.output.progress(format!("waiting for {}", endpoint.id()));
    let longest = arguments.waiting.timeout.unwrap_or(SYNC_WAIT);
    let mut run: RunSync = endpoint
        .run_sync(input)
        .policy(policy(arguments))
        .wait(longest.clamp(SHORTEST_SYNC_WAIT, SYNC_WAIT));
    if let Some(url) = &arguments.webhook {
        run = run.webhook(SecretString::from(url.as_str()));
    }
    if arguments.at_least_once {
        run = run.at_least_once();
    }
    submitted(endpoint, signals, async {
        match run.await {
            Err(error) => error.record().cloned().ok_or(error),
            result => result,
        }
    })
    .await
}

/// Awaits a submission. Once it is under way, an interruption leaves its outcome unknown.
async fn submitted<T>(
    endpoint: &Endpoint,
    signals: &mut Signals,
    submission: impl Future<Output = Result<T, Error>>,
) -> Result<T, Failure> {
    match signals.unless(submission).await {
        Ok(result) => result.map_err(|error| Failure::on_endpoint(&error, endpoint.id())),
        Err(interrupted) => {
            let mut failure = Failure::from(interrupted);
            failure.message = "interrupted while submitting: the job may have been accepted".into();
            Err(failure.hint(format!("to see whether: podqueue health {}", quoted(endpoint.id()))))
        }
    }
}

fn policy(arguments: &Arguments) -> Policy {
    let mut policy = Policy::new();
    if let Some(timeout) = arguments.execution_timeout {
        policy = policy.execution_timeout(timeout);
    }
    if let Some(ttl) = arguments.ttl {
        policy = policy.ttl(ttl);
    }
    if arguments.low_priority {
        policy = policy.low_priority(true);
    }
    policy
}

/// Waits for a job, and prints its output.
async fn wait(context: &Context, job: &Job, waiting: &Waiting) -> Result<Exit, Failure> {
    let progress = context.output.progress(format!("waiting for job {}", job.id()));
    let result = until_ended(job, waiting).await;
    drop(progress);
    finished(context, &result?, waiting)
}

/// Waits for a job. One that failed is a record, too.
pub async fn until_ended(job: &Job, waiting: &Waiting) -> Result<JobRecord, Failure> {
    let mut wait = job.wait();
    if let Some(timeout) = waiting.timeout {
        wait = wait.timeout(timeout);
    }
    if waiting.cancel_on_timeout {
        wait = wait.cancel_on_timeout();
    }
    wait.await.or_else(|error| match (error.kind(), error.record()) {
        (ErrorKind::JobFailed | ErrorKind::JobCancelled | ErrorKind::JobTimedOut, Some(record)) => {
            Ok(record.clone())
        }
        _ => Err(Failure::on_endpoint(&error, job.endpoint().id())),
    })
}

/// Prints the output of a job that has ended, or its failure.
pub fn finished(context: &Context, record: &JobRecord, waiting: &Waiting) -> Result<Exit, Failure> {
    if context.output.is_json() {
        record::print_json(context, record)?;
    }
    match record.clone().into_result() {
        Err(error) => Err(Failure::on_endpoint(&error, record.job().endpoint().id())),
        Ok(_) if context.output.is_json() => Ok(Exit::Done),
        Ok(record) => record::print_output(context, &record, waiting.raw).map(|()| Exit::Done),
    }
}

/// Does `work` with jobs. When interrupted, cancels the jobs if asked to, or tells how to go on with
/// `command`.
pub async fn unless_interrupted(
    signals: &mut Signals,
    command: &str,
    jobs: &[Job],
    waiting: &Waiting,
    work: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    let interrupted = match signals.unless(work).await {
        Ok(result) => return result,
        Err(interrupted) => Failure::from(interrupted),
    };
    let ids: Vec<String> = jobs.iter().map(|job| quoted(job.id())).collect();
    let endpoint = jobs.first().map(|job| quoted(job.endpoint().id())).unwrap_or_default();
    let (ids, it) = (ids.join(" "), if ids.len() == 1 { "the job" } else { "the jobs" });
    if !waiting.cancel_on_interrupt {
        let mut failure = interrupted
            .hint(format!("{it} can be picked up again: podqueue {command} {endpoint} {ids}"))
            .hint(format!("or cancelled: podqueue cancel {endpoint} {ids}"));
        failure.message = format!("interrupted; the service goes on with {it}");
        return Err(failure);
    }
    let cancel = try_join_all(jobs.iter().map(|job| async { job.cancel().await }));
    let outcome = match signals.unless(cancel).await {
        Ok(Ok(_)) => {
            return Err(Failure { message: format!("interrupted; cancelled {it}"), ..interrupted });
        }
        Ok(Err(error)) => format!("interrupted; failed to cancel {it}: {error}"),
        Err(_) => format!("interrupted again while cancelling {it}"),
    };
    let hint = format!("see what became of it: podqueue status {endpoint} {ids}");
    Err(Failure { message: outcome, ..interrupted }.hint(hint))
}
