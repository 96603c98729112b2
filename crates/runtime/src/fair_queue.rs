//! Fair queue: waiting callers get permits first in, first out.
//!
//! The limiter of each operation is a fair queue, and so are the bound on held calls
//! and, in the crate podqueue, the poll rate of an endpoint. An [`Admission`] decides when there is
//! capacity.
//!
//! # States of a caller
//!
//! ```text
//!  arrive           capacity            polled in time
//! --------> waiting --------> offered --------------------> admitted: it takes its permit
//!              ^                 |
//!              +-----------------+  not polled in time: passed over, back in its old position as soon
//!                                   as it is polled again
//! ```
//!
//! In each state a caller can be dropped, which removes it.
//!
//! # Invariant
//!
//! No caller blocks another and no permit is lost, even if a caller is dropped, is held without
//! being polled, or belongs to a runtime that is idle. Callers that are polled are admitted in
//! order.
//!
//! - A permit is offered, not handed out: a caller takes it when it is polled, so a dropped caller
//!   cannot take a permit with it.
//! - Capacity is reserved for an offered caller for 20 ms, half as long for each caller in a row that
//!   was not polled, and for 1 ms at least.
//! - No task runs in the background: every arrival, departure and update advances the queue.
//!   Capacity that comes with time alone is noticed by the *driver*, the waiting caller that keeps
//!   the timer for all. All other callers are on standby: they check at long intervals that the
//!   driver is alive, and the first caller to find it overdue becomes the driver.
//! - Urgent callers come first, but at most seven in a row while an ordinary caller waits.
//!
//! The explorer (`tests::explorer`) checks the invariant in all short runs of a few callers and in
//! long runs at random. It drives the real queues:
//! `no_limit_is_exceeded_and_no_caller_is_blocked_in_any_short_run` (limiter) and
//! `no_wait_is_held_up_by_another_in_any_short_run` (poll rate).

mod state;

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) mod explorer;
    #[cfg(shuttle)]
    mod threads;
}

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::PoisonError;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

pub use self::state::{Admission, Blocked};
use self::state::{Caller, Effects, QueueState, Step};
use crate::sync::{Mutex, MutexGuard};

/// The interval at which a standby caller checks that the driver is alive: this time, plus a time
/// for each waiting caller, so that all together check at most 250 times a second.
const STANDBY: Duration = Duration::from_millis(100);
const STANDBY_EACH: Duration = Duration::from_millis(4);

/// Admits callers in order.
#[derive(Debug)]
pub struct FairQueue<R>(Mutex<QueueState<R>>);

impl<R: Admission> FairQueue<R> {
    pub fn new(admission: R) -> Self {
        Self(Mutex::new(QueueState::new(admission)))
    }

    /// Waits for a permit; from `urgent_from` on, before callers that are not urgent. Dropping the
    /// future gives up its position and changes nothing else.
    pub async fn acquire(&self, request: R::Request, urgent_from: Option<Instant>) -> R::Permit {
        if let Some(permit) = self.try_acquire(request) {
            return permit;
        }
        let waiter = Waiter { queue: self, position: self.state().arrive() };
        let mut timer = pin!(sleep_until(Instant::now()));
        poll_fn(|context| waiter.poll(request, urgent_from, timer.as_mut(), context)).await
    }

    /// A permit for a caller that has just arrived, if no caller waits and there is capacity.
    pub fn try_acquire(&self, request: R::Request) -> Option<R::Permit> {
        self.state().try_acquire(request, Instant::now())
    }

    /// The number of callers that could be admitted at once now, up to `most`; zero while callers
    /// wait.
    pub fn available(&self, most: u64) -> u64 {
        self.state().available(most, Instant::now())
    }

    /// Changes the admission, and admits waiting callers if that made capacity.
    pub fn update<T>(&self, change: impl FnOnce(&mut R) -> T) -> T {
        let mut effects = Effects::default();
        let mut state = self.state();
        let result = change(&mut state.admission);
        if state.waiting() > 0 {
            state.update_waiters(Instant::now(), &mut effects);
        }
        drop(state);
        effects.apply();
        result
    }

    /// The number of waiting callers.
    #[cfg(feature = "shared-limits")]
    pub fn waiting(&self) -> usize {
        self.state().waiting()
    }

    /// Returns true if no caller waits and the admission satisfies the predicate.
    pub fn is_empty_and(&self, predicate: impl FnOnce(&mut R) -> bool) -> bool {
        let mut state = self.state();
        state.is_empty() && predicate(&mut state.admission)
    }

    fn state(&self) -> MutexGuard<'_, QueueState<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A waiting caller, removed from the queue when dropped.
struct Waiter<'a, R: Admission> {
    queue: &'a FairQueue<R>,
    position: u64,
}

impl<R: Admission> Waiter<'_, R> {
    fn poll(
        &self,
        request: R::Request,
        urgent_from: Option<Instant>,
        mut timer: Pin<&mut Sleep>,
        context: &mut Context<'_>,
    ) -> Poll<R::Permit> {
        loop {
            let now = Instant::now();
            let is_urgent = urgent_from.is_some_and(|from| from <= now);
            let caller = Caller { position: self.position, is_urgent, request };
            let mut effects = Effects::default();
            let handle = context.waker().clone();
            let (step, waiting) = {
                let mut state = self.queue.state();
                (state.poll(caller, handle, now, &mut effects), state.waiting())
            };
            effects.apply();
            let until = match step {
                Step::Admitted(permit) => return Poll::Ready(permit),
                Step::Drive(Some(until)) => until,
                Step::Standby if timer.deadline() > now => timer.deadline(),
                Step::Drive(None) | Step::Standby => now + standby_interval(waiting),
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

impl<R: Admission> Drop for Waiter<'_, R> {
    fn drop(&mut self) {
        let mut effects = Effects::default();
        self.queue.state().remove(self.position, Instant::now(), &mut effects);
        effects.apply();
    }
}

impl Effects {
    /// Wakes callers after the lock was released, because a waker may run any code.
    fn apply(self) {
        self.wake.into_iter().for_each(Waker::wake);
    }
}

fn standby_interval(waiting: usize) -> Duration {
    let callers = u32::try_from(waiting).unwrap_or(u32::MAX);
    let time = STANDBY.saturating_add(STANDBY_EACH.saturating_mul(callers));
    time.mul_f64(0.75 + 0.5 * fastrand::f64())
}
