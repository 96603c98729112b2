//! What an endpoint holds under its lock, and how a job moves between its parts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::clock::Moment;
use crate::queue::attached::Attached;
use crate::queue::calendar::Calendar;
use crate::queue::fleet::{Fleet, Origin, Reminder};
use crate::queue::health::Totals;
use crate::queue::history::{History, ShownChunk};
use crate::queue::job::{Job, JobId, Place, Status};
use crate::queue::jobs::Jobs;
use crate::queue::starts::Starts;
use crate::queue::stream::default_metrics;
use crate::queue::workers::Workers;
use crate::refusal::Refusal;
use crate::worker::WorkerId;

#[derive(Debug)]
pub(super) struct State {
    /// Grows with each change that can be seen.
    pub(super) revision: u64,
    pub(super) jobs: Jobs,
    /// Kept for the page; none where there is no page.
    pub(super) history: Option<History>,
    pub(super) queue: BTreeMap<u64, JobId>,
    pub(super) next_turn: u64,
    /// How many of the queued jobs call for a worker.
    pub(super) calling: usize,
    pub(super) fleet: Fleet,
    pub(super) attached: Attached,
    pub(super) totals: Totals,
    pub(super) calendar: Calendar<Due>,
    pub(super) starts: Starts,
    /// When the sweeper looks next.
    pub(super) sweep_at: Option<Moment>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Due {
    Job(JobId),
    Worker(WorkerId),
    /// The ping of an attached worker.
    Ping(WorkerId),
    /// Another worker may start, after some have ended too soon.
    Start,
}

impl State {
    pub(super) fn new(workers: Workers, origin: Origin, keeps_history: bool) -> Self {
        Self {
            revision: 0,
            jobs: Jobs::default(),
            history: keeps_history.then(History::default),
            queue: BTreeMap::new(),
            next_turn: 0,
            calling: 0,
            fleet: Fleet::new(workers, origin),
            attached: Attached::default(),
            totals: Totals::default(),
            calendar: Calendar::default(),
            starts: Starts::default(),
            sweep_at: None,
        }
    }

    pub(super) fn job(&self, id: &str) -> Result<&Job, Refusal> {
        self.jobs.get(id).ok_or_else(unknown_job)
    }

    pub(super) fn running(&mut self, id: &str, attempt: u64) -> Option<&mut Job> {
        self.jobs
            .get_mut(id)
            .filter(|job| job.attempt == attempt && job.status() == Status::InProgress)
    }

    /// Adds a chunk to a job's stream, and keeps it if it is to be shown.
    pub(super) fn emit(
        &mut self,
        id: &str,
        output: Value,
        metrics: Map<String, Value>,
        shown: Option<ShownChunk>,
    ) {
        let mut all = default_metrics(self.queue.len(), self.fleet.jobs());
        all.extend(metrics);
        if let Some(job) = self.jobs.get_mut(id) {
            job.backlog.push(output, all, job.submission.keeps_chunks);
            job.changed.notify_waiters();
            self.revision += 1;
            if let (Some(history), Some(shown)) = (&mut self.history, shown) {
                history.add_chunk(job, shown);
            }
        }
    }

    pub(super) fn enqueue(&mut self, turn: u64, job: &Job) {
        self.revision += 1;
        self.queue.insert(turn, job.id.clone());
        if job.calls_for_worker() {
            self.calling += 1;
        }
    }

    /// Frees what a job occupies, before it goes to another state or away.
    pub(super) fn leave(&mut self, job: &Job, now: Moment) {
        self.revision += 1;
        match job.place() {
            Place::Queue { turn } => {
                self.queue.remove(&turn);
                if job.calls_for_worker() {
                    self.calling -= 1;
                }
            }
            Place::Worker(worker) => {
                self.attached.interrupt(worker, &job.id);
                let reminder = self.fleet.release(worker);
                self.remind_later(worker, reminder, now);
                if self.attached.get(worker).is_some_and(|worker| worker.is_done()) {
                    self.dismiss(worker);
                }
            }
            Place::Nothing => {}
        }
    }

    /// Removes a worker. Returns the jobs that it leaves behind if it was attached.
    pub(super) fn dismiss(&mut self, worker: WorkerId) -> BTreeSet<JobId> {
        self.revision += 1;
        self.calendar.remove(Due::Worker(worker));
        self.calendar.remove(Due::Ping(worker));
        self.fleet.remove(worker);
        self.attached.remove(worker).map(|worker| worker.jobs).unwrap_or_default()
    }

    pub(super) fn delete(&mut self, id: &JobId, now: Moment) {
        if let Some(job) = self.jobs.remove(id) {
            self.leave(&job, now);
            self.calendar.remove(Due::Job(id.clone()));
            job.delete();
            self.jobs.shrink();
        }
    }

    /// Deletes a job whose time is over.
    pub(super) fn expire(&mut self, id: &JobId, at: Moment) {
        if let (Some(history), Some(job)) = (&mut self.history, self.jobs.get(id)) {
            history.expire(job);
        }
        self.delete(id, at);
    }

    pub(super) fn schedule(&mut self, job: &Job) {
        self.calendar.set(Due::Job(job.id.clone()), job.fate().0);
    }

    pub(super) fn remind_later(&mut self, worker: WorkerId, reminder: Reminder, now: Moment) {
        match reminder {
            Reminder::In(time) => {
                self.calendar.set(Due::Worker(worker), now.saturating_add(time));
            }
            Reminder::Never => self.calendar.remove(Due::Worker(worker)),
        }
    }
}

pub(super) fn unknown_job() -> Refusal {
    Refusal::not_found(
        "no such job on this endpoint: the id is unknown, or the job or its result has expired",
    )
}
