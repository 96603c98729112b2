//! State of a fair queue: the waiting callers in order, without a lock, a timer or a task.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

/// Capacity of a fair queue: decides when callers are admitted.
pub trait Admission {
    /// A caller's request.
    type Request: Copy;
    /// The permit of an admitted caller.
    type Permit;

    /// Whether so many callers may go at once; `calls_wait` says whether any of them had to wait.
    fn admits(&mut self, callers: u64, now: Instant, calls_wait: bool) -> Result<(), Blocked>;

    /// Admits a caller for which there is capacity.
    fn take(&mut self, request: Self::Request, now: Instant) -> Self::Permit;
}

/// Why a caller cannot go: there is no capacity now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// When that may change by time alone; `None` if only an event can change it.
    pub until: Option<Instant>,
}

/// How long to wait for a caller that was called before calling the next one. It halves with each that
/// does not come, down to [`LEAST_GRACE`], and is restored as soon as one does: many callers in a row
/// that are not polled cost little, and a runtime that is briefly busy costs nothing.
const GRACE: Duration = Duration::from_millis(20);
const LEAST_GRACE: Duration = Duration::from_millis(1);

/// How late the driver may be before another caller takes over.
const OVERDUE: Duration = Duration::from_millis(10);

/// After so many urgent callers in a row, an ordinary one goes, if one is waiting.
pub(super) const URGENT_IN_A_ROW: u32 = 7;

/// The waiting callers, and their admission. `H` wakes a caller.
///
/// A caller whose permit is due gets called, and the capacity for it is kept for a moment. If it is not
/// polled by then, the next one is called, and the late one returns to its old place as soon as it is
/// polled. So a caller that is not polled delays nobody, and no permit can be lost: a caller takes its permit
/// itself when it is polled.
///
/// One caller, the driver, keeps the timer for all. It is the last that arrived, because that one is the
/// least likely to have been abandoned; all others are polled again much later, and take over if the
/// driver was not polled in time.
#[derive(Debug)]
pub(super) struct QueueState<R, H> {
    pub(super) admission: R,
    arrivals: u64,
    urgent: BTreeMap<u64, H>,
    ordinary: BTreeMap<u64, H>,
    /// Those that were called and have not been polled yet, and how long to wait for them.
    called: BTreeMap<u64, Instant>,
    /// How many called ones in a row have not been polled in time.
    absent: u32,
    urgent_in_a_row: u32,
    driver: Option<Driver>,
    /// The caller polled most recently, apart from the driver: the most likely to be polled again.
    standby: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Driver {
    place: u64,
    /// When it is to come; `None` until it is woken.
    due: Option<Instant>,
}

/// The result of a poll.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<T> {
    Go(T),
    /// Come back then, or when woken.
    Drive(Option<Instant>),
    /// Come back in a while, or when woken.
    Standby,
}

/// What to do after the lock is released.
#[derive(Debug)]
pub(super) struct Effects<H> {
    pub(super) wake: Vec<H>,
    /// To be dropped.
    pub(super) spent: Vec<H>,
}

impl<H> Default for Effects<H> {
    fn default() -> Self {
        Self { wake: Vec::new(), spent: Vec::new() }
    }
}

/// A caller that is polled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller<A> {
    pub(super) place: u64,
    pub(super) is_urgent: bool,
    pub(super) request: A,
}

impl<R: Admission, H: Clone> QueueState<R, H> {
    pub(super) fn new(admission: R) -> Self {
        Self {
            admission,
            arrivals: 0,
            urgent: BTreeMap::new(),
            ordinary: BTreeMap::new(),
            called: BTreeMap::new(),
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

    /// How many callers could go at once now, up to `most`.
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

    /// A place behind all others.
    pub(super) fn arrive(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    /// How many are waiting and have not been called.
    pub(super) fn waiting(&self) -> usize {
        self.urgent.len() + self.ordinary.len()
    }

    /// Whether no caller is waiting or was called and is still being waited for.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting() == 0 && self.called.is_empty()
    }

    /// A caller is polled, and can be woken with `handle`.
    pub(super) fn poll(
        &mut self,
        caller: Caller<R::Request>,
        handle: H,
        now: Instant,
        effects: &mut Effects<H>,
    ) -> Step<R::Permit> {
        let Caller { place, is_urgent, request } = caller;
        if self.called.remove(&place).is_some() {
            self.absent = 0;
            if self.admission.admits(1, now, true).is_ok() {
                let permit = self.admission.take(request, now);
                self.update_waiters(now, effects);
                return Step::Go(permit);
            }
        }
        let earlier = self.urgent.remove(&place).or_else(|| self.ordinary.remove(&place));
        let has_arrived = earlier.is_none();
        effects.spent.extend(earlier);
        let lane = if is_urgent { &mut self.urgent } else { &mut self.ordinary };
        lane.insert(place, handle);
        let (permit, next) = self.advance(Some((place, request)), now, effects);
        if let Some(permit) = permit {
            self.find_driver(next, effects);
            return Step::Go(permit);
        }
        if has_arrived || self.is_driver_missing(place, now) {
            self.driver = Some(Driver { place, due: next });
            return Step::Drive(next);
        }
        self.standby = Some(place);
        self.find_driver(next, effects);
        Step::Standby
    }

    /// A caller leaves without a permit.
    pub(super) fn leave(&mut self, place: u64, now: Instant, effects: &mut Effects<H>) {
        let handle = self.urgent.remove(&place).or_else(|| self.ordinary.remove(&place));
        let was_waiting = handle.is_some() || self.called.remove(&place).is_some();
        effects.spent.extend(handle);
        if was_waiting {
            self.forget_driver(place);
            self.update_waiters(now, effects);
        }
    }

    /// Calls those whose permit is due, after something has happened.
    pub(super) fn update_waiters(&mut self, now: Instant, effects: &mut Effects<H>) {
        let (_, next) = self.advance(None, now, effects);
        self.find_driver(next, effects);
    }

    /// Calls every caller for which there is capacity. Returns the permit of `me`, if it has come, and when to
    /// advance again.
    fn advance(
        &mut self,
        me: Option<(u64, R::Request)>,
        now: Instant,
        effects: &mut Effects<H>,
    ) -> (Option<R::Permit>, Option<Instant>) {
        let called = self.called.len();
        self.called.retain(|_, until| *until > now);
        self.absent = self.absent.saturating_add((called - self.called.len()) as u32);
        let mut permit = None;
        while self.waiting() > 0 {
            let callers = self.called.len() as u64 + 1;
            if let Err(Blocked { until }) = self.admission.admits(callers, now, true) {
                let passed_over = self.called.values().min().copied();
                return (permit, [until, passed_over].into_iter().flatten().min());
            }
            let Some((place, handle)) = self.next() else { break };
            self.forget_driver(place);
            match me {
                Some((mine, request)) if mine == place => {
                    permit = Some(self.admission.take(request, now));
                    effects.spent.push(handle);
                }
                _ => {
                    let grace = GRACE / 2_u32.pow(self.absent.min(10));
                    self.called.insert(place, now + grace.max(LEAST_GRACE));
                    effects.wake.push(handle);
                }
            }
        }
        (permit, None)
    }

    /// The next caller in order.
    fn next(&mut self) -> Option<(u64, H)> {
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

    fn is_driver_missing(&self, place: u64, now: Instant) -> bool {
        self.driver.is_none_or(|driver| {
            driver.place == place || driver.due.is_some_and(|due| due + OVERDUE < now)
        })
    }

    fn forget_driver(&mut self, place: u64) {
        if self.driver.is_some_and(|driver| driver.place == place) {
            self.driver = None;
        }
    }

    /// Makes sure that a caller is polled again by then.
    fn find_driver(&mut self, next: Option<Instant>, effects: &mut Effects<H>) {
        let place = match self.driver {
            Some(Driver { due: Some(due), .. }) if next.is_none_or(|next| due <= next) => return,
            Some(Driver { due: None, .. }) if next.is_none() => return,
            Some(driver) => driver.place,
            None => {
                let newest = self.ordinary.last_key_value().or(self.urgent.last_key_value());
                let Some((newest, _)) = newest else { return };
                self.standby.filter(|place| self.handle(*place).is_some()).unwrap_or(*newest)
            }
        };
        self.driver = Some(Driver { place, due: next });
        effects.wake.extend(self.handle(place).cloned());
    }

    /// The waker of a caller that is waiting and has not been called.
    fn handle(&self, place: u64) -> Option<&H> {
        self.ordinary.get(&place).or_else(|| self.urgent.get(&place))
    }
}
