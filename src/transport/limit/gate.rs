//! Where the requests of one operation on one endpoint wait for their turn.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::brake::Brake;
use super::log::Log;
use super::pace::Pace;
use super::slots::Slots;
use super::{GRACE, Limit};

/// Lets requests pass first in, first out, within a limit that may change at any time.
pub(super) struct Gate {
    state: Mutex<State>,
    /// Held by the first of those who wait; it is fair, and one that stops waiting leaves the others
    /// in their order.
    first: tokio::sync::Mutex<()>,
    /// Told to the first of those who wait when something happens that no clock foretells.
    changed: Notify,
}

struct State {
    limit: Limit,
    log: Log,
    slots: Slots,
    pace: Pace,
    brake: Brake,
    /// How many calls wait.
    waiting: usize,
}

/// Why a request cannot pass now.
struct Blocked {
    /// When it may be otherwise, where that is known.
    until: Option<Instant>,
}

impl Gate {
    pub(super) fn new(limit: Limit) -> Self {
        let now = Instant::now();
        let state = State {
            limit,
            log: Log::new(now),
            slots: Slots::new(),
            pace: Pace::new(now, limit.requests),
            brake: Brake::new(now),
            waiting: 0,
        };
        Self {
            state: Mutex::new(state),
            first: tokio::sync::Mutex::new(()),
            changed: Notify::new(),
        }
    }

    /// Waits until a request may be sent. Dropping the future gives its place in the queue up and
    /// changes nothing else.
    pub(super) async fn pass(self: Arc<Self>) -> Pass {
        {
            let mut state = self.state();
            if state.waiting == 0
                && let Ok(admitted_at) = state.admit()
            {
                drop(state);
                return Pass::through(self, admitted_at);
            }
            state.waiting += 1;
        }
        let _waiting = Waiting(&self);
        let _first = self.first.lock().await;
        loop {
            match self.try_pass() {
                Ok(pass) => return pass,
                Err(Blocked { until: None }) => self.changed.notified().await,
                Err(Blocked { until: Some(until) }) => {
                    // Either way it is time to look again.
                    let _ = timeout_at(until, self.changed.notified()).await;
                }
            }
        }
    }

    fn try_pass(self: &Arc<Self>) -> Result<Pass, Blocked> {
        let admitted_at = self.state().admit()?;
        Ok(Pass::through(Arc::clone(self), admitted_at))
    }

    /// Changes the limit, for those who wait as well.
    pub(super) fn resize(&self, limit: Limit) {
        self.update(|state| state.limit = limit);
    }

    /// Whether it would make no difference if this gate were a new one.
    pub(super) fn is_idle(&self) -> bool {
        let now = Instant::now();
        let mut state = self.state();
        state.waiting == 0
            && state.log.count(now) == 0
            && state.slots.taken(now) == 0
            && state.brake.is_off(now)
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        if state.waiting > 0 {
            self.changed.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes a request in and says when, or says what it waits for.
    fn admit(&mut self) -> Result<Instant, Blocked> {
        let now = Instant::now();
        let requests = self.brake.part_of(self.limit.requests, now);
        self.pace.grow(now, requests, self.waiting > 0);
        if let Some(until) = self.brake.held(now) {
            return Err(Blocked { until: Some(until) });
        }
        if let Some(concurrent) = self.limit.concurrent {
            let concurrent = self.brake.part_of(concurrent, now);
            if self.slots.taken(now) >= concurrent {
                return Err(Blocked { until: self.slots.next_free() });
            }
        }
        if self.log.count(now) >= requests {
            return Err(Blocked { until: self.log.next_departure() });
        }
        if let Some(until) = self.pace.next(requests) {
            return Err(Blocked { until: Some(until) });
        }
        self.pace.spend();
        self.log.send();
        self.slots.take();
        Ok(now)
    }
}

/// A call's place among those who wait.
struct Waiting<'a>(&'a Gate);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.state().waiting -= 1;
    }
}

/// The leave to send one request. It is told how the request fares; dropped in between, the request
/// counts as one that the service may still work on for a moment.
pub(crate) struct Pass(Option<Held>);

struct Held {
    gate: Arc<Gate>,
    admitted_at: Instant,
    stage: Stage,
}

#[derive(Clone, Copy)]
enum Stage {
    NotSent,
    Sent,
    Answered,
}

impl Pass {
    /// The leave for a request that no limit applies to.
    pub(crate) fn unlimited() -> Self {
        Self(None)
    }

    fn through(gate: Arc<Gate>, admitted_at: Instant) -> Self {
        Self(Some(Held { gate, admitted_at, stage: Stage::NotSent }))
    }

    /// The request leaves.
    pub(crate) fn sent(&mut self) {
        if let Some(held) = &mut self.0 {
            held.stage = Stage::Sent;
        }
    }

    /// The request has not left after all.
    pub(crate) fn not_sent(&mut self) {
        if let Some(held) = &mut self.0 {
            held.stage = Stage::NotSent;
        }
    }

    /// The head of the answer has come.
    pub(crate) fn answered(&mut self) {
        if let Some(held) = &mut self.0 {
            held.stage = Stage::Answered;
            held.gate.update(|state| state.log.settle(Instant::now()));
        }
    }

    /// The answer is a 429, with this `Retry-After`.
    pub(crate) fn refused(&self, retry_after: Option<Duration>) {
        let Some(held) = &self.0 else { return };
        held.gate.update(|state| {
            if state.brake.pull(held.admitted_at, Instant::now(), retry_after) {
                state.pace.forfeit();
            }
        });
    }

    /// The answer has been read to its end.
    pub(crate) fn finished(mut self) {
        if let Some(held) = self.0.take() {
            held.gate.update(|state| state.slots.give_back());
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let Some(held) = self.0.take() else { return };
        held.gate.update(|state| {
            let given_up = Instant::now() + GRACE;
            match held.stage {
                Stage::NotSent => {
                    state.log.withdraw();
                    state.slots.give_back();
                    state.pace.refund();
                }
                Stage::Sent => {
                    state.log.settle(given_up);
                    state.slots.give_up(given_up);
                }
                Stage::Answered => state.slots.give_up(given_up),
            }
        });
    }
}
