//! What happens to an endpoint by itself: what has become due, and the jobs that workers start on.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::state::{Due, State};
use super::{Endpoint, Runner};
use crate::clock::Moment;
use crate::queue::job::{Fate, Job};
use crate::worker::{Handler, JobContext, LocalJob, WorkerId, run};

/// How long a handler that was told to stop may go on to tidy up, in real time. Its worker is
/// free for another job meanwhile.
const GRACE: Duration = Duration::from_secs(1);

impl Endpoint {
    /// Brings about everything that is due by `now`, in the order of time.
    pub(super) fn settle(&self, state: &mut State, now: Moment) {
        while let Some((at, due)) = state.calendar.pop_due(now) {
            state.revision += 1;
            match due {
                Due::Worker(worker) => {
                    let (stopped, reminder) = state.fleet.remind(worker);
                    state.remind_later(worker, reminder, at);
                    if stopped {
                        state.dismiss(worker);
                        if let Runner::Handler(handler) = &self.runner {
                            handler.worker_stopped(worker);
                        }
                    }
                }
                // Whatever calls for a worker gets it right after this.
                Due::Start => {}
                Due::Ping(worker) => self.miss_ping(state, worker, at, now),
                Due::Job(id) => match state.jobs.get(&id).map(Job::fate) {
                    Some((_, Fate::Deleted)) => state.expire(&id, at),
                    Some((_, Fate::TimedOut)) => {
                        if let Some(mut job) = state.jobs.remove(&id) {
                            state.leave(&job, at);
                            state.totals.fail();
                            job.time_out(at);
                            self.announce(&job, at);
                            state.schedule(&job);
                            state.jobs.insert(job);
                        }
                    }
                    None => {}
                },
            }
        }
    }

    /// Hands queued jobs to idle workers, and starts workers where jobs call for them.
    pub(super) fn dispatch(self: &Arc<Self>, state: &mut State, now: Moment) {
        loop {
            match &self.runner {
                Runner::Handler(handler) => {
                    while !state.queue.is_empty()
                        && let Some(worker) = state.fleet.take_idle()
                    {
                        self.run_next(handler, state, worker, now);
                    }
                }
                Runner::Attached(_) => state.hand_out(now),
            }
            if !state.fleet.wants_more(state.calling) {
                return;
            }
            if let Some(later) = state.starts.wait_until(now) {
                state.calendar.set(Due::Start, later);
                return;
            }
            state.revision += 1;
            let (worker, reminder) = state.fleet.start();
            state.remind_later(worker, reminder, now);
            if let Runner::Attached(crew) = &self.runner {
                self.start_program(crew, state, worker);
            }
        }
    }

    fn run_next(
        self: &Arc<Self>,
        handler: &Arc<dyn Handler>,
        state: &mut State,
        worker: WorkerId,
        now: Moment,
    ) {
        let Some((job, stop)) = state.start_next(worker, now) else { return };
        let (id, attempt) = (job.id.clone(), job.attempt);
        let work = self.work(job, worker, stop.clone(), now);
        let (endpoint, handler) = (self.clone(), handler.clone());
        self.tasks.spawn(async move {
            let told_to_stop = async {
                stop.cancelled().await;
                tokio::time::sleep(GRACE).await;
            };
            tokio::select! {
                biased;
                outcome = run(handler.as_ref(), work) => {
                    endpoint.finish(&id, attempt, outcome);
                }
                () = told_to_stop => {}
            }
        });
    }

    /// The job as its handler gets it.
    fn work(
        self: &Arc<Self>,
        job: &Job,
        worker: WorkerId,
        stop: CancellationToken,
        now: Moment,
    ) -> LocalJob {
        LocalJob {
            id: job.id.to_string(),
            input: job.submission.input.clone(),
            policy: job.submission.policy,
            s3_config: job.submission.s3_config.clone(),
            context: JobContext {
                reports: self.clone(),
                id: job.id.clone(),
                attempt: job.attempt,
                worker,
                stop,
                clock: self.clock.clone(),
                time: Arc::new(Mutex::new(now)),
            },
        }
    }

    /// Does what is due when nobody asks, for as long as the service runs.
    pub(super) async fn sweep(self: Arc<Self>) {
        loop {
            let next = self.noting_changes(|state| {
                let now = self.clock.now();
                self.settle(state, now);
                self.dispatch(state, now);
                state.sweep_at = state.calendar.next();
                state.sweep_at
            });
            let due = async {
                match next {
                    Some(next) => self.clock.wait_until(next).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => {}
                () = self.earlier.notified() => {}
            }
        }
    }
}

impl State {
    /// Gives the job that is next in the queue to a worker.
    pub(super) fn start_next(
        &mut self,
        worker: WorkerId,
        now: Moment,
    ) -> Option<(&Job, CancellationToken)> {
        self.revision += 1;
        let (_, id) = self.queue.pop_first()?;
        let name = self.attached.name_of(worker);
        let (job, stop) = self.jobs.change(&id, |job| job.start(worker, name, now))?;
        if job.calls_for_worker() {
            self.calling -= 1;
        }
        self.calendar.set(Due::Job(id), job.fate().0);
        Some((job, stop))
    }
}
