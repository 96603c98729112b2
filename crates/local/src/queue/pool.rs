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
//! Limits and version may change while the pool runs. A worker of an earlier version is stale: it
//! gets no more jobs, and stops when it is idle. So does an idle worker above the maximum. While the
//! pool is throttled, new workers stay in their cold start.
//!
//! The pool has no clock: a transition returns the [`PoolTimer`] that its worker needs next.
//! `tests/interface/workers.rs` checks the transitions, `tests/interface/account_endpoints.rs` those
//! of changed limits and versions.

use std::collections::{BTreeMap, VecDeque};
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

    /// These settings with another minimum and maximum.
    pub(crate) fn with_range(self, min: usize, max: usize) -> Self {
        Self { min: min.min(max), max, ..self }
    }

    /// The time for which an idle worker above the minimum stays.
    pub(crate) fn idle_time(&self) -> Duration {
        self.idle_timeout
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
    /// The version that it runs.
    version: u64,
    started: Moment,
}

/// The time that a worker ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerRun {
    pub(crate) version: u64,
    pub(crate) started: Moment,
    pub(crate) ended: Moment,
}

/// The largest number of past runs that are kept.
const MAX_RUNS: usize = 10_000;

/// A worker, as the account interface shows it.
#[derive(Clone, Debug)]
pub(crate) struct PooledWorkerView {
    pub(crate) id: WorkerId,
    pub(crate) activity: WorkerActivity,
    pub(crate) version: u64,
    pub(crate) is_stale: bool,
    pub(crate) started: Moment,
}

/// The activity of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerActivity {
    Starting,
    /// The start of the worker waits for capacity.
    Throttled,
    Idle,
    Running,
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
    /// The version of new workers.
    version: u64,
    /// True if new workers wait for capacity.
    is_throttled: bool,
    /// The last workers that have ended.
    ended: VecDeque<WorkerRun>,
}

impl WorkerPool {
    pub(crate) fn new(settings: Workers, origin: WorkerOrigin, now: Moment) -> Self {
        let mut pool = Self {
            settings,
            origin,
            workers: BTreeMap::new(),
            next_id: 0,
            version: 1,
            is_throttled: false,
            ended: VecDeque::new(),
        };
        if origin == WorkerOrigin::Service {
            for _ in 0..settings.min() {
                pool.insert(WorkerState::Idle, now);
            }
        }
        pool
    }

    /// Changes the limits and the idle timeout. Returns the timers that idle workers need now.
    pub(crate) fn set_settings(&mut self, settings: Workers) -> Vec<(WorkerId, PoolTimer)> {
        // An idle worker stays no longer because something else was changed.
        if self.settings == settings {
            return Vec::new();
        }
        self.settings = settings;
        self.idle_timers()
    }

    /// Changes the version of workers. Returns the timers that idle workers need now.
    pub(crate) fn set_version(&mut self, version: u64) -> Vec<(WorkerId, PoolTimer)> {
        self.version = version;
        if self.origin == WorkerOrigin::External {
            for worker in self.workers.values_mut() {
                worker.version = version;
            }
        }
        self.idle_timers()
    }

    /// Lets new workers wait for capacity, or not any longer. Removes and returns those that waited.
    pub(crate) fn set_throttled(&mut self, is_throttled: bool) -> Vec<WorkerId> {
        if self.is_throttled == is_throttled {
            return Vec::new();
        }
        self.is_throttled = is_throttled;
        if is_throttled {
            return Vec::new();
        }
        // With capacity again, other workers start in their place. They have not run.
        let mut waiting = Vec::new();
        self.workers.retain(|id, worker| {
            let is_waiting = is_starting(worker);
            if is_waiting {
                waiting.push(*id);
            }
            !is_waiting
        });
        waiting
    }

    /// Returns true if new workers wait for capacity.
    pub(crate) fn is_throttled(&self) -> bool {
        self.is_throttled
    }

    fn idle_timers(&self) -> Vec<(WorkerId, PoolTimer)> {
        let idle = self.workers.iter().filter(|(_, worker)| worker.state == WorkerState::Idle);
        idle.map(|(id, _)| (*id, self.idle_timer(*id))).collect()
    }

    fn is_stale(&self, worker: &PooledWorker) -> bool {
        worker.version != self.version
    }

    /// Returns true if another idle worker may begin to run jobs.
    fn admits_running(&self) -> bool {
        self.origin == WorkerOrigin::External || self.running() < self.settings.max()
    }

    /// The workers, and how long each of them has run.
    pub(crate) fn views(&self) -> Vec<PooledWorkerView> {
        let view = |(id, worker): (&WorkerId, &PooledWorker)| PooledWorkerView {
            id: *id,
            activity: match worker.state {
                WorkerState::Starting { .. } if self.is_throttled => WorkerActivity::Throttled,
                WorkerState::Starting { .. } => WorkerActivity::Starting,
                WorkerState::Idle => WorkerActivity::Idle,
                WorkerState::Running(_) => WorkerActivity::Running,
            },
            version: worker.version,
            is_stale: self.is_stale(worker),
            started: worker.started,
        };
        self.workers.iter().map(view).collect()
    }

    /// The runs of all workers, also of those that still run. A worker that waits for capacity does
    /// not run.
    pub(crate) fn runs(&self, now: Moment) -> Vec<WorkerRun> {
        let running = self.workers.values().filter(|it| !(self.is_throttled && is_starting(it)));
        let running = running.map(|worker| worker.run(now));
        self.ended.iter().copied().chain(running).collect()
    }

    pub(crate) fn origin(&self) -> WorkerOrigin {
        self.origin
    }

    /// The time between two pings of an attached worker.
    pub(crate) fn ping_timeout(&self) -> Duration {
        self.settings.ping_timeout()
    }

    fn insert(&mut self, state: WorkerState, started: Moment) -> WorkerId {
        let id = self.next_id;
        self.next_id += 1;
        let worker = PooledWorker { state, retired: false, version: self.version, started };
        self.workers.insert(id, worker);
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
        if !self.admits_running() {
            return None;
        }
        let version = self.version;
        let is_usable = |it: &PooledWorker| it.state == WorkerState::Idle && it.version == version;
        let (id, worker) = self.workers.iter_mut().find(|(_, worker)| is_usable(worker))?;
        worker.state = WorkerState::Running(1);
        Some(*id)
    }

    /// Returns true if a worker that asks for a job can get one.
    pub(crate) fn is_ready(&self, id: WorkerId) -> bool {
        self.workers.get(&id).is_some_and(|worker| {
            let is_admitted = match worker.state {
                WorkerState::Starting { .. } => false,
                WorkerState::Idle => self.admits_running(),
                WorkerState::Running(_) => true,
            };
            is_admitted && !worker.retired && !self.is_stale(worker)
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
    pub(crate) fn start(&mut self, now: Moment) -> (WorkerId, PoolTimer) {
        // The first workers are started with the service, so they have no cold start.
        let is_first = self.next_id < self.settings.min() as WorkerId;
        let cold_start = self.settings.cold_start;
        let attached = self.origin == WorkerOrigin::Service;
        let cold = !cold_start.is_zero() && (attached || !is_first);
        if self.is_throttled {
            return (
                self.insert(WorkerState::Starting { cold: true, attached }, now),
                PoolTimer::None,
            );
        }
        let id = self.insert(WorkerState::Starting { cold, attached }, now);
        if cold { (id, PoolTimer::After(cold_start)) } else { (id, self.end_start(id)) }
    }

    /// Adds an external worker.
    pub(crate) fn join(&mut self, now: Moment) -> WorkerId {
        self.insert(WorkerState::Idle, now)
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
                self.idle_timer(id)
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
                if worker.state == WorkerState::Idle {
                    self.idle_timer(id)
                } else {
                    PoolTimer::None
                }
            }
            None => PoolTimer::None,
        }
    }

    /// Removes a worker.
    pub(crate) fn remove(&mut self, id: WorkerId, now: Moment) {
        let Some(worker) = self.workers.remove(&id) else { return };
        if self.is_throttled && is_starting(&worker) {
            return;
        }
        self.ended.push_back(worker.run(now));
        if self.ended.len() > MAX_RUNS {
            self.ended.pop_front();
        }
    }

    /// Runs the timer of a worker. Returns true if the worker was stopped, and its next timer.
    pub(crate) fn run_timer(&mut self, id: WorkerId, now: Moment) -> (bool, PoolTimer) {
        let surplus = self.workers.len() > self.settings.min()
            || self.workers.get(&id).is_some_and(|worker| self.is_stale(worker));
        match self.workers.get_mut(&id).map(|worker| &mut worker.state) {
            Some(WorkerState::Starting { cold, .. }) => {
                *cold = false;
                (false, self.end_start(id))
            }
            Some(WorkerState::Idle) if surplus => {
                self.remove(id, now);
                (true, PoolTimer::None)
            }
            _ => (false, PoolTimer::None),
        }
    }

    /// The timer of a worker that is idle from now on.
    fn idle_timer(&self, id: WorkerId) -> PoolTimer {
        if self.origin == WorkerOrigin::External {
            return PoolTimer::None;
        }
        let is_stale = self.workers.get(&id).is_some_and(|worker| self.is_stale(worker));
        if is_stale || self.workers.len() > self.settings.max() {
            PoolTimer::After(Duration::ZERO)
        } else if self.workers.len() > self.settings.min() {
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

impl PooledWorker {
    fn run(&self, ended: Moment) -> WorkerRun {
        WorkerRun { version: self.version, started: self.started, ended }
    }
}

fn is_starting(worker: &PooledWorker) -> bool {
    matches!(worker.state, WorkerState::Starting { .. })
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
