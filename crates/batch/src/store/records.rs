//! Records: the values that a store exchanges, and the transitions of an input.

use crate::input_state::{Counts, State};

/// A named text that is stored along with the inputs.
pub type Note = (&'static str, String);

/// The digest of an input's text.
pub type Digest = [u8; 16];

/// An input to add.
#[derive(Clone, Debug)]
pub struct NewInput {
    /// The line of the inputs file, counted from one; for other inputs, the index plus one.
    pub line: u64,
    /// The location of its text.
    pub location: TextLocation,
    /// The digest of its text.
    pub digest: Digest,
    /// The index of an earlier input with the same content, whose result it gets.
    pub same_as: Option<u64>,
    /// The validation error, for which the input is refused whenever it is claimed.
    pub rejection: Option<String>,
}

/// Location of the text of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextLocation {
    /// In the inputs file.
    File {
        /// The offset of its first byte.
        offset: u64,
        /// The number of bytes, without the line break.
        length: u64,
    },
    /// In the store.
    Stored(Vec<u8>),
}

impl TextLocation {
    /// Returns the number of bytes of the text.
    pub fn length(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Stored(text) => text.len() as u64,
        }
    }
}

/// An input, as recorded.
#[derive(Clone, Debug)]
pub struct Input {
    /// The index of the input, from zero.
    pub index: u64,
    /// The line of the inputs file, counted from one.
    pub line: u64,
    /// The location of its text.
    pub location: TextLocation,
    /// The digest of its text.
    pub digest: Digest,
    /// The index of the input that it is a copy of.
    pub same_as: Option<u64>,
    /// The validation error, for which the input is refused whenever it is claimed.
    pub rejection: Option<String>,
    /// The state of the input.
    pub state: State,
    /// Number of times that it was submitted, or may have been.
    pub attempt: u64,
    /// The run that submitted it last.
    pub run: Option<u64>,
    /// The job that it became.
    pub job_id: Option<String>,
    /// Time of acceptance, in milliseconds of Unix time.
    pub submitted_at: Option<u64>,
    /// Time of the last poll that found the job unfinished, in milliseconds of Unix time.
    pub seen_at: Option<u64>,
    /// Reason for which it did not complete.
    pub error: Option<String>,
}

/// A run: where inputs are submitted to, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// The endpoint's id.
    pub endpoint_id: String,
    /// The URL of the service.
    pub base_url: String,
    /// The policy of the submissions, as JSON.
    pub policy: Option<String>,
    /// The ttl of that policy, in milliseconds.
    pub ttl: Option<u64>,
    /// Start of the run, in milliseconds of Unix time.
    pub started_at: u64,
}

/// Changes that take effect together.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// Changes of inputs, in this order.
    pub changes: Vec<Change>,
    /// Notes to set, which [`Store::own_note`](super::Store::own_note) reads.
    pub notes: Vec<Note>,
    /// Inputs to claim, after the changes.
    pub claim: Option<Claim>,
}

/// A request for inputs to submit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claim {
    /// Largest number of inputs.
    pub limit: usize,
    /// Bound on the sum of the texts, in bytes: no further input is claimed once it is reached. The
    /// first input is always claimed.
    pub bytes: u64,
    /// The run that submits them.
    pub run: u64,
    /// The longest time that each may be executed, in milliseconds: the charge of its attempt until
    /// its execution time is known.
    pub reserve_ms: f64,
    /// Bound on [`Tally::charged_ms`] after the claim, in milliseconds: no input is claimed whose
    /// charge would exceed it, whatever other processes claim at the same time.
    pub max_charged_ms: Option<f64>,
}

impl Claim {
    /// The number of inputs that may be claimed when this much is charged already.
    pub fn limit_within(&self, charged_ms: f64) -> usize {
        let Some(most) = self.max_charged_ms else { return self.limit };
        // Rounding of sums must not cost the last input.
        let left = (most - charged_ms) / self.reserve_ms + 1e-9;
        if left >= self.limit as f64 { self.limit } else { left.max(0.0) as usize }
    }
}

/// Change of an input.
#[derive(Clone, Debug)]
pub struct Change {
    /// The input.
    pub index: u64,
    /// The attempt that the change applies to.
    pub attempt: u64,
    /// The transition.
    pub event: Event,
}

/// Transition of an input.
#[derive(Clone, Debug)]
pub enum Event {
    /// The input was certainly not accepted, and is pending again, also if its outcome was unknown;
    /// the attempt does not count.
    NotSent,
    /// The input may have been accepted, and is submitted again.
    Resubmit,
    /// The input was accepted as this job. An unknown input becomes submitted.
    Accepted {
        /// The job's id.
        job_id: String,
        /// Time of the event, in milliseconds of Unix time.
        at: u64,
    },
    /// The outcome of the submission is unknown, for this reason.
    Unknown(String),
    /// The job has not ended yet.
    Seen {
        /// Time of the event, in milliseconds of Unix time.
        at: u64,
    },
    /// The input has reached a final state.
    Ended(Ended),
}

/// End of an input.
#[derive(Clone, Debug)]
pub struct Ended {
    /// A final state.
    pub state: State,
    /// Reason for which it did not complete.
    pub error: Option<String>,
    /// Time that it waited for a worker, in milliseconds.
    pub delay_ms: Option<f64>,
    /// Time that it ran, in milliseconds.
    pub execution_ms: Option<f64>,
}

/// Input counts by state, and total execution and queue time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// The number of inputs, by state.
    pub counts: Counts,
    /// The sum of all execution times, in milliseconds.
    pub execution_ms: f64,
    /// The sum of all times before execution, in milliseconds.
    pub delay_ms: f64,
    /// The number of execution times.
    pub timed: u64,
    /// The sum of the squares of all execution times, in square milliseconds.
    pub squares_ms: f64,
    /// The charge of all attempts, in milliseconds: their execution times, and the
    /// [reserve](Claim::reserve_ms) of those that are not over, or whose time is unknown.
    pub charged_ms: f64,
}

/// The charge of an input's attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Charge {
    /// The reserve of the last attempt, in milliseconds.
    pub reserve_ms: f64,
    /// Part of it, or the execution time, that is charged for the last attempt.
    pub charged_ms: f64,
}

impl Charge {
    /// Applies a transition from this state. Returns the change of the sum of all charges.
    ///
    /// An attempt whose execution time is unknown stays charged with its reserve: it may have been
    /// executed to its end.
    pub fn apply(&mut self, event: &Event, from: State) -> f64 {
        let before = self.charged_ms;
        match event {
            // Earlier attempts stay in the sum.
            Event::Resubmit => {
                self.charged_ms = 0.0;
                0.0
            }
            Event::Accepted { .. } if from.is_failure() => {
                self.charged_ms = self.reserve_ms;
                self.reserve_ms
            }
            Event::NotSent | Event::Ended(Ended { state: State::Refused, .. }) => {
                self.charged_ms = 0.0;
                -before
            }
            Event::Ended(Ended { execution_ms: Some(time), .. }) => {
                self.charged_ms = *time;
                time - before
            }
            Event::Accepted { .. } | Event::Unknown(_) | Event::Seen { .. } | Event::Ended(_) => {
                0.0
            }
        }
    }
}

/// Returns true if this transition is valid from this state, in any store.
pub(super) fn can_happen(event: &Event, state: State) -> bool {
    use State::{Completed, Expired, Failed, Intent, Lost, Pending, Submitted, TimedOut, Unknown};
    match event {
        Event::NotSent => matches!(state, Intent | Unknown),
        Event::Unknown(_) => state == Intent,
        Event::Resubmit => matches!(state, Intent | Unknown) || state.is_failure(),
        Event::Accepted { .. } => matches!(state, Intent | Unknown | Failed | TimedOut),
        Event::Seen { .. } => state == Submitted,
        // A job that was recorded as not found may have its result after all.
        Event::Ended(ended) if ended.state == Completed && matches!(state, Expired | Lost) => true,
        Event::Ended(_) => matches!(state, Pending | Intent | Submitted | Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documented_transitions_can_happen() {
        use State::{
            Cancelled, Completed, Expired, Failed, Intent, Lost, Pending, Refused, Submitted,
            TimedOut, Unknown,
        };
        let ended =
            |state| Event::Ended(Ended { state, error: None, delay_ms: None, execution_ms: None });
        let accepted = Event::Accepted { job_id: "j".to_owned(), at: 1 };
        let open = [Pending, Intent, Submitted, Unknown];
        for (event, from) in [
            (Event::NotSent, &[Intent, Unknown][..]),
            (Event::Unknown("why".to_owned()), &[Intent]),
            (
                Event::Resubmit,
                &[Intent, Unknown, Failed, Cancelled, TimedOut, Expired, Lost, Refused],
            ),
            (accepted, &[Intent, Unknown, Failed, TimedOut]),
            (Event::Seen { at: 1 }, &[Submitted]),
            (ended(Completed), &[Pending, Intent, Submitted, Unknown, Expired, Lost]),
            (ended(Failed), &open),
            (ended(Expired), &open),
            (ended(Lost), &open),
            (ended(Refused), &open),
        ] {
            for state in State::ALL {
                assert_eq!(can_happen(&event, state), from.contains(&state), "{event:?}, {state}");
            }
        }
    }

    #[test]
    fn a_claim_leaves_room_for_the_reserve_of_each_input() {
        let claim = Claim { limit: 10, reserve_ms: 5_000.0, ..Claim::default() };
        assert_eq!(claim.limit_within(f64::MAX), 10);
        let claim = Claim { max_charged_ms: Some(20_000.0), ..claim };
        for (charged, limit) in
            [(0.0, 4), (4_999.0, 3), (5_000.1, 2), (15_000.0, 1), (15_001.0, 0), (30_000.0, 0)]
        {
            assert_eq!(claim.limit_within(charged), limit, "{charged}");
        }
        let unbounded = Claim { max_charged_ms: Some(f64::MAX), ..claim };
        assert_eq!(unbounded.limit_within(1e9), 10);
    }

    #[test]
    fn an_attempt_is_charged_with_its_reserve_until_its_time_is_known() {
        let claimed = Charge { reserve_ms: 600.0, charged_ms: 600.0 };
        let ended = |state, execution_ms| {
            Event::Ended(Ended { state, error: None, delay_ms: None, execution_ms })
        };
        let accepted = Event::Accepted { job_id: "j".to_owned(), at: 1 };
        for (event, from, charged, change) in [
            (accepted.clone(), State::Intent, 600.0, 0.0),
            (Event::NotSent, State::Intent, 0.0, -600.0),
            (ended(State::Refused, None), State::Intent, 0.0, -600.0),
            (Event::Unknown("why".to_owned()), State::Intent, 600.0, 0.0),
            (ended(State::Completed, Some(20.0)), State::Submitted, 20.0, -580.0),
            (ended(State::TimedOut, Some(610.0)), State::Submitted, 610.0, 10.0),
            (ended(State::Lost, None), State::Submitted, 600.0, 0.0),
            // The sum keeps what this attempt was charged.
            (Event::Resubmit, State::Unknown, 0.0, 0.0),
        ] {
            let mut charge = claimed;
            assert_eq!(charge.apply(&event, from), change, "{event:?}");
            assert_eq!(charge, Charge { charged_ms: charged, ..claimed }, "{event:?}");
        }
        // The service executes the same job again.
        let mut failed = Charge { charged_ms: 20.0, ..claimed };
        assert_eq!(failed.apply(&accepted, State::Failed), 600.0);
        assert_eq!(failed, claimed);
    }

    #[test]
    fn the_length_of_a_text_is_known_in_a_file_and_in_the_store() {
        assert_eq!(TextLocation::File { offset: 9, length: 5 }.length(), 5);
        assert_eq!(TextLocation::Stored(b"text".to_vec()).length(), 4);
    }
}
