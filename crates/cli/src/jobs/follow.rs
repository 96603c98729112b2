//! Job follower: waits for or streams jobs, until their end or an interruption.

use std::future::Future;
use std::time::Duration;

use clap::Args;
use futures_util::StreamExt;
use futures_util::future::join_all;
use podqueue::{ErrorKind, Job, JobRecord};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::record;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::input::parse_duration;
use crate::interrupt::Signals;
use crate::output::json_number;

/// Options of a command that waits for a job.
#[derive(Debug, Default, Args)]
pub struct WaitOptions {
    /// The longest time to wait, such as 90s, 10m or 2h.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Cancel the job when --timeout has passed.
    #[arg(long, requires = "timeout")]
    pub cancel_on_timeout: bool,

    /// Cancel the job on Ctrl-C or SIGTERM.
    #[arg(long)]
    pub cancel_on_interrupt: bool,

    /// Print outputs that are strings verbatim, without JSON's quotes.
    ///
    /// On a terminal, characters that would control it are escaped.
    #[arg(long, short)]
    pub raw: bool,
}

/// Timeout of reading the status once.
const STATUS_TIMEOUT: Duration = Duration::from_secs(1);

/// Waits for a job, and prints its output.
pub async fn wait(context: &Context, job: &Job, waiting: &WaitOptions) -> Result<Exit, Failure> {
    let what = format!("waiting for job {}", job.id());
    let record = context.output.with_progress(what, wait_for_end(job, waiting)).await?;
    print_outcome(context, &record, waiting)
}

/// Waits for a job, and returns its record, also if it failed.
pub async fn wait_for_end(job: &Job, waiting: &WaitOptions) -> Result<JobRecord, Failure> {
    let mut wait = job.wait();
    if let Some(timeout) = waiting.timeout {
        // A timeout of zero reads the status once, unless it cancels the job.
        let is_status_only = timeout.is_zero() && !waiting.cancel_on_timeout;
        wait = wait.timeout(if is_status_only { STATUS_TIMEOUT } else { timeout });
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

/// Prints the output of a finished job, or its failure.
pub fn print_outcome(
    context: &Context,
    record: &JobRecord,
    waiting: &WaitOptions,
) -> Result<Exit, Failure> {
    let unwritten = |failure: Failure| failure.if_unwritten(|| retention_hint(record.job()));
    if context.output.is_json() {
        record::print_json(context, record).map_err(unwritten)?;
    }
    match record.clone().into_result() {
        Err(error) => Err(Failure::on_endpoint(&error, record.job().endpoint().id())),
        Ok(record) => {
            let output = record::completed(&record)?;
            if !context.output.is_json() {
                record::print_value(context, &output, waiting.raw).map_err(unwritten)?;
            }
            Ok(Exit::Done)
        }
    }
}

/// Hint on how to get the output of a job that could not be written.
pub fn retention_hint(job: &Job) -> String {
    let (endpoint, id) = (quoted(job.endpoint().id()), quoted(job.id()));
    format!("the service keeps the output for a while: podqueue wait {endpoint} {id}")
}

/// Runs `work` on jobs. An interruption cancels the jobs if requested, or prints how to continue
/// with `command`.
pub async fn unless_interrupted(
    context: &Context,
    signals: &mut Signals,
    command: &str,
    jobs: &[Job],
    waiting: &WaitOptions,
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
            .hint(format!("to continue with {it}: podqueue {command} {endpoint} {ids}"))
            .hint(format!("to cancel {it}: podqueue cancel {endpoint} {ids}"));
        failure.message = format!("interrupted; the service continues with {it}");
        return Err(failure);
    }
    // Cancelling may take a while, and the user must see that Ctrl-C had an effect.
    context.output.note(format_args!("interrupted; cancelling {it}, unless interrupted again"));
    let cancel = join_all(jobs.iter().map(|job| async { job.cancel().await.err() }));
    let outcome = match signals.unless(cancel).await {
        // All are cancelled, even if one of them has ended and cannot be cancelled.
        Ok(failed) => match failed.into_iter().flatten().next() {
            None => {
                let message = format!("interrupted; cancelled {it}");
                return Err(Failure { message, ..interrupted });
            }
            Some(error) => format!("interrupted; failed to cancel {it}: {error}"),
        },
        Err(_) => format!("interrupted again while cancelling {it}"),
    };
    let hint = format!("to see the status: podqueue status {endpoint} {ids}");
    Err(Failure { message: outcome, ..interrupted }.hint(hint))
}

/// Prints a job's chunks until it ends.
pub async fn follow_stream(
    context: &Context,
    job: &Job,
    waiting: &WaitOptions,
) -> Result<Exit, Failure> {
    let Some(longest) = waiting.timeout else {
        return print_chunks(context, job, waiting).await;
    };
    if let Ok(result) = timeout(longest, print_chunks(context, job, waiting)).await {
        return result;
    }
    if waiting.cancel_on_timeout {
        // A wait with an elapsed timeout cancels the job, and reads its status.
        let no_time = WaitOptions { timeout: Some(Duration::ZERO), ..*waiting };
        let record = wait_for_end(job, &no_time).await?;
        return print_outcome(context, &record, waiting);
    }
    let endpoint = quoted(job.endpoint().id());
    // The job may have ended: the service may not have responded at all.
    let (id, longest) = (job.id(), humantime::format_duration(longest));
    let message = format!("the stream of job {id} did not end within {longest}");
    let id = quoted(id);
    Err(Failure::new(Exit::TimedOut, message)
        .hint(format!("the job may continue: podqueue stream {endpoint} {id}")))
}

async fn print_chunks(
    context: &Context,
    job: &Job,
    waiting: &WaitOptions,
) -> Result<Exit, Failure> {
    let unwritten = |failure: Failure| failure.if_unwritten(|| retention_hint(job));
    let endpoint = job.endpoint().id();
    let mut progress = Some(context.output.progress(format!("waiting for job {}", job.id())));
    let mut chunks = job.stream::<Box<RawValue>>();
    let mut failure: Option<Failure> = None;
    let mut is_empty = true;
    while let Some(chunk) = chunks.next().await {
        progress.take();
        is_empty = false;
        match chunk {
            Ok(chunk) if context.output.is_json() => {
                let mut metrics = serde_json::Map::new();
                for (name, value) in numbers(&chunk.metrics) {
                    metrics.insert(name.to_owned(), json_number(value));
                }
                if let Some(scenario) = chunk.metrics.scenario {
                    metrics.insert("scenario".to_owned(), scenario.into());
                }
                metrics.extend(chunk.metrics.others);
                let shape = ChunkShape {
                    endpoint,
                    job_id: job.id(),
                    output: &chunk.output,
                    metrics,
                    after_gap: chunk.after_gap,
                };
                context.output.json(&shape).map_err(unwritten)?;
            }
            Ok(chunk) => {
                if chunk.after_gap {
                    context.output.warn("chunks may be missing here: a response was lost");
                }
                record::print_value(context, &chunk.output, waiting.raw).map_err(unwritten)?;
            }
            Err(error) => {
                let next = Failure::on_endpoint(&error, endpoint);
                // The last failure ends the program; earlier failures are printed.
                if let Some(earlier) = failure.replace(next) {
                    context.output.failure(&earlier);
                }
            }
        }
    }
    if is_empty {
        // The handler does not stream, or the chunks were read before.
        let (endpoint, id) = (quoted(endpoint), quoted(job.id()));
        progress.take();
        context.output.hint(format_args!(
            "the job has no chunks to read; its whole output: podqueue wait {endpoint} {id}"
        ));
    }
    failure.map_or(Ok(Exit::Done), Err)
}

#[derive(serde::Serialize)]
struct ChunkShape<'a> {
    endpoint: &'a str,
    job_id: &'a str,
    output: &'a RawValue,
    metrics: serde_json::Map<String, serde_json::Value>,
    after_gap: bool,
}

fn numbers(metrics: &podqueue::Metrics) -> impl Iterator<Item = (&'static str, f64)> {
    [
        ("avg_gen_throughput", metrics.avg_gen_throughput),
        ("avg_prompt_throughput", metrics.avg_prompt_throughput),
        ("cpu_kv_cache_usage", metrics.cpu_kv_cache_usage),
        ("gpu_kv_cache_usage", metrics.gpu_kv_cache_usage),
        ("input_tokens", metrics.input_tokens),
        ("output_tokens", metrics.output_tokens),
        ("pending", metrics.pending),
        ("running", metrics.running),
        ("stream_index", metrics.stream_index),
        ("swapped", metrics.swapped),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
}
