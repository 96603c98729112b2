//! Commands for jobs whose ids are known.

use std::future::{Future, IntoFuture};
use std::slice;
use std::time::Duration;

use clap::Args;
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use podqueue::{Error, Job, JobRecord};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::record;
use super::run::{Waiting, finished, unless_interrupted, until_ended};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};
use crate::interrupt::Signals;
use crate::output::number;

/// How many calls are in flight at a time; the client's limiter sets their pace.
const CONCURRENCY: usize = 20;

/// Jobs of an endpoint.
#[derive(Debug, Args)]
pub struct Jobs {
    /// The endpoint's id.
    endpoint: String,

    /// The job's id; several are possible.
    #[arg(required = true, value_name = "JOB")]
    jobs: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Wait {
    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    waiting: Waiting,
}

#[derive(Debug, Args)]
pub struct Stream {
    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    waiting: Waiting,
}

impl Jobs {
    pub fn handles(&self, context: &Context) -> Result<Vec<Job>, Failure> {
        let endpoint = context.endpoint(&self.endpoint)?;
        Ok(self.jobs.iter().map(|id| endpoint.job(id)).collect())
    }
}

pub async fn status(context: &Context, jobs: &Jobs) -> Result<Exit, Failure> {
    call_each(context, jobs, "reading", record::exit, |job| async move { job.status().await }).await
}

pub async fn cancel(context: &Context, jobs: &Jobs) -> Result<Exit, Failure> {
    let exit = |_: &JobRecord| Exit::Done;
    call_each(context, jobs, "cancelling", exit, |job| job.cancel().into_future()).await
}

pub async fn retry(context: &Context, jobs: &Jobs) -> Result<Exit, Failure> {
    let exit = |_: &JobRecord| Exit::Done;
    call_each(context, jobs, "retrying", exit, |job| job.retry().into_future()).await
}

/// Makes a call for each job, and prints what comes back in the order of the arguments.
async fn call_each<F>(
    context: &Context,
    jobs: &Jobs,
    doing: &str,
    exit: impl Fn(&JobRecord) -> Exit,
    call: impl Fn(Job) -> F,
) -> Result<Exit, Failure>
where
    F: Future<Output = Result<JobRecord, Error>>,
{
    let handles = jobs.handles(context)?;
    let mut signals = Signals::listen()?;
    let progress = context.output.progress(format!("{doing} {}", count(&handles)));
    let calls = stream::iter(handles).map(call).buffered(CONCURRENCY).collect::<Vec<_>>();
    let results = signals.unless(calls).await;
    drop(progress);
    let results = results?
        .into_iter()
        .map(|result| result.map_err(|error| Failure::on_endpoint(&error, &jobs.endpoint)));
    print_each(context, results, exit)
}

/// Prints records as lines of JSON or as one table, and failures besides.
fn print_each(
    context: &Context,
    results: impl Iterator<Item = Result<JobRecord, Failure>>,
    exit: impl Fn(&JobRecord) -> Exit,
) -> Result<Exit, Failure> {
    let mut ends = Exit::Done;
    let (mut records, mut failures) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(record) => {
                ends = ends.or_worse(exit(&record));
                records.push(record);
            }
            Err(failure) => failures.push(failure),
        }
    }
    if context.output.is_json() {
        for record in &records {
            record::print_json(context, record)?;
        }
    } else if !records.is_empty() {
        record::print_table(context, &records)?;
    }
    let failed = failures.iter().map(|failure| context.output.failure(failure));
    Ok(failed.fold(ends, Exit::or_worse))
}

pub async fn wait(context: &Context, arguments: &Wait) -> Result<Exit, Failure> {
    let jobs = arguments.jobs.handles(context)?;
    let waiting = &arguments.waiting;
    let mut signals = Signals::listen()?;
    let work = async {
        let progress = context.output.progress(format!("waiting for {}", count(&jobs)));
        let waits = jobs.iter().map(|job| until_ended(job, waiting));
        if let [job] = jobs.as_slice() {
            let result = until_ended(job, waiting).await;
            drop(progress);
            return finished(context, &result?, waiting);
        }
        let results = join_all(waits).await;
        drop(progress);
        print_each(context, results.into_iter(), record::exit)
    };
    unless_interrupted(&mut signals, "wait", &jobs, waiting, work).await
}

pub async fn stream(context: &Context, arguments: &Stream) -> Result<Exit, Failure> {
    let jobs = arguments.jobs.handles(context)?;
    let waiting = &arguments.waiting;
    let mut signals = Signals::listen()?;
    let mut ends = Exit::Done;
    for job in &jobs {
        let work = follow_stream(context, job, waiting);
        let work = unless_interrupted(&mut signals, "stream", slice::from_ref(job), waiting, work);
        ends = match work.await {
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) if failure.message.is_empty() => return Err(failure),
            Err(failure) => ends.or_worse(context.output.failure(&failure)),
            Ok(exit) => ends.or_worse(exit),
        };
    }
    Ok(ends)
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
    let message = format!("job {} has not finished within {longest:?}", job.id());
    let id = quoted(job.id());
    Err(Failure::new(Exit::Deadline, message)
        .hint(format!("the job goes on: podqueue stream {endpoint} {id}")))
}

async fn print_chunks(context: &Context, job: &Job, waiting: &Waiting) -> Result<Exit, Failure> {
    let endpoint = job.endpoint().id();
    let mut progress = Some(context.output.progress(format!("waiting for job {}", job.id())));
    let mut chunks = job.stream::<Box<RawValue>>();
    let mut failure: Option<Failure> = None;
    while let Some(chunk) = chunks.next().await {
        progress.take();
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
                context.output.json(&ChunkShape {
                    endpoint,
                    job_id: job.id(),
                    output: &chunk.output,
                    metrics,
                    after_gap: chunk.after_gap,
                })?;
            }
            Ok(chunk) => {
                if chunk.after_gap {
                    context.output.warn("chunks may be missing here: a response was lost");
                }
                record::print_value(context, &chunk.output, waiting.raw)?;
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

fn count(jobs: &[Job]) -> String {
    match jobs {
        [job] => format!("job {}", job.id()),
        jobs => format!("{} jobs", jobs.len()),
    }
}
