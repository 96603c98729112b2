//! Submissions in flight: the allowance, and what was claimed and is not recorded yet.

use std::collections::HashMap;
use std::sync::Arc;

use super::attempt::Submitter;

/// Allowance at the start. Each response adds one, so that a process that crashes repeatedly leaves few
/// inputs unknown.
const AT_FIRST: usize = 8;

/// Submissions of a run.
pub(super) struct Submissions {
    pub(super) submitter: Arc<Submitter>,
    pub(super) phase: ClaimPhase,
    /// Bytes of each input between its claim and the record of its outcome.
    pub(super) in_flight: HashMap<u64, u64>,
    /// How many may be in flight.
    pub(super) allowed: usize,
    /// Consecutive unknown outcomes.
    pub(super) doubts: u32,
    /// Consecutive pauses because of them.
    pub(super) pauses: u32,
    /// How many inputs have been submitted.
    pub(super) submitted: u64,
    /// There is nothing pending, and nothing was appended since.
    pub(super) is_exhausted: bool,
    pub(super) has_checked_for_more: bool,
    /// Since the last claim began, an input may have become pending again, which it did not find.
    was_returned: bool,
}

#[derive(PartialEq, Eq)]
pub(super) enum ClaimPhase {
    Idle,
    /// Waiting for the limiter.
    AwaitingPermit,
    /// Inputs are being claimed.
    Claiming,
}

impl Submissions {
    pub(super) fn new(submitter: Submitter) -> Self {
        Self {
            submitter: Arc::new(submitter),
            phase: ClaimPhase::Idle,
            in_flight: HashMap::new(),
            allowed: AT_FIRST,
            doubts: 0,
            pauses: 0,
            submitted: 0,
            is_exhausted: false,
            has_checked_for_more: false,
            was_returned: false,
        }
    }

    pub(super) fn begin_claim(&mut self) {
        self.phase = ClaimPhase::Claiming;
        self.was_returned = false;
    }

    /// A claim found nothing.
    pub(super) fn found_nothing(&mut self) {
        self.is_exhausted = !self.was_returned;
        self.has_checked_for_more = false;
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

    /// A task panicked, which may have submitted this input.
    pub(super) fn forget(&mut self, index: Option<u64>) {
        self.phase = ClaimPhase::Idle;
        if let Some(index) = index {
            self.in_flight.remove(&index);
        }
    }

    /// Whether nothing is being claimed or in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && self.phase != ClaimPhase::Claiming
    }
}

#[cfg(test)]
mod tests {
    use podqueue::Client;

    use super::super::attempt::Pause;
    use super::*;
    use crate::submit::SubmitByRun;

    #[test]
    fn an_input_returned_during_an_empty_claim_is_claimed_again() {
        let client = Client::builder().api_key("key").base_url("http://127.0.0.1:1");
        let endpoint = client.build().expect("a client").endpoint("e");
        let pause = Pause::default();
        let submitter = Submitter { step: Arc::new(SubmitByRun), endpoint, policy: None, pause };
        let mut submissions = Submissions::new(submitter);
        submissions.begin_claim();
        submissions.found_nothing();
        assert!(submissions.is_exhausted);
        submissions.returned();
        assert!(!submissions.is_exhausted);
        for (comes_back, is_exhausted) in [(true, false), (false, true)] {
            submissions.begin_claim();
            if comes_back {
                submissions.returned();
            }
            submissions.found_nothing();
            assert_eq!(submissions.is_exhausted, is_exhausted);
        }
    }
}
