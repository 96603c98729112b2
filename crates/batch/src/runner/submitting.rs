//! Submitting pending inputs, just in time.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::claimed::{Outcome, Submitted, submit};
use super::core::{Happened, Runner};
use super::schedule::Outstanding;
use super::submissions::Turn;
use super::submit::Why;
use crate::error::Result;
use crate::journal::Claimed;
use crate::progress::Stopped;
use crate::state::State;
use crate::store::Claim;

/// The concurrency of `/run`: how many submissions can be in flight, and so how many a crash leaves
/// unknown at most.
const IN_FLIGHT: usize = 200;

/// No more inputs are claimed while the texts of those in flight have so many bytes: each is in memory
/// until what became of it is recorded.
const BYTES_IN_FLIGHT: u64 = 64 * 1024 * 1024;

/// A turn that came so soon did not have to wait.
const AT_ONCE: Duration = Duration::from_millis(1);

/// How long turns may gather where the limiter makes them wait, so that one commit claims several. It
/// bears that without a loss of rate.
const GATHER: Duration = Duration::from_millis(20);

/// What a 429 may mean although this process keeps to the limits.
const FULL_QUEUE: &str = "the service's queue is full, or others use the same limits (429)";

/// After so many unknown outcomes in a row, submissions are made one by one, with pauses that double up
/// to the longest: a service that fails must not make all inputs unknown.
const DOUBTS: u32 = 3;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

impl Runner {
    /// How many inputs may be claimed now.
    fn room(&mut self) -> usize {
        if !self.may_submit()
            || self.submitting.is_exhausted
            || self.is_paused()
            || self.room_in_bytes() == 0
        {
            return 0;
        }
        let outstanding = self.schedule.len() + self.submitting.in_flight.len();
        let window = self.window.size().saturating_sub(outstanding);
        let allowed = self.submitting.allowed.min(self.connections.half());
        let in_flight = allowed.saturating_sub(self.submitting.in_flight.len());
        let taken = self.submitting.submitted + self.submitting.in_flight.len() as u64;
        let left = self.settings.take.map_or(u64::MAX, |most| most.saturating_sub(taken));
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        window.min(in_flight).min(left)
    }

    /// How many bytes of texts may be claimed now.
    fn room_in_bytes(&self) -> u64 {
        BYTES_IN_FLIGHT.saturating_sub(self.submitting.bytes_in_flight())
    }

    pub(super) fn submit_more(&mut self) {
        let room = self.room();
        if self.submitting.turn != Turn::None || room == 0 {
            return;
        }
        self.submitting.turn = Turn::Awaited;
        let endpoint = self.settings.endpoint.clone();
        let ready = self.task(None, async move {
            let began = Instant::now();
            let mut turns = endpoint.ready_to_run(room).await;
            if turns < room && began.elapsed() >= AT_ONCE {
                tokio::time::sleep(GATHER).await;
                // At once, unless others are before it now, or limits that are shared are out of reach.
                turns = timeout(GATHER, endpoint.ready_to_run(room)).await.unwrap_or(turns);
            }
            Happened::Ready(turns)
        });
        self.tasks.spawn(ready);
    }

    /// Claims as many inputs as have their turn.
    pub(super) fn ready(&mut self, turns: usize) {
        self.submitting.turn = Turn::None;
        let limit = self.room().min(turns);
        if limit == 0 {
            return;
        }
        self.submitting.begin_claim();
        let shared = Arc::clone(&self.shared);
        let claim = Claim { limit, bytes: self.room_in_bytes(), run: self.run };
        let claim =
            self.task(None, async move { Happened::Claimed(shared.journal.claim(claim).await) });
        // Not among the tasks that end with the run: what is claimed must be submitted or given back.
        tokio::spawn(claim);
    }

    pub(super) fn claimed(&mut self, claimed: Result<Vec<Claimed>>) {
        self.submitting.turn = Turn::None;
        match claimed {
            Err(error) => self.fail(error),
            Ok(claimed) => {
                if claimed.is_empty() {
                    self.submitting.found_nothing();
                }
                // The pause may have begun while the inputs were being claimed.
                let must_wait = !self.may_submit() || self.is_paused();
                for claimed in claimed {
                    let bytes = claimed.input.place.length();
                    self.submitting.in_flight.insert(claimed.input.index, bytes);
                    let shared = Arc::clone(&self.shared);
                    let submitter = Arc::clone(&self.submitting.submitter);
                    let submit = self.task(Some(claimed.input.index), async move {
                        Happened::Submitted(submit(&shared, submitter, claimed, must_wait).await)
                    });
                    // Not among the tasks that end with the run: it has to be recorded.
                    tokio::spawn(submit);
                }
            }
        }
    }

    pub(super) fn submitted(&mut self, submitted: Submitted) {
        let Submitted { input, outcome, recorded } = submitted;
        let index = input.index;
        self.submitting.in_flight.remove(&input.index);
        if self.submitting.doubts < DOUBTS {
            self.submitting.allowed = (self.submitting.allowed + 1).min(IN_FLIGHT);
        }
        if let Err((error, change)) = recorded {
            self.unrecorded.push(change);
            return self.fail(error);
        }
        let now = Instant::now();
        match outcome {
            Outcome::Accepted { job_id, at } => {
                self.trouble.submitted();
                self.submitting.submitted += 1;
                (self.submitting.doubts, self.submitting.pauses) = (0, 0);
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
                self.submitting.submitted += u64::from(was_sent);
            }
            Outcome::Unknown(error) => {
                self.submitting.submitted += 1;
                self.doubt();
                if let Some(error) = error {
                    self.trouble.not_submitted(error.to_string());
                    self.unreached(error);
                }
            }
            Outcome::Unused => self.submitting.returned(),
            Outcome::NotSent(Why::QueueFull(_)) => {
                self.trouble.not_submitted(FULL_QUEUE.to_owned());
                self.last_contact = now;
                let outstanding = self.schedule.len() + self.submitting.in_flight.len() + 1;
                self.window.queue_is_full(outstanding, now);
                self.submitting.returned();
            }
            Outcome::NotSent(Why::Unreachable(error)) => {
                let words = self.words(&error);
                self.trouble.not_submitted(words);
                self.submitting.returned();
                self.unreached(error);
            }
            Outcome::Stop(error) => self.refused(error),
            Outcome::Changed(error) => self.fail_to_submit(error),
        }
        for told in self.told.remove(&index).unwrap_or_default() {
            self.delivered(told);
        }
        let taken = self.settings.take.is_some_and(|most| self.submitting.submitted >= most);
        if taken && self.stopped.is_none() {
            self.stopped = Some(Stopped::Taken);
        }
    }

    /// It is not known what became of a submission, and may be so of the next ones.
    fn doubt(&mut self) {
        self.submitting.returned();
        self.submitting.allowed = (self.submitting.allowed / 2).max(1);
        self.submitting.doubts += 1;
        if self.submitting.doubts >= DOUBTS {
            self.submitting.allowed = 1;
            // Those in flight together are one reason to pause.
            if !self.is_paused() {
                let pause = Duration::from_secs(1 << self.submitting.pauses.min(10));
                self.submitting.submitter.pause.at_least(pause.min(LONGEST_PAUSE));
                self.submitting.pauses += 1;
            }
        }
    }

    fn is_paused(&self) -> bool {
        self.submitting.submitter.pause.ends().is_some()
    }
}
