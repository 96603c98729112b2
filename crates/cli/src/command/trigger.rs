//! Calls a webhook receiver with an invented job.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use podqueue::webhook::WebhookSender;
use serde_json::{Map, Value, json};

use super::listen::Report;
use crate::context::Context;
use crate::duration::duration;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::interrupt::Signals;

/// More than a receiver of podqueue reads by default.
const OVERSIZE: usize = 65 * 1024 * 1024;

#[derive(Debug, Args)]
pub struct Arguments {
    /// How the job has ended.
    #[arg(value_enum)]
    event: Event,

    /// The receiver's URL.
    #[arg(long, value_name = "URL")]
    to: String,

    /// The job's id; invented by default.
    #[arg(long, value_name = "JOB")]
    job: Option<String>,

    /// The job's output: JSON, @FILE, or - for standard input.
    #[arg(long, value_name = "JSON")]
    output: Option<String>,

    /// Deliver twice, as happens when the service misses a response.
    #[arg(long)]
    twice: bool,

    /// Wait before the call.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "0s")]
    late: Duration,

    /// Replace the last segment of the URL's path, where a token is.
    #[arg(long)]
    wrong_token: bool,

    /// Send a body of 65 MiB.
    #[arg(long)]
    oversize: bool,

    /// The time between two attempts.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10s")]
    pause: Duration,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Event {
    Completed,
    Failed,
    TimedOut,
    Cancelled,
}

pub async fn run(context: &Context, arguments: &Arguments) -> Result<Exit, Failure> {
    let url = match (arguments.wrong_token, arguments.to.rsplit_once('/')) {
        (true, Some((before, _))) => format!("{before}/wrong-token"),
        _ => arguments.to.clone(),
    };
    let sender = WebhookSender::new(url.as_str())?.pause(arguments.pause);
    let id = arguments.job.clone().unwrap_or_else(invented_id);
    let body = serde_json::to_vec(&body(arguments, &id, &url)?).unwrap_or_default();
    let mut signals = Signals::listen()?;
    let deliveries = async {
        tokio::time::sleep(arguments.late).await;
        for _ in 0..if arguments.twice { 2 } else { 1 } {
            let report = Report::new(context, &id);
            let last = sender.deliver_body(body.clone(), |attempt| report.print(attempt)).await;
            report.of(last)?;
        }
        Ok(Exit::Done)
    };
    signals.unless(deliveries).await?
}

/// What the service posts.
fn body(arguments: &Arguments, id: &str, url: &str) -> Result<Map<String, Value>, Failure> {
    let status = match arguments.event {
        Event::Completed => "COMPLETED",
        Event::Failed => "FAILED",
        Event::TimedOut => "TIMED_OUT",
        Event::Cancelled => "CANCELLED",
    };
    let mut body = Map::new();
    body.insert("id".to_owned(), id.into());
    body.insert("status".to_owned(), status.into());
    body.insert("delayTime".to_owned(), 120.into());
    body.insert("executionTime".to_owned(), 2_400.into());
    body.insert("input".to_owned(), json!({ "hello": "world" }));
    body.insert("webhook".to_owned(), url.into());
    let output = match &arguments.output {
        Some(json) => serde_json::from_str(input::json("--output", json)?.get()).ok(),
        None if arguments.oversize => Some("x".repeat(OVERSIZE).into()),
        None => matches!(arguments.event, Event::Completed).then(|| json!({ "hello": "world" })),
    };
    if let Some(output) = output {
        body.insert("output".to_owned(), output);
    }
    if matches!(arguments.event, Event::Failed) {
        body.insert("error".to_owned(), "this failure is invented".into());
    }
    Ok(body)
}

/// Another one each time, and not one that the service makes.
fn invented_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("invented-{:x}", now.as_nanos())
}
