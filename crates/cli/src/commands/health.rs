//! Command `health`: the jobs and workers of an endpoint, once or repeatedly.

use std::time::Duration;

use clap::Args;
use podqueue::{Endpoint, Error, ErrorKind, Health};
use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::parse_duration;
use crate::interrupt::Signals;
use crate::output::{BAD, BUSY, Cell, Table};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's id.
    endpoint: String,

    /// Print a line repeatedly, until Ctrl-C, also after transient errors.
    #[arg(long)]
    watch: bool,

    /// The time between two lines of --watch, at least 1s.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "5s")]
    interval: Duration,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let endpoint = context.endpoint(&arguments.endpoint)?;
    let mut signals = Signals::listen()?;
    signals.unless(poll(context, &endpoint, arguments)).await?
}

async fn poll(
    context: &Context,
    endpoint: &Endpoint,
    arguments: &Arguments,
) -> Result<Exit, Failure> {
    let failed = |error: &Error| Failure::on_endpoint(error, endpoint.id());
    if !arguments.watch {
        let what = format!("reading the health of {}", endpoint.id());
        let health = context.output.with_progress(what, async { endpoint.health().await }).await;
        print(context, endpoint, &health.map_err(|error| failed(&error))?)?;
        return Ok(Exit::Done);
    }
    let interval = arguments.interval.max(Duration::from_secs(1));
    if !context.output.is_json() {
        context.output.line(WATCH_HEADER)?;
    }
    let mut last_error: Option<ErrorKind> = None;
    loop {
        match endpoint.health().await {
            Ok(health) => {
                match context.output.is_json() {
                    true => print_json(context, endpoint, &health)?,
                    false => context.output.line(watch_line(&health))?,
                }
                last_error = None;
            }
            Err(error) => {
                let failure = failed(&error);
                if matches!(failure.exit, Exit::NotAuthorized | Exit::NotFound | Exit::Usage) {
                    return Err(failure);
                }
                // A transient error is retried, and reported once.
                if last_error.replace(error.kind()) != Some(error.kind()) {
                    context.output.warn(format_args!("{}; trying again", failure.message));
                    failure.hints.iter().for_each(|hint| context.output.hint(hint));
                }
            }
        }
        tokio::time::sleep(interval).await;
    }
}

const WATCH_HEADER: &str =
    "  QUEUED  RUNNING  COMPLETED   FAILED  RETRIED    IDLE    BUSY  THROTTLED  UNHEALTHY";

fn watch_line(health: &Health) -> String {
    let (jobs, workers) = (&health.jobs, &health.workers);
    let known =
        |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    format!(
        "{:>8} {:>8} {:>10} {:>8} {:>8} {:>7} {:>7} {:>10} {:>10}",
        jobs.in_queue,
        jobs.in_progress,
        jobs.completed,
        jobs.failed,
        jobs.retried,
        workers.idle,
        workers.running,
        known(workers.throttled),
        known(workers.unhealthy),
    )
}

fn print(context: &Context, endpoint: &Endpoint, health: &Health) -> Result<(), Failure> {
    if context.output.is_json() {
        return print_json(context, endpoint, health);
    }
    let (jobs, workers) = (&health.jobs, &health.workers);
    let mut table = Table::default();
    let mut rows = |label: &str, counts: &[(Option<u64>, &str, anstyle::Style)]| {
        let mut label = label;
        for (count, name, style) in counts {
            let Some(count) = count else { continue };
            let style = if *count == 0 { anstyle::Style::new() } else { *style };
            table.row([label.into(), count.to_string().into(), Cell::new(*name).style(style)]);
            label = "";
        }
    };
    let plain = anstyle::Style::new();
    rows(
        "jobs",
        &[
            (Some(jobs.in_queue), "in queue", BUSY),
            (Some(jobs.in_progress), "in progress", plain),
            (Some(jobs.completed), "completed", plain),
            (Some(jobs.failed), "failed", BAD),
            (Some(jobs.retried), "retried", plain),
        ],
    );
    rows(
        "workers",
        &[
            (Some(workers.idle), "idle", plain),
            (Some(workers.running), "running", plain),
            (workers.ready, "ready", plain),
            (workers.initializing, "initializing", BUSY),
            (workers.throttled, "throttled", BAD),
            (workers.unhealthy, "unhealthy", BAD),
        ],
    );
    context.output.styled(table)
}

fn print_json(context: &Context, endpoint: &Endpoint, health: &Health) -> Result<(), Failure> {
    let (jobs, workers) = (&health.jobs, &health.workers);
    context.output.json(&json!({
        "endpoint": endpoint.id(),
        "jobs": {
            "in_queue": jobs.in_queue,
            "in_progress": jobs.in_progress,
            "completed": jobs.completed,
            "failed": jobs.failed,
            "retried": jobs.retried,
        },
        "workers": {
            "idle": workers.idle,
            "running": workers.running,
            "ready": workers.ready,
            "initializing": workers.initializing,
            "throttled": workers.throttled,
            "unhealthy": workers.unhealthy,
        },
    }))
}
