//! Log printer: the lines of workers and Pods as they arrive.

use std::time::{Duration, SystemTime};

use clap::{Args, ValueEnum};
use futures_util::StreamExt;
use podqueue::account::types::LogSource;
use podqueue::account::{LogLine, Logs};
use podqueue::{Error, ErrorKind};
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Signals;
use crate::json::one_line;

/// Time without a line after which all existing lines have arrived: the service sends them at once,
/// and keeps the response open for new ones.
const QUIET_TIMEOUT: Duration = Duration::from_secs(2);

/// Longest time for existing lines, in a log that is never quiet.
const MAX_BACKLOG_TIME: Duration = Duration::from_secs(10);

/// Options of a command that prints logs.
#[derive(Debug, Args)]
pub struct LogArguments {
    /// Continue with new lines, also after a lost connection, until Ctrl-C.
    ///
    /// Otherwise the command ends when each log is there and no line has arrived for 2 seconds, and
    /// after 10 in any case, unless it waits for the rate limits of the service.
    #[arg(long, short)]
    follow: bool,

    /// Begin with this many of the latest lines, at most 5000.
    #[arg(long, value_name = "LINES")]
    tail: Option<u32>,

    /// Only lines from this time on: a timestamp such as 2026-11-15T00:00:00Z, or a duration before
    /// now such as 10m.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<String>,

    /// Only lines of this source.
    #[arg(long, value_enum)]
    source: Option<Source>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Source {
    /// Output of the container.
    Container,
    /// Messages of the system that runs it.
    System,
}

/// A timestamp of RFC 3339.
pub fn parse_time(text: &str) -> Result<String, String> {
    if humantime::parse_rfc3339(text).is_ok() {
        return Ok(text.to_owned());
    }
    let before = humantime::parse_duration(text).ok();
    let time = before.and_then(|before| SystemTime::now().checked_sub(before));
    let time = time.filter(|time| *time >= SystemTime::UNIX_EPOCH);
    let time = time.ok_or("expected a time such as 2026-11-15T00:00:00Z, or a duration")?;
    Ok(humantime::format_rfc3339_seconds(time).to_string())
}

/// Prints the lines of a log until it ends, or until a signal.
pub async fn print(
    context: &Context,
    logs: Logs,
    arguments: &LogArguments,
) -> Result<Exit, Failure> {
    let mut logs = logs;
    if arguments.follow {
        logs = logs.follow();
    }
    if let Some(lines) = arguments.tail {
        logs = logs.tail(lines);
    }
    if let Some(time) = &arguments.since {
        logs = logs.since(time);
    }
    if let Some(source) = arguments.source {
        logs = logs.source(match source {
            Source::Container => LogSource::Container,
            Source::System => LogSource::System,
        });
    }
    let mut signals = Signals::listen()?;
    let follows = arguments.follow;
    signals.unless(print_lines(context, logs, follows)).await?
}

async fn print_lines(context: &Context, mut logs: Logs, follows: bool) -> Result<Exit, Failure> {
    let mut exit_code = Exit::Done;
    let mut quiet_from = Instant::now();
    let mut end = quiet_from + MAX_BACKLOG_TIME;
    let mut is_empty = true;
    loop {
        let next = logs.next();
        let line = if follows {
            next.await
        } else {
            let silent = quiet_from.max(Instant::now()) + QUIET_TIMEOUT;
            let silent = if is_empty { end } else { end.min(silent) };
            match (timeout_at(silent, next).await, context.limited_until()) {
                (Ok(Some(line)), _) => Some(line),
                // Some logs are not read yet.
                (Err(_), Some(until)) => {
                    quiet_from = until.into();
                    end = quiet_from + MAX_BACKLOG_TIME;
                    continue;
                }
                (Err(_), None) if !logs.is_open() && Instant::now() < end => continue,
                (Err(_), None) if !logs.is_open() => {
                    let time = MAX_BACKLOG_TIME.as_secs();
                    context.output.warn(format!(
                        "lines are missing: a log was not sent within {time} s; to wait for it: --follow"
                    ));
                    exit_code = exit_code.or_worse(Exit::Error);
                    None
                }
                _ if is_empty => {
                    context.output.hint("no line has arrived; to wait for new ones: --follow");
                    None
                }
                (Err(_), None) if Instant::now() >= end => {
                    context.output.hint("the log goes on; to follow it: --follow");
                    None
                }
                _ => None,
            }
        };
        let Some(line) = line else { return Ok(exit_code) };
        is_empty = false;
        match line {
            Ok(line) => print_line(context, &line)?,
            // One line that cannot be read, or an error within the log; further lines follow.
            Err(error) if is_within_log(&error) => {
                exit_code = exit_code.or_worse(context.output.failure(&Failure::from(&error)));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns true if the log continues after an error.
fn is_within_log(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Decode => true,
        ErrorKind::Server => error.status().is_none(),
        _ => false,
    }
}

fn print_line(context: &Context, line: &LogLine) -> Result<(), Failure> {
    if context.output.is_json() {
        return context.output.json(&json!({
            "worker_id": line.worker_id,
            "source": line.source,
            "line": line.line,
            "ts": line.ts,
            "after_gap": line.after_gap,
        }));
    }
    if line.after_gap {
        context.output.warn("lines may be missing here: the service no longer has them");
    }
    let worker = line.worker_id.as_ref().map(|id| format!("{id} ")).unwrap_or_default();
    context.output.line(one_line(&format!("{} {worker}{}", line.ts, line.line)))
}
