//! What must not be seen, during a run or after it.

use podqueue::ErrorKind;

use crate::caller::Outcome;
use crate::run::Run;

pub(super) fn no_secret_is_shown(run: &Run, broken: &mut Vec<String>) {
    broken.extend(run.leaks.iter().cloned());
}

/// A secret that is short is no reason to cut the client's own words to pieces: a refusal still says
/// which status came.
pub(super) fn errors_keep_their_words(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        let Outcome::Err(failed) = &entry.outcome else { continue };
        let names_the_status = matches!(
            failed.kind,
            ErrorKind::BadRequest
                | ErrorKind::Unauthorized
                | ErrorKind::NotFound
                | ErrorKind::RateLimited
                | ErrorKind::Server
                | ErrorKind::UnexpectedStatus
        );
        if let Some(status) = failed.status.filter(|_| names_the_status)
            && !failed.text.contains(&status.to_string())
        {
            broken.push(format!(
                "call {} failed with {status}, and says: {}",
                entry.call, failed.text
            ));
        }
    }
}

/// Once the client and all callers are gone, so are their tasks and connections.
pub(super) fn nothing_is_left(run: &Run, broken: &mut Vec<String>) {
    // What was broken off has left its callers behind.
    if run.entries.iter().any(|entry| matches!(entry.outcome, Outcome::Unfinished)) {
        return;
    }
    if run.left_tasks > 0 {
        broken.push(format!("{} tasks", run.left_tasks));
    }
    if run.left_connections > 0 {
        broken.push(format!("{} connections", run.left_connections));
    }
}

pub(super) fn nothing_panics(run: &Run, broken: &mut Vec<String>) {
    broken.extend(run.panics.iter().cloned());
}
