//! Invariants of batches: promises of the program for any sequence of crashes, faults and file
//! changes.
//!
//! The ground truth is the service's log of accepted submissions:
//!
//! - No input is submitted twice, unless a second submission was requested and accepted: by `batch
//!   retry`, by `--on-unknown resubmit` where the outcome of the first submission can be unknown,
//!   or by an accepted rollback; or unless no process could know of a rollback yet.
//! - No accepted job is forgotten and no existing output is lost: in the end each input has one
//!   state, and the output of each completed job is in the results, or its input is reported as
//!   unknown.
//! - No job that the service still has is reported as expired or lost.
//! - Exit codes are documented, and a run fails only because of a mistake, another process or
//!   changed files.
//! - Results consist of lines of JSON, each input once, and lines of other programs are not
//!   overwritten.
//!
//! The run itself checks that a refused command changes nothing, that processes make progress, and
//! that a signal ends the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::plan::{Command, JournalKind, OnUnknown};
use super::process::Process;
use super::run::{ForeignLine, RESTORED, Rollback, Run};
use super::service::{JobState, Submission};
use crate::search::Violation;

/// Documented exit codes of `crates/cli`.
const EXIT_CODES: [i32; 9] = [0, 1, 2, 3, 4, 5, 6, 124, 130];

/// Time in which running processes must notice a rollback that another process has detected.
const NOTICE: Duration = Duration::from_secs(5);

/// Returns the invariants that a run violates.
pub(crate) fn violations(run: &Run) -> Vec<Violation> {
    let mut found: Vec<_> = run.violations.clone();
    submissions(run, &mut found);
    exits(run, &mut found);
    results(run, &mut found);
    webhooks(run, &mut found);
    if !run.files_changed && run.rollbacks.is_empty() {
        completion(run, &mut found);
    }
    found
}

fn submissions(run: &Run, found: &mut Vec<Violation>) {
    let mut last = BTreeMap::<u64, Submission>::new();
    let mut repeated = BTreeMap::<String, Vec<u64>>::new();
    let detected: Vec<_> = run.rollbacks.iter().map(|it| detected_at(run, it)).collect();
    let accepted: Vec<_> = run.rollbacks.iter().map(|it| accepted_at(run, it)).collect();
    for submission in run.service.log() {
        if let Some(before) = last.get(&submission.input) {
            let process = &run.processes[submission.process];
            let is_justified = is_requested(run, before, &submission)
                || run.rollbacks.iter().enumerate().any(|(index, rollback)| {
                    // A process that starts after the detection learns of it at once.
                    let is_known = detected[index]
                        .is_some_and(|at| process.began > at || submission.at > at + NOTICE);
                    let is_accepted = accepted[index].is_some_and(|at| at <= submission.at);
                    rollback.backed_up < before.at
                        && rollback.restored < submission.at
                        && !process.uses_copy
                        && (!is_known || is_accepted)
                });
            if !is_justified {
                let by = format!(
                    "process {} ({:?}{}) after process {}",
                    process.number,
                    process.command,
                    if process.uses_copy { ", on a copy" } else { "" },
                    before.process
                );
                repeated.entry(by).or_default().push(submission.input);
            }
        }
        last.insert(submission.input, submission);
    }
    for (by, inputs) in repeated {
        let message = format!("{} inputs by {by}, such as {}", inputs.len(), inputs[0]);
        found.push(Violation { invariant: "no input is submitted twice", message });
    }
}

/// Returns true if the user requested a second submission, and a command accepted that.
fn is_requested(run: &Run, before: &Submission, now: &Submission) -> bool {
    let Some(previous) = now.previous else { return false };
    let has_ended = matches!(previous, JobState::Failed | JobState::Cancelled);
    if has_ended && run.retries.iter().any(|at| *at < now.at) {
        return true;
    }
    // It makes inputs pending, which other processes may then submit.
    let resubmits = run.processes.iter().any(|process| {
        matches!(process.command, Command::Run { unknown: OnUnknown::Resubmit, .. })
            && !process.uses_copy
            && process.began < now.at
    });
    let first = &run.processes[before.process];
    // A process that is disconnected from its database for too long loses its lease, as if it had
    // crashed.
    let is_shared = run.plan.store == JournalKind::Postgres;
    resubmits && (before.lost || first.killed.is_some() || !first.signals.is_empty() || is_shared)
}

/// Returns the time at which the program detected a rollback, which it must remember from then on.
fn detected_at(run: &Run, rollback: &Rollback) -> Option<Instant> {
    let evident = rollback.is_evident.then_some(rollback.restored);
    let next = run.rollbacks.iter().map(|it| it.restored).find(|at| *at > rollback.restored);
    let refused = run.processes.iter().filter_map(|process| {
        let end = process.end.filter(|end| end.code == Some(1) && end.at > rollback.restored)?;
        let is_plain = process.command.mistake().is_none()
            && matches!(process.command, Command::Run { .. })
            && process.disturbance == Some(RESTORED);
        // A process that started just before may only have lost its connection.
        let was_open =
            process.began > rollback.restored || run.service.submitted_by(process.number) > 0;
        (is_plain && was_open).then_some(end.at)
    });
    // The next restore also rolls back the knowledge of this one.
    let all = evident.into_iter().chain(refused);
    all.filter(|at| next.is_none_or(|next| *at < next)).min()
}

/// Returns the time at which a rollback was accepted, by a command that was not refused.
fn accepted_at(run: &Run, rollback: &Rollback) -> Option<Instant> {
    let log = run.service.log();
    let of = |process: &Process| {
        if process.command.mistake().is_some() || process.uses_copy {
            return None;
        }
        let end = process.end?;
        match &process.command {
            Command::Run { accept_loss: true, .. } => {
                let submitted = log
                    .iter()
                    .find(|it| it.process == process.number && it.at > rollback.restored)
                    .map(|it| it.at);
                let ended = process.has_reported() || process.killed.is_some();
                submitted.or(ended.then_some(end.at)).filter(|at| *at > rollback.restored)
            }
            Command::Cancel { .. } if end.code == Some(0) && end.at > rollback.restored => {
                Some(end.at)
            }
            _ => None,
        }
    };
    run.processes.iter().filter_map(of).min()
}

fn exits(run: &Run, found: &mut Vec<Violation>) {
    for process in &run.processes {
        let Some(end) = process.end.filter(|_| process.killed.is_none()) else { continue };
        let is_known = match (end.code, end.signal) {
            (Some(code), _) => EXIT_CODES.contains(&code),
            (None, Some(signal)) => process.signals.contains(&signal),
            (None, None) => false,
        };
        let stderr = || {
            let text = process.output("err");
            text.chars().take(600).collect::<String>()
        };
        if !is_known {
            let message = format!("process {} ended with {end:?}: {}", process.number, stderr());
            found.push(Violation { invariant: "exit codes are documented", message });
        }
        if process.output("err").contains("panicked")
            || process.output("err").contains("has crashed")
        {
            let message = format!("process {}: {}", process.number, stderr());
            found.push(Violation { invariant: "the program does not crash", message });
        }
        let is_plain = matches!(process.command, Command::Run { mistake: None, .. })
            && process.disturbance.is_none()
            && !process.uses_copy;
        if is_plain && matches!(end.code, Some(1 | 2 | 4 | 6 | 124)) {
            let message = format!(
                "process {} ({:?}) ended with {end:?}: {}",
                process.number,
                process.command,
                stderr()
            );
            found.push(Violation { invariant: "an undisturbed run does not fail", message });
        }
    }
}

/// A process that exits by itself answers the webhook calls that it has accepted.
fn webhooks(run: &Run, found: &mut Vec<Violation>) {
    let mut dropped = BTreeMap::<usize, usize>::new();
    for process in run.service.dropped_calls() {
        *dropped.entry(process).or_default() += 1;
    }
    for (number, calls) in dropped {
        let process = &run.processes[number];
        if process.killed.is_none() && process.signals.is_empty() {
            let message =
                format!("process {number} accepted {calls} calls, and closed their connections");
            found.push(Violation { invariant: "accepted webhook calls are answered", message });
        }
    }
}

fn results(run: &Run, found: &mut Vec<Violation>) {
    for (machine, path) in &run.results {
        let Ok(bytes) = fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let foreign: Vec<_> =
            run.foreign_lines.iter().filter(|it| it.machine == *machine).collect();
        for it in &foreign {
            if !text.contains(it.text.as_str()) {
                let message =
                    format!("{:?} is missing from the results of machine {machine}", it.text);
                found.push(Violation { invariant: "lines of another program are kept", message });
            }
        }
        if run.files_changed && foreign.is_empty() {
            continue;
        }
        let wrote_after = |it: &&&ForeignLine| {
            text.find(it.text.as_str()).is_some_and(|at| at + it.text.len() < text.len())
        };
        let last = run.processes.iter().rev().find(|process| {
            process.command.machine() == *machine
                && !process.uses_copy
                && matches!(process.command, Command::Run { mistake: None, .. })
        });
        let succeeded = last.is_some_and(Process::has_reported);
        if foreign.len() == 1 && succeeded && foreign.iter().any(|it| wrote_after(&it)) {
            let message =
                format!("the results of machine {machine} continue after {:?}", foreign[0].text);
            found.push(Violation {
                invariant: "a run with foreign results does not succeed",
                message,
            });
        }
        if foreign.is_empty() {
            let invalid = text.lines().find(|line| serde_json::from_str::<Value>(line).is_err());
            if let Some(line) = invalid {
                let message = format!("machine {machine}: {:.200}", line);
                found.push(Violation { invariant: "every line of the results is JSON", message });
            }
        }
    }
}

/// State of a completed batch whose files no other program has changed.
fn completion(run: &Run, found: &mut Vec<Violation>) {
    let Some(status) = &run.status else {
        let has_begun = !run.service.log().is_empty();
        if has_begun {
            let message = "batch status fails".to_owned();
            found.push(Violation { invariant: "no accepted job is forgotten", message });
        }
        return;
    };
    let count = |name: &str| status[name].as_u64().unwrap_or_default();
    let open = count("pending") + count("intent") + count("submitted");
    if open > 0 || count("total") != run.plan.inputs {
        let message = format!("the last run has exited, and the batch is incomplete: {status}");
        found.push(Violation { invariant: "no accepted job is forgotten", message });
    }
    if count("expired") + count("lost") > 0 {
        let message = format!("the service has all jobs: {status}");
        found.push(Violation {
            invariant: "no existing job is reported as expired or lost",
            message,
        });
    }
    let mut seen = BTreeSet::new();
    for path in run.results.values() {
        let text = fs::read_to_string(path).unwrap_or_default();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let index = line["index"].as_u64().unwrap_or(u64::MAX);
            if line["output"]["n"] != index {
                let message = line.to_string();
                found.push(Violation { invariant: "an output is that of its input", message });
            }
            if !seen.insert(index) {
                let message = line.to_string();
                found.push(Violation { invariant: "each result is written once", message });
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
        let message = format!("{} completed jobs, such as that of input {}", lost.len(), lost[0]);
        found.push(Violation { invariant: "no existing output is lost", message });
    }
    if count("completed") != seen.len() as u64 {
        let message = format!("{} lines of results, and {status}", seen.len());
        found.push(Violation { invariant: "no existing output is lost", message });
    }
}
