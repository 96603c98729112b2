//! Invariants of a run: promises that hold for any peer and any callers, each checked on its own.
//!
//! The invariants of reported outcomes are in `outcomes`; those of requests, deadlines, limits,
//! leaks and leftovers are here.

mod outcomes;

use std::time::Duration;

use podqueue::ErrorKind;
use tokio::time::Instant;

use crate::client::call_log::{CallKind, CallOutcome, LoggedCall};
use crate::client::peer::{Arrival, AttemptOutcome};
use crate::client::plan::{CannedResponse, Fault};
use crate::client::run::Run;
use crate::client::service::Operation;
use crate::search::{Played, Violation};

type Invariant = fn(&Run, &mut Vec<String>);

/// All invariants by name.
const ALL: &[(&str, Invariant)] = &[
    ("attempts stay within the retry policy", attempts_within_policy),
    ("a non-idempotent request is not repeated once it may have taken effect", no_unsafe_repeats),
    ("an error reported as certain is certain", outcomes::definite_errors_are_true),
    ("a request that was not sent has no unknown outcome", outcomes::unsent_requests_are_certain),
    ("a reported success took effect", outcomes::successes_are_true),
    ("a returned job record is true and of the requested job", outcomes::records_are_true),
    (
        "an accepted job is reported to its caller, or its outcome as unknown",
        outcomes::accepted_jobs_are_reported,
    ),
    (
        "each chunk is delivered once and in order, or a gap is reported",
        outcomes::chunks_are_complete,
    ),
    ("an event stream without an error is complete", outcomes::events_are_complete),
    ("deadlines are met", deadlines_are_met),
    ("every call terminates", calls_terminate),
    ("requests are not sent without a pause", no_request_floods),
    ("a wait does not miss a readable result", outcomes::readable_results_are_read),
    ("no secret leaks", no_secret_leaks),
    ("redaction keeps the status in an error", redaction_keeps_statuses),
    ("no task or connection outlives the client", nothing_outlives_the_client),
    ("nothing panics", nothing_panics),
    ("rates stay within the limits", rates_within_limits),
    ("concurrency stays within the limits", concurrency_within_limits),
];

/// Returns the invariants that a run violates.
#[must_use]
pub fn violations(run: &Run) -> Vec<Violation> {
    let mut found = Vec::new();
    for (invariant, check) in ALL {
        let mut messages = Vec::new();
        check(run, &mut messages);
        found.extend(messages.into_iter().map(|message| Violation { invariant, message }));
    }
    found
}

/// Checks a run of the client with this plan.
pub(crate) fn check<P: Clone>(plan: &P, run: &Run) -> Played<P> {
    let violations = violations(run);
    let transcript = if violations.is_empty() { String::new() } else { run.transcript() };
    Played { plan: plan.clone(), violations, transcript }
}

fn attempts_within_policy(run: &Run, violations: &mut Vec<String>) {
    let max = run.settings.attempts as usize;
    for entry in &run.entries {
        if let Some((operation, arrivals)) = run.arrivals(entry)
            && arrivals.len() > max
        {
            violations.push(format!(
                "{operation:?} of call {} arrived {} times, with {max} attempts",
                entry.call,
                arrivals.len()
            ));
        }
    }
    // These requests do not identify their call: all calls together.
    for (operation, kind) in [
        (Operation::Purge, CallKind::Purge),
        (Operation::Health, CallKind::Health),
        (Operation::Requests, CallKind::Requests),
    ] {
        let calls = run.entries.iter().filter(|entry| entry.kind == kind).count();
        let arrivals = run.transcript.arrivals.iter();
        let requests = arrivals.filter(|arrival| arrival.operation == operation).count();
        if requests > calls * max {
            violations.push(format!("{requests} requests of {operation:?} by {calls} calls"));
        }
    }
}

/// A request of a non-idempotent operation follows only a request that was refused unprocessed.
/// That the peer did not apply the first is no excuse, because the client could not know.
fn no_unsafe_repeats(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        let Some((operation, arrivals)) = run.arrivals(entry) else { continue };
        let is_at_least_once = matches!(entry.kind, CallKind::Run { at_least_once: true });
        if operation.is_idempotent() || is_at_least_once {
            continue;
        }
        for pair in arrivals.windows(2) {
            let first = pair[0];
            if first.outcome != AttemptOutcome::NotProcessed
                && !may_count_as_unprocessed(&first.fault)
            {
                violations.push(format!(
                    "{operation:?} of call {} was retried after {:?} ({:?})",
                    entry.call, first.fault, first.outcome
                ));
            }
        }
    }
}

/// 408 and 425 state that the request was not processed. A client may trust them or not.
fn may_count_as_unprocessed(fault: &Fault) -> bool {
    matches!(fault, Fault::Respond(CannedResponse { status: 408 | 425, .. }))
}

/// Tolerance for timers, which count in milliseconds and round up. A call has several.
const TIMER_TOLERANCE: Duration = Duration::from_millis(20);

/// Time in which a call that is first polled after its deadline may still take a response that is
/// already there.
const LATE_POLL: Duration = Duration::from_millis(200);

/// Time that the client adds to the wait of `/runsync`.
const SYNC_MARGIN: Duration = Duration::from_secs(10);

fn deadlines_are_met(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        let Some(ended) = entry.ended.filter(|_| !matches!(entry.outcome, CallOutcome::Dropped))
        else {
            continue;
        };
        let took = ended - entry.started;
        if let Some(max) = deadline(run, entry) {
            // A call that is not polled cannot end.
            let unpolled =
                entry.unpolled_until.map_or(Duration::ZERO, |until| until - entry.started);
            // The second of two calls begins when the future is polled again.
            let second = if may_poll_status(entry.kind) { max / 2 } else { Duration::ZERO };
            let late = if unpolled.is_zero() { Duration::ZERO } else { LATE_POLL };
            if took > max.max(unpolled + second + late) + TIMER_TOLERANCE {
                violations.push(format!(
                    "{:?} of call {} took {took:?}, with a deadline of {max:?} (unpolled: {unpolled:?})",
                    entry.kind, entry.call
                ));
            }
        }
        if let (CallKind::Wait { timeout: Some(timeout), .. }, CallOutcome::Err(failed)) =
            (entry.kind, &entry.outcome)
            && failed.kind == ErrorKind::WaitTimedOut
            && took < timeout
        {
            violations.push(format!("call {} timed out after {took:?} of {timeout:?}", entry.call));
        }
    }
}

/// Returns the deadline of a call, where one is set.
fn deadline(run: &Run, entry: &LoggedCall) -> Option<Duration> {
    let settings = &run.settings;
    let extra = match entry.kind {
        CallKind::Wait { timeout: Some(timeout), cancel: false }
        | CallKind::Events { total: timeout } => {
            return Some(timeout);
        }
        // The cancel is a call of its own, and so is the poll after it.
        CallKind::Wait { timeout: Some(timeout), cancel: true } => {
            return Some(timeout + settings.call_timeout? * 2);
        }
        CallKind::Wait { .. }
        | CallKind::Stream
        | CallKind::RunAll { .. }
        | CallKind::RunAllItem => return None,
        CallKind::RunSync { output: true, .. } => return None,
        CallKind::RunSync { wait, .. } => wait + SYNC_MARGIN,
        _ => Duration::ZERO,
    };
    let calls = if may_poll_status(entry.kind) { 2 } else { 1 };
    Some((settings.call_timeout? + extra) * calls)
}

/// Returns true for a call that is followed by a second one, for the job's status, if its own
/// response does not tell its outcome.
fn may_poll_status(kind: CallKind) -> bool {
    matches!(kind, CallKind::Retry | CallKind::Cancel)
}

fn calls_terminate(run: &Run, violations: &mut Vec<String>) {
    if run.flooded {
        return;
    }
    for entry in &run.entries {
        if matches!(entry.outcome, CallOutcome::Unfinished) {
            violations.push(format!(
                "{:?} of call {} has not ended after {:?} with a well-behaved peer",
                entry.kind,
                entry.call,
                run.ended - entry.started
            ));
        }
    }
}

/// No settings let the client send requests without a pause.
fn no_request_floods(run: &Run, violations: &mut Vec<String>) {
    if run.flooded {
        let last = run.transcript.arrivals.last();
        violations.push(format!(
            "{} requests within {:?}, the last {last:?}",
            run.transcript.arrivals.len(),
            run.ended - run.began
        ));
    }
}

/// Window of the documented rate limits.
const WINDOW: Duration = Duration::from_secs(10);

/// Returns the share of a limit, at least 1.
fn share_of(limit: u64, share: f64) -> usize {
    ((limit as f64 * share + 1e-6) as usize).max(1)
}

/// No window of ten seconds has more requests than the share of the documented rate.
fn rates_within_limits(run: &Run, violations: &mut Vec<String>) {
    let Some(share) = run.settings.share else { return };
    for operation in Operation::ALL {
        let Some((requests, _)) = operation.limits() else { continue };
        let max = share_of(requests, share);
        let times: Vec<Instant> = run
            .transcript
            .arrivals
            .iter()
            // Requests that HTTP/2 refuses unprocessed do not count towards the limit.
            .filter(|arrival| arrival.operation == operation && !is_refused_stream(arrival))
            .filter(|arrival| !(run.settings.http2 && may_be_cancelled(arrival)))
            .map(|arrival| arrival.at)
            .collect();
        if let Some(window) = times.windows(max + 1).find(|times| times[max] - times[0] < WINDOW) {
            violations.push(format!(
                "{} requests of {operation:?} within {:?}, from {:?} on: {max} are allowed",
                max + 1,
                window[max] - window[0],
                window[0] - run.began
            ));
        }
    }
}

fn is_refused_stream(arrival: &Arrival) -> bool {
    arrival.outcome == AttemptOutcome::NotProcessed
        && matches!(arrival.fault, Fault::StreamReset(_))
}

/// A request without a body may have been cancelled while it waited for a free stream: the HTTP/2
/// client sends it later nevertheless, followed by a reset, and the rate limiter cannot withdraw
/// it.
fn may_be_cancelled(arrival: &Arrival) -> bool {
    arrival.outcome == AttemptOutcome::Unknown && arrival.fault == Fault::None
}

fn concurrency_within_limits(run: &Run, violations: &mut Vec<String>) {
    let Some(share) = run.settings.share else { return };
    for (operation, &requests) in &run.transcript.max_in_flight {
        let Some((_, Some(concurrent))) = operation.limits() else { continue };
        let max = share_of(concurrent, share);
        if requests as usize > max {
            violations.push(format!(
                "{requests} concurrent requests of {operation:?}: {max} are allowed"
            ));
        }
    }
}

fn no_secret_leaks(run: &Run, violations: &mut Vec<String>) {
    violations.extend(run.leaks.iter().cloned());
}

/// Redaction of a short secret leaves the client's own text alone: an error still names the status.
fn redaction_keeps_statuses(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        let CallOutcome::Err(failed) = &entry.outcome else { continue };
        let names_the_status = matches!(
            failed.kind,
            ErrorKind::BadRequest
                | ErrorKind::Unauthorized
                | ErrorKind::NotFound
                | ErrorKind::Gone
                | ErrorKind::RateLimited
                | ErrorKind::Server
                | ErrorKind::UnexpectedStatus
        );
        if let Some(status) = failed.status.filter(|_| names_the_status)
            && !failed.text.contains(&status.to_string())
        {
            violations.push(format!(
                "call {} failed with {status}, and says: {}",
                entry.call, failed.text
            ));
        }
    }
}

/// The tasks and connections of the client end when the client and its callers are dropped.
fn nothing_outlives_the_client(run: &Run, violations: &mut Vec<String>) {
    // The callers of an aborted run still exist.
    if run.entries.iter().any(|entry| matches!(entry.outcome, CallOutcome::Unfinished)) {
        return;
    }
    if run.leaked_tasks > 0 {
        violations.push(format!("{} tasks", run.leaked_tasks));
    }
    if run.leaked_connections > 0 {
        violations.push(format!("{} connections", run.leaked_connections));
    }
}

fn nothing_panics(run: &Run, violations: &mut Vec<String>) {
    violations.extend(run.panics.iter().cloned());
}
