//! How often a call is sent: the table of what may be retried, as the peer counts it.

use crate::caller::{Entry, Kind};
use crate::operation::{Operation, Twice};
use crate::peer::{Arrival, Fate};
use crate::plan::{Answer, Fault};
use crate::run::Run;

/// The requests of a call, where its identity travels with it.
pub(super) fn arrivals<'a>(run: &'a Run, entry: &Entry) -> Option<(Operation, Vec<&'a Arrival>)> {
    let number = entry.call;
    let (operation, id) = match entry.kind {
        Kind::Run { .. } | Kind::OneOfAll => (Operation::Run, number.to_string()),
        Kind::RunSync { .. } => (Operation::RunSync, number.to_string()),
        Kind::Openai => (Operation::Openai, number.to_string()),
        Kind::GetPod => (Operation::Rest, format!("pod-{number}")),
        Kind::CreateTemplate => (Operation::CreateTemplate, format!("tpl-{number}")),
        Kind::UpdateTemplate => (Operation::UpdateTemplate, format!("tplid-{number}")),
        Kind::DeleteTemplate => (Operation::DeleteTemplate, format!("tpl-{number}")),
        Kind::CreateSecret => (Operation::CreateSecret, format!("sec-{number}")),
        Kind::DeleteSecret => (Operation::DeleteSecret, format!("secid-{number}")),
        // A job that one call alone retries.
        Kind::Retry => {
            let job = entry.job.as_ref()?;
            let same = |other: &&Entry| {
                matches!(other.kind, Kind::Retry) && other.job.as_ref() == Some(job)
            };
            if run.entries.iter().filter(same).count() > 1 {
                return None;
            }
            (Operation::Retry, job.clone())
        }
        _ => return None,
    };
    let arrivals = run.transcript.of(operation, &id).collect();
    Some((operation, arrivals))
}

pub(super) fn within_the_policy(run: &Run, broken: &mut Vec<String>) {
    let most = run.settings.attempts as usize;
    for entry in &run.entries {
        if let Some((operation, arrivals)) = arrivals(run, entry)
            && arrivals.len() > most
        {
            broken.push(format!(
                "{operation:?} of call {} arrived {} times, with {most} attempts",
                entry.call,
                arrivals.len()
            ));
        }
    }
    // These say nothing of whose they are: all calls together.
    for (operation, kind) in [
        (Operation::Purge, Kind::Purge),
        (Operation::Health, Kind::Health),
        (Operation::Requests, Kind::Requests),
    ] {
        let calls = run.entries.iter().filter(|entry| entry.kind == kind).count();
        let came = run.transcript.arrivals.iter().filter(|one| one.operation == operation).count();
        if came > calls * most {
            broken.push(format!("{came} requests of {operation:?} by {calls} calls"));
        }
    }
}

/// After a request that may have taken effect, none follows; after one that was refused, none needs
/// to. That the peer happened not to act on the first is no excuse: the client could not know.
pub(super) fn not_twice(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        let Some((operation, arrivals)) = arrivals(run, entry) else { continue };
        let asked_for = matches!(entry.kind, Kind::Run { at_least_once: true });
        if operation.twice() == Twice::Safe || asked_for {
            continue;
        }
        for pair in arrivals.windows(2) {
            let first = pair[0];
            if first.fate != Fate::NotTaken && !may_be_taken_for_refused(&first.fault) {
                broken.push(format!(
                    "{operation:?} of call {} was retried after {:?} ({:?})",
                    entry.call, first.fault, first.fate
                ));
            }
        }
    }
}

/// 408 and 425 say that the request was not acted on. Whether one trusts them is a matter of taste.
fn may_be_taken_for_refused(fault: &Fault) -> bool {
    matches!(fault, Fault::Answer(Answer { status: 408 | 425, .. }))
}
