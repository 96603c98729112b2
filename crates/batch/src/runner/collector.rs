//! Collector: polls outstanding jobs until they end, and records their outputs.
//!
//! A job becomes outstanding when its submission ends, when a run resumes it, when it is recovered
//! from another process, or when a webhook call names it; it is in the [`Schedule`] from then on
//! until its end is recorded:
//!
//! ```text
//! asleep ──due──▶ polled by a task (poll) ──not ended──▶ asleep, for longer
//!                          └──ended, and recorded──▶ removed
//! ```
//!
//! If the batch is cancelled, each job is first cancelled by a call; the next poll shows the
//! result. Webhook calls are about inputs whose outcome is unknown. A call that comes while its
//! submission is in flight is held until that ends: only then is it known if the input is unknown.
//!
//! Invariant: a job is polled only after its id is durable, by one poll at a time, and leaves the
//! schedule only after its end is durable. It holds because all events come after their commits,
//! and a job that is being polled is neither asleep nor due. The outputs that are being read fit
//! into the [`OutputBudget`] budget of memory.
//!
//! Checked by `each_step_is_durable_before_the_next_one`,
//! `jobs_are_polled_by_earliest_expiry_of_ttl_or_retention`,
//! `after_29_minutes_every_result_is_collected`,
//! `early_webhook_calls_wait_for_the_outcome_of_their_attempt`,
//! `webhooks_resolve_every_accepted_input_of_a_batch_that_is_killed`.

mod poll;
mod schedule;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use podqueue::{Endpoint, Policy};
use tokio::time::Instant;

use self::poll::{OutputBudget, PollOutcome, Polled, Seen, poll_and_record};
use self::schedule::{Outstanding, Schedule};
use super::coordinator::Coordinator;
use super::tasks::Tasks;
use crate::error::Result;
use crate::handle_state::{HandleState, Resolved, WebhookCall, not_yet};
use crate::run::settings::Settings;
use crate::store::{Input, RunRecord};
use crate::webhook::Ticket;

/// Largest number of polls in flight: a slow response delays no other poll.
const MAX_POLLS_IN_FLIGHT: usize = 64;

/// Largest number of cancel calls in flight.
const CANCEL_CALLS: usize = 16;

/// Shortest interval after a poll that failed or found nothing.
const SHORTEST_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Collects the outstanding jobs of a run.
pub(super) struct Collector {
    shared: Arc<HandleState>,
    settings: Settings,
    /// The number of the run.
    run: u64,
    /// The endpoint of each run that can be reached, and the ttl of its jobs.
    endpoints: HashMap<u64, (Endpoint, Duration)>,
    tasks: Tasks<CollectorEvent>,
    schedule: Schedule,
    polling: usize,
    outputs: OutputBudget,
    /// Number of jobs whose endpoint is not known.
    not_collected: u64,
    cancelling: Option<Cancelling>,
    /// Webhook calls about inputs whose submission is in flight.
    held: HashMap<u64, Vec<WebhookCall>>,
}

/// The jobs of a batch that is cancelled.
struct Cancelling {
    /// The inputs whose jobs are still to be cancelled.
    left: Vec<u64>,
    /// The inputs whose jobs are being cancelled.
    calls: HashSet<u64>,
}

enum CollectorEvent {
    Polled(Box<Polled>),
    /// The call that cancels the job of this input has returned.
    Cancelled(u64),
    /// A webhook call named the job of an input whose outcome was unknown.
    Resolved(Result<Resolved>),
    Panicked,
}

impl Collector {
    pub(super) fn new(shared: Arc<HandleState>, settings: Settings, run: u64) -> Self {
        Self {
            shared,
            settings,
            run,
            endpoints: HashMap::new(),
            tasks: Tasks::new(),
            schedule: Schedule::default(),
            polling: 0,
            outputs: OutputBudget::new(),
            not_collected: 0,
            cancelling: None,
            held: HashMap::new(),
        }
    }

    /// Returns the number of outstanding jobs.
    pub(super) fn outstanding(&self) -> usize {
        self.schedule.len()
    }

    /// Returns the number of jobs that were submitted to endpoints that this run does not know.
    pub(super) fn not_collected(&self) -> u64 {
        self.not_collected
    }

    /// Returns true if nothing is outstanding.
    pub(super) fn is_idle(&self) -> bool {
        self.polling == 0 && self.schedule.len() == 0
    }

    pub(super) fn is_cancelling(&self) -> bool {
        self.cancelling.is_some()
    }

    /// Returns the time of the next poll, if it is to be waited for.
    pub(super) fn wakes_at(&self, coordinator: &Coordinator) -> Option<Instant> {
        self.schedule.wakes_at().filter(|_| self.can_poll(coordinator))
    }

    fn can_poll(&self, coordinator: &Coordinator) -> bool {
        self.polling < MAX_POLLS_IN_FLIGHT.min(coordinator.half_of_connections())
            && coordinator.may_poll()
    }

    /// Schedules jobs of an earlier run, or of another process.
    pub(super) fn resume(&mut self, runs: &[(u64, RunRecord)], inputs: Vec<Input>) {
        self.register(runs);
        for input in inputs {
            if let Some(cancelling) = &mut self.cancelling {
                cancelling.left.push(input.index);
            }
            if !self.schedule.has(input.index) {
                self.resume_job(&input);
            }
        }
    }

    fn resume_job(&mut self, input: &Input) {
        let found = input.run.and_then(|run| self.endpoints.get(&run));
        let (Some((endpoint, ttl)), Some(job_id)) = (found, &input.job_id) else {
            self.not_collected += 1;
            return;
        };
        let ticket = Ticket { index: input.index, attempt: input.attempt };
        let submitted_at = input.submitted_at.unwrap_or_default();
        let mut job = Outstanding::new(ticket, endpoint.job(job_id), submitted_at, *ttl);
        (job.seen_at, job.recorded_at) = (input.seen_at, input.seen_at);
        self.schedule.add_due(job);
    }

    /// Registers the endpoints of these runs.
    fn register(&mut self, runs: &[(u64, RunRecord)]) {
        for (run, record) in runs {
            if let Some(endpoint) = self.settings.endpoint_of(record) {
                let ttl = record.ttl.map_or(Policy::DEFAULT_TTL, Duration::from_millis);
                self.endpoints.insert(*run, (endpoint, ttl));
            }
        }
    }

    /// A submission has ended: schedules the job, if there is one, and applies the webhook calls
    /// that were held until then.
    pub(super) fn submission_ended(&mut self, ticket: Ticket, accepted: Option<(String, u64)>) {
        if let Some((job_id, at)) = accepted {
            let (endpoint, ttl) = match self.endpoints.get(&self.run) {
                Some((endpoint, ttl)) => (endpoint, *ttl),
                None => (&self.settings.endpoint, Policy::DEFAULT_TTL),
            };
            self.schedule.add(Outstanding::new(ticket, endpoint.job(job_id), at, ttl));
        }
        for call in self.held.remove(&ticket.index).unwrap_or_default() {
            self.deliver(call, false);
        }
    }

    /// Polls the jobs that are due.
    pub(super) fn poll_more(&mut self, coordinator: &mut Coordinator) {
        while self.can_poll(coordinator) {
            let Some(job) = self.schedule.next_due() else { return };
            self.polling += 1;
            coordinator.call_began();
            let (shared, outputs) = (Arc::clone(&self.shared), self.outputs.clone());
            self.tasks.spawn(CollectorEvent::Panicked, async move {
                CollectorEvent::Polled(Box::new(poll_and_record(&shared, &outputs, job).await))
            });
        }
    }

    /// Begins to cancel all outstanding jobs.
    pub(super) fn cancel_all(&mut self) {
        let left = self.schedule.indexes().collect();
        self.cancelling = Some(Cancelling { left, calls: HashSet::new() });
    }

    /// Cancels further jobs, if the batch is cancelled.
    pub(super) fn cancel_more(&mut self, coordinator: &Coordinator) {
        let Some(cancelling) = &mut self.cancelling else { return };
        while coordinator.may_poll() && cancelling.calls.len() < CANCEL_CALLS {
            let Some(index) = cancelling.left.pop() else { return };
            let Some(job) = self.schedule.job(index) else { continue };
            cancelling.calls.insert(index);
            self.tasks.spawn(CollectorEvent::Panicked, async move {
                // If the call fails, the job continues, and is collected as any other.
                let _ = job.cancel().await;
                CollectorEvent::Cancelled(index)
            });
        }
    }

    /// Applies a webhook call, or holds it while the submission that it is about is in flight.
    pub(super) fn deliver(&mut self, call: WebhookCall, is_in_flight: bool) {
        let index = call.ticket.index;
        if self.schedule.has(index) {
            // The next poll reads the whole record; until then, the call needs no further action.
            let _ = call.reply.send(Ok(()));
        } else if is_in_flight {
            // All of them: they may be about different attempts.
            self.held.entry(index).or_default().push(call);
        } else {
            self.resolve(call);
        }
    }

    /// Records the job of an input whose outcome is unknown.
    fn resolve(&mut self, call: WebhookCall) {
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(CollectorEvent::Panicked, async move {
            let WebhookCall { ticket, job_id, reply } = call;
            let resolved = shared.resolve(ticket, job_id).await;
            // The caller may have stopped waiting.
            let _ = reply.send(match &resolved {
                Ok(Resolved::NotYet) => Err(not_yet(ticket)),
                Ok(_) => Ok(()),
                Err(error) => Err(error.again()),
            });
            CollectorEvent::Resolved(resolved)
        });
    }

    /// Waits for an event, which [`apply_event`](Self::apply_event) applies. Cancel-safe.
    pub(super) async fn event(&mut self) {
        self.tasks.arrived().await;
    }

    /// Applies the next event. Returns false if there is none.
    pub(super) fn apply_event(&mut self, coordinator: &mut Coordinator) -> bool {
        let Some(event) = self.tasks.try_next() else { return false };
        // Calls that say nothing new do not keep the run waiting for more.
        if !matches!(event, CollectorEvent::Resolved(Ok(Resolved::Nothing | Resolved::NotYet))) {
            coordinator.record_activity();
        }
        match event {
            CollectorEvent::Polled(polled) => self.polled(*polled, coordinator),
            CollectorEvent::Cancelled(index) => {
                if let Some(cancelling) = &mut self.cancelling {
                    cancelling.calls.remove(&index);
                }
                self.schedule.cancelled(index);
            }
            CollectorEvent::Resolved(Ok(Resolved::Job(found))) => {
                let (input, runs) = *found;
                self.register(&runs);
                if !self.schedule.has(input.index) {
                    self.resume_job(&input);
                }
            }
            CollectorEvent::Resolved(Ok(Resolved::Nothing | Resolved::NotYet)) => {}
            CollectorEvent::Resolved(Err(error)) => coordinator.fail(error),
            CollectorEvent::Panicked => coordinator.panicked(),
        }
        true
    }

    fn polled(&mut self, polled: Polled, coordinator: &mut Coordinator) {
        let Polled { mut job, outcome, recorded } = polled;
        let index = job.ticket.index;
        self.polling -= 1;
        coordinator.call_ended();
        match recorded {
            Ok(()) => {}
            // A run that can read its key collects it.
            Err(error) if error.is_of_inputs() => {
                self.schedule.remove(index);
                return coordinator.fail_to_submit(error);
            }
            Err(error) => return coordinator.fail(error),
        }
        match &outcome {
            PollOutcome::Transient(error) | PollOutcome::Fatal(error) => {
                let description = coordinator.describe(error);
                coordinator.not_polled(index, description);
            }
            PollOutcome::Unfinished(Seen::Undocumented(status)) => {
                coordinator.not_polled(index, status.clone());
            }
            _ => coordinator.polled(index),
        }
        match &outcome {
            PollOutcome::Unfinished(Seen::Running | Seen::Undocumented(_)) => {
                (job.missing, job.unseen_since) = (0, None);
            }
            _ => {
                job.unseen_since.get_or_insert_with(Instant::now);
            }
        }
        match outcome {
            PollOutcome::Ended { ended, took, .. } => {
                coordinator.ended(ended.state);
                coordinator.record_response();
                self.schedule.remove(index);
                if let Some(took) = took {
                    self.schedule.took(took);
                }
            }
            PollOutcome::Unfinished(seen) => {
                coordinator.record_response();
                let least = match seen {
                    Seen::Running | Seen::Undocumented(_) => Duration::ZERO,
                    Seen::Missing => {
                        job.missing += 1;
                        SHORTEST_RETRY_INTERVAL
                    }
                };
                self.schedule.keep(job, least);
            }
            PollOutcome::Transient(error) => {
                self.schedule.keep(
                    job,
                    error.retry_after().unwrap_or_default().max(SHORTEST_RETRY_INTERVAL),
                );
                if error.status().is_some() {
                    coordinator.record_response();
                }
                coordinator.unreached(error);
            }
            PollOutcome::Fatal(error) => {
                self.schedule.keep(job, SHORTEST_RETRY_INTERVAL);
                coordinator.refused(error);
            }
        }
    }

    /// Aborts the calls in flight: their jobs are polled again by the next run.
    pub(super) async fn shutdown(&mut self) {
        self.tasks.shutdown().await;
    }
}
