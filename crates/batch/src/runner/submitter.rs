//! Submitter: turns pending inputs into jobs, at the rate that the client's limiter admits.
//!
//! Pending inputs become in flight in three steps: the client's limiter permits a number of
//! submissions, the journal claims as many inputs (their intent is durable), and each is sent by
//! its own task ([`attempt`]), which records the outcome:
//!
//! ```text
//! Idle ──capacity──▶ AwaitingPermit ──permits──▶ Claiming ──claimed──▶ Idle, and a task per input
//!   ▲                                                                           │
//!   └────── allowance, window and bytes are free again ◀──outcome recorded──────┘
//! ```
//!
//! Four bounds apply to what is claimed: the [`Window`] of outstanding jobs, the [`Allowance`] of
//! submissions in flight, the connections that the process can open, and the bytes of the texts.
//!
//! Invariant: at most [`IN_FLIGHT`] inputs, and [`BYTES_IN_FLIGHT`] bytes beyond one input, are
//! between their claim and the record of their outcome, and that is the most that a crash leaves
//! unknown. It holds because there is one claim at a time, sized by what is in flight when its
//! permits arrive, and because an input stays in flight until its outcome is durable. A submission
//! outlives the run, so that a run that is dropped leaves nothing unrecorded. Outcomes that cannot
//! be recorded, because the lease was lost, are kept, and recorded under the next lease.
//!
//! Checked by `permits_within_a_moment_are_claimed_together`, `a_429_pauses_before_it_is_recorded`,
//! `a_batch_that_is_killed_anywhere_loses_nothing_and_submits_nothing_twice`,
//! `a_full_queue_halves_the_window_which_grows_and_settles`,
//! `unrecorded_outcomes_are_recorded_after_a_lost_lease`.

mod attempt;
mod window;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use self::attempt::{Destination, Outcome, Submitted, TransientReason, submit};
use self::window::Window;
use super::coordinator::Coordinator;
use super::tasks::Tasks;
use crate::error::Result;
use crate::handle_state::HandleState;
use crate::input_state::State;
use crate::journal::Claimed;
use crate::progress::Stopped;
use crate::run::settings::Settings;
use crate::store::{Change, Claim};
use crate::webhook::Ticket;

/// Concurrency of `/run`: the largest number of submissions in flight, and so of inputs that a
/// crash leaves unknown.
const IN_FLIGHT: usize = 200;

/// Bound on the texts in flight, in bytes: no more inputs are claimed beyond it. Each text is in
/// memory until the outcome of its input is recorded.
const BYTES_IN_FLIGHT: u64 = 64 * 1024 * 1024;

/// Time within which a permit counts as available at once.
const AT_ONCE: Duration = Duration::from_millis(1);

/// Time for which permits are gathered where the limiter delays them, so that one commit claims
/// several inputs. The rate does not suffer.
const GATHER: Duration = Duration::from_millis(20);

/// Explains a 429 that comes although this process keeps to the limits.
const FULL_QUEUE: &str =
    "the service's queue is full, or other clients of the account use the same limits (429)";

/// Submits the pending inputs of a run.
pub(super) struct Submitter {
    shared: Arc<HandleState>,
    /// The number of the run.
    run: u64,
    destination: Arc<Destination>,
    tasks: Tasks<SubmitterEvent>,
    claims: Claims,
    allowance: Allowance,
    window: Window,
    /// Bytes of each input between its claim and the record of its outcome.
    in_flight: HashMap<u64, u64>,
    /// Number of inputs submitted, and the requested limit.
    submitted: u64,
    take: Option<u64>,
    /// The charge of each input, and the bound of all charges.
    reserve_ms: f64,
    max_charged_ms: Option<f64>,
    /// True if the budget has no room for another input until a job ends.
    is_out_of_budget: bool,
    /// Outcomes that could not be recorded.
    unrecorded: Vec<Change>,
}

enum SubmitterEvent {
    /// The limiter permits this many submissions now.
    Permitted(usize),
    /// `None` if the budget has no room.
    Claimed(Result<Option<Vec<Claimed>>>),
    Submitted(Submitted),
    /// A task panicked, which may have submitted this input.
    Panicked(Option<u64>),
}

/// Effect of an event, for the collector and the coordinator.
pub(super) enum Applied {
    Nothing,
    /// A submission has ended, and its outcome is recorded: with the job that the input became, if
    /// it was accepted, and when.
    Ended {
        ticket: Ticket,
        accepted: Option<(String, u64)>,
    },
}

impl Submitter {
    /// `submitted` inputs were submitted before the lease was lost.
    pub(super) fn new(
        shared: Arc<HandleState>,
        settings: &Settings,
        run: u64,
        submitted: u64,
    ) -> Self {
        Self {
            shared,
            run,
            destination: Arc::new(Destination::new(settings)),
            tasks: Tasks::new(),
            claims: Claims::default(),
            allowance: Allowance::default(),
            window: Window::new(settings.window),
            in_flight: HashMap::new(),
            submitted,
            take: settings.take,
            reserve_ms: settings.reserve_ms(),
            max_charged_ms: settings.budget.and_then(|budget| budget.max_charged_ms()),
            is_out_of_budget: false,
            unrecorded: Vec::new(),
        }
    }

    /// Returns true if nothing is being claimed or in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && self.claims.phase != ClaimPhase::Claiming
    }

    /// Returns true if nothing is pending, and nothing was appended to the inputs either.
    pub(super) fn is_exhausted(&self) -> bool {
        self.claims.is_exhausted && self.claims.has_checked_for_more
    }

    pub(super) fn is_in_flight(&self, index: u64) -> bool {
        self.in_flight.contains_key(&index)
    }

    /// Returns the number of inputs submitted.
    pub(super) fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Returns the outcomes that could not be recorded.
    pub(super) fn take_unrecorded(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.unrecorded)
    }

    /// Returns the size of the submission window.
    pub(super) fn window(&self) -> usize {
        self.window.size()
    }

    /// Returns the end of the pause of all submissions, if there is one.
    pub(super) fn wakes_at(&self) -> Option<Instant> {
        self.destination.pause().ends()
    }

    /// Stops submitting once as many inputs are submitted as were to be.
    pub(super) fn check_take(&self, coordinator: &mut Coordinator) {
        if self.take.is_some_and(|most| self.submitted >= most) {
            coordinator.stop(Stopped::Taken);
        }
    }

    /// Returns true if no input could be submitted within the budget, also with this charge of all
    /// attempts. Otherwise, inputs may be claimed again.
    pub(super) fn is_out_of_budget(&mut self, charged_ms: f64) -> bool {
        self.is_out_of_budget &= self.claim(1).limit_within(charged_ms) == 0;
        self.is_out_of_budget
    }

    /// A job has ended, whose charge may be less now.
    pub(super) fn expect_capacity(&mut self) {
        self.is_out_of_budget = false;
    }

    fn claim(&self, limit: usize) -> Claim {
        Claim {
            limit,
            bytes: self.capacity_in_bytes(),
            run: self.run,
            reserve_ms: self.reserve_ms,
            max_charged_ms: self.max_charged_ms,
        }
    }

    /// Adapts the window to the rate, per second, at which the run's own jobs end.
    pub(super) fn set_rate(&mut self, rate: f64, now: Instant) {
        self.window.set_rate(rate, now);
    }

    /// Another process may have made inputs pending again.
    pub(super) fn expect_more(&mut self) {
        self.claims.is_exhausted = false;
    }

    /// Returns the number of inputs that may be claimed now, given the number of outstanding jobs.
    fn capacity(&self, outstanding: usize, coordinator: &Coordinator) -> usize {
        if !coordinator.may_submit()
            || self.claims.is_exhausted
            || self.is_paused()
            || self.is_out_of_budget
            || self.capacity_in_bytes() == 0
        {
            return 0;
        }
        let in_flight = self.in_flight.len();
        let window = self.window.size().saturating_sub(outstanding + in_flight);
        let allowed = self.allowance.most.min(coordinator.half_of_connections());
        let taken = self.submitted + in_flight as u64;
        let left = self.take.map_or(u64::MAX, |most| most.saturating_sub(taken));
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        window.min(allowed.saturating_sub(in_flight)).min(left)
    }

    /// Returns the number of bytes of texts that may be claimed now.
    fn capacity_in_bytes(&self) -> u64 {
        BYTES_IN_FLIGHT.saturating_sub(self.in_flight.values().sum())
    }

    fn is_paused(&self) -> bool {
        self.destination.pause().ends().is_some()
    }

    /// Asks the limiter for permits, if inputs may be claimed.
    pub(super) fn submit_more(&mut self, outstanding: usize, coordinator: &Coordinator) {
        if self.claims.phase != ClaimPhase::Idle {
            return;
        }
        let capacity = self.capacity(outstanding, coordinator);
        if capacity == 0 {
            return;
        }
        self.claims.phase = ClaimPhase::AwaitingPermit;
        let endpoint = self.destination.endpoint().clone();
        self.tasks.spawn(SubmitterEvent::Panicked(None), async move {
            let began = Instant::now();
            let mut permits = endpoint.available_submissions(capacity).await;
            if permits < capacity && began.elapsed() >= AT_ONCE {
                tokio::time::sleep(GATHER).await;
                // Returns at once, unless other callers are queued before it or shared limits are
                // unreachable.
                permits = timeout(GATHER, endpoint.available_submissions(capacity))
                    .await
                    .unwrap_or(permits);
            }
            SubmitterEvent::Permitted(permits)
        });
    }

    /// Waits for an event, which [`apply_event`](Self::apply_event) applies. Cancel-safe.
    pub(super) async fn event(&mut self) {
        self.tasks.arrived().await;
    }

    /// Applies the next event, if there is one, given the number of outstanding jobs.
    pub(super) fn apply_event(
        &mut self,
        outstanding: usize,
        coordinator: &mut Coordinator,
    ) -> Option<Applied> {
        let event = self.tasks.try_next()?;
        coordinator.record_activity();
        match event {
            SubmitterEvent::Permitted(permits) => self.permitted(permits, outstanding, coordinator),
            SubmitterEvent::Claimed(claimed) => self.claimed(claimed, coordinator),
            SubmitterEvent::Submitted(submitted) => {
                return Some(self.ended(submitted, outstanding, coordinator));
            }
            SubmitterEvent::Panicked(index) => {
                self.claims.phase = ClaimPhase::Idle;
                if let Some(index) = index {
                    self.in_flight.remove(&index);
                }
                coordinator.panicked();
            }
        }
        Some(Applied::Nothing)
    }

    /// Claims as many inputs as there are permits.
    fn permitted(&mut self, permits: usize, outstanding: usize, coordinator: &Coordinator) {
        self.claims.phase = ClaimPhase::Idle;
        let limit = self.capacity(outstanding, coordinator).min(permits);
        if limit == 0 {
            return;
        }
        self.claims.begin();
        let shared = Arc::clone(&self.shared);
        let claim = self.claim(limit);
        // Claimed inputs must be submitted or returned.
        self.tasks.spawn_detached(SubmitterEvent::Panicked(None), async move {
            SubmitterEvent::Claimed(shared.journal().claim(claim).await)
        });
    }

    /// Submits the inputs that were claimed.
    fn claimed(&mut self, claimed: Result<Option<Vec<Claimed>>>, coordinator: &mut Coordinator) {
        self.claims.phase = ClaimPhase::Idle;
        let claimed = match claimed {
            Ok(Some(claimed)) => claimed,
            Ok(None) => {
                self.is_out_of_budget = true;
                return;
            }
            Err(error) => return coordinator.fail(error),
        };
        if claimed.is_empty() {
            self.claims.found_nothing();
        }
        // The pause may have begun while the inputs were being claimed.
        let must_wait = !coordinator.may_submit() || self.is_paused();
        for claimed in claimed {
            let index = claimed.ticket.index;
            self.in_flight.insert(index, claimed.bytes());
            coordinator.call_began();
            let (shared, destination) = (Arc::clone(&self.shared), Arc::clone(&self.destination));
            // The outcome must be recorded.
            self.tasks.spawn_detached(SubmitterEvent::Panicked(Some(index)), async move {
                let submitted = submit(&shared, &destination, claimed, must_wait).await;
                SubmitterEvent::Submitted(submitted)
            });
        }
    }

    /// Applies the outcome of a submission.
    fn ended(
        &mut self,
        submitted: Submitted,
        outstanding: usize,
        coordinator: &mut Coordinator,
    ) -> Applied {
        let Submitted { ticket, outcome, recorded } = submitted;
        self.in_flight.remove(&ticket.index);
        coordinator.call_ended();
        self.allowance.responded();
        if let Err((error, change)) = recorded {
            self.unrecorded.push(change);
            coordinator.fail(error);
            return Applied::Nothing;
        }
        let mut accepted = None;
        match outcome {
            Outcome::Accepted { job_id, at } => {
                self.submitted += 1;
                self.allowance.accepted();
                coordinator.accepted();
                accepted = Some((job_id, at));
            }
            Outcome::Refused { was_sent } => {
                self.submitted += u64::from(was_sent);
                coordinator.ended(State::Refused);
            }
            Outcome::Unknown(error) => {
                self.submitted += 1;
                self.claims.returned();
                if let Some(pause) = self.allowance.unknown(self.is_paused()) {
                    self.destination.pause().at_least(pause);
                }
                if let Some(error) = error {
                    coordinator.not_accepted(error.to_string());
                    coordinator.unreached(error);
                }
            }
            Outcome::Unused => self.claims.returned(),
            Outcome::NotSent(TransientReason::QueueFull(_)) => {
                coordinator.not_accepted(FULL_QUEUE.to_owned());
                coordinator.record_response();
                let outstanding = outstanding + self.in_flight.len() + 1;
                self.window.queue_is_full(outstanding, Instant::now());
                self.claims.returned();
            }
            Outcome::NotSent(TransientReason::Unreachable(error)) => {
                let description = coordinator.describe(&error);
                coordinator.not_accepted(description);
                self.claims.returned();
                coordinator.unreached(error);
            }
            Outcome::Stop(error) => coordinator.refused(error),
            Outcome::Changed(error) => coordinator.fail_to_submit(error),
        }
        self.check_take(coordinator);
        Applied::Ended { ticket, accepted }
    }

    /// Indexes appended inputs, once no other input is pending.
    pub(super) async fn index_appended_inputs(&mut self, coordinator: &mut Coordinator) {
        if !self.claims.is_exhausted || !coordinator.may_submit() {
            return;
        }
        let is_first = !self.claims.has_checked_for_more;
        let grown = self.shared.journal().with(move |state| {
            let grown = state.grow()?;
            // No other input is pending.
            if is_first && !grown {
                state.end_late_copies()?;
            }
            Ok(grown)
        });
        match grown.await {
            Ok(true) => self.claims.is_exhausted = false,
            // The last line is not indexed again while it is in flight, nor are lines after it.
            Ok(false) => self.claims.has_checked_for_more = self.is_idle(),
            Err(error) => coordinator.fail_to_submit(error),
        }
    }

    /// Aborts the wait for permits. Claims and submissions end by themselves.
    pub(super) async fn shutdown(&mut self) {
        self.tasks.shutdown().await;
    }
}

/// Claims of a run, one at a time.
#[derive(Default)]
struct Claims {
    phase: ClaimPhase,
    /// True if no input is pending, and no input was appended since.
    is_exhausted: bool,
    has_checked_for_more: bool,
    /// True if an input may have become pending again since the last claim began, which did not
    /// find it.
    was_returned: bool,
}

#[derive(Default, PartialEq, Eq)]
enum ClaimPhase {
    #[default]
    Idle,
    /// Waiting for the limiter.
    AwaitingPermit,
    /// Inputs are being claimed.
    Claiming,
}

impl Claims {
    fn begin(&mut self) {
        self.phase = ClaimPhase::Claiming;
        self.was_returned = false;
    }

    /// Records that a claim found no inputs.
    fn found_nothing(&mut self) {
        self.is_exhausted = !self.was_returned;
        self.has_checked_for_more = false;
    }

    /// Records that an input may be pending again.
    fn returned(&mut self) {
        self.is_exhausted = false;
        self.was_returned = true;
    }
}

/// Allowance at the start. Each response adds one, so that a process that crashes repeatedly leaves
/// few inputs unknown.
const INITIAL_ALLOWANCE: usize = 8;

/// After this number of unknown outcomes in a row, one submission is made at a time, with
/// exponential backoff: a failing service must not make all inputs unknown.
const MAX_CONSECUTIVE_UNKNOWN: u32 = 3;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Allowance of submissions in flight: additive increase, multiplicative decrease (AIMD). It grows
/// by one with each response and is halved by each unknown outcome.
struct Allowance {
    most: usize,
    /// Consecutive unknown outcomes.
    consecutive_unknown: u32,
    /// Consecutive pauses because of them.
    pauses: u32,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { most: INITIAL_ALLOWANCE, consecutive_unknown: 0, pauses: 0 }
    }
}

impl Allowance {
    fn responded(&mut self) {
        if self.consecutive_unknown < MAX_CONSECUTIVE_UNKNOWN {
            self.most = (self.most + 1).min(IN_FLIGHT);
        }
    }

    fn accepted(&mut self) {
        (self.consecutive_unknown, self.pauses) = (0, 0);
    }

    /// Backs off after an unknown outcome: the next outcomes may be unknown, too. Returns the pause
    /// that follows, if there is none yet: the calls in flight fail together, and cause one pause.
    fn unknown(&mut self, is_paused: bool) -> Option<Duration> {
        self.most = (self.most / 2).max(1);
        self.consecutive_unknown += 1;
        if self.consecutive_unknown < MAX_CONSECUTIVE_UNKNOWN {
            return None;
        }
        self.most = 1;
        if is_paused {
            return None;
        }
        let pause = Duration::from_secs(1 << self.pauses.min(10));
        self.pauses += 1;
        Some(pause.min(LONGEST_PAUSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_returned_during_an_empty_claim_is_claimed_again() {
        let mut claims = Claims::default();
        claims.begin();
        claims.found_nothing();
        assert!(claims.is_exhausted);
        claims.returned();
        assert!(!claims.is_exhausted);
        for (comes_back, is_exhausted) in [(true, false), (false, true)] {
            claims.begin();
            if comes_back {
                claims.returned();
            }
            claims.found_nothing();
            assert_eq!(claims.is_exhausted, is_exhausted);
        }
    }
}
