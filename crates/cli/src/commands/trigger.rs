//! Command `trigger`: a call of a webhook receiver with an invented job.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use podqueue::webhook::WebhookSender;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{self, parse_duration};
use crate::interrupt::Signals;
use crate::jobs::delivery_report::DeliveryReport;

/// Larger than the default limit of a receiver of podqueue, in bytes.
const OVERSIZE: usize = 65 * 1024 * 1024;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The outcome of the job.
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

    /// Deliver twice, as the service does after a lost response.
    #[arg(long)]
    twice: bool,

    /// Wait before the call.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "0s")]
    late: Duration,

    /// Replace the last segment of the URL's path, the token.
    #[arg(long)]
    wrong_token: bool,

    /// Send a body of 65 MiB.
    #[arg(long)]
    oversize: bool,

    /// The time between two attempts.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10s")]
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
    let url = match arguments.wrong_token {
        true => with_wrong_token(&arguments.to),
        false => arguments.to.clone(),
    };
    let sender = WebhookSender::new(url.as_str())?.pause(arguments.pause);
    let id = arguments.job.clone().unwrap_or_else(invented_id);
    let mut signals = Signals::listen()?;
    let output = match arguments.output.clone() {
        Some(json) => Some(signals.unless_blocked(move || input::json("--output", &json)).await??),
        None => None,
    };
    let body = body(arguments, output, &id, &url)
        .map_err(|error| Failure::new(Exit::Error, format!("failed to write the body: {error}")))?;
    let deliveries = async {
        tokio::time::sleep(arguments.late).await;
        for _ in 0..if arguments.twice { 2 } else { 1 } {
            let report = DeliveryReport::new(context, &id);
            let last = sender.deliver_body(body.clone(), |attempt| report.print(attempt)).await;
            report.outcome(last)?;
        }
        Ok(Exit::Done)
    };
    signals.unless(deliveries).await?
}

/// The body that the service posts.
fn body(
    arguments: &Arguments,
    output: Option<Box<RawValue>>,
    id: &str,
    url: &str,
) -> serde_json::Result<Vec<u8>> {
    let status = match arguments.event {
        Event::Completed => "COMPLETED",
        Event::Failed => "FAILED",
        Event::TimedOut => "TIMED_OUT",
        Event::Cancelled => "CANCELLED",
    };
    let invented = json!({ "hello": "world" });
    let output = match output {
        Some(output) => Some(output),
        None if arguments.oversize => Some(to_raw_value(&"x".repeat(OVERSIZE))?),
        None if matches!(arguments.event, Event::Completed) => Some(to_raw_value(&invented)?),
        None => None,
    };
    serde_json::to_vec(&Body {
        id,
        status,
        delay_time: 120,
        execution_time: 2_400,
        input: invented,
        webhook: url,
        output,
        error: matches!(arguments.event, Event::Failed).then_some("this failure is invented"),
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    id: &'a str,
    status: &'a str,
    delay_time: u64,
    execution_time: u64,
    input: Value,
    webhook: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// The URL with a replaced last segment of its path; a URL without a path gets a segment.
fn with_wrong_token(url: &str) -> String {
    let (url, query) = match url.find(['?', '#']) {
        Some(end) => url.split_at(end),
        None => (url, ""),
    };
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    let before = url[host..].rfind('/').map_or(url, |slash| &url[..host + slash]);
    format!("{before}/wrong-token{query}")
}

/// A new id each time, in a format that the service does not use.
fn invented_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("invented-{:x}", now.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::with_wrong_token;

    #[test]
    fn the_token_is_the_last_segment_of_the_path() {
        for (url, wrong) in [
            ("http://h:1/hooks/token", "http://h:1/hooks/wrong-token"),
            ("http://h/hooks/token?to=a/b#c/d", "http://h/hooks/wrong-token?to=a/b#c/d"),
            ("http://h:1", "http://h:1/wrong-token"),
            ("http://h/", "http://h/wrong-token"),
        ] {
            assert_eq!(with_wrong_token(url), wrong);
        }
    }
}
