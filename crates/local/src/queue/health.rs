//! The health report (interface: "Health report").

use serde::Serialize;

use super::fleet::Fleet;

/// What is counted over the whole life of an endpoint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) retried: u64,
    pub(crate) submitted: u64,
    /// How often jobs failed, those counted that were retried since.
    pub(crate) failures: u64,
}

impl Totals {
    /// A job has failed.
    pub(crate) fn fail(&mut self) {
        self.failed += 1;
        self.failures += 1;
    }
}

/// The health report.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Health {
    jobs: Jobs,
    workers: Workers,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Jobs {
    completed: u64,
    failed: u64,
    in_progress: usize,
    in_queue: usize,
    retried: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Workers {
    idle: usize,
    running: usize,
}

impl Health {
    pub(crate) fn of(totals: Totals, in_queue: usize, fleet: &Fleet) -> Self {
        let Totals { completed, failed, retried, .. } = totals;
        Self {
            jobs: Jobs { completed, failed, in_progress: fleet.jobs(), in_queue, retried },
            workers: Workers { idle: fleet.idle(), running: fleet.running() },
        }
    }
}
