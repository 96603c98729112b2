//! Job record: output as JSON, as a value, or as a row of a table.

use std::time::Duration;

use podqueue::{JobRecord, JobStatus};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{BAD, BUSY, Cell, FAINT, GOOD, Table, format_duration, json_number};

/// A job as JSON.
#[derive(Serialize)]
struct JobShape<'a> {
    endpoint: &'a str,
    job_id: &'a str,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_ms: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_ms: Option<Value>,
}

#[derive(Serialize)]
struct ErrorShape {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceback: Option<String>,
}

/// The output as JSON: verbatim, or its readable part if it is malformed.
pub fn output(record: &JobRecord) -> Option<Box<RawValue>> {
    let json = record.output_bytes()?;
    serde_json::from_slice(json).ok().or_else(|| match record.status() {
        JobStatus::Completed => record.output().ok(),
        _ => record.progress().ok().flatten(),
    })
}

pub fn print_json(context: &Context, record: &JobRecord) -> Result<(), Failure> {
    context.output.json(&JobShape {
        endpoint: record.job().endpoint().id(),
        job_id: record.id(),
        status: record.status().as_str(),
        output: output(record),
        error: record.failure().map(|failure| ErrorShape {
            message: failure.message,
            error_type: failure.error_type,
            traceback: failure.traceback,
        }),
        delay_ms: record.delay_time().map(milliseconds),
        execution_ms: record.execution_time().map(milliseconds),
    })
}

/// The output of a completed job, which is null where it has none.
pub fn completed(record: &JobRecord) -> Result<Box<RawValue>, Failure> {
    record.output().map_err(|error| Failure::on_endpoint(&error, record.job().endpoint().id()))
}

/// Prints a job's output, verbatim with `raw` where it is a string.
pub fn print_value(context: &Context, value: &RawValue, raw: bool) -> Result<(), Failure> {
    let text = Some(value).filter(|_| raw);
    match text.and_then(|value| serde_json::from_str::<String>(value.get()).ok()) {
        Some(text) => context.output.raw_text(&text),
        None => context.output.raw_json(value.get()),
    }
}

/// Prints jobs as a table.
pub fn print_table(context: &Context, records: &[JobRecord]) -> Result<(), Failure> {
    let mut table = Table::with_header(["JOB", "STATUS", "QUEUED", "RAN", "RESULT"]);
    for record in records {
        let time = |time: Option<Duration>| time.map_or_else(String::new, format_duration);
        let result = match record.failure() {
            Some(failure) => failure.message,
            None => output(record).map(|output| output.get().to_owned()).unwrap_or_default(),
        };
        table.row([
            record.id().into(),
            status(record.status()),
            time(record.delay_time()).into(),
            time(record.execution_time()).into(),
            Cell::new(result).style(FAINT),
        ]);
    }
    context.output.styled(table)
}

/// A time as a JSON number of milliseconds.
fn milliseconds(time: Duration) -> Value {
    json_number(time.as_nanos() as f64 / 1e6)
}

fn status(status: JobStatus) -> Cell {
    let style = match status {
        JobStatus::Completed => GOOD,
        status if status.is_terminal() => BAD,
        _ => BUSY,
    };
    Cell::new(status.as_str()).style(style)
}

/// The exit code of a command that shows this job.
pub fn exit(record: &JobRecord) -> Exit {
    match record.status() {
        JobStatus::Failed | JobStatus::Cancelled | JobStatus::TimedOut => Exit::JobFailed,
        _ => Exit::Done,
    }
}
