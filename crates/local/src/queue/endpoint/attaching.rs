//! The worker's side of an endpoint: workers that attach over HTTP take jobs and report on them.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::oneshot;

use super::{Due, Endpoint, Runner, State};
use crate::clock::Moment;
use crate::queue::attached::{Taken, Taker, Unhealthy};
use crate::queue::fleet::Origin;
use crate::queue::job::{Ending, JobId, Mode};
use crate::queue::report::{Chunk, Report};
use crate::refusal::Refusal;
use crate::worker::{Crew, WorkerId};

/// How long a request of a worker waits for something to do, in real time: a worker's HTTP client
/// knows no other.
const POLL: Duration = Duration::from_secs(5);
/// How many workers of an endpoint may be attached. It protects the memory of the process.
const MAX_WORKERS: usize = 1000;
/// How long the id of a job may be that a worker says it runs, in bytes. Ours are shorter.
const MAX_CLAIM: usize = 64;

/// A worker, as the control plane shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerRecord {
    id: String,
    status: &'static str,
    jobs: Vec<String>,
    missed_pings: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    unhealthy: Option<Unhealthy>,
}

impl Endpoint {
    /// Waits a few seconds for jobs, and gives at most `most` of them to a worker.
    pub(crate) async fn take(
        self: &Arc<Self>,
        worker: &str,
        most: usize,
    ) -> Result<Vec<Taken>, Refusal> {
        self.require_attached()?;
        let (to, jobs) = oneshot::channel();
        let worker = self.access(|state, now| {
            let worker = self.attach(state, worker, now)?;
            state.attached.takers.retain(|taker| !taker.to.is_closed());
            state.attached.takers.push_back(Taker { worker, most, to });
            Ok(worker)
        })?;
        let mut offer = Offer { endpoint: self.clone(), worker, jobs };
        tokio::select! {
            biased;
            jobs = &mut offer.jobs => return Ok(jobs.unwrap_or_default()),
            () = self.patience() => {}
            () = self.stopping().cancelled() => return Err(stopping()),
        }
        offer.jobs.close();
        Ok(offer.jobs.try_recv().unwrap_or_default())
    }

    /// Waits a few seconds for jobs of a worker that it is to stop.
    pub(crate) async fn jobs_to_stop(
        self: &Arc<Self>,
        worker: &str,
    ) -> Result<Vec<JobId>, Refusal> {
        self.require_attached()?;
        let mut patience = pin!(self.patience());
        let stops = self.access(|state, _| state.attached.stops.clone());
        loop {
            let mut stopped = pin!(stops.notified());
            stopped.as_mut().enable();
            let jobs = self.access(|state, _| state.attached.take_stops(worker));
            if !jobs.is_empty() {
                return Ok(jobs);
            }
            tokio::select! {
                biased;
                () = stopped => {}
                () = &mut patience => return Ok(Vec::new()),
                () = self.stopping().cancelled() => return Err(stopping()),
            }
        }
    }

    /// Takes a worker's report on a job, of so many bytes. One on a job that the worker does not
    /// have, or no longer, is ignored.
    pub(crate) fn report(
        self: &Arc<Self>,
        worker: &str,
        id: &str,
        report: Report,
        bytes: usize,
        max: impl FnOnce(Mode) -> usize,
    ) -> Result<(), Refusal> {
        self.require_attached()?;
        self.access(|state, now| {
            if state.attached.has(worker, id) {
                let Some(job) = state.jobs.get_mut(id) else { return Ok(()) };
                let max = max(job.mode);
                if bytes > max {
                    let message =
                        format!("the result exceeds the limit of {max} bytes for this job");
                    return Err(Refusal::invalid(message));
                }
            }
            match report {
                Report::Progress(output) => {
                    if state.attached.has(worker, id)
                        && let Some(job) = state.jobs.get_mut(id)
                    {
                        job.progress(output);
                    }
                }
                Report::Done { ending, leaves } => {
                    self.take_result(state, worker, id, ending, now);
                    // Also where the job has ended before: the worker takes no other.
                    if leaves {
                        state.see_off(worker);
                    }
                }
            }
            Ok(())
        })
    }

    fn take_result(&self, state: &mut State, worker: &str, id: &str, ending: Ending, now: Moment) {
        state.attached.has_stopped(worker, id);
        if !state.attached.has(worker, id) {
            return;
        }
        let (Some(worker), Some(job)) = (state.attached.id_of(worker), state.jobs.get(id)) else {
            return;
        };
        let id = job.id.clone();
        state.attached.end(worker, &id);
        state.starts.succeed();
        self.conclude(state, &id, ending, now);
    }

    /// A report on a job was refused, so the worker may drop it.
    pub(crate) fn note_refusal(self: &Arc<Self>, worker: &str, id: &str, why: &str) {
        let is_new = self.access(|state, _| {
            let has_job = state.attached.has(worker, id);
            let job = state.jobs.get_mut(id).filter(|_| has_job);
            job.is_some_and(|job| job.note_refusal(why))
        });
        if is_new && let Some(crew) = self.crew() {
            crew.logs.say(worker, Some(id), format!("a report on the job {id} was refused: {why}"));
        }
    }

    /// Takes a chunk of a job's output, unless the worker does not have the job.
    pub(crate) fn chunk(
        self: &Arc<Self>,
        worker: &str,
        id: &str,
        chunk: Chunk,
    ) -> Result<(), Refusal> {
        self.require_attached()?;
        self.access(|state, _| {
            if state.attached.has(worker, id) {
                state.emit(id, chunk.output, chunk.metrics);
            }
        });
        Ok(())
    }

    /// A worker reports that it is alive, what it runs, and whether it is well.
    pub(crate) fn ping<'a>(
        self: &Arc<Self>,
        worker: &str,
        runs: impl Iterator<Item = &'a str>,
        unhealthy: Option<Unhealthy>,
    ) -> Result<(), Refusal> {
        self.require_attached()?;
        self.access(|state, now| {
            for job in runs {
                state.check_claim(worker, job);
            }
            let Some(id) = state.attached.id_of(worker) else { return };
            if state.fleet.is_here(id) {
                self.note_life(state, id, now);
            }
            let Some(worker) = state.attached.get(id) else { return };
            let is_lasting = worker.note_health(unhealthy);
            let retired = worker.is_leaving || worker.unhealthy.is_some();
            let is_free = worker.jobs.is_empty();
            state.fleet.retire(id, retired);
            if is_lasting && is_free && self.runner.origin() == Origin::Program {
                self.lose(state, id, "is unhealthy and has not ended", now);
            }
        });
        Ok(())
    }

    /// The workers that are attached or expected; none where the service runs the jobs itself.
    pub(crate) fn workers(self: &Arc<Self>) -> Vec<WorkerRecord> {
        self.access(|state, _| {
            let record = |(id, worker): (WorkerId, &crate::queue::attached::Worker)| WorkerRecord {
                id: worker.name.to_string(),
                status: state.fleet.activity(id),
                jobs: worker.jobs.iter().map(|id| id.to_string()).collect(),
                missed_pings: worker.missed_pings,
                unhealthy: worker.unhealthy.clone(),
            };
            state.attached.iter().map(record).collect()
        })
    }

    /// Whether workers attach to the endpoint.
    pub(crate) fn require_attached(&self) -> Result<(), Refusal> {
        match self.runner {
            Runner::Attached(_) => Ok(()),
            Runner::Handler(_) => Err(Refusal::not_found(
                "no worker can attach to this endpoint: the service runs its jobs itself",
            )),
        }
    }

    /// How long a worker waits: a few seconds, or until time is turned.
    async fn patience(&self) {
        tokio::select! {
            () = self.clock.advanced() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }

    /// The worker that asks for a job. One that is not known joins.
    fn attach(&self, state: &mut State, name: &str, now: Moment) -> Result<WorkerId, Refusal> {
        let id = match state.attached.id_of(name) {
            Some(id) => {
                if let Some(reminder) = state.fleet.attach(id) {
                    state.remind_later(id, reminder, now);
                }
                id
            }
            None if self.runner.origin() != Origin::Volunteer => {
                return Err(Refusal::not_found(
                    "no such worker: the service starts the workers of this endpoint",
                ));
            }
            None if state.attached.len() >= MAX_WORKERS => {
                let message = format!("{MAX_WORKERS} workers are attached to this endpoint");
                return Err(Refusal::too_many_requests(message, None));
            }
            None => {
                let id = state.fleet.join();
                state.attached.add(id, name.into());
                id
            }
        };
        self.note_life(state, id, now);
        Ok(id)
    }

    fn note_life(&self, state: &mut State, id: WorkerId, now: Moment) {
        if let Some(worker) = state.attached.get(id) {
            worker.missed_pings = 0;
            let due = now.saturating_add(self.settings.workers.pings());
            state.calendar.set(Due::Ping(id), due);
        }
    }

    /// Starts a program as a worker, which attaches when it is ready.
    pub(super) fn start_program(
        self: &Arc<Self>,
        crew: &Arc<Crew>,
        state: &mut State,
        id: WorkerId,
    ) {
        let name: Arc<str> = format!("worker-{id}").into();
        let stop = state.attached.add(id, name.clone());
        let (endpoint, crew) = (self.clone(), crew.clone());
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                how = crew.run(&name) => {
                    if let Some(words) = endpoint.program_ended(id, &how) {
                        crew.logs.say(&name, None, words);
                    }
                }
            }
        });
    }

    /// The program of a worker has ended by itself. Returns what is to be said about it.
    fn program_ended(self: &Arc<Self>, id: WorkerId, how: &str) -> Option<String> {
        self.access(|state, now| {
            let name = state.attached.get(id)?.name.clone();
            self.take_away(state, id, &format!("the worker {name} ended: {how}"), now);
            Some(match state.starts.fail(now) {
                (1, _) => format!("the worker ended: {how}"),
                (ended, pause) => format!(
                    "the worker ended: {how}; {ended} have ended in a row without finishing a job, \
                     so the next one starts in {} s at the earliest",
                    pause.as_secs(),
                ),
            })
        })
    }

    /// A ping did not come in time. However far the clock was advanced, that is one: a worker can
    /// only ping in real time.
    pub(super) fn miss_ping(&self, state: &mut State, id: WorkerId, at: Moment, now: Moment) {
        let Some(worker) = state.attached.get(id) else { return };
        if worker.miss_ping() {
            let why = format!("missed {} pings", worker.missed_pings);
            self.lose(state, id, &why, at);
        } else {
            let due = now.saturating_add(self.settings.workers.pings());
            state.calendar.set(Due::Ping(id), due);
        }
    }

    /// A worker is given up, and whoever reads the logs learns why.
    fn lose(&self, state: &mut State, id: WorkerId, why: &str, at: Moment) {
        let Some(worker) = state.attached.get(id) else { return };
        let name = worker.name.clone();
        self.take_away(state, id, &format!("the worker {name} {why}"), at);
        if let Some(crew) = self.crew().cloned() {
            let words = format!("the worker {why}, so it is given up");
            // Not here: whoever listens may take a while, and nobody gets to the state meanwhile.
            self.tasks.spawn(async move { crew.logs.say(&name, None, words) });
        }
    }

    /// A worker is gone: its jobs go back to the queue, the first time.
    fn take_away(&self, state: &mut State, id: WorkerId, why: &str, at: Moment) {
        for job in state.dismiss(id) {
            let was_lost = state
                .jobs
                .get_mut(&job)
                .is_some_and(|job| std::mem::replace(&mut job.was_lost, true));
            if was_lost {
                let error = format!("the job was lost with its worker for the second time: {why}");
                self.conclude(state, &job, Ending::failure(error), at);
            } else {
                state.put_back(&job, at);
                state.totals.retried += 1;
            }
        }
    }
}

impl State {
    /// Gives queued jobs to the workers that wait for them.
    pub(super) fn hand_out(&mut self, now: Moment) {
        while !self.queue.is_empty() {
            let Self { attached, fleet, .. } = self;
            let can_take = |taker: &Taker| taker.to.is_closed() || fleet.is_ready(taker.worker);
            let Some(place) = attached.takers.iter().position(can_take) else { return };
            let Some(Taker { worker, most, to }) = attached.takers.remove(place) else { return };
            if to.is_closed() {
                continue;
            }
            let mut jobs = Vec::new();
            while jobs.len() < most
                && let Some((job, _)) = self.start_next(worker, now)
            {
                let taken = Taken {
                    id: job.id.clone(),
                    attempt: job.attempt,
                    submission: job.submission.clone(),
                };
                self.attached.begin(worker, &taken.id);
                self.fleet.occupy(worker);
                jobs.push(taken);
            }
            if let Err(jobs) = to.send(jobs) {
                self.give_back(worker, jobs, now);
            }
        }
    }

    /// Queues jobs again that never reached their worker.
    fn give_back(&mut self, worker: WorkerId, jobs: Vec<Taken>, now: Moment) {
        for Taken { id, attempt, .. } in jobs {
            if self.running(&id, attempt).is_some() {
                self.attached.end(worker, &id);
                self.put_back(&id, now);
            }
        }
    }

    /// Queues a job again that a worker had, at its old place.
    fn put_back(&mut self, id: &JobId, now: Moment) {
        let Some(mut job) = self.jobs.remove(id) else { return };
        self.leave(&job, now);
        if let Some(turn) = job.put_back() {
            self.enqueue(turn, &job);
        }
        self.schedule(&job);
        self.jobs.insert(id.clone(), job);
    }

    /// A worker wants to be replaced, and goes once its jobs are done.
    fn see_off(&mut self, name: &str) {
        let Some(id) = self.attached.id_of(name) else { return };
        self.fleet.retire(id, true);
        if let Some(worker) = self.attached.get(id) {
            worker.is_leaving = true;
            if worker.is_done() {
                self.dismiss(id);
            }
        }
    }

    /// A worker says that it runs a job. Where it should not, it is to stop it: it may not have
    /// got the response that said so.
    fn check_claim(&mut self, worker: &str, job: &str) {
        // One that has a result may have got it from this worker a moment ago.
        let has_result = self.jobs.get(job).is_some_and(|job| job.has_result());
        if job.len() <= MAX_CLAIM && !has_result && !self.attached.has(worker, job) {
            self.attached.stop(worker, job.into());
        }
    }
}

/// Jobs on their way to a worker. If its request ends before they reach it, they are queued again.
struct Offer {
    endpoint: Arc<Endpoint>,
    worker: WorkerId,
    jobs: oneshot::Receiver<Vec<Taken>>,
}

impl Drop for Offer {
    fn drop(&mut self) {
        self.jobs.close();
        if let Ok(jobs) = self.jobs.try_recv() {
            let worker = self.worker;
            self.endpoint.access(|state, now| state.give_back(worker, jobs, now));
        }
    }
}

fn stopping() -> Refusal {
    Refusal::failed("the service is stopping")
}
