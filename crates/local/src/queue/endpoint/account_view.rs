//! Account view of an endpoint: the changes that the account interface makes, its workers, their
//! runs and their log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Endpoint, JobRunner};
use crate::clock::{Moment, milliseconds};
use crate::queue::pool::{WorkerActivity, WorkerOrigin, WorkerRun};
use crate::worker::{WorkerId, WorkerLog};

/// A worker of an endpoint.
#[derive(Clone, Debug)]
pub(crate) struct WorkerView {
    pub(crate) id: Arc<str>,
    pub(crate) status: WorkerStatus,
    /// The version of the endpoint that it runs.
    pub(crate) version: u64,
    pub(crate) is_stale: bool,
    pub(crate) started: Moment,
}

/// The status of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerStatus {
    Running,
    Idle,
    Initializing,
    Throttled,
    Unhealthy,
}

impl Endpoint {
    /// Changes how many workers there are, and how long idle ones stay.
    pub(crate) fn set_workers(self: &Arc<Self>, min: usize, max: usize, idle_timeout: Duration) {
        let workers = self.settings.workers.with_range(min, max).idle_timeout(idle_timeout);
        self.access(|state, now| state.set_workers(workers, now));
        // Runs the timers of the workers that have to stop, and starts others.
        self.access(|_, _| ());
    }

    /// Changes the version of workers: those of another one get no more jobs, and are replaced.
    pub(crate) fn set_version(self: &Arc<Self>, version: u64) {
        self.access(|state, now| state.set_version(version, now));
        self.access(|_, _| ());
    }

    /// Lets new workers wait for capacity, or not any longer.
    pub(crate) fn set_throttled(self: &Arc<Self>, is_throttled: bool) {
        self.access(|state, now| state.set_throttled(is_throttled, now));
    }

    /// Sets the execution timeout of jobs that are submitted without one.
    pub(crate) fn set_execution_timeout(&self, timeout: Duration) {
        self.execution_timeout.store(milliseconds(timeout), Ordering::Relaxed);
    }

    /// Ends all jobs and workers: the endpoint is deleted.
    pub(crate) fn close(self: &Arc<Self>) {
        let workers = self.access(|state, now| state.close(now));
        if let JobRunner::Handler(handler) = &self.runner {
            workers.into_iter().for_each(|worker| handler.worker_stopped(worker));
        }
        self.closed.cancel();
    }

    /// The smallest and the largest number of workers, and how long idle ones stay.
    pub(crate) fn worker_limits(&self) -> (usize, usize, Duration) {
        let workers = self.settings.workers;
        (workers.min(), workers.max(), workers.idle_time())
    }

    /// The execution timeout of jobs without one of their own.
    pub(crate) fn execution_timeout(&self) -> Duration {
        Duration::from_millis(self.execution_timeout.load(Ordering::Relaxed))
    }

    /// The workers.
    pub(crate) fn worker_views(self: &Arc<Self>) -> Vec<WorkerView> {
        self.access(|state, _| {
            let views = state.pool().views().into_iter();
            views
                .map(|view| {
                    let (id, is_unhealthy) = state.worker_name(view.id);
                    let status = match view.activity {
                        _ if is_unhealthy => WorkerStatus::Unhealthy,
                        WorkerActivity::Starting => WorkerStatus::Initializing,
                        WorkerActivity::Throttled => WorkerStatus::Throttled,
                        WorkerActivity::Idle => WorkerStatus::Idle,
                        WorkerActivity::Running => WorkerStatus::Running,
                    };
                    let (version, started) = (view.version, view.started);
                    WorkerView { id, status, version, is_stale: view.is_stale, started }
                })
                .collect()
        })
    }

    /// The runs of workers of the service itself, or that it started; those of others cost nothing.
    pub(crate) fn worker_runs(self: &Arc<Self>) -> Vec<WorkerRun> {
        self.access(|state, now| match state.pool().origin() {
            WorkerOrigin::External => Vec::new(),
            WorkerOrigin::Service | WorkerOrigin::Process => state.pool().runs(now),
        })
    }

    /// The log of its workers. Workers within the service have one, too.
    pub(crate) fn account_log(&self) -> &WorkerLog {
        self.runner.log().unwrap_or(&self.own_log)
    }

    /// Notes in the log what a worker within the service does with a job.
    pub(super) fn log_job(&self, worker: WorkerId, job: &str, what: &str) {
        let has_own_output = match &self.runner {
            JobRunner::Handler(handler) => handler.log().is_some(),
            JobRunner::Attached(_) => true,
        };
        if !has_own_output {
            let text = format!("job {job} {what}");
            self.own_log.add_message(&format!("worker-{worker}"), Some(job), text);
        }
    }
}
