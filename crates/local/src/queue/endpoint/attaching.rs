//! The workers of an endpoint that attach: how they come and go, and which jobs they get.

use std::sync::Arc;
use std::time::Duration;

use super::state::{Due, State};
use super::{Endpoint, Runner};
use crate::clock::Moment;
use crate::queue::attached::{Taken, Taker};
use crate::queue::fleet::Origin;
use crate::queue::job::{Ending, Job, JobId};
use crate::refusal::Refusal;
use crate::worker::{Crew, WorkerId};

/// How long a request of a worker waits for something to do, in real time: a worker's HTTP client
/// knows no other.
const POLL: Duration = Duration::from_secs(5);
/// How many workers of an endpoint may be attached. It protects the memory of the process.
const MAX_WORKERS: usize = 1000;
/// How long the id of a job may be that a worker says it runs, in bytes. Ours are shorter.
const MAX_CLAIM: usize = 64;

impl Endpoint {
    /// How long a worker waits: a few seconds, or until time is turned.
    pub(super) async fn patience(&self) {
        tokio::select! {
            () = self.clock.advanced() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }

    /// The worker that asks for a job. One that is not known joins.
    pub(super) fn attach(
        &self,
        state: &mut State,
        name: &str,
        now: Moment,
    ) -> Result<WorkerId, Refusal> {
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

    pub(super) fn note_life(&self, state: &mut State, id: WorkerId, now: Moment) {
        state.revision += 1;
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
    pub(super) fn lose(&self, state: &mut State, id: WorkerId, why: &str, at: Moment) {
        let Some(worker) = state.attached.get(id) else { return };
        let name = worker.name.clone();
        self.take_away(state, id, &format!("the worker {name} {why}"), at);
        if let Runner::Attached(crew) = &self.runner {
            let crew = crew.clone();
            let words = format!("the worker {why}, so it is given up");
            // Not here: whoever listens may take a while, and nobody gets to the state meanwhile.
            self.tasks.spawn(async move { crew.logs.say(&name, None, words) });
        }
    }

    /// A worker is gone: its jobs go back to the queue, the first time.
    fn take_away(&self, state: &mut State, id: WorkerId, why: &str, at: Moment) {
        for job in state.dismiss(id) {
            let was_lost = state.jobs.get_mut(&job).is_some_and(Job::lose_worker);
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
    pub(super) fn give_back(&mut self, worker: WorkerId, jobs: Vec<Taken>, now: Moment) {
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
        self.jobs.insert(job);
    }

    /// A worker wants to be replaced, and goes once its jobs are done.
    pub(super) fn see_off(&mut self, name: &str) {
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
    pub(super) fn check_claim(&mut self, worker: &str, job: &str) {
        // One that has a result may have got it from this worker a moment ago.
        let has_result = self.jobs.get(job).is_some_and(|job| job.has_result());
        if job.len() <= MAX_CLAIM && !has_result && !self.attached.has(worker, job) {
            self.attached.stop(worker, job.into());
        }
    }
}
