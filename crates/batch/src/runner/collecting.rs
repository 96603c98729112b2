//! Collecting the results of outstanding jobs.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::core::{Happened, Runner};
use super::look::{Look, Looked, Seen, look_and_record};
use super::outputs::POLLS;
use super::schedule::Outstanding;
use crate::error::Result;
use crate::shared::{Delivered, Resolved, not_yet};
use crate::state::State;
use crate::store::Input;
use crate::unknown::OnUnknown;

/// How long after a look that failed, or found nothing, the next one comes at least.
const AGAIN: Duration = Duration::from_secs(1);

impl Runner {
    /// Takes up a job of an earlier run.
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

    pub(super) fn can_look(&self) -> bool {
        self.looking < POLLS.min(self.connections.half()) && self.may_look()
    }

    pub(super) fn look_at_more(&mut self) {
        while self.can_look() {
            let Some(at) = self.schedule.next_due() else { return };
            self.looking += 1;
            let (shared, outputs) = (Arc::clone(&self.shared), self.outputs.clone());
            let look = self.task(None, async move {
                Happened::Looked(look_and_record(&shared, &outputs, at).await)
            });
            self.tasks.spawn(look);
        }
    }

    pub(super) fn looked(&mut self, looked: Looked) {
        let Looked { mut at, look, recorded } = looked;
        self.looking -= 1;
        match recorded {
            Ok(()) => {}
            // It is left to a run that can read its key.
            Err(error) if error.is_of_inputs() => {
                self.schedule.remove(at.index);
                return self.fail_to_submit(error);
            }
            Err(error) => return self.fail(error),
        }
        match &look {
            Look::Nothing(error) | Look::Stop(error) => {
                let words = self.words(error);
                self.trouble.unseen(at.index, words);
            }
            Look::GoesOn(Seen::Odd(status)) => self.trouble.unseen(at.index, status.clone()),
            _ => self.trouble.seen(at.index),
        }
        match &look {
            Look::GoesOn(Seen::Unfinished | Seen::Odd(_)) => {
                (at.missing, at.unseen_since) = (0, None);
            }
            _ => {
                at.unseen_since.get_or_insert_with(Instant::now);
            }
        }
        match look {
            Look::Ended { ended, took, .. } => {
                self.ended(ended.state);
                self.last_contact = Instant::now();
                self.schedule.remove(at.index);
                if let Some(took) = took {
                    self.schedule.took(took);
                }
            }
            Look::GoesOn(seen) => {
                self.last_contact = Instant::now();
                let least = match seen {
                    Seen::Unfinished | Seen::Odd(_) => Duration::ZERO,
                    Seen::Missing => {
                        at.missing += 1;
                        AGAIN
                    }
                };
                self.schedule.keep(at, least);
            }
            Look::Nothing(error) => {
                self.schedule.keep(at, error.retry_after().unwrap_or_default().max(AGAIN));
                if error.status().is_some() {
                    self.last_contact = Instant::now();
                }
                self.unreached(error);
            }
            Look::Stop(error) => {
                self.schedule.keep(at, AGAIN);
                self.refused(error);
            }
        }
    }

    /// Whether calls of webhooks may still tell what became of inputs.
    pub(super) fn awaits_deliveries(&self) -> bool {
        matches!(self.shared.on_unknown, OnUnknown::ByWebhook(_))
            && self.may_submit()
            && self.counts.of(State::Unknown) > 0
            && self.last_event.elapsed() < self.settings.await_webhooks
    }

    /// A webhook was called.
    pub(super) fn delivered(&mut self, delivered: Delivered) {
        // The next look tells all there is; until then, what the call says is enough.
        if self.schedule.has(delivered.ticket.index) {
            let _ = delivered.reply.send(Ok(()));
        } else if self.submitting.is_in_flight(delivered.ticket.index) {
            // All of them: they may be about different attempts.
            self.told.entry(delivered.ticket.index).or_default().push(delivered);
        } else {
            self.resolve(delivered);
        }
    }

    /// Records the job of an input whose outcome is unknown.
    fn resolve(&mut self, delivered: Delivered) {
        let shared = Arc::clone(&self.shared);
        let resolve = self.task(None, async move {
            let Delivered { ticket, job_id, reply } = delivered;
            let resolved = shared.resolve(ticket, job_id).await;
            // Whoever passed the call on may have stopped waiting.
            let _ = reply.send(match &resolved {
                Ok(Resolved::NotYet) => Err(not_yet(ticket)),
                Ok(_) => Ok(()),
                Err(error) => Err(error.again()),
            });
            Happened::Resolved(resolved)
        });
        self.tasks.spawn(resolve);
    }

    pub(super) fn resolved(&mut self, resolved: Result<Resolved>) {
        match resolved {
            Ok(Resolved::Job(found)) => {
                let (input, runs) = *found;
                self.know(&runs);
                if !self.schedule.has(input.index) {
                    self.resume(input);
                }
            }
            Ok(_) => {}
            Err(error) => self.fail(error),
        }
    }
}
