//! The rate limits, as the service counts them.

use std::time::Duration;

use tokio::time::Instant;

use crate::operation::Operation;
use crate::peer::Fate;
use crate::run::Run;

const WINDOW: Duration = Duration::from_secs(10);

fn part(limit: u64, share: f64) -> usize {
    ((limit as f64 * share + 1e-6) as usize).max(1)
}

/// In no ten seconds there are more requests than the share of the documented rate.
pub(super) fn rates_are_kept(run: &Run, broken: &mut Vec<String>) {
    let Some(share) = run.settings.share else { return };
    for operation in Operation::ALL {
        let Some((requests, _)) = operation.limits() else { continue };
        let most = part(requests, share);
        let came: Vec<Instant> = run
            .transcript
            .arrivals
            .iter()
            // What was refused before it was started was not counted either.
            .filter(|arrival| arrival.operation == operation && !is_not_started(arrival))
            .filter(|arrival| !(run.settings.http2 && left_late(arrival)))
            .map(|arrival| arrival.at)
            .collect();
        if let Some(window) = came.windows(most + 1).find(|came| came[most] - came[0] < WINDOW) {
            broken.push(format!(
                "{} requests of {operation:?} within {:?}, from {:?} on: {most} are allowed",
                most + 1,
                window[most] - window[0],
                window[0] - run.began
            ));
        }
    }
}

fn is_not_started(arrival: &crate::peer::Arrival) -> bool {
    arrival.fate == Fate::NotTaken && matches!(arrival.fault, crate::plan::Fault::Reset(_))
}

/// A request without a body that was given up in the queue of a connection whose peer admits fewer
/// streams than there are calls: the user's own HTTP/2 client sends it once there is room, followed by
/// a reset, and nobody can call it back.
fn left_late(arrival: &crate::peer::Arrival) -> bool {
    arrival.fate == Fate::Unknown && arrival.fault == crate::plan::Fault::None
}

pub(super) fn concurrency_is_kept(run: &Run, broken: &mut Vec<String>) {
    let Some(share) = run.settings.share else { return };
    for (operation, &came) in &run.transcript.most {
        let Some((_, Some(concurrent))) = operation.limits() else { continue };
        let most = part(concurrent, share);
        if came as usize > most {
            broken.push(format!("{came} requests of {operation:?} at a time: {most} are allowed"));
        }
    }
}
