//! What has to hold after each run, whatever the peer did. Each is stated on its own.

mod attempts;
mod certainty;
mod deadlines;
mod leftovers;
mod limits;
mod results;
mod streams;
mod submissions;

use std::fmt;

use crate::run::Run;

/// A run that does not hold what was promised.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What was promised, by a short name.
    pub invariant: &'static str,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.message)
    }
}

type Invariant = fn(&Run, &mut Vec<String>);

/// All of them, by their names.
pub const ALL: &[(&str, Invariant)] = &[
    ("a call is sent no more often than the policy allows", attempts::within_the_policy),
    ("what could happen twice is not sent twice", attempts::not_twice),
    ("an outcome that is said to be certain is", certainty::of_failures),
    ("what was never sent is not of unknown outcome", certainty::of_unknown_outcomes),
    ("what is said to have happened has", certainty::of_successes),
    ("what is said of a job is true, and of that job", certainty::of_jobs),
    ("every accepted job is known, or its outcome is", submissions::are_known),
    ("every chunk comes once and in order, or a gap is told", streams::are_whole),
    ("a stream that ends without an error has brought all events", streams::of_events_are_whole),
    ("a deadline is kept", deadlines::are_kept),
    ("everything comes to its end", deadlines::everything_ends),
    ("nobody asks without end", deadlines::nobody_asks_without_end),
    ("a result that can be read is read", results::are_read),
    ("no secret is shown", leftovers::no_secret_is_shown),
    ("an error keeps its own words", leftovers::errors_keep_their_words),
    ("nothing is left behind", leftovers::nothing_is_left),
    ("nothing panics", leftovers::nothing_panics),
    ("the rate limits are kept", limits::rates_are_kept),
    ("the limits of concurrency are kept", limits::concurrency_is_kept),
];

/// What does not hold.
#[must_use]
pub fn broken(run: &Run) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (invariant, check) in ALL {
        let mut messages = Vec::new();
        check(run, &mut messages);
        violations.extend(messages.into_iter().map(|message| Violation { invariant, message }));
    }
    violations
}
