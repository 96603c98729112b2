//! Periodic maintenance of a run.

use std::time::Duration;

use tokio::time::Instant;

use super::core::{EndedCounts, Runner};
use crate::progress::{Progress, Stopped};
use crate::requests::{Pace, is_cancel_requested};
use crate::state::State;

/// Interval at which the pace is published for other processes.
const PUBLISHED: Duration = Duration::from_secs(2);

impl Runner {
    /// Measures the rate, reports progress, recovers peers, and reads appended inputs and requests.
    pub(super) async fn maintain(&mut self) {
        let now = Instant::now();
        let standing = self.peers.standing.clone();
        let checked = self.shared.journal.with(move |state| {
            state.check()?;
            state.results.check_in_place()?;
            let is_cancelled = is_cancel_requested(&mut *state.store, standing.as_deref())?;
            Ok((state.store.tally()?, is_cancelled))
        });
        match checked.await {
            Ok((tally, is_cancelled)) => {
                self.counts = tally.counts;
                if is_cancelled {
                    self.cancel().await;
                }
            }
            Err(error) => self.fail(error),
        }
        self.connections.grow();
        self.recover_peers().await;
        self.rate.measure(self.counts.ended().saturating_sub(self.ended_before), now);
        let rate = self.rate.per_second();
        // What peers collect does not widen this window.
        self.drained.measure(self.ended.inputs.saturating_sub(self.ended_before), now);
        self.window.drains_at(self.drained.per_second().unwrap_or_default(), now);
        self.stop_if_too_many_failed();
        if self.submissions.is_exhausted && self.may_submit() {
            self.index_appended_inputs().await;
        }
        let pace = Pace { rate, window: self.window.size(), trouble: self.errors.summary() };
        self.publish(&pace, now).await;
        self.reporter.report(Progress {
            counts: self.counts,
            rate,
            eta: pace.eta(&self.counts),
            elapsed: self.started.elapsed(),
            window: pace.window,
            trouble: pace.trouble,
        });
    }

    /// An input has ended, in this state.
    pub(super) fn ended(&mut self, state: State) {
        self.ended.inputs += 1;
        self.ended.failures += u64::from(state.is_failure());
        self.stop_if_too_many_failed();
    }

    pub(super) fn stop_if_too_many_failed(&mut self) {
        let counted = EndedCounts { inputs: self.counts.ended(), failures: self.counts.failures() };
        let known = if counted.inputs > self.ended.inputs { counted } else { self.ended };
        let most = self.settings.max_failures;
        let is_too_much = most.is_some_and(|it| it.are_exceeded(known.failures, known.inputs));
        if is_too_much && self.stopped.is_none() {
            self.stopped = Some(Stopped::TooManyFailures);
        }
    }

    /// Publishes the pace for other processes.
    async fn publish(&mut self, pace: &Pace, now: Instant) {
        let (at, last) = &self.published;
        if last.as_ref() != Some(pace) && (last.is_none() || now - *at >= PUBLISHED) {
            self.published = (now, Some(pace.clone()));
            let pace = pace.clone();
            let published = self.shared.journal.with(move |state| pace.write(&mut *state.store));
            if let Err(error) = published.await {
                self.fail(error);
            }
        }
    }

    /// Indexes what was appended to the inputs.
    async fn index_appended_inputs(&mut self) {
        let is_first = !self.submissions.has_checked_for_more;
        let grown = self.shared.journal.with(move |state| {
            let grown = state.grow()?;
            // Nothing else is pending.
            if is_first && !grown {
                state.end_late_copies()?;
            }
            Ok(grown)
        });
        match grown.await {
            Ok(true) => self.submissions.is_exhausted = false,
            // The last line is left alone while it is in flight, and so is what follows it.
            Ok(false) => self.submissions.has_checked_for_more = self.submissions.is_idle(),
            Err(error) => self.fail_to_submit(error),
        }
    }
}
