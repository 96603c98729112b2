//! What a run does every now and then.

use std::time::Duration;

use tokio::time::Instant;

use super::core::{Ended, Runner};
use crate::progress::{Progress, Stopped};
use crate::requests::{Pace, is_cancel_requested};
use crate::state::State;

/// How often other processes are let know how the run goes.
const PUBLISHED: Duration = Duration::from_secs(2);

impl Runner {
    /// Measures, reports progress, and looks whether there is more or less to do.
    pub(super) async fn tick(&mut self) {
        let now = Instant::now();
        let standing = self.others.standing.clone();
        let looked = self.shared.journal.with(move |keeper| {
            keeper.check()?;
            keeper.results.check_in_place()?;
            let is_cancelled = is_cancel_requested(&mut *keeper.store, standing.as_deref())?;
            Ok((keeper.store.tally()?, is_cancelled))
        });
        match looked.await {
            Ok((tally, is_cancelled)) => {
                self.counts = tally.counts;
                if is_cancelled {
                    self.cancel().await;
                }
            }
            Err(error) => self.fail(error),
        }
        self.connections.grow();
        self.look_after_others().await;
        self.rate.measure(self.counts.ended().saturating_sub(self.ended_before), now);
        let rate = self.rate.per_second();
        // What others collect makes no room here.
        self.drained.measure(self.ended.inputs.saturating_sub(self.ended_before), now);
        self.window.drains_at(self.drained.per_second().unwrap_or_default(), now);
        self.stop_if_too_many_failed();
        if self.submitting.is_exhausted && self.may_submit() {
            self.look_for_more_inputs().await;
        }
        let pace = Pace { rate, window: self.window.size(), trouble: self.trouble.say() };
        self.publish(&pace, now).await;
        self.tell.say(Progress {
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
        let counted = Ended { inputs: self.counts.ended(), failures: self.counts.failures() };
        let known = if counted.inputs > self.ended.inputs { counted } else { self.ended };
        let most = self.settings.max_failures;
        let is_too_much = most.is_some_and(|it| it.are_exceeded(known.failures, known.inputs));
        if is_too_much && self.stopped.is_none() {
            self.stopped = Some(Stopped::TooManyFailures);
        }
    }

    /// Lets other processes know how the run goes.
    async fn publish(&mut self, pace: &Pace, now: Instant) {
        let (at, last) = &self.published;
        if last.as_ref() != Some(pace) && (last.is_none() || now - *at >= PUBLISHED) {
            self.published = (now, Some(pace.clone()));
            let pace = pace.clone();
            let published = self.shared.journal.with(move |keeper| pace.write(&mut *keeper.store));
            if let Err(error) = published.await {
                self.fail(error);
            }
        }
    }

    /// Takes up what was appended to the inputs.
    async fn look_for_more_inputs(&mut self) {
        let is_first = !self.submitting.has_looked_for_more;
        let grown = self.shared.journal.with(move |keeper| {
            let grown = keeper.grow()?;
            // Nothing else is pending.
            if is_first && !grown {
                keeper.end_late_copies()?;
            }
            Ok(grown)
        });
        match grown.await {
            Ok(true) => self.submitting.is_exhausted = false,
            // The last line is left alone while it is in flight, and so is what follows it.
            Ok(false) => self.submitting.has_looked_for_more = self.submitting.is_idle(),
            Err(error) => self.fail_to_submit(error),
        }
    }
}
