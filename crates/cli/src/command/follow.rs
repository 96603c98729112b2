//! Following jobs to their end: waiting, streaming, and what an interruption does.

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
use crate::duration::duration;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::interrupt::Signals;
use crate::output::number;

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
    ///
    /// On a terminal, characters that would control it are escaped.
    #[arg(long, short)]
    pub raw: bool,
}

/// What a look at a job may take.
const ONE_LOOK: Duration = Duration::from_secs(1);

/// Waits for a job, and prints its output.
pub async fn wait(context: &Context, job: &Job, waiting: &Waiting) -> Result<Exit, Failure> {
    let what = format!("waiting for job {}", job.id());
    let record = context.output.during(what, until_ended(job, waiting)).await?;
    finished(context, &record, waiting)
}

/// Waits for a job. One that failed is a record, too.
pub async fn until_ended(job: &Job, waiting: &Waiting) -> Result<JobRecord, Failure> {
    let mut wait = job.wait();
    if let Some(timeout) = waiting.timeout {
        // Whoever has no time wants to know how it is, unless the job is to be cancelled.
        let is_a_look = timeout.is_zero() && !waiting.cancel_on_timeout;
        wait = wait.timeout(if is_a_look { ONE_LOOK } else { timeout });
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
    let unwritten = |failure: Failure| failure.if_unwritten(|| kept(record.job()));
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

/// How to get at a job of which something could not be written.
pub fn kept(job: &Job) -> String {
    let (endpoint, id) = (quoted(job.endpoint().id()), quoted(job.id()));
    format!("the service keeps the output for a while: podqueue wait {endpoint} {id}")
}

/// Does `work` with jobs. When interrupted, cancels the jobs if asked to, or tells how to go on with
/// `command`.
pub async fn unless_interrupted(
    context: &Context,
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
    // The service may take its time, and who has pressed Ctrl-C must not think that it did nothing.
    context.output.note(format_args!("interrupted; cancelling {it}, unless interrupted again"));
    let cancel = join_all(jobs.iter().map(|job| async { job.cancel().await.err() }));
    let outcome = match signals.unless(cancel).await {
        // Also those that come after one that has ended and cannot be cancelled any more.
        Ok(failed) => match failed.into_iter().flatten().next() {
            None => {
                let message = format!("interrupted; cancelled {it}");
                return Err(Failure { message, ..interrupted });
            }
            Some(error) => format!("interrupted; failed to cancel {it}: {error}"),
        },
        Err(_) => format!("interrupted again while cancelling {it}"),
    };
    let hint = format!("see what became of it: podqueue status {endpoint} {ids}");
    Err(Failure { message: outcome, ..interrupted }.hint(hint))
}

/// Prints a job's chunks until it ends.
pub async fn follow_stream(
    context: &Context,
    job: &Job,
    waiting: &Waiting,
) -> Result<Exit, Failure> {
    let Some(longest) = waiting.timeout else {
        return print_chunks(context, job, waiting).await;
    };
    if let Ok(result) = timeout(longest, print_chunks(context, job, waiting)).await {
        return result;
    }
    if waiting.cancel_on_timeout {
        // A wait whose time is over cancels the job, and finds out what became of it.
        let no_time = Waiting { timeout: Some(Duration::ZERO), ..*waiting };
        let record = until_ended(job, &no_time).await?;
        return finished(context, &record, waiting);
    }
    let endpoint = quoted(job.endpoint().id());
    // Nor is it known that the job has not ended: the service may not have responded at all.
    let (id, longest) = (job.id(), humantime::format_duration(longest));
    let message = format!("the stream of job {id} did not end within {longest}");
    let id = quoted(id);
    Err(Failure::new(Exit::Deadline, message)
        .hint(format!("the job may go on: podqueue stream {endpoint} {id}")))
}

async fn print_chunks(context: &Context, job: &Job, waiting: &Waiting) -> Result<Exit, Failure> {
    let unwritten = |failure: Failure| failure.if_unwritten(|| kept(job));
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
                    metrics.insert(name.to_owned(), number(value));
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
                // All but the last; that one ends the program.
                if let Some(earlier) = failure.replace(next) {
                    context.output.failure(&earlier);
                }
            }
        }
    }
    if is_empty {
        // Such as those of a handler that does not stream, or of a job whose chunks were read before.
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
