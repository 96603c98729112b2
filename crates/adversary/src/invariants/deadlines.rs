//! Time.

use std::time::Duration;

use podqueue::ErrorKind;

use crate::caller::{Entry, Kind, Outcome};
use crate::run::Run;

/// Timers are counted in milliseconds and rounded up, and a call has a few of them.
const TICK: Duration = Duration::from_millis(20);

/// A call that was not polled until after its deadline takes what arrives in so much more time: its
/// response may have been there all along.
const LATE: Duration = Duration::from_millis(200);

/// What the service is asked to wait for has this much more.
const MARGIN: Duration = Duration::from_secs(10);

pub(super) fn are_kept(run: &Run, broken: &mut Vec<String>) {
    for entry in &run.entries {
        let Some(ended) = entry.ended.filter(|_| !matches!(entry.outcome, Outcome::Dropped)) else {
            continue;
        };
        let took = ended - entry.started;
        if let Some(most) = longest(run, entry) {
            // Nobody can end a call that is not polled.
            let held = entry.held_until.map_or(Duration::ZERO, |until| until - entry.started);
            // Where it is two calls, the second begins when it is polled again.
            let second = if entry.kind == Kind::Retry { most / 2 } else { Duration::ZERO };
            let late = if held.is_zero() { Duration::ZERO } else { LATE };
            if took > most.max(held + second + late) + TICK {
                broken.push(format!(
                    "{:?} of call {} took {took:?}, and had {most:?} (left alone for {held:?})",
                    entry.kind, entry.call
                ));
            }
        }
        if let (Kind::Wait { timeout: Some(timeout), .. }, Outcome::Err(failed)) =
            (entry.kind, &entry.outcome)
            && failed.kind == ErrorKind::WaitTimedOut
            && took < timeout
        {
            broken.push(format!("call {} timed out after {took:?} of {timeout:?}", entry.call));
        }
    }
}

/// How long a call may take at the most, where that is set.
fn longest(run: &Run, entry: &Entry) -> Option<Duration> {
    let settings = &run.settings;
    let extra = match entry.kind {
        Kind::Wait { timeout: Some(timeout), cancel: false } | Kind::Events { total: timeout } => {
            return Some(timeout);
        }
        // The cancel is a call of its own, and so is the look after it.
        Kind::Wait { timeout: Some(timeout), cancel: true } => {
            return Some(timeout + settings.call_timeout? * 2);
        }
        Kind::Wait { .. } | Kind::Stream | Kind::RunAll { .. } | Kind::OneOfAll => return None,
        Kind::RunSync { output: true, .. } => return None,
        Kind::RunSync { wait, .. } => wait + MARGIN,
        _ => Duration::ZERO,
    };
    // A retry of a job looks at its status where its own outcome is unknown.
    let calls = if entry.kind == Kind::Retry { 2 } else { 1 };
    Some((settings.call_timeout? + extra) * calls)
}

pub(super) fn everything_ends(run: &Run, broken: &mut Vec<String>) {
    if run.flooded {
        return;
    }
    for entry in &run.entries {
        if matches!(entry.outcome, Outcome::Unfinished) {
            broken.push(format!(
                "{:?} of call {} has not ended after {:?}, though the peer behaves",
                entry.kind,
                entry.call,
                run.ended - entry.started
            ));
        }
    }
}

/// Nobody asks again and again without a pause, whatever the settings are.
pub(super) fn nobody_asks_without_end(run: &Run, broken: &mut Vec<String>) {
    if run.flooded {
        let last = run.transcript.arrivals.last();
        broken.push(format!(
            "{} requests within {:?}, the last {last:?}",
            run.transcript.arrivals.len(),
            run.ended - run.began
        ));
    }
}
