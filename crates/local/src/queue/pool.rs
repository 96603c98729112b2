//! Worker pool: the workers of an endpoint between a minimum and a maximum, and the backoff of
//! their restarts.
//!
//! ```text
//!   start            cold start over, and attached            add_job
//! ────────▶ Starting ──────────────────────────────▶ Idle ◀──────────▶ Running(jobs)
//!                                                     │      release
//!                          idle timeout above the min ▼
//!                                                 (stopped)
//! ```
//!
//! The pool has no clock: a transition returns the [`PoolTimer`] that its worker needs next.
//! `tests/interface/workers.rs` checks the transitions.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::clock::Moment;
use crate::worker::WorkerId;

/// Settings of the workers of an endpoint: their number, and how they start and stop.
///
/// ```
/// use std::time::Duration;
/// use podqueue_local::Workers;
///
/// let slow_to_start = Workers::between(0, 2).cold_start(Duration::from_secs(8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    min: usize,
    max: usize,
    cold_start: Duration,
    idle_timeout: Duration,
    ping_interval: Duration,
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
    /// By default a new worker is ready immediately, and an idle worker above `min` stops after 5
    /// seconds.
    pub const fn between(min: usize, max: usize) -> Self {
        Self {
            min: if min < max { min } else { max },
            max,
            cold_start: Duration::ZERO,
            idle_timeout: Duration::from_secs(5),
            ping_interval: Duration::from_secs(10),
        }
    }

    /// Sets the time that a new worker takes until it can run a job. The first `min` workers are
    /// ready when the service starts.
    #[must_use]
    pub const fn cold_start(mut self, time: Duration) -> Self {
        self.cold_start = time;
        self
    }

    /// Sets the time for which an idle worker above `min` stays.
    #[must_use]
    pub const fn idle_timeout(mut self, time: Duration) -> Self {
        self.idle_timeout = time;
        self
    }

    /// Sets how often a worker that attaches over HTTP reports that it is alive: every 10 seconds
    /// by default. A worker that misses three reports is lost, and its jobs run on another worker.
    #[must_use]
    pub const fn ping_interval(mut self, interval: Duration) -> Self {
        self.ping_interval = interval;
        self
    }

    /// The time between two pings of an attached worker.
    pub(crate) fn ping_timeout(&self) -> Duration {
        self.ping_interval
    }

    /// The smallest number of workers.
    pub(crate) const fn min(&self) -> usize {
        self.min
    }

    /// The largest number of workers.
    pub(crate) const fn max(&self) -> usize {
        self.max
    }
}

/// The origin of an endpoint's workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerOrigin {
    /// The service itself runs the jobs.
    Service,
    /// The service starts processes when they are needed, which attach.
    Process,
    /// Workers that are started elsewhere attach.
    External,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkerState {
    Starting {
        /// True if the cold start is not over.
        cold: bool,
        attached: bool,
    },
    Idle,
    /// With this number of jobs.
    Running(usize),
}

#[derive(Debug)]
struct PooledWorker {
    state: WorkerState,
    /// The worker gets no more jobs: it is unhealthy, or requested replacement.
    retired: bool,
}

/// The timer that a worker needs after a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolTimer {
    After(Duration),
    None,
}

/// The workers of an endpoint.
#[derive(Debug)]
pub(crate) struct WorkerPool {
    settings: Workers,
    origin: WorkerOrigin,
    workers: BTreeMap<WorkerId, PooledWorker>,
    next_id: WorkerId,
}

impl WorkerPool {
    pub(crate) fn new(settings: Workers, origin: WorkerOrigin) -> Self {
        let mut pool = Self { settings, origin, workers: BTreeMap::new(), next_id: 0 };
        if origin == WorkerOrigin::Service {
            for _ in 0..settings.min() {
                pool.insert(WorkerState::Idle);
            }
        }
        pool
    }

    pub(crate) fn origin(&self) -> WorkerOrigin {
        self.origin
    }

    /// The time between two pings of an attached worker.
    pub(crate) fn ping_timeout(&self) -> Duration {
        self.settings.ping_timeout()
    }

    fn insert(&mut self, state: WorkerState) -> WorkerId {
        let id = self.next_id;
        self.next_id += 1;
        self.workers.insert(id, PooledWorker { state, retired: false });
        id
    }

    pub(crate) fn idle(&self) -> usize {
        self.count(|worker| worker.state == WorkerState::Idle && !worker.retired)
    }

    pub(crate) fn running(&self) -> usize {
        self.count(|worker| matches!(worker.state, WorkerState::Running(_)))
    }

    pub(crate) fn starting(&self) -> usize {
        self.count(|worker| matches!(worker.state, WorkerState::Starting { .. }))
    }

    fn count(&self, counts: impl Fn(&PooledWorker) -> bool) -> usize {
        self.workers.values().filter(|worker| counts(worker)).count()
    }

    /// The number of running jobs.
    pub(crate) fn jobs(&self) -> usize {
        let jobs = self.workers.values().map(|worker| match worker.state {
            WorkerState::Running(jobs) => jobs,
            _ => 0,
        });
        jobs.sum()
    }

    /// The smallest and the largest number of workers; none for external workers.
    pub(crate) fn limits(&self) -> Option<(usize, usize)> {
        (self.origin != WorkerOrigin::External)
            .then_some((self.settings.min(), self.settings.max()))
    }

    /// Starts a job on an idle worker, if any.
    pub(crate) fn take_idle(&mut self) -> Option<WorkerId> {
        let idle = self.workers.iter_mut().find(|(_, worker)| worker.state == WorkerState::Idle);
        let (id, worker) = idle?;
        worker.state = WorkerState::Running(1);
        Some(*id)
    }

    /// Returns true if a worker that asks for a job can get one.
    pub(crate) fn is_ready(&self, id: WorkerId) -> bool {
        self.workers.get(&id).is_some_and(|worker| {
            !worker.retired && !matches!(worker.state, WorkerState::Starting { .. })
        })
    }

    /// Returns true if a worker has attached.
    pub(crate) fn is_attached(&self, id: WorkerId) -> bool {
        self.workers.get(&id).is_some_and(|worker| {
            !matches!(worker.state, WorkerState::Starting { attached: false, .. })
        })
    }

    /// Starts another job on a worker.
    pub(crate) fn add_job(&mut self, id: WorkerId) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.state = match worker.state {
                WorkerState::Running(jobs) => WorkerState::Running(jobs + 1),
                _ => WorkerState::Running(1),
            };
        }
    }

    /// Excludes a worker from further jobs, or admits it again.
    pub(crate) fn set_retired(&mut self, id: WorkerId, retired: bool) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.retired = retired;
        }
    }

    /// Returns true if another worker should start for this number of queued jobs.
    pub(crate) fn needs_more(&self, jobs: usize) -> bool {
        if self.origin == WorkerOrigin::External {
            return false;
        }
        let below_min = self.workers.len() < self.settings.min();
        let is_needed = jobs > self.starting() + self.idle();
        below_min || (is_needed && self.workers.len() < self.settings.max())
    }

    /// Starts another worker.
    pub(crate) fn start(&mut self) -> (WorkerId, PoolTimer) {
        // The first workers are started with the service, so they have no cold start.
        let is_first = self.next_id < self.settings.min() as WorkerId;
        let cold_start = self.settings.cold_start;
        let attached = self.origin == WorkerOrigin::Service;
        let cold = !cold_start.is_zero() && (attached || !is_first);
        let id = self.insert(WorkerState::Starting { cold, attached });
        if cold { (id, PoolTimer::After(cold_start)) } else { (id, self.end_start(id)) }
    }

    /// Adds an external worker.
    pub(crate) fn join(&mut self) -> WorkerId {
        self.insert(WorkerState::Idle)
    }

    /// Records that a worker that was started has attached. Returns its timer if that changes it.
    pub(crate) fn attach(&mut self, id: WorkerId) -> Option<PoolTimer> {
        match &mut self.workers.get_mut(&id)?.state {
            WorkerState::Starting { cold, attached } if !*attached => {
                *attached = true;
                (!*cold).then(|| self.end_start(id))
            }
            _ => None,
        }
    }

    /// Makes a worker idle if its start is over.
    fn end_start(&mut self, id: WorkerId) -> PoolTimer {
        match self.workers.get_mut(&id) {
            Some(worker)
                if worker.state == WorkerState::Starting { cold: false, attached: true } =>
            {
                worker.state = WorkerState::Idle;
                self.idle_timer()
            }
            _ => PoolTimer::None,
        }
    }

    /// Ends a job of a worker.
    pub(crate) fn release(&mut self, id: WorkerId) -> PoolTimer {
        match self.workers.get_mut(&id) {
            Some(worker) => {
                worker.state = match worker.state {
                    WorkerState::Running(jobs) if jobs > 1 => WorkerState::Running(jobs - 1),
                    _ => WorkerState::Idle,
                };
                if worker.state == WorkerState::Idle { self.idle_timer() } else { PoolTimer::None }
            }
            None => PoolTimer::None,
        }
    }

    /// Removes a worker.
    pub(crate) fn remove(&mut self, id: WorkerId) {
        self.workers.remove(&id);
    }

    /// Runs the timer of a worker. Returns true if the worker was stopped, and its next timer.
    pub(crate) fn run_timer(&mut self, id: WorkerId) -> (bool, PoolTimer) {
        let surplus = self.workers.len() > self.settings.min();
        match self.workers.get_mut(&id).map(|worker| &mut worker.state) {
            Some(WorkerState::Starting { cold, .. }) => {
                *cold = false;
                (false, self.end_start(id))
            }
            Some(WorkerState::Idle) if surplus => {
                self.workers.remove(&id);
                (true, PoolTimer::None)
            }
            _ => (false, PoolTimer::None),
        }
    }

    fn idle_timer(&self) -> PoolTimer {
        if self.origin != WorkerOrigin::External && self.workers.len() > self.settings.min() {
            PoolTimer::After(self.settings.idle_timeout)
        } else {
            PoolTimer::None
        }
    }

    /// The state of a worker, as the control plane names it.
    pub(crate) fn activity(&self, id: WorkerId) -> &'static str {
        match self.workers.get(&id).map(|worker| worker.state) {
            Some(WorkerState::Starting { .. }) | None => "starting",
            Some(WorkerState::Idle) => "idle",
            Some(WorkerState::Running(_)) => "running",
        }
    }
}

const FIRST_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// Restart backoff: exponential, for workers that end before they finish a job.
#[derive(Debug, Default)]
pub(super) struct RestartBackoff {
    /// The number of workers that have ended since the last finished job.
    failures: u32,
    not_before: Moment,
}

impl RestartBackoff {
    /// A worker has finished a job.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Records the end of a worker. After the first end, a worker may start at once. Returns the
    /// number of workers that have ended, and the backoff of the next worker.
    pub(super) fn fail(&mut self, now: Moment) -> (u32, Duration) {
        self.failures = self.failures.saturating_add(1);
        let backoff = match self.failures {
            1 => Duration::ZERO,
            failures => FIRST_BACKOFF.saturating_mul(1 << (failures - 2).min(10)).min(MAX_BACKOFF),
        };
        self.not_before = now.saturating_add(backoff);
        (self.failures, backoff)
    }

    /// The time at which the next worker may start, if that is later than now.
    pub(super) fn wait_until(&self, now: Moment) -> Option<Moment> {
        (now < self.not_before).then_some(self.not_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backoff_doubles_up_to_a_minute_until_a_job_is_finished() {
        let mut backoff = RestartBackoff::default();
        let backoffs: Vec<u64> = (0..9).map(|_| backoff.fail(FIRST_BACKOFF).1.as_secs()).collect();
        assert_eq!(backoffs, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(backoff.wait_until(FIRST_BACKOFF), Some(FIRST_BACKOFF + MAX_BACKOFF));
        assert_eq!(backoff.wait_until(FIRST_BACKOFF + MAX_BACKOFF), None);
        backoff.reset();
        assert_eq!(backoff.fail(Duration::ZERO), (1, Duration::ZERO));
    }
}
