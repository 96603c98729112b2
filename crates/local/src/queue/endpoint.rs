//! One endpoint: its jobs, its queue and its workers, changed under one lock.
//!
//! Time is dealt with in one way: whatever has a due time stands in a calendar, and every access
//! first brings about what has become due, as of the time at which it was due. A sweeper does the
//! same when nobody asks.

mod attachable;
mod attaching;
mod course;
mod shown;

pub(crate) use attachable::Attachable;
pub(crate) use shown::{Change, Overview, Shown};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Moment};
use crate::queue::attached::Attached;
use crate::queue::calendar::Calendar;
use crate::queue::event::Event;
use crate::queue::fleet::{Fleet, Origin, Reminder};
use crate::queue::health::{Health, Totals};
use crate::queue::history::{History, ShownChunk};
use crate::queue::job::{Ending, Job, JobId, Mode, Place, Receipt, Record, Status};
use crate::queue::jobs::Jobs;
use crate::queue::starts::Starts;
use crate::queue::stream::default_metrics;
use crate::queue::submission::Submission;
use crate::queue::workers::Workers;
use crate::refusal::Refusal;
use crate::sync::{Tasks, locked};
use crate::webhook::Webhooks;
use crate::worker::{Crew, Handler, Outcome, Reports, WorkerId};

/// What can be set for each endpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndpointSettings {
    pub(crate) kind: Kind,
    pub(crate) workers: Workers,
    pub(crate) execution_timeout: Duration,
    /// How many jobs may be queued.
    pub(crate) max_queued: usize,
    /// Whether what is gone is kept for the page.
    pub(crate) keeps_history: bool,
}

/// What an endpoint runs its jobs with, as the page names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Builtin,
    Closure,
    Command,
    Worker,
}

/// Who runs the jobs of an endpoint.
pub(crate) enum Runner {
    /// The service, with a handler.
    Handler(Arc<dyn Handler>),
    /// Workers that attach over HTTP.
    Attached(Arc<Crew>),
}

impl Runner {
    fn origin(&self) -> Origin {
        match self {
            Self::Handler(_) => Origin::Service,
            Self::Attached(crew) if crew.command.is_some() => Origin::Program,
            Self::Attached(_) => Origin::Volunteer,
        }
    }
}

pub(crate) struct Endpoint {
    name: Arc<str>,
    settings: EndpointSettings,
    runner: Runner,
    clock: Clock,
    tasks: Tasks,
    webhooks: Webhooks,
    state: Mutex<State>,
    /// Tells the sweeper that something is due earlier than it thinks.
    earlier: Notify,
    /// How many requests got 429.
    throttled: AtomicU64,
}

/// What has become of a job since somebody last looked.
pub(crate) struct News {
    pub(crate) record: Record,
    /// The attempt that this is about.
    pub(crate) attempt: u64,
    pub(crate) chunks: Vec<Value>,
    /// Why a report of the worker that has the job was refused for good.
    pub(crate) refusal: Option<Arc<str>>,
}

#[derive(Debug)]
struct State {
    /// Grows with each change that can be seen.
    revision: u64,
    jobs: Jobs,
    /// Kept for the page; none where there is no page.
    history: Option<History>,
    queue: BTreeMap<u64, JobId>,
    next_turn: u64,
    /// How many of the queued jobs call for a worker.
    calling: usize,
    fleet: Fleet,
    attached: Attached,
    totals: Totals,
    calendar: Calendar<Due>,
    starts: Starts,
    /// When the sweeper looks next.
    sweep_at: Option<Moment>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Due {
    Job(JobId),
    Worker(WorkerId),
    /// The ping of an attached worker.
    Ping(WorkerId),
    /// Another worker may start, after some have ended too soon.
    Start,
}

impl Endpoint {
    pub(crate) fn start(
        name: &str,
        settings: EndpointSettings,
        runner: Runner,
        clock: Clock,
        tasks: Tasks,
        webhooks: Webhooks,
    ) -> Arc<Self> {
        let endpoint = Arc::new(Self {
            name: name.into(),
            settings,
            clock,
            tasks,
            webhooks,
            state: Mutex::new(State {
                revision: 0,
                jobs: Jobs::default(),
                history: settings.keeps_history.then(History::default),
                queue: BTreeMap::new(),
                next_turn: 0,
                calling: 0,
                fleet: Fleet::new(settings.workers, runner.origin()),
                attached: Attached::default(),
                totals: Totals::default(),
                calendar: Calendar::default(),
                starts: Starts::default(),
                sweep_at: None,
            }),
            earlier: Notify::new(),
            throttled: AtomicU64::new(0),
            runner,
        });
        endpoint.tasks.spawn(endpoint.clone().sweep());
        endpoint
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn running_workers(self: &Arc<Self>) -> usize {
        self.access(|state, _| state.fleet.running())
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        self.tasks.stopping()
    }

    /// Queues a job. Says also when that was, and what tells when to look at the job again.
    pub(crate) fn submit(
        self: &Arc<Self>,
        submission: Submission,
        mode: Mode,
    ) -> Result<(Receipt, Moment, Arc<Notify>), Refusal> {
        let id = mode.new_id();
        self.access(|state, now| {
            if state.queue.len() >= self.settings.max_queued {
                let message = "the queue of this endpoint is full";
                return Err(Refusal::too_many_requests(message, None));
            }
            let turn = state.next_turn;
            state.next_turn += 1;
            let job = Job::new(id, submission, mode, self.settings.execution_timeout, turn, now);
            let receipt = Receipt { id: job.id.clone(), status: Status::InQueue };
            let changed = job.changed.clone();
            state.enqueue(turn, &job);
            state.schedule(&job);
            state.jobs.insert(job);
            state.totals.submitted += 1;
            Ok((receipt, now, changed))
        })
    }

    pub(crate) fn status(self: &Arc<Self>, id: &str) -> Result<Record, Refusal> {
        self.access(|state, now| Ok(state.job(id)?.record(now)))
    }

    /// Sets a job's lifespan, counted from its submission.
    pub(crate) fn set_ttl(self: &Arc<Self>, id: &str, ttl: Duration) -> Result<(), Refusal> {
        self.change(id, |state, job, _| {
            job.set_ttl(ttl);
            state.revision += 1;
            Ok(())
        })
    }

    /// Takes out the chunks that nobody has fetched yet.
    pub(crate) fn drain(self: &Arc<Self>, id: &str) -> Result<(Status, Vec<Value>), Refusal> {
        self.access(|state, _| {
            let job = state.jobs.get_mut(id).ok_or_else(unknown_job)?;
            Ok((job.status(), job.backlog.drain()))
        })
    }

    /// What has become of a job, and the chunks that nobody has fetched yet.
    pub(crate) fn news(self: &Arc<Self>, id: &str) -> Result<News, Refusal> {
        self.access(|state, now| {
            let job = state.jobs.get_mut(id).ok_or_else(unknown_job)?;
            Ok(News {
                record: job.record(now),
                attempt: job.attempt,
                chunks: job.backlog.drain(),
                refusal: job.refusal(),
            })
        })
    }

    pub(crate) fn cancel(self: &Arc<Self>, id: &str) -> Result<Receipt, Refusal> {
        self.change(id, |state, job, now| {
            match job.status() {
                Status::InQueue | Status::InProgress => {
                    state.leave(job, now);
                    job.cancel(now);
                    self.announce(job, now);
                }
                Status::Cancelled => {}
                done => {
                    return Err(Refusal::invalid(format!(
                        "only a job that is queued or running can be cancelled; this one is {}",
                        done.text(),
                    )));
                }
            }
            Ok(Receipt { id: job.id.clone(), status: Status::Cancelled })
        })
    }

    pub(crate) fn retry(self: &Arc<Self>, id: &str) -> Result<Receipt, Refusal> {
        self.change(id, |state, job, now| {
            if !matches!(job.status(), Status::Failed | Status::TimedOut) {
                return Err(Refusal::invalid(format!(
                    "only a job that is FAILED or TIMED_OUT can be retried; this one is {}",
                    job.status().text(),
                )));
            }
            let turn = state.next_turn;
            state.next_turn += 1;
            job.retry(turn, now);
            state.enqueue(turn, job);
            state.totals.failed -= 1;
            state.totals.retried += 1;
            Ok(Receipt { id: job.id.clone(), status: Status::InQueue })
        })
    }

    /// Notes that a request got 429.
    pub(crate) fn note_throttled(&self) {
        self.throttled.fetch_add(1, Ordering::Relaxed);
        self.clock.changes().note();
    }

    /// A chunk as it is kept to be shown, if it is. Not to be made while others wait.
    fn to_show(&self, output: &Value) -> Option<ShownChunk> {
        self.settings.keeps_history.then(|| ShownChunk::of(output)).flatten()
    }

    /// Calls the webhook of a job that has ended once more. Says whether there is such a job.
    pub(crate) fn announce_again(self: &Arc<Self>, id: &str) -> bool {
        self.access(|state, now| {
            let ended = state.jobs.get(id).filter(|job| job.status().is_terminal());
            let ended = ended.filter(|job| job.submission.webhook.is_some());
            ended.inspect(|job| self.announce(job, now)).is_some()
        })
    }

    /// Removes all jobs that are queued, and says how many there were.
    pub(crate) fn purge(self: &Arc<Self>) -> usize {
        self.access(|state, now| {
            let queued: Vec<JobId> = state.queue.values().cloned().collect();
            for id in &queued {
                state.delete(id, now);
            }
            queued.len()
        })
    }

    pub(crate) fn health(self: &Arc<Self>) -> Health {
        self.access(|state, _| Health::of(state.totals, state.queue.len(), &state.fleet))
    }

    /// The records of all jobs, the oldest first.
    pub(crate) fn records(self: &Arc<Self>) -> Vec<Record> {
        self.access(|state, now| {
            let mut jobs: Vec<&Job> = state.jobs.values().collect();
            jobs.sort_by(|a, b| (a.submitted_at(), &a.id).cmp(&(b.submitted_at(), &b.id)));
            jobs.into_iter().map(|job| job.record(now)).collect()
        })
    }

    /// Takes a handler's result, unless its attempt is over already.
    fn finish(self: &Arc<Self>, id: &str, attempt: u64, outcome: Outcome) {
        self.access(|state, now| {
            if state.running(id, attempt).is_none() {
                return;
            }
            if outcome.worker_lost
                && let Some(Place::Worker(worker)) = state.jobs.get(id).map(Job::place)
            {
                state.dismiss(worker);
            }
            let ending = Ending { output: outcome.output, error: outcome.error };
            self.conclude(state, id, ending, now);
        });
    }

    /// Ends a job that runs.
    fn conclude(&self, state: &mut State, id: &str, ending: Ending, now: Moment) {
        let Some(mut job) = state.jobs.remove(id) else { return };
        state.leave(&job, now);
        match ending.error {
            None => state.totals.completed += 1,
            Some(_) => state.totals.fail(),
        }
        job.finish(ending, now);
        self.announce(&job, now);
        state.schedule(&job);
        state.jobs.insert(job);
    }

    /// The one way to the state: first what time has brought, then `action`, then whatever
    /// workers can start on.
    fn access<R>(self: &Arc<Self>, action: impl FnOnce(&mut State, Moment) -> R) -> R {
        self.noting_changes(|state| {
            let now = self.clock.now();
            self.settle(state, now);
            let result = action(state, now);
            self.dispatch(state, now);
            let next = state.calendar.next();
            if let Some(next) = next
                && state.sweep_at.is_none_or(|planned| next < planned)
            {
                state.sweep_at = Some(next);
                self.earlier.notify_one();
            }
            result
        })
    }

    /// Works on the state, and tells who watches if that has changed what can be seen.
    fn noting_changes<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let mut state = locked(&self.state);
        let before = state.revision;
        let result = work(&mut state);
        let is_changed = state.revision != before;
        drop(state);
        if is_changed {
            self.clock.changes().note();
        }
        result
    }

    /// Changes one job that exists.
    fn change<R>(
        self: &Arc<Self>,
        id: &str,
        action: impl FnOnce(&mut State, &mut Job, Moment) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        self.access(|state, now| {
            let mut job = state.jobs.remove(id).ok_or_else(unknown_job)?;
            let result = action(state, &mut job, now);
            state.schedule(&job);
            state.jobs.insert(job);
            result
        })
    }

    /// Sends the webhook of a job that has just ended.
    fn announce(&self, job: &Job, now: Moment) {
        if let Some(url) = &job.submission.webhook {
            let event = Event::of(job, url.as_str(), now);
            self.webhooks.deliver(url.clone(), job.id.clone(), event, now);
        }
    }
}

impl Reports for Endpoint {
    fn emit(self: Arc<Self>, id: &str, attempt: u64, output: Value, metrics: Map<String, Value>) {
        let shown = self.to_show(&output);
        self.access(|state, _| {
            if state.running(id, attempt).is_some() {
                state.emit(id, output, metrics, shown);
            }
        });
    }

    fn progress(self: Arc<Self>, id: &str, attempt: u64, value: Value) {
        self.access(|state, _| {
            if let Some(job) = state.running(id, attempt) {
                job.progress(value);
                state.revision += 1;
            }
        });
    }
}

impl State {
    fn job(&self, id: &str) -> Result<&Job, Refusal> {
        self.jobs.get(id).ok_or_else(unknown_job)
    }

    fn running(&mut self, id: &str, attempt: u64) -> Option<&mut Job> {
        self.jobs
            .get_mut(id)
            .filter(|job| job.attempt == attempt && job.status() == Status::InProgress)
    }

    /// Adds a chunk to a job's stream, and keeps it if it is to be shown.
    fn emit(
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

    fn enqueue(&mut self, turn: u64, job: &Job) {
        self.revision += 1;
        self.queue.insert(turn, job.id.clone());
        if job.calls_for_worker() {
            self.calling += 1;
        }
    }

    /// Frees what a job occupies, before it goes to another state or away.
    fn leave(&mut self, job: &Job, now: Moment) {
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
    fn dismiss(&mut self, worker: WorkerId) -> BTreeSet<JobId> {
        self.revision += 1;
        self.calendar.remove(Due::Worker(worker));
        self.calendar.remove(Due::Ping(worker));
        self.fleet.remove(worker);
        self.attached.remove(worker).map(|worker| worker.jobs).unwrap_or_default()
    }

    fn delete(&mut self, id: &JobId, now: Moment) {
        if let Some(job) = self.jobs.remove(id) {
            self.leave(&job, now);
            self.calendar.remove(Due::Job(id.clone()));
            job.delete();
            self.jobs.shrink();
        }
    }

    /// Deletes a job whose time is over.
    fn expire(&mut self, id: &JobId, at: Moment) {
        if let (Some(history), Some(job)) = (&mut self.history, self.jobs.get(id)) {
            history.expire(job);
        }
        self.delete(id, at);
    }

    fn schedule(&mut self, job: &Job) {
        self.calendar.set(Due::Job(job.id.clone()), job.fate().0);
    }

    fn remind_later(&mut self, worker: WorkerId, reminder: Reminder, now: Moment) {
        match reminder {
            Reminder::In(time) => {
                self.calendar.set(Due::Worker(worker), now.saturating_add(time));
            }
            Reminder::Never => self.calendar.remove(Due::Worker(worker)),
        }
    }
}

fn unknown_job() -> Refusal {
    Refusal::not_found(
        "no such job on this endpoint: the id is unknown, or the job or its result has expired",
    )
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("name", &self.name).finish_non_exhaustive()
    }
}
