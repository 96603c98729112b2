//! What the callers were told, held against what the service did.

use podqueue::ErrorKind;

use super::attempts::arrivals;
use crate::caller::{Entry, Failed, Got, Kind, Outcome, Seen};
use crate::operation::{Operation, Twice};
use crate::run::Run;
use crate::service::State;

/// An error of a call that must not be made twice says that it had no effect, unless it says that
/// nobody knows.
pub(super) fn of_failures(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        let Outcome::Err(failed) = &entry.outcome else { continue };
        let Some((operation, arrivals)) = arrivals(run, entry) else { continue };
        if operation.twice() == Twice::Safe || failed.job_id.is_some() || !means_no_effect(failed) {
            continue;
        }
        // It was accepted, and purged while the service waited for it: there is none.
        let was_purged =
            run.service.jobs.values().any(|job| job.call == entry.call && job.removed.is_some());
        if was_purged {
            continue;
        }
        if let Some(acted) = arrivals.iter().find(|arrival| arrival.acted && !arrival.lied) {
            broken.push(format!(
                "{operation:?} of call {} failed as {:?}, which says that nothing happened, and \
                 took effect under {:?}: {}",
                entry.call, failed.kind, acted.fault, failed.text
            ));
        }
    }
}

/// An outcome is not called unknown where nothing was sent, which the client can know: no connection
/// was ended by the peer, so none can have taken a request with it.
pub(super) fn of_unknown_outcomes(run: &Run, broken: &mut Vec<String>) {
    if run.ends_connections
        || run.transcript.arrivals.iter().any(|one| one.fault.ends_a_connection())
    {
        return;
    }
    for entry in &run.entries {
        let Outcome::Err(failed) = &entry.outcome else { continue };
        let Some((operation, arrivals)) = arrivals(run, entry) else { continue };
        // A call that is left alone may be handed over and given up in one poll, and cannot tell.
        let was_polled = entry.held_until.is_none();
        // Of a request without a body that waits inside an HTTP/2 client, nobody knows.
        let can_tell =
            !(run.settings.http2 && matches!(operation, Operation::Retry | Operation::Purge));
        let is_unknown = failed.kind == ErrorKind::OutcomeUnknown;
        if is_unknown && arrivals.is_empty() && was_polled && can_tell {
            broken.push(format!(
                "{operation:?} of call {} never arrived, and fails as {:?}: {}",
                entry.call, failed.kind, failed.text
            ));
        }
    }
}

fn means_no_effect(failed: &Failed) -> bool {
    matches!(
        failed.kind,
        ErrorKind::InvalidRequest
            | ErrorKind::Connect
            | ErrorKind::Network
            | ErrorKind::Timeout
            | ErrorKind::BadRequest
            | ErrorKind::Unauthorized
            | ErrorKind::NotFound
            | ErrorKind::RateLimited
            | ErrorKind::Server
            | ErrorKind::Redirect
            | ErrorKind::UnexpectedStatus
            | ErrorKind::Decode
            | ErrorKind::ResponseTooLarge
            | ErrorKind::Graphql
    )
}

pub(super) fn of_successes(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        let Outcome::Ok(_) = &entry.outcome else { continue };
        let Some((operation, arrivals)) = arrivals(run, entry) else { continue };
        if arrivals.iter().any(|arrival| arrival.lied) {
            continue;
        }
        let number = entry.call;
        let service = &run.service;
        let has_happened = match entry.kind {
            Kind::CreateTemplate => {
                service.templates.created.contains_key(&format!("tpl-{number}"))
            }
            Kind::CreateSecret => service.secrets.created.contains_key(&format!("sec-{number}")),
            Kind::DeleteTemplate => !service.templates.there.contains_key(&format!("tpl-{number}")),
            Kind::DeleteSecret => !service.secrets.there.contains_key(&format!("sec-{number}")),
            Kind::UpdateTemplate => {
                let thing = service.templates.there.get(&format!("tpl-{number}"));
                thing.is_some_and(|thing| thing.changes > 0)
            }
            // Whoever has no response looks at the job: one that is not failed needs no retry, whether
            // it was one or never failed.
            Kind::Retry => {
                let job = entry.job.as_ref().and_then(|id| service.jobs.get(id));
                // It was looked at some time in between.
                let times = [entry.started, entry.ended.unwrap_or(run.ended)];
                job.is_some_and(|job| {
                    let has_failed = |at| matches!(job.state(at), State::Failed | State::TimedOut);
                    job.retries > 0 || !times.into_iter().all(has_failed)
                })
            }
            _ => arrivals.iter().any(|arrival| arrival.acted),
        };
        if !has_happened {
            let faults: Vec<_> = arrivals.iter().map(|arrival| &arrival.fault).collect();
            broken.push(format!(
                "{operation:?} of call {number} is told as done and was not: {faults:?}"
            ));
        }
    }
}

pub(super) fn of_jobs(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        let lied = arrivals(run, entry).is_some_and(|(_, all)| all.iter().any(|one| one.lied));
        let told = match &entry.outcome {
            Outcome::Ok(Got::Record(seen)) if !lied => true_record(run, entry, seen),
            Outcome::Ok(Got::Job(id)) if !lied => own_job(run, entry, id),
            Outcome::Ok(Got::Output(output))
                if matches!(entry.kind, Kind::RunSync { .. }) && !lied =>
            {
                own_job(run, entry, output["job"].as_str().unwrap_or_default())
            }
            Outcome::Err(failed) if !lied => true_failure(run, entry, failed),
            _ => Ok(()),
        };
        if let Err(what) = told {
            broken.push(format!("{:?} of call {}: {what}", entry.kind, entry.call));
        }
    }
}

/// A job that a submission brought is the one that it asked for.
fn own_job(run: &Run, entry: &Entry, id: &str) -> Result<(), String> {
    match run.service.jobs.get(id) {
        Some(job) if job.call == entry.call => Ok(()),
        Some(job) => Err(format!("it was given {id}, the job of call {}", job.call)),
        None => Err(format!("it was given {id:?}, which is no job")),
    }
}

fn true_record(run: &Run, entry: &Entry, seen: &Seen) -> Result<(), String> {
    let id = entry.job.as_deref().unwrap_or(&seen.id);
    if entry.job.is_none() {
        own_job(run, entry, id)?;
    }
    if seen.id != id {
        return Err(format!("it is about {id}, and was given the record of {}", seen.id));
    }
    if let Some(output) = &seen.output
        && output["job"] != *id
    {
        return Err(format!("it is about {id}, and was given the output {output}"));
    }
    went_through(run, entry, id, &seen.status)
}

fn went_through(run: &Run, entry: &Entry, id: &str, status: &str) -> Result<(), String> {
    let Some(job) = run.service.jobs.get(id) else {
        return Err(format!("{id} is said to be {status}, and never was"));
    };
    let states = [
        State::Queued,
        State::Running,
        State::Completed,
        State::Failed,
        State::Cancelled,
        State::TimedOut,
    ];
    let Some(state) = states.into_iter().find(|state| state.name() == status) else {
        return Err(format!("{id} is said to be {status}, which the peer never says"));
    };
    let at = entry.ended.unwrap_or(run.ended);
    // What is done to a job later can only add to where it has been.
    if job.has_been(state, at) || job.has_been(state, run.ended) {
        Ok(())
    } else {
        Err(format!("{id} is said to be {status}, and is {}", job.state(at).name()))
    }
}

fn true_failure(run: &Run, entry: &Entry, failed: &Failed) -> Result<(), String> {
    let Some(id) = entry.job.as_ref().or(failed.job_id.as_ref()) else { return Ok(()) };
    if let Some(record) = &failed.record {
        if record.id != *id {
            return Err(format!("it is about {id}, and its error about {}", record.id));
        }
        went_through(run, entry, id, &record.status)?;
    }
    let at = entry.ended.unwrap_or(run.ended);
    let job = run.service.jobs.get(id);
    match failed.kind {
        // A status that is asked for once is told as it came; a wait and a stream go on from what
        // cannot be the service's own word, such as the page of a gateway.
        ErrorKind::NotFound
            if !matches!(entry.kind, Kind::Wait { .. } | Kind::Stream | Kind::OneOfAll) =>
        {
            Ok(())
        }
        ErrorKind::JobExpired | ErrorKind::NotFound => match job {
            Some(job) if job.state(at) != State::Gone => Err(format!(
                "{id} is said to be gone ({:?}), and is {}: {}",
                failed.kind,
                job.state(at).name(),
                failed.text
            )),
            _ => Ok(()),
        },
        ErrorKind::WaitTimedOut if failed.remote_cancel == Some(true) => match job {
            Some(job) if job.cancelled.is_none() => {
                Err(format!("{id} is said to have been cancelled, and was not"))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
