//! Command `run`: submission of a job, which by default waits for its output.

use std::collections::BTreeMap;
use std::future::{Future, IntoFuture};
use std::path::Path;
use std::slice;
use std::time::{Duration, Instant};

use clap::Args;
use podqueue::{Endpoint, Error, Job, JobRecord, RunSync, S3Config, SecretString};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::input::{Input, read_stdin};
use crate::interrupt::Signals;
use crate::jobs::PolicyArguments;
use crate::jobs::follow::{
    WaitOptions, follow_stream, print_outcome, retention_hint, unless_interrupted, wait,
};
use crate::json::one_line;
use crate::settings::read_private_file;

/// Maximum wait of a synchronous submission.
const MAX_SYNC_WAIT: Duration = Duration::from_secs(90);
/// Minimum timeout of a submission.
const MIN_SUBMISSION_TIMEOUT: Duration = Duration::from_secs(1);
/// Additional time for the response to a synchronous submission.
const RESPONSE_MARGIN: Duration = Duration::from_secs(5);

/// The members of the object-storage settings.
const STORAGE_MEMBERS: [&str; 4] = ["accessId", "accessSecret", "bucketName", "endpointUrl"];

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

    /// Print chunks as lines, as they arrive.
    #[arg(long)]
    stream: bool,

    #[command(flatten)]
    waiting: WaitOptions,

    #[command(flatten)]
    policy: PolicyArguments,

    /// The URL that the service calls when the job has finished.
    #[arg(long, value_name = "URL", help_heading = "Job")]
    webhook: Option<String>,

    /// A file with object-storage settings for the worker; - for standard input.
    ///
    /// A JSON object with the strings accessId, accessSecret, bucketName and endpointUrl. Only its
    /// owner may be able to read the file.
    #[arg(long, value_name = "FILE", help_heading = "Job")]
    s3_config: Option<String>,

    /// Submit again if the outcome is unknown: the job may then run twice.
    #[arg(long, help_heading = "Job")]
    at_least_once: bool,
}

pub async fn run(context: &Context, arguments: Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    if arguments.input.is_stdin() && arguments.s3_config.as_deref() == Some("-") {
        let message = "INPUT and --s3-config cannot both be read from standard input";
        return Err(Failure::usage(message));
    }
    let input = arguments.input.clone();
    let input = signals.unless_blocked(move || input.read()).await??;
    let storage = match arguments.s3_config.clone() {
        Some(file) => Some(signals.unless_blocked(move || read_storage(&file)).await??),
        None => None,
    };
    let endpoint = context.endpoint(&arguments.endpoint)?;
    let started = Instant::now();
    let job = if arguments.sync {
        match submit_sync(context, &arguments, &endpoint, &input, storage, &mut signals).await? {
            record if record.status().is_terminal() => {
                return print_outcome(context, &record, &arguments.waiting);
            }
            record => record.job().clone(),
        }
    } else {
        submit(context, &arguments, &endpoint, &input, storage, &mut signals).await?
    };
    if arguments.detach {
        return match context.output.is_json() {
            true => context.output.json(&serde_json::json!({
                "endpoint": endpoint.id(), "job_id": job.id(), "status": "IN_QUEUE",
            })),
            false => context.output.line(one_line(job.id())),
        }
        .map(|()| Exit::Done)
        .map_err(|failure| {
            let effect = format!("the job was submitted: {}", quoted(job.id()));
            failure.if_unwritten(|| retention_hint(&job)).despite_creation(&effect)
        });
    }
    let waiting = WaitOptions {
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
    unless_interrupted(context, &mut signals, command, slice::from_ref(&job), &waiting, follow)
        .await
}

async fn submit(
    context: &Context,
    arguments: &Arguments,
    endpoint: &Endpoint,
    input: &RawValue,
    storage: Option<S3Config>,
    signals: &mut Signals,
) -> Result<Job, Failure> {
    let _progress = context.output.progress(format!("submitting to {}", endpoint.id()));
    let mut run = endpoint.run(input).policy(arguments.policy.policy());
    if let Some(url) = &arguments.webhook {
        run = run.webhook(SecretString::from(url.as_str()));
    }
    if let Some(storage) = storage {
        run = run.s3_config(storage);
    }
    if arguments.at_least_once {
        run = run.at_least_once();
    }
    let deadline = arguments.waiting.timeout.map(|timeout| timeout.max(MIN_SUBMISSION_TIMEOUT));
    await_submission(endpoint, signals, deadline, run.into_future()).await
}

async fn submit_sync(
    context: &Context,
    arguments: &Arguments,
    endpoint: &Endpoint,
    input: &RawValue,
    storage: Option<S3Config>,
    signals: &mut Signals,
) -> Result<JobRecord, Failure> {
    let _progress = context.output.progress(format!("waiting for {}", endpoint.id()));
    let longest = arguments.waiting.timeout.unwrap_or(MAX_SYNC_WAIT);
    let mut run: RunSync = endpoint
        .run_sync(input)
        .policy(arguments.policy.policy())
        .wait(longest.clamp(MIN_SUBMISSION_TIMEOUT, MAX_SYNC_WAIT));
    if let Some(url) = &arguments.webhook {
        run = run.webhook(SecretString::from(url.as_str()));
    }
    if let Some(storage) = storage {
        run = run.s3_config(storage);
    }
    if arguments.at_least_once {
        run = run.at_least_once();
    }
    let deadline = arguments
        .waiting
        .timeout
        .map(|timeout| timeout.max(MIN_SUBMISSION_TIMEOUT).saturating_add(RESPONSE_MARGIN));
    await_submission(endpoint, signals, deadline, async {
        match run.await {
            Err(error) => error.record().cloned().ok_or(error),
            result => result,
        }
    })
    .await
}

/// Awaits a submission. An interruption or a timeout leaves its outcome unknown.
async fn await_submission<T>(
    endpoint: &Endpoint,
    signals: &mut Signals,
    deadline: Option<Duration>,
    submission: impl Future<Output = Result<T, Error>>,
) -> Result<T, Failure> {
    let bounded = async {
        match deadline {
            Some(deadline) => timeout(deadline, submission).await.ok(),
            None => Some(submission.await),
        }
    };
    let (exit, what) = match signals.unless(bounded).await {
        Ok(Some(result)) => {
            return result.map_err(|error| Failure::on_endpoint(&error, endpoint.id()));
        }
        Ok(None) => (Exit::OutcomeUnknown, "--timeout has passed"),
        Err(_) => (Exit::Interrupted, "interrupted"),
    };
    Err(Failure::new(exit, format!("{what} while submitting: the job may have been accepted"))
        .hint(format!("to see whether it was: podqueue health {}", quoted(endpoint.id()))))
}

/// Reads object-storage settings from a file that only its owner can read, or from standard input
/// for `-`.
fn read_storage(file: &str) -> Result<S3Config, Failure> {
    let (text, file) = match file {
        "-" => (read_stdin()?, "standard input"),
        path => (read_private_file("storage settings", Path::new(path))?, path),
    };
    // Omits the parser's message, which may contain a value.
    let invalid = || {
        let members = STORAGE_MEMBERS.join(", ");
        Failure::usage(format!("{file} must be a JSON object with the strings {members}"))
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let object: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|_| invalid())?;
    if let Some(unknown) = object.keys().find(|name| !STORAGE_MEMBERS.contains(&name.as_str())) {
        return Err(Failure::usage(format!("{file} has an unknown member `{unknown}`"))
            .hint(format!("it has: {}", STORAGE_MEMBERS.join(", "))));
    }
    let member = |name: &str| object.get(name).and_then(Value::as_str).ok_or_else(invalid);
    let [id, secret, bucket, url] = STORAGE_MEMBERS.map(member);
    Ok(S3Config::new(id?, secret?, bucket?, url?))
}
