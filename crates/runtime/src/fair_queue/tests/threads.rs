//! Fair queue whose callers are threads, under all kinds of schedules.
//!
//! - While time stands still, wake-ups alone admit every caller that stays, in order.
//! - While time passes at any moment, so that callers are late or are never polled again, the
//!   remaining callers are admitted.
//! - Never are more callers admitted than there is capacity, and no permit is lost when callers
//!   leave at any moment.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use shuttle::future::block_on;
use shuttle::thread::{JoinHandle, spawn, yield_now};
use tokio::time::Instant;

use crate::fair_queue::{Admission, Blocked, FairQueue};
use crate::sync::schedules::{check, choose, pass};

/// Admits `most` callers at a time, and one per `interval`.
struct Slots {
    most: u64,
    open: u64,
    interval: Duration,
    next: Instant,
}

impl Admission for Slots {
    type Request = ();
    type Permit = ();

    fn admits(&mut self, callers: u64, now: Instant, _: bool) -> Result<(), Blocked> {
        if self.open + callers > self.most {
            return Err(Blocked { until: None });
        }
        let until = self.next + self.interval * (callers as u32 - 1);
        if until <= now { Ok(()) } else { Err(Blocked { until: Some(until) }) }
    }

    fn take(&mut self, (): (), now: Instant) {
        self.open += 1;
        assert!(self.open <= self.most, "more callers than allowed");
        self.next = self.next.max(now) + self.interval;
    }
}

/// A caller's behavior, once it waits.
#[derive(Clone, Copy, PartialEq)]
enum Caller {
    Stays,
    /// Gives up its position at once.
    Leaves,
    /// Gives up its position when it is woken, instead of being polled.
    LeavesWoken,
    /// Keeps its position, and is not polled until no other caller waits.
    Freezes,
}

/// A waker that loses wake-ups.
struct Lossy(Waker);

impl Wake for Lossy {
    fn wake(self: Arc<Self>) {
        if choose(4) > 0 {
            self.0.wake_by_ref();
        }
    }
}

struct World {
    queue: FairQueue<Slots>,
    /// The callers that have begun to wait.
    waiting: Mutex<Vec<usize>>,
    /// The number of callers that are still polled.
    polled: AtomicUsize,
    /// Callers are admitted in order, because no caller is late and one has a permit at a time.
    is_ordered: bool,
    loses_wakeups: bool,
}

impl World {
    fn new(most: u64, interval: Duration, is_ordered: bool) -> Arc<Self> {
        let slots = Slots { most, open: 0, interval, next: Instant::now() };
        let (waiting, polled) = (Mutex::default(), AtomicUsize::new(0));
        let queue = FairQueue::new(slots);
        Arc::new(Self { queue, waiting, polled, is_ordered, loses_wakeups: false })
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<usize>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acquires a permit, holds it for a moment and returns it; or behaves otherwise.
    fn call(&self, name: usize, caller: Caller, is_urgent: bool) {
        let earlier = self.waiting().clone();
        let mut permit = pin!(self.queue.acquire((), is_urgent.then(Instant::now)));
        let mut has_waited = false;
        let is_admitted = block_on(poll_fn(|context| {
            if has_waited && caller != Caller::Stays {
                return Poll::Ready(false);
            }
            let lossy = Waker::from(Arc::new(Lossy(context.waker().clone())));
            let waker = if self.loses_wakeups { &lossy } else { context.waker() };
            if permit.as_mut().poll(&mut Context::from_waker(waker)).is_ready() {
                return Poll::Ready(true);
            }
            if !std::mem::replace(&mut has_waited, true) {
                self.waiting().push(name);
            }
            if matches!(caller, Caller::Leaves | Caller::Freezes) {
                context.waker().wake_by_ref();
            }
            Poll::Pending
        }));
        self.waiting().retain(|other| *other != name);
        if is_admitted {
            let waiting = self.waiting().clone();
            let overtaken = waiting.iter().find(|other| earlier.contains(other));
            assert!(!self.is_ordered || overtaken.is_none(), "{name} overtook {overtaken:?}");
            yield_now();
            self.queue.update(|slots| slots.open -= 1);
        }
        while caller == Caller::Freezes && self.polled.load(Ordering::Relaxed) > 0 {
            yield_now();
        }
    }

    /// Starts callers, each of which calls twice.
    fn start(self: &Arc<Self>, callers: &[Caller]) -> Vec<JoinHandle<()>> {
        let start = |(name, caller): (usize, &Caller)| {
            let (world, caller) = (Arc::clone(self), *caller);
            let is_polled = usize::from(caller != Caller::Freezes);
            world.polled.fetch_add(is_polled, Ordering::Relaxed);
            spawn(move || {
                for round in 0..2 {
                    world.call(2 * name + round, caller, !world.is_ordered && choose(4) == 0);
                }
                world.polled.fetch_sub(is_polled, Ordering::Relaxed);
            })
        };
        callers.iter().enumerate().map(start).collect()
    }

    fn end(&self, callers: Vec<JoinHandle<()>>) {
        for caller in callers {
            caller.join().expect("it does not panic");
        }
        assert!(self.queue.is_empty_and(|slots| slots.open == 0), "something was lost");
    }
}

/// Any time would do: no timer expires.
#[test]
fn wakeups_alone_admit_all_callers_in_order() {
    check(|| {
        let most = 1 + choose(2) as u64;
        let world = World::new(most, Duration::ZERO, most == 1);
        let any = || [Caller::Stays, Caller::Stays, Caller::Leaves, Caller::LeavesWoken][choose(4)];
        let callers = world.start(&[Caller::Stays, any(), any(), any()]);
        world.end(callers);
    });
}

/// Such a bug is found.
#[test]
#[should_panic = "deadlock"]
fn a_lost_wakeup_is_found() {
    check(|| {
        let mut world = World::new(1, Duration::ZERO, true);
        Arc::get_mut(&mut world).expect("not shared yet").loses_wakeups = true;
        let callers = world.start(&[Caller::Stays; 3]);
        world.end(callers);
    });
}

#[test]
fn no_caller_is_blocked_whatever_other_callers_do() {
    check(|| {
        let world = World::new(2, Duration::from_millis(50), false);
        let any = || {
            use Caller::{Freezes, Leaves, LeavesWoken, Stays};
            [Stays, Stays, Leaves, LeavesWoken, Freezes][choose(5)]
        };
        let callers = world.start(&[Caller::Stays, Caller::Stays, any(), any()]);
        let until = Instant::now() + Duration::from_secs(60);
        while world.polled.load(Ordering::Relaxed) > 0 {
            assert!(Instant::now() < until, "a caller is blocked");
            pass(Duration::from_millis([1, 10, 200][choose(3)]));
            yield_now();
        }
        world.end(callers);
    });
}
