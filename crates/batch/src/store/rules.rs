//! What can happen to an input, whatever records it.

use super::Event;
use crate::state::State;

/// Whether it can happen to an input in this state.
pub(super) fn can_happen(event: &Event, state: State) -> bool {
    use State::{Completed, Expired, Failed, Intent, Lost, Pending, Submitted, TimedOut, Unknown};
    match event {
        Event::NotSent => matches!(state, Intent | Unknown),
        Event::Unknown(_) => state == Intent,
        Event::Resubmit => matches!(state, Intent | Unknown) || state.is_failure(),
        Event::Accepted { .. } => matches!(state, Intent | Unknown | Failed | TimedOut),
        Event::Seen { .. } => state == Submitted,
        // A job that was taken to be gone may have its result after all.
        Event::Ended(ended) if ended.state == Completed && matches!(state, Expired | Lost) => true,
        Event::Ended(_) => matches!(state, Pending | Intent | Submitted | Unknown),
    }
}
