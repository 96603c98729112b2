//! What the page shows of an endpoint, and what it does to many jobs at once.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::state::Due;
use super::{Endpoint, Kind, Runner};
use crate::clock::Moment;
use crate::queue::history::{History, ShownChunk};
use crate::queue::job::{Job, Status};
use crate::queue::view::{Filter, JobView};

/// The counts of an endpoint.
#[derive(Serialize)]
pub(crate) struct Overview {
    pub(crate) name: String,
    kind: Kind,
    /// Whether workers attach over HTTP.
    attachable: bool,
    jobs: Counts,
    workers: WorkerCounts,
    totals: Sums,
    /// Grows with each change that can be seen.
    #[serde(skip)]
    pub(crate) revision: u64,
    /// When time next does something to the endpoint.
    #[serde(skip)]
    pub(crate) next_event: Option<Moment>,
}

/// How many jobs there are in each state.
#[derive(Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
struct Counts {
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

/// What only grows.
#[derive(Serialize)]
struct Sums {
    submitted: u64,
    completed: u64,
    failed: u64,
    throttled: u64,
}

/// All that is shown of a job.
pub(crate) struct Shown {
    pub(crate) job: JobView,
    /// The last chunks, and how many there were.
    pub(crate) chunks: Vec<ShownChunk>,
    pub(crate) chunks_total: u64,
}

/// A change of many jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Cancel,
    Retry,
}

impl Endpoint {
    pub(crate) fn overview(self: &Arc<Self>) -> Overview {
        self.access(|state, _| {
            let count = |status| state.jobs.count(status);
            let limits = state.fleet.limits();
            // A worker can ping in real time only, so its next ping is no moment to turn the clock to.
            let mut events = state.calendar.iter().filter(|(_, due)| !matches!(due, Due::Ping(_)));
            Overview {
                name: self.name.to_string(),
                kind: self.settings.kind,
                attachable: matches!(self.runner, Runner::Attached(_)),
                jobs: Counts {
                    in_queue: count(Status::InQueue),
                    in_progress: count(Status::InProgress),
                    completed: count(Status::Completed),
                    failed: count(Status::Failed),
                    cancelled: count(Status::Cancelled),
                    timed_out: count(Status::TimedOut),
                    expired: state.history.as_ref().map_or(0, |history| history.expired().len()),
                },
                workers: WorkerCounts {
                    idle: state.fleet.idle(),
                    running: state.fleet.running(),
                    starting: state.fleet.starting(),
                    unhealthy: state.attached.unhealthy(),
                    min: limits.map(|(min, _)| min),
                    max: limits.map(|(_, max)| max),
                },
                totals: Sums {
                    submitted: state.totals.submitted,
                    completed: state.totals.completed,
                    failed: state.totals.failures,
                    throttled: self.throttled.load(Ordering::Relaxed),
                },
                revision: state.revision,
                next_event: events.next().map(|(at, _)| *at),
            }
        })
    }

    /// How many jobs have a state that a filter wants, and those of them, the newest first, that come
    /// after `offset` others and are at most `limit`. They are not searched.
    pub(crate) fn views(
        self: &Arc<Self>,
        filter: &Filter,
        offset: usize,
        limit: usize,
    ) -> (usize, Vec<JobView>) {
        self.access(|state, _| {
            let jobs = state.jobs.values().filter(|job| filter.wants(Some(job.status())));
            let mut found: Vec<Found<'_>> = jobs.map(Found::Job).collect();
            if filter.wants(None) {
                let expired = state.history.iter().flat_map(History::expired);
                found.extend(expired.map(Found::Expired));
            }
            let total = found.len();
            let end = offset.saturating_add(limit).min(total);
            let newest_first = |found: &Found<'_>| Reverse(found.number());
            if end < total {
                found.select_nth_unstable_by_key(end, newest_first);
                found.truncate(end);
            }
            found.sort_unstable_by_key(newest_first);
            (total, found.iter().skip(offset).map(Found::view).collect())
        })
    }

    /// All that is shown of a job, if it is there or was a while ago.
    pub(crate) fn shown(self: &Arc<Self>, id: &str) -> Option<Shown> {
        self.access(|state, _| {
            if let Some(job) = state.jobs.get(id) {
                let chunks = state.history.as_ref().map(|history| history.chunks(job));
                let chunks = chunks.unwrap_or_default();
                return Some(Shown { job: JobView::of(job), chunks, chunks_total: job.chunks() });
            }
            let mut expired = state.history.iter().flat_map(History::expired);
            let job = expired.find(|job| *job.id == *id)?.clone();
            Some(Shown { job, chunks: Vec::new(), chunks_total: 0 })
        })
    }

    /// Changes a job, unless its state does not allow that. Says whether it did.
    pub(crate) fn apply(self: &Arc<Self>, change: Change, id: &str) -> bool {
        match change {
            Change::Retry => self.retry(id).is_ok(),
            // Cancelling a job again is no error, and no change.
            Change::Cancel => {
                let is_over = self.status(id).is_ok_and(|record| record.status.is_terminal());
                !is_over && self.cancel(id).is_ok()
            }
        }
    }
}

enum Found<'a> {
    Job(&'a Job),
    Expired(&'a JobView),
}

impl Found<'_> {
    fn number(&self) -> u64 {
        match self {
            Self::Job(job) => job.number(),
            Self::Expired(job) => job.number,
        }
    }

    fn view(&self) -> JobView {
        match self {
            Self::Job(job) => JobView::of(job),
            Self::Expired(job) => (*job).clone(),
        }
    }
}
