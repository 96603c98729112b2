//! Invariants of reported outcomes: what calls returned, compared with the ground truth of the
//! service.

use std::time::Duration;

use podqueue::ErrorKind;

use crate::client::call_log::{
    CallKind, CallOutcome, LoggedCall, Returned, ReturnedError, ReturnedRecord, StreamItem,
};
use crate::client::peer::{Arrival, AttemptOutcome};
use crate::client::plan::Fault;
use crate::client::run::Run;
use crate::client::service::{Job, JobState, Operation, events};

/// An error of a non-idempotent call means that the call had no effect, unless the error is
/// `OutcomeUnknown`.
pub(super) fn definite_errors_are_true(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        let CallOutcome::Err(failed) = &entry.outcome else { continue };
        let Some((operation, arrivals)) = run.arrivals(entry) else { continue };
        if operation.is_idempotent() || failed.job_id.is_some() || !means_no_effect(failed) {
            continue;
        }
        // The job was purged during the wait of `/runsync`, so there is none.
        let was_purged =
            run.service.jobs.values().any(|job| job.call == entry.call && job.purged.is_some());
        if was_purged {
            continue;
        }
        if let Some(arrival) = arrivals.iter().find(|it| it.took_effect && !it.desynced) {
            violations.push(format!(
                "{operation:?} of call {} failed as {:?}, which means that it had no effect, and \
                 took effect under {:?}: {}",
                entry.call, failed.kind, arrival.fault, failed.text
            ));
        }
    }
}

/// The outcome of a request that was not sent is known. Checked where the peer ended no connection,
/// so that none can have been lost with a connection.
pub(super) fn unsent_requests_are_certain(run: &Run, violations: &mut Vec<String>) {
    if run.connections_may_end
        || run.transcript.arrivals.iter().any(|arrival| arrival.fault.ends_connection())
    {
        return;
    }
    for entry in &run.entries {
        let CallOutcome::Err(failed) = &entry.outcome else { continue };
        let Some((operation, arrivals)) = run.arrivals(entry) else { continue };
        // A call that goes unpolled may be handed over and time out in the same poll, which the
        // caller cannot distinguish.
        let was_polled = entry.unpolled_until.is_none();
        // HTTP/2 clients do not report whether a request without a body still waits for a stream.
        let can_tell =
            !(run.settings.http2 && matches!(operation, Operation::Retry | Operation::Purge));
        let is_unknown = failed.kind == ErrorKind::OutcomeUnknown;
        if is_unknown && arrivals.is_empty() && was_polled && can_tell {
            violations.push(format!(
                "{operation:?} of call {} never arrived, and fails as {:?}: {}",
                entry.call, failed.kind, failed.text
            ));
        }
    }
}

fn means_no_effect(failed: &ReturnedError) -> bool {
    matches!(
        failed.kind,
        ErrorKind::InvalidRequest
            | ErrorKind::Connect
            | ErrorKind::Network
            | ErrorKind::Timeout
            | ErrorKind::BadRequest
            | ErrorKind::Unauthorized
            | ErrorKind::NotFound
            | ErrorKind::Gone
            | ErrorKind::RateLimited
            | ErrorKind::Server
            | ErrorKind::Redirect
            | ErrorKind::UnexpectedStatus
            | ErrorKind::Decode
            | ErrorKind::ResponseTooLarge
            | ErrorKind::Graphql
    )
}

pub(super) fn successes_are_true(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        let CallOutcome::Ok(_) = &entry.outcome else { continue };
        let Some((operation, arrivals)) = run.arrivals(entry) else { continue };
        if arrivals.iter().any(|arrival| arrival.desynced) {
            continue;
        }
        let number = entry.call;
        let service = &run.service;
        let has_happened = match entry.kind {
            CallKind::CreateTemplate => {
                service.templates.created.contains_key(&format!("tpl-{number}"))
            }
            CallKind::CreateSecret => {
                service.secrets.created.contains_key(&format!("sec-{number}"))
            }
            CallKind::DeleteTemplate => {
                !service.templates.existing.contains_key(&format!("tpl-{number}"))
            }
            CallKind::DeleteSecret => {
                !service.secrets.existing.contains_key(&format!("sec-{number}"))
            }
            CallKind::UpdateTemplate => {
                let resource = service.templates.existing.get(&format!("tpl-{number}"));
                resource.is_some_and(|resource| resource.updates > 0)
            }
            // Without a response, the client polls the job: one that is not failed needs no retry,
            // whether it was retried or has never failed.
            CallKind::Retry => {
                let job = entry.job.as_ref().and_then(|id| service.jobs.get(id));
                // The poll happened between these times.
                let times = [entry.started, entry.ended.unwrap_or(run.ended)];
                job.is_some_and(|job| {
                    let has_failed =
                        |at| matches!(job.state(at), JobState::Failed | JobState::TimedOut);
                    job.retries > 0 || !times.into_iter().all(has_failed)
                })
            }
            _ => arrivals.iter().any(|arrival| arrival.took_effect),
        };
        if !has_happened {
            let faults: Vec<_> = arrivals.iter().map(|arrival| &arrival.fault).collect();
            violations.push(format!(
                "{operation:?} of call {number} was reported as successful and was not: {faults:?}"
            ));
        }
    }
}

pub(super) fn records_are_true(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        let desynced = run.arrivals(entry).is_some_and(|(_, all)| all.iter().any(|it| it.desynced));
        let checked = match &entry.outcome {
            CallOutcome::Ok(Returned::Record(record)) if !desynced => {
                true_record(run, entry, record)
            }
            CallOutcome::Ok(Returned::Job(id)) if !desynced => own_job(run, entry, id),
            CallOutcome::Ok(Returned::Output(output))
                if matches!(entry.kind, CallKind::RunSync { .. }) && !desynced =>
            {
                own_job(run, entry, output["job"].as_str().unwrap_or_default())
            }
            CallOutcome::Err(failed) if !desynced => true_failure(run, entry, failed),
            _ => Ok(()),
        };
        if let Err(message) = checked {
            violations.push(format!("{:?} of call {}: {message}", entry.kind, entry.call));
        }
    }
}

/// The job of a submission is its own.
fn own_job(run: &Run, entry: &LoggedCall, id: &str) -> Result<(), String> {
    match run.service.jobs.get(id) {
        Some(job) if job.call == entry.call => Ok(()),
        Some(job) => Err(format!("returned {id}, the job of call {}", job.call)),
        None => Err(format!("returned {id:?}, which is not a job")),
    }
}

fn true_record(run: &Run, entry: &LoggedCall, record: &ReturnedRecord) -> Result<(), String> {
    let id = entry.job.as_deref().unwrap_or(&record.id);
    if entry.job.is_none() {
        own_job(run, entry, id)?;
    }
    if record.id != id {
        return Err(format!("asked for {id}, returned the record of {}", record.id));
    }
    if let Some(output) = &record.output
        && output["job"] != *id
    {
        return Err(format!("asked for {id}, returned the output {output}"));
    }
    has_had_status(run, entry, id, &record.status)
}

fn has_had_status(run: &Run, entry: &LoggedCall, id: &str, status: &str) -> Result<(), String> {
    let Some(job) = run.service.jobs.get(id) else {
        return Err(format!("{id} was reported as {status}, and does not exist"));
    };
    let states = [
        JobState::Queued,
        JobState::Running,
        JobState::Completed,
        JobState::Failed,
        JobState::Cancelled,
        JobState::TimedOut,
    ];
    let Some(state) = states.into_iter().find(|state| state.name() == status) else {
        return Err(format!("{id} was reported as {status}, which the peer never sends"));
    };
    let at = entry.ended.unwrap_or(run.ended);
    // Later calls only add to the states that the job has had.
    if job.has_been(state, at) || job.has_been(state, run.ended) {
        Ok(())
    } else {
        Err(format!("{id} was reported as {status}, and is {}", job.state(at).name()))
    }
}

fn true_failure(run: &Run, entry: &LoggedCall, failed: &ReturnedError) -> Result<(), String> {
    let Some(id) = entry.job.as_ref().or(failed.job_id.as_ref()) else { return Ok(()) };
    if let Some(record) = &failed.record {
        if record.id != *id {
            return Err(format!("asked for {id}, and the error is about {}", record.id));
        }
        has_had_status(run, entry, id, &record.status)?;
    }
    let at = entry.ended.unwrap_or(run.ended);
    let job = run.service.jobs.get(id);
    match failed.kind {
        // A single status call reports a 404 as it came. A wait and a stream continue after one
        // that is not the service's own, such as the page of a gateway.
        ErrorKind::NotFound
            if !matches!(
                entry.kind,
                CallKind::Wait { .. } | CallKind::Stream | CallKind::RunAllItem
            ) =>
        {
            Ok(())
        }
        ErrorKind::JobExpired | ErrorKind::NotFound => match job {
            Some(job) if job.state(at) != JobState::Deleted => Err(format!(
                "{id} was reported as deleted ({:?}), and is {}: {}",
                failed.kind,
                job.state(at).name(),
                failed.text
            )),
            _ => Ok(()),
        },
        ErrorKind::WaitTimedOut if failed.remote_cancel == Some(true) => match job {
            Some(job) if job.cancelled.is_none() => {
                Err(format!("{id} was reported as cancelled, and was not"))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

pub(super) fn accepted_jobs_are_reported(run: &Run, violations: &mut Vec<String>) {
    for job in run.service.jobs.values() {
        let entries: Vec<_> = run.entries.iter().filter(|entry| entry.call == job.call).collect();
        let is_reported = entries.iter().any(|entry| reports(entry, job));
        // A job that is purged during the wait of `/runsync` is not found at its end.
        let is_purged = job.purged.is_some();
        if is_reported || is_purged || is_excused(run, job) || is_untaken_result(run, job) {
            continue;
        }
        let outcomes: Vec<_> = entries.iter().map(|entry| &entry.outcome).collect();
        violations.push(format!(
            "{} was accepted, and not reported to the caller of call {}: {outcomes:?}",
            job.id, job.call
        ));
    }
}

/// Returns true if a call reported the job, or its outcome as unknown.
fn reports(entry: &LoggedCall, job: &Job) -> bool {
    match &entry.outcome {
        CallOutcome::Ok(Returned::Job(id)) => *id == job.id,
        CallOutcome::Ok(Returned::Record(record)) => record.id == job.id,
        CallOutcome::Ok(Returned::Output(output)) => output["job"] == job.id.as_str(),
        CallOutcome::Err(failed) => {
            failed.job_id.as_ref() == Some(&job.id) || failed.kind == ErrorKind::OutcomeUnknown
        }
        CallOutcome::Dropped => true,
        // Another invariant covers it.
        CallOutcome::Unfinished => true,
        _ => false,
    }
}

/// The response may have been desynchronized; or the submission was made at least once, which may
/// create several jobs and reports one of them.
fn is_excused(run: &Run, job: &Job) -> bool {
    let number = job.call.to_string();
    let desynced = |arrival: &&Arrival| {
        arrival.desynced
            && arrival.id == number
            && matches!(arrival.operation, Operation::Run | Operation::RunSync)
    };
    let is_at_least_once = |entry: &LoggedCall| {
        entry.call == job.call && matches!(entry.kind, CallKind::Run { at_least_once: true })
    };
    run.transcript.arrivals.iter().any(|arrival| desynced(&arrival))
        || run.entries.iter().any(is_at_least_once)
}

/// A job of `run_all` whose results were not all taken.
fn is_untaken_result(run: &Run, job: &Job) -> bool {
    run.entries.iter().any(|entry| match entry.kind {
        CallKind::RunAll { jobs } => {
            (entry.call..entry.call + jobs).contains(&job.call)
                && !matches!(entry.outcome, CallOutcome::Ok(Returned::RunAll { complete: true }))
        }
        _ => false,
    })
}

/// Twice the longest interval between polls of a wait, which is a third of the shortest retention
/// of a result. It leaves room for one failed poll.
const TWO_POLLS: Duration = Duration::from_secs(40);

/// A wait does not miss the result of a job that is retained for long enough, if at most one poll
/// fails.
pub(super) fn readable_results_are_read(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        if let Some(message) = missed(run, entry) {
            violations.push(format!("{:?} of call {}: {message}", entry.kind, entry.call));
        }
    }
}

fn missed(run: &Run, entry: &LoggedCall) -> Option<String> {
    let (CallKind::Wait { .. }, CallOutcome::Err(failed), Some(ended)) =
        (entry.kind, &entry.outcome, entry.ended)
    else {
        return None;
    };
    // Only waits that are always polled and not rate limited.
    if entry.unpolled_until.is_some() || run.settings.share.is_some() {
        return None;
    }
    let is_missed = matches!(failed.kind, ErrorKind::WaitTimedOut | ErrorKind::JobExpired);
    let job = run.service.jobs.get(entry.job.as_ref()?)?;
    if !is_missed || job.retries > 0 || job.cancelled.is_some() || job.purged.is_some() {
        return None;
    }
    let readable_from = job.ended_at().max(entry.started);
    let readable_until = job.deleted_at().min(ended);
    let readable = readable_until.checked_duration_since(readable_from)?;
    let failures = run
        .transcript
        .arrivals_of(Operation::Status, &job.id)
        .filter(|poll| (entry.started..=readable_until).contains(&poll.at))
        .filter(|poll| poll.outcome != AttemptOutcome::Success)
        .count();
    (readable >= TWO_POLLS && failures <= 1).then(|| {
        format!(
            "{} was {} and readable for {readable:?}, with {failures} failed polls, and the wait \
             ended as {:?}: {}",
            job.id,
            job.state(job.ended_at()).name(),
            failed.kind,
            failed.text
        )
    })
    .filter(|_| job.state(job.ended_at()) != JobState::Deleted)
}

/// The first reader of a job receives each chunk once and in order. Where chunks are missing, the
/// next one reports a gap, or the last item is an error.
pub(super) fn chunks_are_complete(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        let CallOutcome::Ok(Returned::Items { items, ended }) = &entry.outcome else { continue };
        if let Err(message) = check_chunks(run, entry, items, *ended) {
            violations.push(format!("the stream of call {}: {message}", entry.call));
        }
    }
}

fn check_chunks(
    run: &Run,
    entry: &LoggedCall,
    items: &[StreamItem],
    ended: bool,
) -> Result<(), String> {
    let Some(job) = entry.job.as_ref().and_then(|id| run.service.jobs.get(id)) else {
        return Ok(());
    };
    // An array of chunks does not identify its job.
    if run.transcript.arrivals_of(Operation::Stream, &job.id).any(|arrival| arrival.desynced) {
        return Ok(());
    }
    // A retry restarts the chunks in the middle of the stream.
    let is_simple = job.retries == 0;
    let mut next = 0;
    for item in items {
        let StreamItem::Chunk { output, after_gap } = item else { continue };
        if output["job"] != job.id.as_str() {
            return Err(format!("a chunk of another job: {output}"));
        }
        let Some(index) = output["chunk"].as_u64().filter(|_| is_simple) else { continue };
        if index < next {
            return Err(format!("chunk {index} came after chunk {}", next - 1));
        }
        if index > next && !after_gap {
            return Err(format!(
                "chunk {index} came where chunk {next} was next, and no gap was reported"
            ));
        }
        next = index + 1;
    }
    let ends_with_error = matches!(items.last(), Some(StreamItem::Error(_)));
    if is_simple && ended && next < job.all_chunks() && !ends_with_error {
        return Err(format!(
            "it ended after {next} of {} chunks, and no gap was reported",
            job.all_chunks()
        ));
    }
    Ok(())
}

/// Events are delivered in order, and all of them where the stream ended without an error.
pub(super) fn events_are_complete(run: &Run, violations: &mut Vec<String>) {
    for entry in &run.entries {
        let (CallKind::Events { .. }, CallOutcome::Ok(Returned::Items { items, ended })) =
            (entry.kind, &entry.outcome)
        else {
            continue;
        };
        let id = entry.call.to_string();
        // A truncated body that is delimited by the end of its connection looks complete.
        let is_truncated =
            |fault: &Fault| matches!(fault, Fault::CloseDelimited { at } if *at < 1_000);
        let (mut desynced, mut may_lack_events) = (false, false);
        for arrival in run.transcript.arrivals_of(Operation::Openai, &id) {
            desynced |= arrival.desynced;
            may_lack_events |= is_truncated(&arrival.fault);
        }
        if desynced {
            continue;
        }
        let received = items.iter().filter_map(|item| match item {
            StreamItem::Chunk { output, .. } => Some(output.clone()),
            StreamItem::Error(_) => None,
        });
        let (received, sent): (Vec<_>, Vec<_>) = (received.collect(), events(&id).collect());
        let failed = items.iter().any(|item| matches!(item, StreamItem::Error(_)));
        let may_lack = failed || may_lack_events || !*ended;
        if !sent.starts_with(&received) || (received.len() < sent.len() && !may_lack) {
            violations.push(format!(
                "the stream of call {id} ended without an error after {} of {} events: {received:?}",
                received.len(),
                sent.len()
            ));
        }
    }
}
