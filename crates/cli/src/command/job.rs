//! Commands on jobs by id: `status`, `wait`, `stream`, `cancel` and `retry`.

use std::future::{Future, IntoFuture};
use std::slice;

use clap::Args;
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use podqueue::{Error, Job, JobRecord};

use super::follow::{self, WaitOptions, follow_stream, unless_interrupted, wait_for_end};
use super::record;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{Interrupted, Signals};

/// Maximum number of calls in flight; the rate limiter of the client sets their rate.
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
    waiting: WaitOptions,
}

#[derive(Debug, Args)]
pub struct Stream {
    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    waiting: WaitOptions,
}

impl Jobs {
    pub fn handles(&self, context: &Context) -> Result<Vec<Job>, Failure> {
        let endpoint = context.endpoint(&self.endpoint)?;
        Ok(self.jobs.iter().map(|id| endpoint.job(id)).collect())
    }
}

pub async fn status(context: &Context, jobs: &Jobs) -> Result<Exit, Failure> {
    let call = |job: Job| async move { job.status().await };
    call_each(context, jobs, "reading", Failure::from, record::exit, call).await
}

pub async fn cancel(context: &Context, jobs: &Jobs) -> Result<Exit, Failure> {
    let exit = |_: &JobRecord| Exit::Done;
    let call = |job: Job| job.cancel().into_future();
    call_each(context, jobs, "cancelling", Interrupted::while_changing, exit, call).await
}

pub async fn retry(context: &Context, jobs: &Jobs) -> Result<Exit, Failure> {
    let exit = |_: &JobRecord| Exit::Done;
    let call = |job: Job| job.retry().into_future();
    call_each(context, jobs, "retrying", Interrupted::while_changing, exit, call).await
}

/// Calls the service for each job, and prints the responses in the order of the arguments.
async fn call_each<F>(
    context: &Context,
    jobs: &Jobs,
    doing: &str,
    interrupted: impl FnOnce(Interrupted) -> Failure,
    exit: impl Fn(&JobRecord) -> Exit,
    call: impl Fn(Job) -> F,
) -> Result<Exit, Failure>
where
    F: Future<Output = Result<JobRecord, Error>>,
{
    let handles = jobs.handles(context)?;
    let mut signals = Signals::listen()?;
    let what = format!("{doing} {}", jobs_noun(&handles));
    let calls = stream::iter(handles).map(call).buffered(CONCURRENCY).collect::<Vec<_>>();
    let results = context
        .output
        .with_progress(what, signals.unless(calls))
        .await
        .map_err(interrupted)?
        .into_iter()
        .map(|result| result.map_err(|error| Failure::on_endpoint(&error, &jobs.endpoint)));
    print_each(context, results, exit)
}

/// Prints records as lines of JSON or as a table, followed by failures.
fn print_each(
    context: &Context,
    results: impl Iterator<Item = Result<JobRecord, Failure>>,
    exit: impl Fn(&JobRecord) -> Exit,
) -> Result<Exit, Failure> {
    let mut exit_code = Exit::Done;
    let (mut records, mut failures) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(record) => {
                exit_code = exit_code.or_worse(exit(&record));
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
    Ok(failed.fold(exit_code, Exit::or_worse))
}

pub async fn wait(context: &Context, arguments: &Wait) -> Result<Exit, Failure> {
    let jobs = arguments.jobs.handles(context)?;
    let waiting = &arguments.waiting;
    let mut signals = Signals::listen()?;
    let work = async {
        if let [job] = jobs.as_slice() {
            return follow::wait(context, job, waiting).await;
        }
        let waits = join_all(jobs.iter().map(|job| wait_for_end(job, waiting)));
        let what = format!("waiting for {}", jobs_noun(&jobs));
        let results = context.output.with_progress(what, waits).await;
        print_each(context, results.into_iter(), record::exit)
    };
    unless_interrupted(context, &mut signals, "wait", &jobs, waiting, work).await
}

pub async fn stream(context: &Context, arguments: &Stream) -> Result<Exit, Failure> {
    let jobs = arguments.jobs.handles(context)?;
    let waiting = &arguments.waiting;
    let mut signals = Signals::listen()?;
    let mut exit_code = Exit::Done;
    for job in &jobs {
        let work = follow_stream(context, job, waiting);
        let job = slice::from_ref(job);
        let work = unless_interrupted(context, &mut signals, "stream", job, waiting, work);
        exit_code = match work.await {
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) if failure.message.is_empty() => return Err(failure),
            Err(failure) => exit_code.or_worse(context.output.failure(&failure)),
            Ok(exit) => exit_code.or_worse(exit),
        };
    }
    Ok(exit_code)
}

/// The noun of a message about these jobs: the id of a single job, or their number.
pub fn jobs_noun(jobs: &[Job]) -> String {
    match jobs {
        [job] => format!("job {}", job.id()),
        jobs => format!("{} jobs", jobs.len()),
    }
}
