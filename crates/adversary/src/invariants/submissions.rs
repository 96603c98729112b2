//! Jobs that the service has accepted.

use podqueue::ErrorKind;

use crate::caller::{Entry, Got, Kind, Outcome};
use crate::operation::Operation;
use crate::peer::Arrival;
use crate::run::Run;
use crate::service::Job;

pub(super) fn are_known(run: &Run, broken: &mut Vec<String>) {
    for job in run.service.jobs.values() {
        let entries: Vec<_> = run.entries.iter().filter(|entry| entry.call == job.call).collect();
        let is_known = entries.iter().any(|entry| tells_of(entry, job));
        // What is purged while `/runsync` waits for it is not found at the end of the wait.
        let is_purged = job.removed.is_some();
        if is_known || is_purged || told_otherwise(run, job) || was_left(run, job) {
            continue;
        }
        let told: Vec<_> = entries.iter().map(|entry| &entry.outcome).collect();
        broken.push(format!(
            "{} was accepted, and the caller of call {} does not know: {told:?}",
            job.id, job.call
        ));
    }
}

fn tells_of(entry: &Entry, job: &Job) -> bool {
    match &entry.outcome {
        Outcome::Ok(Got::Job(id)) => *id == job.id,
        Outcome::Ok(Got::Record(seen)) => seen.id == job.id,
        Outcome::Ok(Got::Output(output)) => output["job"] == job.id.as_str(),
        Outcome::Err(failed) => {
            failed.job_id.as_ref() == Some(&job.id) || failed.kind == ErrorKind::OutcomeUnknown
        }
        Outcome::Dropped => true,
        // That it does not end is another matter.
        Outcome::Unfinished => true,
        _ => false,
    }
}

/// What came back was somebody else's, and nothing could tell; or one of the jobs that a submission
/// at least once may make is known, and that is what it promises.
fn told_otherwise(run: &Run, job: &Job) -> bool {
    let number = job.call.to_string();
    let lied = |arrival: &&Arrival| {
        arrival.lied
            && arrival.id == number
            && matches!(arrival.operation, Operation::Run | Operation::RunSync)
    };
    let asked_for = |entry: &Entry| {
        entry.call == job.call && matches!(entry.kind, Kind::Run { at_least_once: true })
    };
    run.transcript.arrivals.iter().any(|arrival| lied(&arrival))
        || run.entries.iter().any(asked_for)
}

/// One of many whose results were not all taken.
fn was_left(run: &Run, job: &Job) -> bool {
    run.entries.iter().any(|entry| match entry.kind {
        Kind::RunAll { jobs } => {
            (entry.call..entry.call + jobs).contains(&job.call)
                && !matches!(entry.outcome, Outcome::Ok(Got::Many { whole: true }))
        }
        _ => false,
    })
}
