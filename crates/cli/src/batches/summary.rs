//! Batch summary: the report of a run, the status of a batch, and hints on what to do next.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use podqueue_batch::{
    Cost, Counts, Ending, Error, Reader, RefusedInput, Report, RunRecord, State, Status, Stopped,
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, translate_setting};
use crate::output::{BAD, BUSY, Cell, GOOD, Table, format_duration};

/// The exit code of a run that ends with these counts.
pub fn exit(counts: &Counts) -> Exit {
    if counts.of(State::Unknown) + counts.of(State::Intent) > 0 {
        Exit::OutcomeUnknown
    } else if counts.of(State::Completed) < counts.total() {
        Exit::JobFailed
    } else {
        Exit::Done
    }
}

/// The progress of a batch, in one line.
pub fn progress_line(
    counts: &Counts,
    rate: Option<f64>,
    eta: Option<Duration>,
    cost: Option<&Cost>,
) -> String {
    let (total, ended) = (counts.total(), counts.ended());
    // Rounded down, so that it is 100 only at the end.
    let percent = (ended * 100).checked_div(total).unwrap_or_default();
    let mut parts = vec![format!("{ended} of {total} ended ({percent}%)")];
    parts.extend(rate.map(|rate| format!("{rate:.1}/s")));
    let eta = eta.map(|eta| Duration::from_secs(eta.as_secs()));
    parts.extend(eta.map(|eta| format!("{} left", humantime::format_duration(eta))));
    let mut count = |number: u64, what: &str| {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    };
    count(counts.of(State::Submitted), "outstanding");
    count(counts.failures(), "failed");
    count(counts.of(State::Unknown), "unknown");
    if let Some(cost) = cost {
        let about = cost.estimate.filter(|_| counts.open() > 0);
        let about = about.map(|it| format!(" of about {}", format_cost(it.expected)));
        parts.push(format!("cost {}{}", format_cost(cost.spent), about.unwrap_or_default()));
    }
    parts.join(", ")
}

/// An amount of money, with two digits after the point, or four below ten.
fn format_cost(amount: f64) -> String {
    if amount < 10.0 { format!("{amount:.4}") } else { format!("{amount:.2}") }
}

/// The rows of a cost.
fn add_cost(table: &mut Table, cost: &Cost, counts: &Counts) {
    table.row(["cost".into(), format_cost(cost.spent).into()]);
    let at_most = format_cost(cost.at_most);
    if at_most != format_cost(cost.spent) {
        table.row([
            "at most".into(),
            format!("{at_most}, if each job of unknown time took the longest").into(),
        ]);
    }
    if let Some(estimate) = cost.estimate.filter(|_| counts.open() > 0) {
        let [low, expected, high] =
            [estimate.low, estimate.expected, estimate.high].map(format_cost);
        table.row(["whole batch".into(), format!("about {expected} ({low} to {high})").into()]);
    }
}

/// Number of refused inputs in a summary.
pub const MAX_REFUSED: usize = 5;

/// The first inputs that were refused, and the file that they are lines, or rows, of.
pub struct Refused<'a> {
    pub file: &'a Path,
    pub is_table: bool,
    pub first: Vec<RefusedInput>,
}

/// Prints the report of a run.
pub fn print_report(
    context: &Context,
    report: &Report,
    nothing_left: bool,
    refused: &Refused<'_>,
) -> Result<(), Failure> {
    let all_done = exit(&report.counts) == Exit::Done;
    let is_idle = nothing_left && report.submitted_now == 0;
    let idle = match all_done {
        true => "all inputs have completed before; nothing was left to do",
        false => "nothing was left to do",
    };
    if context.output.is_json() {
        context.output.json(report)?;
        if is_idle {
            context.output.note(idle);
        }
        return Ok(());
    }
    if is_idle {
        context.output.line(idle)?;
    }
    let mut table = states(&report.counts);
    for input in &refused.first {
        let separator = if refused.is_table { ", row " } else { ":" };
        let position = format!("{}{separator}{}", relative_path(refused.file), input.line);
        // The position already contains the line.
        let prefix = format!("line {} of the inputs ", input.line);
        let reason = input.reason.strip_prefix(&prefix).unwrap_or(&input.reason);
        table.row([Cell::new(position).style(BAD), Cell::new(reason)]);
    }
    let more = report.counts.of(State::Refused).saturating_sub(refused.first.len() as u64);
    if more > 0 && !refused.first.is_empty() {
        table.row(["".into(), format!("and {more} more that were refused").into()]);
    }
    if let Some(stopped) = report.stopped {
        table.row(["stopped".into(), Cell::new(reason(stopped)).style(BUSY)]);
    }
    if report.not_collected > 0 {
        let why = format!("{} jobs of another service's URL", report.not_collected);
        table.row(["not collected".into(), Cell::new(why).style(BUSY)]);
    }
    if report.interrupted > 0 {
        let times = match report.interrupted {
            1 => "once".into(),
            times => format!("{times} times"),
        };
        let what = format!("{times}: it was suspended or disconnected, and its lease was lost");
        table.row(["interrupted".into(), Cell::new(what).style(BUSY)]);
    }
    table.row(["took".into(), format_duration(report.elapsed).into()]);
    table.row(["executions".into(), format_duration(report.execution).into()]);
    if let Some(cost) = &report.cost {
        add_cost(&mut table, cost, &report.counts);
    }
    table.row(["results".into(), relative_path(&report.results).into()]);
    if let Some(failures) = &report.failures {
        table.row(["failures".into(), relative_path(failures).into()]);
    }
    if let Some(manifest) = &report.manifest {
        table.row(["published".into(), manifest.as_str().into()]);
    }
    context.output.styled(table)
}

/// The reason of a stop, in words.
fn reason(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::OnRequest => "on request; the same command again continues",
        Stopped::Cancelled => "cancelled by another process",
        Stopped::TooManyFailures => "too many inputs failed (--max-failures)",
        Stopped::Taken => "as many inputs as --take were submitted",
        Stopped::OutOfBudget => "another job could exceed --max-cost",
        _ => "before the end",
    }
}

/// Message for an unfinished batch without a running process.
pub const NOT_RUNNING: &str = "no process runs this batch: the command that began it continues it";

/// The reason why the last run of a batch ended early, if it did.
#[derive(Debug, Default, Serialize)]
pub struct LastRun {
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<Stopped>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl LastRun {
    pub fn read(reader: &mut Reader) -> Result<Self, Error> {
        Ok(match reader.ending()? {
            Some(Ending::Stopped(stopped)) => Self { stopped: Some(stopped), error: None },
            Some(Ending::Failed(error)) => {
                Self { stopped: None, error: Some(translate_setting(error).0) }
            }
            _ => Self::default(),
        })
    }
}

/// Prints the status of a batch.
pub fn print_status(
    context: &Context,
    status: &Status,
    results: Option<&Path>,
    error_summary: Option<&str>,
    last: &LastRun,
) -> Result<(), Failure> {
    let mut table = states(&status.counts);
    if let Some(errors) = error_summary {
        table.row(["errors".into(), Cell::new(errors).style(BAD)]);
    }
    if let Some(stopped) = last.stopped {
        table.row(["stopped".into(), Cell::new(reason(stopped)).style(BUSY)]);
    }
    if let Some(error) = &last.error {
        table.row(["error".into(), Cell::new(error.as_str()).style(BAD)]);
    }
    table.row(["executions".into(), format_duration(status.execution).into()]);
    if let Some(cost) = &status.cost {
        add_cost(&mut table, cost, &status.counts);
    }
    if let Some(results) = results {
        table.row(["results".into(), relative_path(results).into()]);
    }
    context.output.styled(table)
}

/// Prints hints on the next commands.
pub fn advise(context: &Context, counts: &Counts, batch: &str) {
    if counts.of(State::Unknown) > 0 {
        context.output.hint(format!(
            "to list inputs with an unknown outcome: podqueue batch unknown {batch}"
        ));
    }
    let refused = counts.of(State::Refused);
    if counts.failures() > refused {
        context.output.hint(format!(
            "to submit the failed ones again: podqueue batch retry {batch}, and run the batch again"
        ));
    }
    if refused > 0 {
        context.output.hint(format!(
            "to submit refused lines once they are corrected: run the batch with --force, podqueue batch retry {batch} --status refused, and run the batch again"
        ));
    }
}

/// Prints how to collect jobs that were submitted to another URL, before their results expire.
pub fn advise_to_collect(context: &Context, runs: &[RunRecord], url: &str) {
    let urls: BTreeSet<_> = runs.iter().map(|run| run.base_url.as_str()).collect();
    for other in urls.into_iter().filter(|other| *other != url) {
        context.output.hint(format!(
            "to collect the jobs of {other}, which keeps results for half an hour: the same command with that base URL"
        ));
    }
}

/// A row for each state with inputs.
fn states(counts: &Counts) -> Table {
    let mut table = Table::default();
    table.row(["total".into(), counts.total().to_string().into()]);
    for state in State::ALL {
        let style = match state {
            State::Completed => GOOD,
            state if state.is_failure() || state == State::Unknown => BAD,
            _ => BUSY,
        };
        if counts.of(state) > 0 {
            let name = state.key().replace('_', " ");
            table.row([Cell::new(name).style(style), counts.of(state).to_string().into()]);
        }
    }
    table
}

/// A path relative to the current folder.
fn relative_path(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    relative.unwrap_or(path).display().to_string()
}
