//! State of a fair queue: the waiting callers in order, without a lock, a timer or a task.

use std::collections::BTreeMap;
use std::task::Waker;
use std::time::Duration;

use tokio::time::Instant;

/// Capacity of a fair queue: decides when callers are admitted.
pub trait Admission {
    /// A caller's request.
    type Request: Copy;
    /// The permit of an admitted caller.
    type Permit;

    /// Returns `Ok` if there is capacity for this many callers at once; `calls_wait` is true if any
    /// of them had to wait.
    fn admits(&mut self, callers: u64, now: Instant, calls_wait: bool) -> Result<(), Blocked>;

    /// Admits a caller for which there is capacity.
    fn take(&mut self, request: Self::Request, now: Instant) -> Self::Permit;
}

/// A caller cannot be admitted: there is no capacity now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The time at which capacity may come without an event; `None` if only an event can bring it.
    pub until: Option<Instant>,
}

/// The time for which capacity is reserved for an offered caller. It halves with each caller that is
/// not polled in time, down to [`MIN_RESERVATION`], and is restored by the first that is: many callers
/// in a row that are not polled cost little, and a runtime that is briefly busy costs nothing.
const RESERVATION: Duration = Duration::from_millis(20);
const MIN_RESERVATION: Duration = Duration::from_millis(1);

/// The lateness of the driver after which another caller takes over.
const OVERDUE: Duration = Duration::from_millis(10);

/// After this many urgent callers in a row, an ordinary caller is admitted, if any is waiting.
pub(super) const URGENT_IN_A_ROW: u32 = 7;

/// The waiting callers, and their admission.
///
/// The driver is the caller that arrived last, because it is the least likely to have been
/// abandoned. The standby callers are polled again much later, and take over if the driver was not
/// polled in time.
#[derive(Debug)]
pub(super) struct QueueState<R> {
    pub(super) admission: R,
    arrivals: u64,
    urgent: BTreeMap<u64, Waker>,
    ordinary: BTreeMap<u64, Waker>,
    /// Callers that were offered and not polled yet, with the end of their reservation.
    offered: BTreeMap<u64, Instant>,
    /// The number of offered callers in a row that were not polled in time.
    absent: u32,
    urgent_in_a_row: u32,
    driver: Option<Driver>,
    /// The caller polled most recently, apart from the driver: the most likely to be polled again.
    standby: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Driver {
    position: u64,
    /// The time at which its timer polls the driver; `None` until an event wakes it.
    due: Option<Instant>,
}

/// The result of a poll.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<T> {
    Admitted(T),
    /// The caller is the driver: poll again at that time, or when woken.
    Drive(Option<Instant>),
    /// Poll again after the standby interval, or when woken.
    Standby,
}

/// Effects to apply after the lock is released.
#[derive(Debug, Default)]
pub(super) struct Effects {
    pub(super) wake: Vec<Waker>,
    /// Handles to drop, which may run any code.
    pub(super) spent: Vec<Waker>,
}

/// A caller that is polled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller<A> {
    pub(super) position: u64,
    pub(super) is_urgent: bool,
    pub(super) request: A,
}

impl<R: Admission> QueueState<R> {
    pub(super) fn new(admission: R) -> Self {
        Self {
            admission,
            arrivals: 0,
            urgent: BTreeMap::new(),
            ordinary: BTreeMap::new(),
            offered: BTreeMap::new(),
            absent: 0,
            urgent_in_a_row: 0,
            driver: None,
            standby: None,
        }
    }

    /// A permit for a caller that has just arrived, if no caller is waiting and there is capacity.
    pub(super) fn try_acquire(&mut self, request: R::Request, now: Instant) -> Option<R::Permit> {
        if !self.is_empty() || self.admission.admits(1, now, false).is_err() {
            return None;
        }
        Some(self.admission.take(request, now))
    }

    /// The number of callers that could be admitted at once now, up to `most`.
    pub(super) fn available(&mut self, most: u64, now: Instant) -> u64 {
        let (mut fits, mut too_many) = (0, most.saturating_add(1));
        if !self.is_empty() {
            return fits;
        }
        while too_many - fits > 1 {
            let callers = fits + (too_many - fits) / 2;
            match self.admission.admits(callers, now, false) {
                Ok(()) => fits = callers,
                Err(_) => too_many = callers,
            }
        }
        fits
    }

    /// A position behind all waiting callers.
    pub(super) fn arrive(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    /// The number of callers that wait and have not been offered.
    pub(super) fn waiting(&self) -> usize {
        self.urgent.len() + self.ordinary.len()
    }

    /// Returns true if no caller waits and none has a reservation.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting() == 0 && self.offered.is_empty()
    }

    /// A caller is polled, and can be woken with `handle`.
    pub(super) fn poll(
        &mut self,
        caller: Caller<R::Request>,
        handle: Waker,
        now: Instant,
        effects: &mut Effects,
    ) -> Step<R::Permit> {
        let Caller { position, is_urgent, request } = caller;
        if self.offered.remove(&position).is_some() {
            self.absent = 0;
            if self.admission.admits(1, now, true).is_ok() {
                let permit = self.admission.take(request, now);
                self.update_waiters(now, effects);
                return Step::Admitted(permit);
            }
        }
        let earlier = self.urgent.remove(&position).or_else(|| self.ordinary.remove(&position));
        let has_arrived = earlier.is_none();
        effects.spent.extend(earlier);
        let callers = if is_urgent { &mut self.urgent } else { &mut self.ordinary };
        callers.insert(position, handle);
        let (permit, next) = self.advance(Some((position, request)), now, effects);
        if let Some(permit) = permit {
            self.find_driver(next, effects);
            return Step::Admitted(permit);
        }
        if has_arrived || self.is_driver_missing(position, now) {
            self.driver = Some(Driver { position, due: next });
            return Step::Drive(next);
        }
        self.standby = Some(position);
        self.find_driver(next, effects);
        Step::Standby
    }

    /// Removes a caller that did not get a permit.
    pub(super) fn remove(&mut self, position: u64, now: Instant, effects: &mut Effects) {
        let handle = self.urgent.remove(&position).or_else(|| self.ordinary.remove(&position));
        let was_waiting = handle.is_some() || self.offered.remove(&position).is_some();
        effects.spent.extend(handle);
        if was_waiting {
            self.forget_driver(position);
            self.update_waiters(now, effects);
        }
    }

    /// Offers the capacity that an event has made to the callers that are next.
    pub(super) fn update_waiters(&mut self, now: Instant, effects: &mut Effects) {
        let (_, next) = self.advance(None, now, effects);
        self.find_driver(next, effects);
    }

    /// Offers capacity to every caller for which there is some. Returns the permit of `me`, if it is
    /// admitted, and when to advance again.
    fn advance(
        &mut self,
        me: Option<(u64, R::Request)>,
        now: Instant,
        effects: &mut Effects,
    ) -> (Option<R::Permit>, Option<Instant>) {
        let offered = self.offered.len();
        self.offered.retain(|_, until| *until > now);
        self.absent = self.absent.saturating_add((offered - self.offered.len()) as u32);
        let mut permit = None;
        while self.waiting() > 0 {
            let callers = self.offered.len() as u64 + 1;
            if let Err(Blocked { until }) = self.admission.admits(callers, now, true) {
                let passed_over = self.offered.values().min().copied();
                return (permit, [until, passed_over].into_iter().flatten().min());
            }
            let Some((position, handle)) = self.next() else { break };
            self.forget_driver(position);
            match me {
                Some((mine, request)) if mine == position => {
                    permit = Some(self.admission.take(request, now));
                    effects.spent.push(handle);
                }
                _ => {
                    let reservation = RESERVATION / 2_u32.pow(self.absent.min(10));
                    self.offered.insert(position, now + reservation.max(MIN_RESERVATION));
                    effects.wake.push(handle);
                }
            }
        }
        (permit, None)
    }

    /// The next caller in order.
    fn next(&mut self) -> Option<(u64, Waker)> {
        let is_ordinary = self.urgent.is_empty()
            || self.urgent_in_a_row >= URGENT_IN_A_ROW && !self.ordinary.is_empty();
        if is_ordinary {
            self.urgent_in_a_row = 0;
            self.ordinary.pop_first()
        } else {
            self.urgent_in_a_row = self.urgent_in_a_row.saturating_add(1);
            self.urgent.pop_first()
        }
    }

    fn is_driver_missing(&self, position: u64, now: Instant) -> bool {
        self.driver.is_none_or(|driver| {
            driver.position == position || driver.due.is_some_and(|due| due + OVERDUE < now)
        })
    }

    fn forget_driver(&mut self, position: u64) {
        if self.driver.is_some_and(|driver| driver.position == position) {
            self.driver = None;
        }
    }

    /// Makes sure that some caller is polled again by `next`.
    fn find_driver(&mut self, next: Option<Instant>, effects: &mut Effects) {
        let position = match self.driver {
            Some(Driver { due: Some(due), .. }) if next.is_none_or(|next| due <= next) => return,
            Some(Driver { due: None, .. }) if next.is_none() => return,
            Some(driver) => driver.position,
            None => {
                let newest = self.ordinary.last_key_value().or(self.urgent.last_key_value());
                let Some((newest, _)) = newest else { return };
                self.standby.filter(|position| self.handle(*position).is_some()).unwrap_or(*newest)
            }
        };
        self.driver = Some(Driver { position, due: next });
        effects.wake.extend(self.handle(position).cloned());
    }

    /// The waker of a caller that is waiting and has not been offered.
    fn handle(&self, position: u64) -> Option<&Waker> {
        self.ordinary.get(&position).or_else(|| self.urgent.get(&position))
    }
}
