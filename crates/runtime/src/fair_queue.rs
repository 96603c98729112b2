//! A line of callers that wait for their turn, first come, first served.
//!
//! Both the [limiter](crate::transport) and the polls of all waits and streams on an endpoint are such lines, with a [`Rule`] each.
//! None of those who wait can block another, whatever becomes of it: it may be dropped, held without
//! being polled, or belong to a runtime that stands still. Nothing runs in the background: everybody
//! who comes by, because it arrives, leaves, or something happened, moves the line on, and those who
//! wait keep the time for each other.

mod state;

#[cfg(test)]
pub mod model;

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

pub use self::state::{Blocked, Rule};
use self::state::{Caller, Effects, Order, Step};

/// After how long, on average, a caller looks whether somebody still keeps the time: so long, and so
/// much longer for each caller that waits, so that all of them together look 250 times in a second
/// at most.
const STAND_BY: Duration = Duration::from_millis(100);
const STAND_BY_EACH: Duration = Duration::from_millis(4);

/// Lets callers go by a rule, in order.
#[derive(Debug)]
pub struct Line<R>(Mutex<Order<R, Waker>>);

impl<R: Rule> Line<R> {
    pub fn new(rule: R) -> Self {
        Self(Mutex::new(Order::new(rule)))
    }

    /// Waits for a turn, from a moment on before all that are not urgent. Dropping the future gives
    /// its place up and changes nothing else.
    pub async fn turn(&self, ask: R::Ask, urgent_from: Option<Instant>) -> R::Turn {
        if let Some(turn) = self.turn_at_once(ask) {
            return turn;
        }
        let place = Place { line: self, number: self.order().arrive() };
        let mut timer = pin!(sleep_until(Instant::now()));
        poll_fn(|context| place.poll(ask, urgent_from, timer.as_mut(), context)).await
    }

    /// A turn for a caller that has just arrived, if nobody waits and there is room.
    pub fn turn_at_once(&self, ask: R::Ask) -> Option<R::Turn> {
        self.order().go_at_once(ask, Instant::now())
    }

    /// How many callers could go at once now, up to `most`; none while others wait.
    pub fn room(&self, most: u64) -> u64 {
        self.order().room(most, Instant::now())
    }

    /// Something happens that the rule has to know, and that may let callers go.
    pub fn update<T>(&self, change: impl FnOnce(&mut R) -> T) -> T {
        let mut effects = Effects::default();
        let mut order = self.order();
        let result = change(&mut order.rule);
        if order.waiting() > 0 {
            order.look_around(Instant::now(), &mut effects);
        }
        drop(order);
        effects.apply();
        result
    }

    /// How many wait.
    #[cfg(feature = "shared-limits")]
    pub fn waiting(&self) -> usize {
        self.order().waiting()
    }

    /// Whether nobody waits, and the rule is as it says.
    pub fn is_empty_and(&self, rule_is: impl FnOnce(&mut R) -> bool) -> bool {
        let mut order = self.order();
        order.is_empty() && rule_is(&mut order.rule)
    }

    fn order(&self) -> MutexGuard<'_, Order<R, Waker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A caller's place in a line.
struct Place<'a, R: Rule> {
    line: &'a Line<R>,
    number: u64,
}

impl<R: Rule> Place<'_, R> {
    fn poll(
        &self,
        ask: R::Ask,
        urgent_from: Option<Instant>,
        mut timer: Pin<&mut Sleep>,
        context: &mut Context<'_>,
    ) -> Poll<R::Turn> {
        loop {
            let now = Instant::now();
            let is_urgent = urgent_from.is_some_and(|from| from <= now);
            let caller = Caller { place: self.number, is_urgent, ask };
            let mut effects = Effects::default();
            let handle = context.waker().clone();
            let (step, waiting) = {
                let mut order = self.line.order();
                (order.poll(caller, handle, now, &mut effects), order.waiting())
            };
            effects.apply();
            let until = match step {
                Step::Go(turn) => return Poll::Ready(turn),
                Step::Drive(Some(until)) => until,
                Step::StandBy if timer.deadline() > now => timer.deadline(),
                Step::Drive(None) | Step::StandBy => now + stand_by(waiting),
            };
            let promoted = urgent_from.filter(|_| !is_urgent);
            let until = promoted.map_or(until, |from| from.min(until));
            if timer.deadline() != until {
                timer.as_mut().reset(until);
            }
            ready!(timer.as_mut().poll(context));
        }
    }
}

impl<R: Rule> Drop for Place<'_, R> {
    fn drop(&mut self) {
        let mut effects = Effects::default();
        self.line.order().leave(self.number, Instant::now(), &mut effects);
        effects.apply();
    }
}

impl Effects<Waker> {
    /// Wakes, which can run anything, without a lock.
    fn apply(self) {
        self.wake.into_iter().for_each(Waker::wake);
    }
}

fn stand_by(waiting: usize) -> Duration {
    let callers = u32::try_from(waiting).unwrap_or(u32::MAX);
    let time = STAND_BY.saturating_add(STAND_BY_EACH.saturating_mul(callers));
    time.mul_f64(0.75 + 0.5 * fastrand::f64())
}
