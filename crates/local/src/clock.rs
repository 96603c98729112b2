//! Clock of a service, the only source of time: every deadline of the service is read from it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::changes::Changes;
use crate::tasks::locked;

/// A point in time: the time since the clock was created.
pub(crate) type Moment = Duration;

/// Limit of all advances of a clock together. Far later moments could not be displayed as dates.
const MAX_ADVANCE: Duration = Duration::from_secs(1_000 * 31_556_952);

/// A duration in whole milliseconds, as the interface writes durations.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The time of the computer's clock, in milliseconds since 1970: the page shows it beside that of the
/// service's clock.
pub(crate) fn wall_milliseconds() -> u64 {
    milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// The clock of a service. It follows real time, or is manual: then it stands still until it is
/// advanced.
///
/// All times of the service (ttl, retention, execution timeout, the `wait` of `/runsync`, the delay
/// between two webhook attempts, [`LocalJob::sleep`](crate::LocalJob::sleep)) are measured on it. A
/// clone is the same clock.
#[derive(Clone, Debug)]
pub struct Clock {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The start of the clock in real time; none for a manual clock.
    origin: Option<Instant>,
    advanced: Mutex<Duration>,
    changed: watch::Sender<()>,
    /// The number of sleepers by the moment until which they sleep.
    sleepers: Mutex<BTreeMap<Moment, usize>>,
    /// The change notification of the whole service, since every part of it has the clock.
    changes: Changes,
}

impl Clock {
    pub(crate) fn real() -> Self {
        Self::new(Some(Instant::now()))
    }

    pub(crate) fn manual() -> Self {
        Self::new(None)
    }

    fn new(origin: Option<Instant>) -> Self {
        Self {
            inner: Arc::new(Inner {
                origin,
                advanced: Mutex::new(Duration::ZERO),
                changed: watch::Sender::new(()),
                sleepers: Mutex::default(),
                changes: Changes::default(),
            }),
        }
    }

    /// Moves the clock forward. The next request sees everything that became due as having
    /// happened, and everything that sleeps on the clock until then is woken.
    ///
    /// A real clock can be advanced too, and continues from there. No clock can be advanced by more
    /// than a thousand years in all: it stays there.
    ///
    /// The clock moves in a single jump: a handler that [sleeps](crate::LocalJob::sleep) wakes
    /// after the service has processed the new time. If a handler must act first (to finish before
    /// its timeout, say), advance in two steps.
    pub fn advance(&self, by: Duration) {
        {
            let mut advanced = locked(&self.inner.advanced);
            *advanced = advanced.saturating_add(by).min(MAX_ADVANCE);
        }
        self.inner.changed.send_replace(());
        self.inner.changes.notify();
    }

    /// Returns the time that has passed on this clock since it was created.
    pub fn now(&self) -> Duration {
        let real = self.inner.origin.map_or(Duration::ZERO, |origin| origin.elapsed());
        real.saturating_add(*locked(&self.inner.advanced))
    }

    /// The total time by which the clock was advanced.
    pub(crate) fn advanced_by(&self) -> Duration {
        *locked(&self.inner.advanced)
    }

    /// The change notification of the service.
    pub(crate) fn changes(&self) -> &Changes {
        &self.inner.changes
    }

    /// The moment at which the next sleeper wakes.
    pub(crate) fn next_wake(&self) -> Option<Moment> {
        locked(&self.inner.sleepers).keys().next().copied()
    }

    /// Returns true if the clock stands still until [`advance`](Self::advance) is called.
    pub(crate) fn is_manual(&self) -> bool {
        self.inner.origin.is_none()
    }

    /// The end of work that began at some moment: now, or on a manual clock that moment. So it
    /// makes no difference whether the clock was advanced before or after the work was scheduled to
    /// run.
    pub(crate) fn end_of_work(&self, begun: Moment) -> Moment {
        if self.is_manual() { begun } else { self.now() }
    }

    /// Waits until the clock is next advanced.
    pub(crate) async fn advanced(&self) {
        // The sender lives in `self`, so this never fails.
        let _ = self.inner.changed.subscribe().changed().await;
    }

    /// Waits until `duration` has passed on this clock.
    pub async fn sleep(&self, duration: Duration) {
        self.sleep_until(self.now().saturating_add(duration)).await;
    }

    /// Waits until [`now`](Self::now) reaches `deadline`.
    pub(crate) async fn sleep_until(&self, deadline: Duration) {
        if self.now() < deadline {
            let _sleeper = Sleeper::new(self, deadline);
            self.wait_until_untracked(deadline).await;
        }
    }

    /// Like [`sleep_until`](Self::sleep_until), but not a target of `toNextEvent`: for the task
    /// that polls for due timers.
    pub(crate) async fn wait_until_untracked(&self, deadline: Moment) {
        let mut changed = self.inner.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let now = self.now();
            if now >= deadline {
                return;
            }
            let woken = changed.changed();
            if self.is_manual() {
                // Never fails, as in `advanced`.
                let _ = woken.await;
            } else {
                let _ = tokio::time::timeout(deadline - now, woken).await;
            }
        }
    }
}

/// Counts as a sleeper until it is dropped.
struct Sleeper<'a> {
    clock: &'a Clock,
    until: Moment,
}

impl<'a> Sleeper<'a> {
    fn new(clock: &'a Clock, until: Moment) -> Self {
        clock.change_sleepers(|sleepers| *sleepers.entry(until).or_default() += 1);
        Self { clock, until }
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.clock.change_sleepers(|sleepers| {
            if let Some(count) = sleepers.get_mut(&self.until) {
                *count -= 1;
                if *count == 0 {
                    sleepers.remove(&self.until);
                }
            }
        });
    }
}

impl Clock {
    fn change_sleepers(&self, change: impl FnOnce(&mut BTreeMap<Moment, usize>)) {
        let mut sleepers = locked(&self.inner.sleepers);
        let first = sleepers.keys().next().copied();
        change(&mut sleepers);
        let has_changed = first != sleepers.keys().next().copied();
        drop(sleepers);
        if has_changed {
            self.inner.changes.notify();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_manual_clock_stands_still_until_advanced() {
        let clock = Clock::manual();
        assert_eq!(clock.now(), Duration::ZERO);
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move {
                clock.sleep(Duration::from_secs(10)).await;
                clock.now()
            }
        });
        tokio::task::yield_now().await;
        clock.advance(Duration::from_secs(4));
        tokio::task::yield_now().await;
        assert!(!sleeper.is_finished());
        clock.advance(Duration::from_secs(6));
        assert_eq!(sleeper.await.unwrap(), Duration::from_secs(10));
    }

    #[tokio::test(start_paused = true)]
    async fn a_real_clock_runs_and_can_be_advanced() {
        let clock = Clock::real();
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(clock.now(), Duration::from_secs(3));
        clock.advance(Duration::from_secs(60));
        assert_eq!(clock.now(), Duration::from_secs(63));
        clock.sleep(Duration::from_secs(1)).await;
        assert_eq!(clock.now(), Duration::from_secs(64));
    }
}
