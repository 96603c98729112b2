//! Command `jobs`: the jobs of an endpoint of a local service.

use std::time::Duration;

use clap::Args;
use podqueue_runtime::Path;
use serde_json::Value;

use crate::account::{cell, state};
use crate::context::Context;
use crate::control_plane::{ControlPlane, PAGE};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::parse_id;
use crate::interrupt::Signals;
use crate::output::{Table, format_duration};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The endpoint's name.
    #[arg(value_parser = parse_id)]
    endpoint: String,

    /// Only jobs with this status, such as FAILED; several are separated by commas.
    #[arg(
        long,
        value_name = "STATUS",
        value_delimiter = ',',
        ignore_case = true,
        value_parser = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]
    )]
    status: Vec<String>,

    /// Only jobs with this text in their id, input, output or error.
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,

    /// The largest number of jobs, the latest first.
    #[arg(long, value_name = "JOBS", default_value_t = 100)]
    limit: usize,
}

#[derive(serde::Deserialize)]
struct Window {
    total: usize,
    jobs: Vec<Value>,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    let reading = read(context, arguments);
    let what = format!("listing the jobs of {}", arguments.endpoint);
    let (total, jobs) = context.output.with_progress(what, signals.unless(reading)).await??;
    if context.output.is_json() {
        jobs.iter().try_for_each(|job| context.output.json(job))?;
    } else {
        let header = ["ID", "STATUS", "QUEUED", "RAN", "RETRIED", "INPUT", "ERROR"];
        let mut table = Table::with_header(header);
        jobs.iter().for_each(|job| table.row(row(job)));
        context.output.styled(table)?;
    }
    if total > jobs.len() {
        context.output.hint(format_args!("{} of {total}; for more: --limit", jobs.len()));
    }
    Ok(Exit::Done)
}

/// The jobs, the latest first, and the number of all that the options select.
async fn read(context: &Context, arguments: &Arguments) -> Result<(usize, Vec<Value>), Failure> {
    let Arguments { endpoint, status, search, limit } = arguments;
    let service = ControlPlane::new(context)?;
    let mut jobs = Vec::new();
    loop {
        let count = PAGE.min(limit - jobs.len());
        let mut query =
            vec![("offset", jobs.len().to_string()), ("limit", count.max(1).to_string())];
        if !status.is_empty() {
            query.push(("status", status.join(",").to_uppercase()));
        }
        if let Some(text) = search {
            query.push(("search", text.clone()));
        }
        let path = Path::new("/_local/endpoints/").parameter("endpoint", endpoint).literal("/jobs");
        let window: Option<Window> = service.read(path, &query).await?;
        let Some(window) = window else {
            return Err(service.lacks_endpoint(endpoint, &service.endpoints().await?));
        };
        let read = window.jobs.len();
        jobs.extend(window.jobs);
        jobs.truncate(*limit);
        if read == 0 || jobs.len() >= (*limit).min(window.total) {
            return Ok((window.total, jobs));
        }
    }
}

fn row(job: &Value) -> [crate::output::Cell; 7] {
    let time = |from: &str, to: &str| {
        let (from, to) = (job[from].as_f64()?, job[to].as_f64()?);
        Some(format_duration(Duration::try_from_secs_f64((to - from) / 1000.0).ok()?))
    };
    [
        cell(job["id"].as_str()),
        state(job["status"].as_str()),
        cell(time("createdMs", "startedMs")),
        cell(time("startedMs", "endedMs")),
        cell(job["retried"].as_u64().filter(|retries| *retries > 0)),
        cell(job["input"].as_str()),
        cell(job["error"].as_str()),
    ]
}
