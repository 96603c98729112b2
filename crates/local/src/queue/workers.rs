//! The workers of one endpoint: how many there are, and what each is doing.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::worker::WorkerId;

/// How many workers an endpoint has, and how it gets and loses them.
///
/// ```
/// use std::time::Duration;
/// use podqueue_local::Workers;
///
/// let slow_to_start = Workers::between(0, 2).cold_start(Duration::from_secs(8));
/// assert_eq!(slow_to_start.max(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    min: usize,
    max: usize,
    cold_start: Duration,
    idle_timeout: Duration,
}

impl Default for Workers {
    /// At least one worker and at most three.
    fn default() -> Self {
        Self::between(1, 3)
    }
}

impl Workers {
    /// At least `min` and at most `max` workers; a `min` above `max` counts as `max`. With
    /// `between(0, 0)` every job stays in the queue.
    ///
    /// By default a new worker is ready immediately, and an idle one above `min` stops after 5 seconds.
    pub const fn between(min: usize, max: usize) -> Self {
        Self {
            min: if min < max { min } else { max },
            max,
            cold_start: Duration::ZERO,
            idle_timeout: Duration::from_secs(5),
        }
    }

    /// Sets how long a new worker takes until it can run a job. The first `min` workers are ready when
    /// the service starts.
    #[must_use]
    pub const fn cold_start(mut self, time: Duration) -> Self {
        self.cold_start = time;
        self
    }

    /// Sets how long an idle worker above `min` stays.
    #[must_use]
    pub const fn idle_timeout(mut self, time: Duration) -> Self {
        self.idle_timeout = time;
        self
    }

    /// Returns the smallest number of workers.
    pub const fn min(&self) -> usize {
        self.min
    }

    /// Returns the largest number of workers.
    pub const fn max(&self) -> usize {
        self.max
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    Starting,
    Idle,
    Running,
}

/// What a change of a worker asks to be told later, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reminder {
    In(Duration),
    Never,
}

/// The workers that exist now.
#[derive(Debug)]
pub(crate) struct Fleet {
    limits: Workers,
    members: BTreeMap<WorkerId, Activity>,
    next_id: WorkerId,
}

impl Fleet {
    pub(crate) fn new(limits: Workers) -> Self {
        let members = (0..).take(limits.min).map(|id| (id, Activity::Idle)).collect();
        Self { limits, members, next_id: limits.min as WorkerId }
    }

    pub(crate) fn idle(&self) -> usize {
        self.count(Activity::Idle)
    }

    pub(crate) fn running(&self) -> usize {
        self.count(Activity::Running)
    }

    fn count(&self, activity: Activity) -> usize {
        self.members.values().filter(|member| **member == activity).count()
    }

    /// Gives an idle worker something to do.
    pub(crate) fn take_idle(&mut self) -> Option<WorkerId> {
        let (id, activity) =
            self.members.iter_mut().find(|(_, activity)| **activity == Activity::Idle)?;
        *activity = Activity::Running;
        Some(*id)
    }

    /// Whether another worker should start when `jobs` jobs call for one.
    pub(crate) fn wants_more(&self, jobs: usize) -> bool {
        let below_min = self.members.len() < self.limits.min;
        let called_for = jobs > self.count(Activity::Starting);
        below_min || (called_for && self.members.len() < self.limits.max)
    }

    /// Starts another worker.
    pub(crate) fn start(&mut self) -> (WorkerId, Reminder) {
        let id = self.next_id;
        self.next_id += 1;
        if self.limits.cold_start.is_zero() {
            self.members.insert(id, Activity::Idle);
            (id, self.idle_reminder())
        } else {
            self.members.insert(id, Activity::Starting);
            (id, Reminder::In(self.limits.cold_start))
        }
    }

    /// A worker has done its work.
    pub(crate) fn release(&mut self, id: WorkerId) -> Reminder {
        match self.members.get_mut(&id) {
            Some(activity) => {
                *activity = Activity::Idle;
                self.idle_reminder()
            }
            None => Reminder::Never,
        }
    }

    /// A worker is lost.
    pub(crate) fn remove(&mut self, id: WorkerId) {
        self.members.remove(&id);
    }

    /// The time that a reminder asked for has come. Says whether the worker stopped for good.
    pub(crate) fn remind(&mut self, id: WorkerId) -> (bool, Reminder) {
        match self.members.get(&id) {
            Some(Activity::Starting) => {
                self.members.insert(id, Activity::Idle);
                (false, self.idle_reminder())
            }
            Some(Activity::Idle) if self.members.len() > self.limits.min => {
                self.members.remove(&id);
                (true, Reminder::Never)
            }
            _ => (false, Reminder::Never),
        }
    }

    fn idle_reminder(&self) -> Reminder {
        if self.members.len() > self.limits.min {
            Reminder::In(self.limits.idle_timeout)
        } else {
            Reminder::Never
        }
    }
}
