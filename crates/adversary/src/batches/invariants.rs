//! What has to hold, whatever is done to a batch and to what it runs on.
//!
//! The service's log of accepted submissions is what the program is held against:
//!
//! - no input is submitted twice, unless that was asked for and accepted: by `batch retry`, by
//!   `--on-unknown resubmit` where the outcome of the first submission can be unknown, by an accepted
//!   loss; or unless nothing could know of a loss yet;
//! - no accepted job is forgotten, and no output that exists is lost: in the end each input has one
//!   state, and each completed job's output is in the results, or its input is reported unknown;
//! - no job that the service still has is reported as expired or lost;
//! - exit codes are those of the table, and nothing but a mistake, another process or a change of the
//!   files ends a run with an error;
//! - results consist of lines of JSON, each input once, and what others appended is not overwritten.
//!
//! That a refused command changes nothing, that progress ends, and that a signal ends the program, is
//! noticed while the plan is played.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::plan::{Command, Unknown};
use super::processes::Process;
use super::run::{Loss, Run};
use super::service::{Accepted, JobState};

/// Exit codes in the table of `crates/cli`.
const CODES: [i32; 9] = [0, 1, 2, 3, 4, 5, 6, 124, 130];

/// How long processes that run may go on after one has found out about a loss.
const NOTICE: Duration = Duration::from_secs(5);

/// An invariant that is broken.
#[derive(Clone, Debug)]
pub struct Violation {
    pub invariant: &'static str,
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}

/// Every invariant that a run has broken.
pub(crate) fn broken(run: &Run) -> Vec<Violation> {
    let mut found: Vec<_> = run.found.clone();
    submissions(run, &mut found);
    endings(run, &mut found);
    results(run, &mut found);
    webhooks(run, &mut found);
    if !run.is_tampered && run.losses.is_empty() {
        end(run, &mut found);
    }
    found.into_iter().map(|(invariant, what)| Violation { invariant, what }).collect()
}

type Found = Vec<(&'static str, String)>;

fn submissions(run: &Run, found: &mut Found) {
    let mut last = BTreeMap::<u64, Accepted>::new();
    let mut twice = BTreeMap::<String, Vec<u64>>::new();
    let proofs: Vec<_> = run.losses.iter().map(|loss| proven(run, loss)).collect();
    let acceptances: Vec<_> = run.losses.iter().map(|loss| accepted(run, loss)).collect();
    for submission in run.service.log() {
        if let Some(before) = last.get(&submission.input) {
            let process = &run.processes[submission.process];
            let is_explained = asked_for(run, before, &submission)
                || run.losses.iter().enumerate().any(|(index, loss)| {
                    // A process that began after the proof is told at once.
                    let is_known = proofs[index]
                        .is_some_and(|at| process.began > at || submission.at > at + NOTICE);
                    let is_accepted = acceptances[index].is_some_and(|at| at <= submission.at);
                    loss.since < before.at
                        && loss.at < submission.at
                        && !process.is_of_a_copy
                        && (!is_known || is_accepted)
                });
            if !is_explained {
                let who = format!(
                    "process {} ({:?}{}) after process {}",
                    process.number,
                    process.command,
                    if process.is_of_a_copy { ", on a copy" } else { "" },
                    before.process
                );
                twice.entry(who).or_default().push(submission.input);
            }
        }
        last.insert(submission.input, submission);
    }
    for (who, inputs) in twice {
        let what = format!("{} inputs by {who}, such as {}", inputs.len(), inputs[0]);
        found.push(("no input is submitted twice", what));
    }
}

/// Whether the user asked for a second submission, and a command accepted that.
fn asked_for(run: &Run, before: &Accepted, now: &Accepted) -> bool {
    let Some(previous) = now.previous else { return false };
    let has_ended = matches!(previous, JobState::Failed | JobState::Cancelled);
    if has_ended && run.retries.iter().any(|at| *at < now.at) {
        return true;
    }
    // It makes inputs pending, which others may submit then.
    let resubmits = run.processes.iter().any(|process| {
        matches!(process.command, Command::Run { unknown: Unknown::Resubmit, .. })
            && !process.is_of_a_copy
            && process.began < now.at
    });
    let first = &run.processes[before.process];
    // Cut off from its database for too long, a process is taken over as if it had died.
    let is_shared = run.plan.store == super::plan::Store::Postgres;
    resubmits && (before.lost || first.killed.is_some() || !first.signals.is_empty() || is_shared)
}

/// When the program has found out about a loss: from then on, it must remember.
fn proven(run: &Run, loss: &Loss) -> Option<Instant> {
    let shown = loss.shows.then_some(loss.at);
    let next = run.losses.iter().map(|it| it.at).find(|at| *at > loss.at);
    let refused = run.processes.iter().filter_map(|process| {
        let end = process.end.filter(|end| end.code == Some(1) && end.at > loss.at)?;
        let is_plain = process.command.mistake().is_none()
            && matches!(process.command, Command::Run { .. })
            && process.disturbed == Some("a copy was put back");
        // One that began just before has perhaps only lost its connection.
        let was_open = process.began > loss.at || run.service.submitted_by(process.number) > 0;
        (is_plain && was_open).then_some(end.at)
    });
    // Where the next copy was put back, what was known of this one is gone.
    let all = shown.into_iter().chain(refused);
    all.filter(|at| next.is_none_or(|next| *at < next)).min()
}

/// When a loss was accepted, by a command that was not refused.
fn accepted(run: &Run, loss: &Loss) -> Option<Instant> {
    let log = run.service.log();
    let of = |process: &Process| {
        if process.command.mistake().is_some() || process.is_of_a_copy {
            return None;
        }
        let end = process.end?;
        match &process.command {
            Command::Run { accept_loss: true, .. } => {
                let submitted = log
                    .iter()
                    .find(|it| it.process == process.number && it.at > loss.at)
                    .map(|it| it.at);
                let ended = process.has_reported() || process.killed.is_some();
                submitted.or(ended.then_some(end.at)).filter(|at| *at > loss.at)
            }
            Command::Cancel { .. } if end.code == Some(0) && end.at > loss.at => Some(end.at),
            _ => None,
        }
    };
    run.processes.iter().filter_map(of).min()
}

fn endings(run: &Run, found: &mut Found) {
    for process in &run.processes {
        let Some(end) = process.end.filter(|_| process.killed.is_none()) else { continue };
        let is_known = match (end.code, end.signal) {
            (Some(code), _) => CODES.contains(&code),
            (None, Some(signal)) => process.signals.contains(&signal),
            (None, None) => false,
        };
        let said = || {
            let text = process.printed("err");
            text.chars().take(600).collect::<String>()
        };
        if !is_known {
            let what = format!("process {} ended with {end:?}: {}", process.number, said());
            found.push(("exit codes are in the table", what));
        }
        if process.printed("err").contains("panicked")
            || process.printed("err").contains("has crashed")
        {
            found.push((
                "the program does not crash",
                format!("process {}: {}", process.number, said()),
            ));
        }
        let is_plain = matches!(process.command, Command::Run { mistake: None, .. })
            && process.disturbed.is_none()
            && !process.is_of_a_copy;
        if is_plain && matches!(end.code, Some(1 | 2 | 4 | 6 | 124)) {
            let what = format!(
                "process {} ({:?}) ended with {end:?}: {}",
                process.number,
                process.command,
                said()
            );
            found.push(("a run ends with an error only for a reason", what));
        }
    }
}

/// A process that ends by itself answers the calls that it has accepted.
fn webhooks(run: &Run, found: &mut Found) {
    let mut dropped = BTreeMap::<usize, usize>::new();
    for process in run.service.dropped_calls() {
        *dropped.entry(process).or_default() += 1;
    }
    for (number, calls) in dropped {
        let process = &run.processes[number];
        if process.killed.is_none() && process.signals.is_empty() {
            let what =
                format!("process {number} accepted {calls} calls, and closed their connections");
            found.push(("accepted webhook calls are answered", what));
        }
    }
}

fn results(run: &Run, found: &mut Found) {
    for (machine, path) in &run.results {
        let Ok(bytes) = fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let appended: Vec<_> = run.appended.iter().filter(|it| it.machine == *machine).collect();
        for it in &appended {
            if !text.contains(it.text.as_str()) {
                let what =
                    format!("{:?} is not in the results of machine {machine} any more", it.text);
                found.push(("what another program appended is left alone", what));
            }
        }
        if run.is_tampered && appended.is_empty() {
            continue;
        }
        let wrote_after = |it: &&&super::run::Appended| {
            text.find(it.text.as_str()).is_some_and(|at| at + it.text.len() < text.len())
        };
        let last = run.processes.iter().rev().find(|process| {
            process.command.machine() == *machine
                && !process.is_of_a_copy
                && matches!(process.command, Command::Run { mistake: None, .. })
        });
        let succeeded = last.is_some_and(Process::has_reported);
        if appended.len() == 1 && succeeded && appended.iter().any(|it| wrote_after(&it)) {
            let what =
                format!("the results of machine {machine} continue after {:?}", appended[0].text);
            found.push(("a run does not succeed with results that are not its own", what));
        }
        if appended.is_empty() {
            let invalid = text.lines().find(|line| serde_json::from_str::<Value>(line).is_err());
            if let Some(line) = invalid {
                let what = format!("machine {machine}: {:.200}", line);
                found.push(("every line of the results is JSON", what));
            }
        }
    }
}

/// What a batch looks like that nothing has changed from outside, once it has ended.
fn end(run: &Run, found: &mut Found) {
    let Some(status) = &run.status else {
        let has_begun = !run.service.log().is_empty();
        if has_begun {
            found.push(("no accepted job is forgotten", "batch status fails".to_owned()));
        }
        return;
    };
    let count = |name: &str| status[name].as_u64().unwrap_or_default();
    let open = count("pending") + count("intent") + count("submitted");
    if open > 0 || count("total") != run.plan.inputs {
        let what = format!("the last run has ended, and the batch has not: {status}");
        found.push(("no accepted job is forgotten", what));
    }
    if count("expired") + count("lost") > 0 {
        let what = format!("the service has all jobs: {status}");
        found.push(("no job that the service has is reported as expired or lost", what));
    }
    let mut seen = BTreeSet::new();
    for path in run.results.values() {
        let text = fs::read_to_string(path).unwrap_or_default();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let index = line["index"].as_u64().unwrap_or(u64::MAX);
            if line["output"]["n"] != index {
                found.push(("an output is that of its input", line.to_string()));
            }
            if !seen.insert(index) {
                found.push(("each result is there once", line.to_string()));
            }
        }
    }
    let lost: Vec<_> = (0..run.plan.inputs)
        .filter(|input| {
            !seen.contains(input)
                && !run.unknown.contains(input)
                && run.service.has_completed(*input)
        })
        .collect();
    if !lost.is_empty() {
        let what = format!("{} completed jobs, such as that of input {}", lost.len(), lost[0]);
        found.push(("no output that exists is lost", what));
    }
    if count("completed") != seen.len() as u64 {
        let what = format!("{} lines of results, and {status}", seen.len());
        found.push(("no output that exists is lost", what));
    }
}
