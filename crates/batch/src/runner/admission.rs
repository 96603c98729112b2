//! Admission control: inputs are claimed just when a request for them can be sent.
//!
//! Pending inputs become in flight in three steps: the client's limiter permits a number of submissions,
//! the journal claims as many inputs (their intent is durable), and each is sent by a task of its own.
//! Invariant: at most [`IN_FLIGHT`] inputs, and [`BYTES_IN_FLIGHT`] bytes beyond one input, are between
//! their claim and the record of their outcome, and that is the most that a crash leaves unknown. The
//! allowance grows by one with each response and is halved by each unknown outcome (AIMD).

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::attempt::{Outcome, Submitted, TransientReason, submit};
use super::core::{Runner, RunnerEvent};
use super::in_flight::ClaimPhase;
use super::schedule::Outstanding;
use crate::error::Result;
use crate::journal::Claimed;
use crate::progress::Stopped;
use crate::state::State;
use crate::store::Claim;

/// The concurrency of `/run`: how many submissions can be in flight, and so how many a crash leaves
/// unknown at most.
const IN_FLIGHT: usize = 200;

/// No more inputs are claimed while the texts of those in flight have so many bytes: each is in memory
/// until its outcome is recorded.
const BYTES_IN_FLIGHT: u64 = 64 * 1024 * 1024;

/// A permit that came within this time did not have to wait.
const AT_ONCE: Duration = Duration::from_millis(1);

/// How long permits are gathered where the limiter delays them, so that one commit claims several
/// inputs. The rate does not suffer.
const GATHER: Duration = Duration::from_millis(20);

/// Explains a 429 that comes although this process keeps to the limits.
const FULL_QUEUE: &str = "the service's queue is full, or others use the same limits (429)";

/// After this many unknown outcomes in a row, one submission is made at a time, with exponential
/// backoff: a failing service must not make all inputs unknown.
const DOUBTS: u32 = 3;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

impl Runner {
    /// How many inputs may be claimed now.
    fn capacity(&mut self) -> usize {
        if !self.may_submit()
            || self.submissions.is_exhausted
            || self.is_paused()
            || self.capacity_in_bytes() == 0
        {
            return 0;
        }
        let outstanding = self.schedule.len() + self.submissions.in_flight.len();
        let window = self.window.size().saturating_sub(outstanding);
        let allowed = self.submissions.allowed.min(self.connections.half());
        let in_flight = allowed.saturating_sub(self.submissions.in_flight.len());
        let taken = self.submissions.submitted + self.submissions.in_flight.len() as u64;
        let left = self.settings.take.map_or(u64::MAX, |most| most.saturating_sub(taken));
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        window.min(in_flight).min(left)
    }

    /// How many bytes of texts may be claimed now.
    fn capacity_in_bytes(&self) -> u64 {
        BYTES_IN_FLIGHT.saturating_sub(self.submissions.bytes_in_flight())
    }

    pub(super) fn submit_more(&mut self) {
        let capacity = self.capacity();
        if self.submissions.phase != ClaimPhase::Idle || capacity == 0 {
            return;
        }
        self.submissions.phase = ClaimPhase::AwaitingPermit;
        let endpoint = self.settings.endpoint.clone();
        let ready = self.task(None, async move {
            let began = Instant::now();
            let mut permits = endpoint.available_submissions(capacity).await;
            if permits < capacity && began.elapsed() >= AT_ONCE {
                tokio::time::sleep(GATHER).await;
                // Returns at once, unless other callers are queued before it or shared limits are unreachable.
                permits = timeout(GATHER, endpoint.available_submissions(capacity))
                    .await
                    .unwrap_or(permits);
            }
            RunnerEvent::Ready(permits)
        });
        self.tasks.spawn(ready);
    }

    /// Claims as many inputs as there are permits.
    pub(super) fn ready(&mut self, permits: usize) {
        self.submissions.phase = ClaimPhase::Idle;
        let limit = self.capacity().min(permits);
        if limit == 0 {
            return;
        }
        self.submissions.begin_claim();
        let shared = Arc::clone(&self.shared);
        let claim = Claim { limit, bytes: self.capacity_in_bytes(), run: self.run };
        let claim =
            self.task(None, async move { RunnerEvent::Claimed(shared.journal.claim(claim).await) });
        // A task that outlives the run: claimed inputs must be submitted or returned.
        tokio::spawn(claim);
    }

    pub(super) fn claimed(&mut self, claimed: Result<Vec<Claimed>>) {
        self.submissions.phase = ClaimPhase::Idle;
        match claimed {
            Err(error) => self.fail(error),
            Ok(claimed) => {
                if claimed.is_empty() {
                    self.submissions.found_nothing();
                }
                // The pause may have begun while the inputs were being claimed.
                let must_wait = !self.may_submit() || self.is_paused();
                for claimed in claimed {
                    let bytes = claimed.input.place.length();
                    self.submissions.in_flight.insert(claimed.input.index, bytes);
                    let shared = Arc::clone(&self.shared);
                    let submitter = Arc::clone(&self.submissions.submitter);
                    let submit = self.task(Some(claimed.input.index), async move {
                        RunnerEvent::Submitted(submit(&shared, submitter, claimed, must_wait).await)
                    });
                    // A task that outlives the run: the outcome must be recorded.
                    tokio::spawn(submit);
                }
            }
        }
    }

    pub(super) fn submitted(&mut self, submitted: Submitted) {
        let Submitted { input, outcome, recorded } = submitted;
        let index = input.index;
        self.submissions.in_flight.remove(&input.index);
        if self.submissions.doubts < DOUBTS {
            self.submissions.allowed = (self.submissions.allowed + 1).min(IN_FLIGHT);
        }
        if let Err((error, change)) = recorded {
            self.unrecorded.push(change);
            return self.fail(error);
        }
        let now = Instant::now();
        match outcome {
            Outcome::Accepted { job_id, at } => {
                self.errors.submitted();
                self.submissions.submitted += 1;
                (self.submissions.doubts, self.submissions.pauses) = (0, 0);
                self.last_contact = now;
                let (endpoint, ttl) = match self.endpoints.get(&self.run) {
                    Some((endpoint, ttl)) => (endpoint, *ttl),
                    None => (&self.settings.endpoint, super::schedule::DEFAULT_TTL),
                };
                self.schedule.add(Outstanding {
                    index: input.index,
                    attempt: input.attempt,
                    job: endpoint.job(job_id),
                    submitted_at: at,
                    seen_at: None,
                    recorded_at: None,
                    ttl,
                    missing: 0,
                    unseen_since: None,
                    is_cancelled: false,
                    asleep_until: None,
                    since: now,
                    known_since: now,
                });
            }
            Outcome::Refused { was_sent } => {
                self.ended(State::Refused);
                self.submissions.submitted += u64::from(was_sent);
            }
            Outcome::Unknown(error) => {
                self.submissions.submitted += 1;
                self.back_off();
                if let Some(error) = error {
                    self.errors.not_submitted(error.to_string());
                    self.unreached(error);
                }
            }
            Outcome::Unused => self.submissions.returned(),
            Outcome::NotSent(TransientReason::QueueFull(_)) => {
                self.errors.not_submitted(FULL_QUEUE.to_owned());
                self.last_contact = now;
                let outstanding = self.schedule.len() + self.submissions.in_flight.len() + 1;
                self.window.queue_is_full(outstanding, now);
                self.submissions.returned();
            }
            Outcome::NotSent(TransientReason::Unreachable(error)) => {
                let description = self.describe(&error);
                self.errors.not_submitted(description);
                self.submissions.returned();
                self.unreached(error);
            }
            Outcome::Stop(error) => self.refused(error),
            Outcome::Changed(error) => self.fail_to_submit(error),
        }
        for delivery in self.deliveries.remove(&index).unwrap_or_default() {
            self.delivered(delivery);
        }
        let taken = self.settings.take.is_some_and(|most| self.submissions.submitted >= most);
        if taken && self.stopped.is_none() {
            self.stopped = Some(Stopped::Taken);
        }
    }

    /// Backs off after an unknown outcome: the next ones may be unknown, too.
    fn back_off(&mut self) {
        self.submissions.returned();
        self.submissions.allowed = (self.submissions.allowed / 2).max(1);
        self.submissions.doubts += 1;
        if self.submissions.doubts >= DOUBTS {
            self.submissions.allowed = 1;
            // The calls in flight fail together, and cause one pause.
            if !self.is_paused() {
                let pause = Duration::from_secs(1 << self.submissions.pauses.min(10));
                self.submissions.submitter.pause.at_least(pause.min(LONGEST_PAUSE));
                self.submissions.pauses += 1;
            }
        }
    }

    fn is_paused(&self) -> bool {
        self.submissions.submitter.pause.ends().is_some()
    }
}
