//! Collection: polls outstanding jobs that are due, and applies webhook calls.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::core::{Runner, RunnerEvent};
use super::outputs::POLLS;
use super::poll::{PollOutcome, Polled, Seen, poll_and_record};
use super::schedule::Outstanding;
use crate::error::Result;
use crate::shared::{Resolved, WebhookCall, not_yet};
use crate::state::State;
use crate::store::Input;
use crate::submit::OnUnknown;

/// Shortest interval after a poll that failed or found nothing.
const AGAIN: Duration = Duration::from_secs(1);

impl Runner {
    /// Schedules a job of an earlier run.
    pub(super) fn resume(&mut self, input: Input) {
        let place = input.run.and_then(|run| self.endpoints.get(&run));
        let (Some((endpoint, ttl)), Some(job_id)) = (place, &input.job_id) else {
            self.not_collected += 1;
            return;
        };
        let now = Instant::now();
        self.schedule.add_due(Outstanding {
            index: input.index,
            attempt: input.attempt,
            job: endpoint.job(job_id),
            submitted_at: input.submitted_at.unwrap_or_default(),
            seen_at: input.seen_at,
            recorded_at: input.seen_at,
            ttl: *ttl,
            missing: 0,
            unseen_since: None,
            is_cancelled: false,
            asleep_until: None,
            since: now,
            known_since: now,
        });
    }

    pub(super) fn can_poll(&self) -> bool {
        self.polling < POLLS.min(self.connections.half()) && self.may_poll()
    }

    pub(super) fn poll_more(&mut self) {
        while self.can_poll() {
            let Some(at) = self.schedule.next_due() else { return };
            self.polling += 1;
            let (shared, outputs) = (Arc::clone(&self.shared), self.outputs.clone());
            let poll = self.task(None, async move {
                RunnerEvent::Polled(poll_and_record(&shared, &outputs, at).await)
            });
            self.tasks.spawn(poll);
        }
    }

    pub(super) fn polled(&mut self, polled: Polled) {
        let Polled { mut at, outcome, recorded } = polled;
        self.polling -= 1;
        match recorded {
            Ok(()) => {}
            // A run that can read its key collects it.
            Err(error) if error.is_of_inputs() => {
                self.schedule.remove(at.index);
                return self.fail_to_submit(error);
            }
            Err(error) => return self.fail(error),
        }
        match &outcome {
            PollOutcome::Nothing(error) | PollOutcome::Stop(error) => {
                let description = self.describe(error);
                self.errors.unseen(at.index, description);
            }
            PollOutcome::Unfinished(Seen::Odd(status)) => {
                self.errors.unseen(at.index, status.clone())
            }
            _ => self.errors.seen(at.index),
        }
        match &outcome {
            PollOutcome::Unfinished(Seen::Running | Seen::Odd(_)) => {
                (at.missing, at.unseen_since) = (0, None);
            }
            _ => {
                at.unseen_since.get_or_insert_with(Instant::now);
            }
        }
        match outcome {
            PollOutcome::Ended { ended, took, .. } => {
                self.ended(ended.state);
                self.last_contact = Instant::now();
                self.schedule.remove(at.index);
                if let Some(took) = took {
                    self.schedule.took(took);
                }
            }
            PollOutcome::Unfinished(seen) => {
                self.last_contact = Instant::now();
                let least = match seen {
                    Seen::Running | Seen::Odd(_) => Duration::ZERO,
                    Seen::Missing => {
                        at.missing += 1;
                        AGAIN
                    }
                };
                self.schedule.keep(at, least);
            }
            PollOutcome::Nothing(error) => {
                self.schedule.keep(at, error.retry_after().unwrap_or_default().max(AGAIN));
                if error.status().is_some() {
                    self.last_contact = Instant::now();
                }
                self.unreached(error);
            }
            PollOutcome::Stop(error) => {
                self.schedule.keep(at, AGAIN);
                self.refused(error);
            }
        }
    }

    /// Whether webhook calls may still resolve unknown inputs.
    pub(super) fn awaits_deliveries(&self) -> bool {
        matches!(self.shared.on_unknown, OnUnknown::ByWebhook(_))
            && self.may_submit()
            && self.counts.of(State::Unknown) > 0
            && self.last_event.elapsed() < self.settings.await_webhooks
    }

    /// A webhook was called.
    pub(super) fn delivered(&mut self, delivered: WebhookCall) {
        // The next poll reads the whole record; until then, the call needs no further action.
        if self.schedule.has(delivered.ticket.index) {
            let _ = delivered.reply.send(Ok(()));
        } else if self.submissions.is_in_flight(delivered.ticket.index) {
            // All of them: they may be about different attempts.
            self.deliveries.entry(delivered.ticket.index).or_default().push(delivered);
        } else {
            self.resolve(delivered);
        }
    }

    /// Records the job of an input whose outcome is unknown.
    fn resolve(&mut self, delivered: WebhookCall) {
        let shared = Arc::clone(&self.shared);
        let resolve = self.task(None, async move {
            let WebhookCall { ticket, job_id, reply } = delivered;
            let resolved = shared.resolve(ticket, job_id).await;
            // The caller may have stopped waiting.
            let _ = reply.send(match &resolved {
                Ok(Resolved::NotYet) => Err(not_yet(ticket)),
                Ok(_) => Ok(()),
                Err(error) => Err(error.again()),
            });
            RunnerEvent::Resolved(resolved)
        });
        self.tasks.spawn(resolve);
    }

    pub(super) fn resolved(&mut self, resolved: Result<Resolved>) {
        match resolved {
            Ok(Resolved::Job(found)) => {
                let (input, runs) = *found;
                self.register_runs(&runs);
                if !self.schedule.has(input.index) {
                    self.resume(input);
                }
            }
            Ok(_) => {}
            Err(error) => self.fail(error),
        }
    }
}
