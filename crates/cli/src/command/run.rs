//! Submits a job, and by default waits for its output.

use std::future::{Future, IntoFuture};
use std::slice;
use std::time::{Duration, Instant};

use clap::Args;
use podqueue::{Endpoint, Error, Job, JobRecord, Policy, RunSync, SecretString};
use serde_json::value::RawValue;

use super::following::{Waiting, finished, follow_stream, unless_interrupted, wait};
use crate::context::Context;
use crate::duration::duration;
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
            follow_stream(context, &job, &waiting).await
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
