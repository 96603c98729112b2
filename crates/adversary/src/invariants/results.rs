//! Results that were there to be read.

use std::time::Duration;

use podqueue::ErrorKind;

use crate::caller::{Entry, Kind, Outcome};
use crate::operation::Operation;
use crate::peer::Fate;
use crate::run::Run;
use crate::service::State;

/// How often a wait looks at the least: a third of the time for which a result of a synchronous job
/// is kept. Twice that is enough for one look that fails.
const LOOKS: Duration = Duration::from_secs(40);

/// A job that has ended, whose result is kept for long enough and whose status was asked for with at
/// most one failure meanwhile, is not missed by a wait.
pub(super) fn are_read(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        if let Some(what) = missed(run, entry) {
            broken.push(format!("{:?} of call {}: {what}", entry.kind, entry.call));
        }
    }
}

fn missed(run: &Run, entry: &Entry) -> Option<String> {
    let (Kind::Wait { .. }, Outcome::Err(failed), Some(ended)) =
        (entry.kind, &entry.outcome, entry.ended)
    else {
        return None;
    };
    // One who does not look away, and is not kept from looking.
    if entry.held_until.is_some() || run.settings.share.is_some() {
        return None;
    }
    let is_missed = matches!(failed.kind, ErrorKind::WaitTimedOut | ErrorKind::JobExpired);
    let job = run.service.jobs.get(entry.job.as_ref()?)?;
    if !is_missed || job.retries > 0 || job.cancelled.is_some() || job.removed.is_some() {
        return None;
    }
    let readable_from = job.ended_at().max(entry.started);
    let readable_until = job.gone_at().min(ended);
    let readable = readable_until.checked_duration_since(readable_from)?;
    let failures = run
        .transcript
        .of(Operation::Status, &job.id)
        .filter(|look| (entry.started..=readable_until).contains(&look.at))
        .filter(|look| look.fate != Fate::Success)
        .count();
    (readable >= LOOKS && failures <= 1).then(|| {
        format!(
            "{} was {} and readable for {readable:?}, with {failures} failed looks, and the wait \
             ended as {:?}: {}",
            job.id,
            job.state(job.ended_at()).name(),
            failed.kind,
            failed.text
        )
    })
    .filter(|_| job.state(job.ended_at()) != State::Gone)
}
