//! Page view of an endpoint: its counts, its jobs by filter, the details of a job, and bulk
//! changes.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::{Endpoint, JobRunner, WorkerKind};
use crate::clock::Moment;
use crate::queue::activity::Activity;
use crate::queue::job::{Job, Status};
use crate::queue::job_view::{History, HistoryChunk, JobFilter, JobView};

/// The counts of an endpoint.
#[derive(Serialize)]
pub(crate) struct Overview {
    pub(crate) name: String,
    kind: WorkerKind,
    /// True if workers attach over HTTP.
    attachable: bool,
    jobs: StatusCounts,
    workers: WorkerCounts,
    totals: TotalCounts,
    /// Grows with each visible change.
    #[serde(skip)]
    pub(crate) revision: u64,
    /// The next timer of the endpoint.
    #[serde(skip)]
    pub(crate) next_event: Option<Moment>,
}

/// The number of jobs in each state.
#[derive(Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
struct StatusCounts {
    in_queue: usize,
    in_progress: usize,
    completed: usize,
    failed: usize,
    cancelled: usize,
    timed_out: usize,
    expired: usize,
}

#[derive(Serialize)]
struct WorkerCounts {
    idle: usize,
    running: usize,
    starting: usize,
    unhealthy: usize,
    min: Option<usize>,
    max: Option<usize>,
}

/// Counters over the lifetime of the endpoint.
#[derive(Serialize)]
struct TotalCounts {
    submitted: u64,
    completed: u64,
    failed: u64,
    throttled: u64,
}

/// The details of a job.
pub(crate) struct JobDetails {
    pub(crate) job: JobView,
    /// The last chunks.
    pub(crate) chunks: Vec<HistoryChunk>,
    pub(crate) chunks_total: u64,
}

/// The jobs that match a filter.
pub(crate) struct FoundJobs {
    pub(crate) total: usize,
    pub(crate) changeable: ChangeCounts,
    /// The jobs in a window, the newest first.
    pub(crate) jobs: Vec<JobView>,
}

/// The number of jobs that each bulk change would change.
#[derive(Clone, Copy, Default, Serialize)]
pub(crate) struct ChangeCounts {
    cancellable: usize,
    retryable: usize,
}

impl ChangeCounts {
    pub(crate) fn add(&mut self, status: Option<Status>) {
        match status {
            Some(Status::InQueue | Status::InProgress) => self.cancellable += 1,
            Some(Status::Failed | Status::TimedOut) => self.retryable += 1,
            Some(Status::Completed | Status::Cancelled) | None => {}
        }
    }
}

/// A change of many jobs at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BulkChange {
    Cancel,
    Retry,
}

impl Endpoint {
    pub(crate) fn overview(self: &Arc<Self>) -> Overview {
        self.access(|state, _| {
            let count = |status| state.jobs().count(status);
            let (pool, totals) = (state.pool(), state.totals());
            let limits = pool.limits();
            Overview {
                name: self.name.to_string(),
                kind: self.settings.kind,
                attachable: matches!(self.runner, JobRunner::Attached(_)),
                jobs: StatusCounts {
                    in_queue: count(Status::InQueue),
                    in_progress: count(Status::InProgress),
                    completed: count(Status::Completed),
                    failed: count(Status::Failed),
                    cancelled: count(Status::Cancelled),
                    timed_out: count(Status::TimedOut),
                    expired: state.history().map_or(0, |history| history.expired().len()),
                },
                workers: WorkerCounts {
                    idle: pool.idle(),
                    running: pool.running(),
                    starting: pool.starting(),
                    unhealthy: state.unhealthy_workers(),
                    min: limits.map(|(min, _)| min),
                    max: limits.map(|(_, max)| max),
                },
                totals: TotalCounts {
                    submitted: totals.submitted,
                    completed: totals.completed,
                    failed: totals.failures,
                    throttled: self.throttled.load(Ordering::Relaxed),
                },
                revision: state.revision(),
                next_event: state.next_event(),
            }
        })
    }

    /// The activity for the chart; none if there is no page.
    pub(crate) fn activity(self: &Arc<Self>) -> Option<Activity> {
        self.access(|state, _| state.activity())
    }

    /// The jobs whose state matches a filter, `limit` of them from `offset` on. Their texts are not
    /// searched.
    pub(crate) fn views(
        self: &Arc<Self>,
        filter: &JobFilter,
        offset: usize,
        limit: usize,
    ) -> FoundJobs {
        self.access(|state, _| {
            let jobs =
                state.jobs().values().filter(|job| filter.matches_status(Some(job.status())));
            let mut found: Vec<Listed<'_>> = jobs.map(Listed::Job).collect();
            if filter.matches_status(None) {
                let expired = state.history().into_iter().flat_map(History::expired);
                found.extend(expired.map(Listed::Expired));
            }
            let total = found.len();
            let mut changeable = ChangeCounts::default();
            found.iter().for_each(|found| changeable.add(found.status()));
            let end = offset.saturating_add(limit).min(total);
            let newest_first = |found: &Listed<'_>| Reverse(found.number());
            if end < total {
                found.select_nth_unstable_by_key(end, newest_first);
                found.truncate(end);
            }
            found.sort_unstable_by_key(newest_first);
            let jobs = found.iter().skip(offset).map(Listed::view).collect();
            FoundJobs { total, changeable, jobs }
        })
    }

    /// The details of a job, including recently expired jobs.
    pub(crate) fn job_details(self: &Arc<Self>, id: &str) -> Option<JobDetails> {
        self.access(|state, _| {
            if let Some(job) = state.jobs().get(id) {
                let chunks = state.history().map(|history| history.chunks(job));
                let chunks = chunks.unwrap_or_default();
                return Some(JobDetails {
                    job: JobView::of(job),
                    chunks,
                    chunks_total: job.chunks(),
                });
            }
            let mut expired = state.history().into_iter().flat_map(History::expired);
            let job = expired.find(|job| *job.id == *id)?.clone();
            Some(JobDetails { job, chunks: Vec::new(), chunks_total: 0 })
        })
    }

    /// Changes a job if its state allows it. Returns true if it was changed.
    pub(crate) fn apply_change(self: &Arc<Self>, change: BulkChange, id: &str) -> bool {
        match change {
            BulkChange::Retry => self.retry(id).is_ok(),
            // Cancelling a job again is not an error, and no change.
            BulkChange::Cancel => {
                let is_over = self.status(id).is_ok_and(|record| record.status.is_terminal());
                !is_over && self.cancel(id).is_ok()
            }
        }
    }
}

enum Listed<'a> {
    Job(&'a Job),
    Expired(&'a JobView),
}

impl Listed<'_> {
    fn number(&self) -> u64 {
        match self {
            Self::Job(job) => job.number(),
            Self::Expired(job) => job.number,
        }
    }

    fn status(&self) -> Option<Status> {
        match self {
            Self::Job(job) => Some(job.status()),
            Self::Expired(_) => None,
        }
    }

    fn view(&self) -> JobView {
        match self {
            Self::Job(job) => JobView::of(job),
            Self::Expired(job) => (*job).clone(),
        }
    }
}
