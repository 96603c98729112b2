//! Job support: the arguments that name jobs and their policy, and calls for each job, shared by
//! several commands. [`follow`] waits for jobs until they end, [`record`] prints them.

pub mod delivery_report;
pub mod follow;
pub mod record;

use std::future::Future;
use std::time::Duration;

use clap::Args;
use futures_util::{StreamExt, stream};
use podqueue::{Error, Job, JobRecord, Policy};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::parse_duration;
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

impl Jobs {
    pub fn handles(&self, context: &Context) -> Result<Vec<Job>, Failure> {
        let endpoint = context.endpoint(&self.endpoint)?;
        Ok(self.jobs.iter().map(|id| endpoint.job(id)).collect())
    }
}

/// Calls the service for each job, and prints the responses in the order of the arguments.
pub async fn call_each<F>(
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
pub fn print_each(
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

/// The noun of a message about these jobs: the id of a single job, or their number.
pub fn jobs_noun(jobs: &[Job]) -> String {
    match jobs {
        [job] => format!("job {}", job.id()),
        jobs => format!("{} jobs", jobs.len()),
    }
}

/// The policy of a job.
#[derive(Debug, Args)]
pub struct PolicyArguments {
    /// The longest time that a job may run once a worker has it: 5s to 7days, 10m by default.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Job")]
    execution_timeout: Option<Duration>,

    /// Lifespan of a job, from submission on: 10s to 7days, 24h by default.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Job")]
    ttl: Option<Duration>,

    /// Do not start workers for a job.
    #[arg(long, help_heading = "Job")]
    low_priority: bool,
}

impl PolicyArguments {
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::new();
        if let Some(timeout) = self.execution_timeout {
            policy = policy.execution_timeout(timeout);
        }
        if let Some(ttl) = self.ttl {
            policy = policy.ttl(ttl);
        }
        if self.low_priority {
            policy = policy.low_priority(true);
        }
        policy
    }
}
