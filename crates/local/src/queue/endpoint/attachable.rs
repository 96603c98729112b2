//! The worker's side of an endpoint: what workers that attach over HTTP request of it.

use std::pin::pin;
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::oneshot;

use super::state::State;
use super::{Endpoint, Runner};
use crate::clock::{Moment, milliseconds};
use crate::queue::attached::{Taken, Taker, Unhealthy, Worker};
use crate::queue::fleet::Origin;
use crate::queue::job::{Ending, JobId, Mode};
use crate::queue::report::{Chunk, Report};
use crate::refusal::Refusal;
use crate::worker::{Crew, WorkerId};

/// An endpoint that workers attach to. There is none where the service runs the jobs itself, so
/// nobody has to think of that again.
#[derive(Clone, Copy)]
pub(crate) struct Attachable<'a> {
    endpoint: &'a Arc<Endpoint>,
    pub(crate) crew: &'a Arc<Crew>,
}

/// A worker, as the control plane shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerRecord {
    id: String,
    status: &'static str,
    jobs: Vec<String>,
    missed_pings: u32,
    last_ping_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unhealthy: Option<Unhealthy>,
}

impl Endpoint {
    /// The endpoint as its workers see it.
    pub(crate) fn attachable(self: &Arc<Self>) -> Result<Attachable<'_>, Refusal> {
        match &self.runner {
            Runner::Attached(crew) => Ok(Attachable { endpoint: self, crew }),
            Runner::Handler(_) => Err(Refusal::not_found(
                "no worker can attach to this endpoint: the service runs its jobs itself",
            )),
        }
    }
}

impl Attachable<'_> {
    /// Waits a few seconds for jobs, and gives at most `most` of them to a worker.
    pub(crate) async fn take(self, worker: &str, most: usize) -> Result<Vec<Taken>, Refusal> {
        let Self { endpoint, .. } = self;
        let (to, jobs) = oneshot::channel();
        let worker = endpoint.access(|state, now| {
            let worker = endpoint.attach(state, worker, now)?;
            state.attached.takers.retain(|taker| !taker.to.is_closed());
            state.attached.takers.push_back(Taker { worker, most, to });
            Ok(worker)
        })?;
        let mut offer = Offer { endpoint: endpoint.clone(), worker, jobs };
        tokio::select! {
            biased;
            jobs = &mut offer.jobs => return Ok(jobs.unwrap_or_default()),
            () = endpoint.patience() => {}
            () = endpoint.stopping().cancelled() => return Err(stopping()),
        }
        offer.jobs.close();
        Ok(offer.jobs.try_recv().unwrap_or_default())
    }

    /// Waits a few seconds for jobs of a worker that it is to stop.
    pub(crate) async fn jobs_to_stop(self, worker: &str) -> Result<Vec<JobId>, Refusal> {
        let Self { endpoint, .. } = self;
        let mut patience = pin!(endpoint.patience());
        let stops = endpoint.access(|state, _| state.attached.stops.clone());
        loop {
            let mut stopped = pin!(stops.notified());
            stopped.as_mut().enable();
            let jobs = endpoint.access(|state, _| state.attached.take_stops(worker));
            if !jobs.is_empty() {
                return Ok(jobs);
            }
            tokio::select! {
                biased;
                () = stopped => {}
                () = &mut patience => return Ok(Vec::new()),
                () = endpoint.stopping().cancelled() => return Err(stopping()),
            }
        }
    }

    /// Takes a worker's report on a job, of so many bytes. One on a job that the worker does not
    /// have, or no longer, is ignored.
    pub(crate) fn report(
        self,
        worker: &str,
        id: &str,
        report: Report,
        bytes: usize,
        max: impl FnOnce(Mode) -> usize,
    ) -> Result<(), Refusal> {
        self.endpoint.access(|state, now| {
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
                        state.revision += 1;
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

    fn take_result(self, state: &mut State, worker: &str, id: &str, ending: Ending, now: Moment) {
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
        self.endpoint.conclude(state, &id, ending, now);
    }

    /// A report on a job was refused. Where that is `for_good`, the worker can only drop it.
    pub(crate) fn note_refusal(self, worker: &str, id: &str, why: &str, for_good: bool) {
        let is_new = self.endpoint.access(|state, _| {
            let has_job = state.attached.has(worker, id);
            let job = state.jobs.get_mut(id).filter(|_| has_job);
            job.is_some_and(|job| !for_good || job.note_refusal(why))
        });
        if is_new {
            let words = format!("a report on the job {id} was refused: {why}");
            self.crew.logs.say(worker, Some(id), words);
        }
    }

    /// Takes a chunk of a job's output, unless the worker does not have the job.
    pub(crate) fn chunk(self, worker: &str, id: &str, chunk: Chunk) {
        let shown = self.endpoint.to_show(&chunk.output);
        self.endpoint.access(|state, _| {
            if state.attached.has(worker, id) {
                state.emit(id, chunk.output, chunk.metrics, shown);
            }
        });
    }

    /// A worker reports that it is alive, what it runs, and whether it is well.
    pub(crate) fn ping<'a>(
        self,
        worker: &str,
        runs: impl Iterator<Item = &'a str>,
        unhealthy: Option<Unhealthy>,
    ) {
        let Self { endpoint, .. } = self;
        endpoint.access(|state, now| {
            for job in runs {
                state.check_claim(worker, job);
            }
            let Some(id) = state.attached.id_of(worker) else { return };
            if state.fleet.is_here(id) {
                endpoint.note_life(state, id, now);
            }
            let Some(worker) = state.attached.get(id) else { return };
            worker.last_ping = Some(now);
            let is_lasting = worker.note_health(unhealthy);
            let retired = worker.is_leaving || worker.unhealthy.is_some();
            let is_free = worker.jobs.is_empty();
            state.revision += 1;
            state.fleet.retire(id, retired);
            if is_lasting && is_free && endpoint.runner.origin() == Origin::Program {
                endpoint.lose(state, id, "is unhealthy and has not ended", now);
            }
        });
    }

    /// The workers that are attached or expected.
    pub(crate) fn workers(self) -> Vec<WorkerRecord> {
        self.endpoint.access(|state, _| {
            let record = |(id, worker): (WorkerId, &Worker)| WorkerRecord {
                id: worker.name.to_string(),
                status: state.fleet.activity(id),
                jobs: worker.jobs.iter().map(|id| id.to_string()).collect(),
                missed_pings: worker.missed_pings,
                last_ping_ms: worker.last_ping.map(milliseconds),
                unhealthy: worker.unhealthy.clone(),
            };
            state.attached.iter().map(record).collect()
        })
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
