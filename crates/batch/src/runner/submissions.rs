//! What is known of the submissions of a run.

use std::collections::HashMap;
use std::sync::Arc;

use super::claimed::Submitter;

/// How many may be in flight at the start. Each response allows one more, so that a process that dies
/// again and again leaves few inputs unknown.
const AT_FIRST: usize = 8;

/// What is known of the submissions of a run.
pub(super) struct Submitting {
    pub(super) submitter: Arc<Submitter>,
    pub(super) turn: Turn,
    /// The inputs between their claim and the record of what became of them, and how many bytes the
    /// text of each has.
    pub(super) in_flight: HashMap<u64, u64>,
    /// How many may be in flight.
    pub(super) allowed: usize,
    /// How many outcomes were unknown since the last one that was not.
    pub(super) doubts: u32,
    /// How many pauses that has caused.
    pub(super) pauses: u32,
    /// How many inputs have been submitted.
    pub(super) submitted: u64,
    /// There is nothing pending, and nothing was appended since.
    pub(super) is_exhausted: bool,
    pub(super) has_looked_for_more: bool,
    /// Since the last claim began, an input may have become pending again, which it did not find.
    was_returned: bool,
}

#[derive(PartialEq, Eq)]
pub(super) enum Turn {
    None,
    /// Waiting for the limiter.
    Awaited,
    /// Inputs are being claimed.
    Claiming,
}

impl Submitting {
    pub(super) fn new(submitter: Submitter) -> Self {
        Self {
            submitter: Arc::new(submitter),
            turn: Turn::None,
            in_flight: HashMap::new(),
            allowed: AT_FIRST,
            doubts: 0,
            pauses: 0,
            submitted: 0,
            is_exhausted: false,
            has_looked_for_more: false,
            was_returned: false,
        }
    }

    pub(super) fn begin_claim(&mut self) {
        self.turn = Turn::Claiming;
        self.was_returned = false;
    }

    /// A claim found nothing.
    pub(super) fn found_nothing(&mut self) {
        self.is_exhausted = !self.was_returned;
        self.has_looked_for_more = false;
    }

    /// An input may be pending again.
    pub(super) fn returned(&mut self) {
        self.is_exhausted = false;
        self.was_returned = true;
    }

    pub(super) fn is_in_flight(&self, index: u64) -> bool {
        self.in_flight.contains_key(&index)
    }

    /// How many bytes the texts in flight have.
    pub(super) fn bytes_in_flight(&self) -> u64 {
        self.in_flight.values().sum()
    }

    /// A task is gone, which may have submitted this input.
    pub(super) fn forget(&mut self, index: Option<u64>) {
        self.turn = Turn::None;
        if let Some(index) = index {
            self.in_flight.remove(&index);
        }
    }

    /// Whether no input is between its claim and the record of what became of it.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && self.turn != Turn::Claiming
    }
}

#[cfg(test)]
mod tests {
    use podqueue::Client;

    use super::super::pause::Pause;
    use super::*;
    use crate::submit::SubmitByRun;

    #[test]
    fn an_input_that_comes_back_during_a_claim_that_does_not_find_it_is_looked_for_again() {
        let client = Client::builder().api_key("key").base_url("http://127.0.0.1:1");
        let endpoint = client.build().expect("a client").endpoint("e");
        let pause = Pause::default();
        let submitter = Submitter { step: Arc::new(SubmitByRun), endpoint, policy: None, pause };
        let mut submitting = Submitting::new(submitter);
        submitting.begin_claim();
        submitting.found_nothing();
        assert!(submitting.is_exhausted);
        submitting.returned();
        assert!(!submitting.is_exhausted);
        for (comes_back, is_exhausted) in [(true, false), (false, true)] {
            submitting.begin_claim();
            if comes_back {
                submitting.returned();
            }
            submitting.found_nothing();
            assert_eq!(submitting.is_exhausted, is_exhausted);
        }
    }
}
