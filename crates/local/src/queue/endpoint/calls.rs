//! What the callers of the queue ask of an endpoint (interface: "Serverless queue operations").

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;

use super::Endpoint;
use super::state::unknown_job;
use crate::clock::Moment;
use crate::queue::health::Health;
use crate::queue::job::{Job, JobId, Mode, Receipt, Record, Status};
use crate::queue::submission::Submission;
use crate::refusal::Refusal;

/// What has become of a job since somebody last looked.
pub(crate) struct News {
    pub(crate) record: Record,
    /// The attempt that this is about.
    pub(crate) attempt: u64,
    pub(crate) chunks: Vec<Value>,
    /// Why a report of the worker that has the job was refused for good.
    pub(crate) refusal: Option<Arc<str>>,
}

impl Endpoint {
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

    /// Returns the time on the clock, and what tells when to look at a job again.
    pub(crate) fn watch(self: &Arc<Self>, id: &str) -> Result<(Moment, Arc<Notify>), Refusal> {
        self.access(|state, now| Ok((now, state.job(id)?.changed.clone())))
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
}
