//! Input state machine, and counts of inputs by state.
//!
//! ```text
//! Pending ──claim──▶ Intent ──accepted──▶ Submitted ──poll──▶ Completed, Failed, Cancelled,
//!    ▲                │ │ │                   ▲               TimedOut, Expired, Lost
//!    └───not sent─────┘ │ └──refused──▶ Refused
//!                       └──no response, crash──▶ Unknown ──webhook──▶ Submitted
//! ```
//!
//! Invariant: every transition is durable before the next step is taken, so a request that may have
//! been sent has an intent, and a result that counts has a line. A failure or an unknown input
//! becomes pending again only on request (retry, resubmission). `store::records::can_happen` has
//! the valid transitions.

use std::fmt;
use std::iter::once;

use serde::ser::{Serialize, Serializer};

/// The state of an input.
///
/// `Pending → Intent → Submitted →` one of the final states. Besides, an input is `Refused` if it
/// was certainly not accepted, and `Unknown` if that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum State {
    /// Not submitted yet.
    Pending,
    /// About to be submitted. It is recorded before the request leaves: after a crash, the input
    /// may or may not have been accepted, and becomes `Unknown`.
    Intent,
    /// Accepted by the service as a job, whose result has not been collected yet.
    Submitted,
    /// The job completed, and its output is in the results.
    Completed,
    /// The job failed, or its output could not be read.
    Failed,
    /// The job was cancelled.
    Cancelled,
    /// The job exceeded its execution timeout.
    TimedOut,
    /// The service no longer has the job: its ttl, or its result, has expired.
    Expired,
    /// The service no longer has the job, although neither its ttl nor its result can have expired.
    Lost,
    /// The outcome of the submission is unknown: the request was sent, and no readable
    /// response arrived, or the process ended in between.
    Unknown,
    /// The input was not accepted: it is invalid, or the service refused it.
    Refused,
}

impl State {
    /// All states, in the order in which an input passes through them.
    pub const ALL: [Self; 11] = [
        Self::Pending,
        Self::Intent,
        Self::Submitted,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::TimedOut,
        Self::Expired,
        Self::Lost,
        Self::Unknown,
        Self::Refused,
    ];

    /// The state's name as the results and the failures spell it, such as `TIMED_OUT`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.names().0
    }

    /// The state's name as reports spell it, such as `timed_out`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.names().1
    }

    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Pending => ("PENDING", "pending"),
            Self::Intent => ("INTENT", "intent"),
            Self::Submitted => ("SUBMITTED", "submitted"),
            Self::Completed => ("COMPLETED", "completed"),
            Self::Failed => ("FAILED", "failed"),
            Self::Cancelled => ("CANCELLED", "cancelled"),
            Self::TimedOut => ("TIMED_OUT", "timed_out"),
            Self::Expired => ("EXPIRED", "expired"),
            Self::Lost => ("LOST", "lost"),
            Self::Unknown => ("UNKNOWN", "unknown"),
            Self::Refused => ("REFUSED", "refused"),
        }
    }

    /// Returns true if nothing more happens to the input, unless it is retried.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Intent | Self::Submitted | Self::Unknown)
    }

    /// Returns true if the input ended other than with an output: it is listed in the failures
    /// file.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        self.is_final() && !matches!(self, Self::Completed)
    }

    /// All states that [`is_failure`](Self::is_failure) is true of.
    pub(crate) fn failures() -> Vec<Self> {
        Self::ALL.into_iter().filter(|state| state.is_failure()).collect()
    }

    /// The number that stands for the state in a store.
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }

    /// The state with this number.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Number of inputs in each state.
///
/// Serializes as an object: `{"total": …, "pending": …, …}`, with the names of [`State::key`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; State::ALL.len()]);

impl Counts {
    /// Returns the number of inputs in this state.
    #[must_use]
    pub fn of(&self, state: State) -> u64 {
        self.0[usize::from(state.code())]
    }

    /// Returns the number of inputs.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of inputs that have ended, with an output or without.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.sum(State::is_final)
    }

    /// Returns the number of inputs that ended other than with an output.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.sum(State::is_failure)
    }

    /// Returns the number of inputs that a run has to handle: pending, being submitted, or
    /// outstanding.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.sum(|state| !state.is_final() && state != State::Unknown)
    }

    fn sum(&self, which: impl Fn(State) -> bool) -> u64 {
        State::ALL.into_iter().filter(|state| which(*state)).map(|state| self.of(state)).sum()
    }

    /// The counts of these states, for the tests of this workspace.
    #[cfg(feature = "unstable-store")]
    #[doc(hidden)]
    #[must_use]
    pub fn of_states(states: impl IntoIterator<Item = State>) -> Self {
        let mut counts = Self::default();
        states.into_iter().for_each(|state| counts.0[usize::from(state.code())] += 1);
        counts
    }

    pub(crate) fn set(&mut self, state: State, inputs: u64) {
        self.0[usize::from(state.code())] = inputs;
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let states = State::ALL.into_iter().map(|state| (state.key(), self.of(state)));
        serializer.collect_map(once(("total", self.total())).chain(states))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_the_names_numbers_and_meanings_that_are_documented() {
        for (code, (state, name, is_final, is_failure)) in [
            (State::Pending, "PENDING", false, false),
            (State::Intent, "INTENT", false, false),
            (State::Submitted, "SUBMITTED", false, false),
            (State::Completed, "COMPLETED", true, false),
            (State::Failed, "FAILED", true, true),
            (State::Cancelled, "CANCELLED", true, true),
            (State::TimedOut, "TIMED_OUT", true, true),
            (State::Expired, "EXPIRED", true, true),
            (State::Lost, "LOST", true, true),
            (State::Unknown, "UNKNOWN", false, false),
            (State::Refused, "REFUSED", true, true),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!((state.as_str(), state.to_string().as_str()), (name, name));
            assert_eq!(state.key(), name.to_lowercase());
            assert_eq!((state.is_final(), state.is_failure()), (is_final, is_failure), "{name}");
            assert_eq!(State::failures().contains(&state), is_failure, "{name}");
            // The numbers are those in existing journals.
            assert_eq!((usize::from(state.code()), State::ALL[code]), (code, state));
            assert_eq!(State::from_code(state.code()), Some(state));
        }
        assert_eq!(State::from_code(11), None);
    }

    #[test]
    fn counts_are_summed_by_the_meaning_of_their_states() {
        let mut counts = Counts::default();
        for (state, inputs) in State::ALL.into_iter().zip((0..).map(|place| 1 << place)) {
            counts.set(state, inputs);
            assert_eq!(counts.of(state), inputs);
        }
        assert_eq!(counts.total(), 0b111_1111_1111);
        assert_eq!(counts.open(), 0b000_0000_0111);
        assert_eq!(counts.ended(), 0b101_1111_1000);
        assert_eq!(counts.failures(), 0b101_1111_0000);
        #[cfg(feature = "unstable-store")]
        assert_eq!(Counts::of_states([State::Lost, State::Intent, State::Lost]), {
            let mut counts = Counts::default();
            counts.set(State::Intent, 1);
            counts.set(State::Lost, 2);
            counts
        });
        let json = serde_json::to_value(counts).expect("JSON");
        assert_eq!(json.as_object().map(serde_json::Map::len), Some(12));
        assert_eq!((&json["total"], &json["timed_out"]), (&2047.into(), &64.into()));
    }
}
