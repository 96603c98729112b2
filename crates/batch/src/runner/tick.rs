//! What a run does every now and then.

use std::time::Duration;

use tokio::time::Instant;

use super::Runner;
use crate::progress::{Progress, Stopped};
use crate::state::State;

impl Runner {
    /// Measures, reports progress, and looks whether there is more or less to do.
    pub(super) async fn tick(&mut self) {
        let now = Instant::now();
        let tally = self.shared.journal.with(|keeper| keeper.store.tally()).await;
        match tally {
            Ok(tally) => self.counts = tally.counts,
            Err(error) => self.fail(error),
        }
        self.rate.measure(self.counts.ended().saturating_sub(self.ended_before), now);
        let rate = self.rate.per_second();
        self.window.drains_at(rate.unwrap_or_default(), now);
        let is_too_much =
            self.settings.max_failures.is_some_and(|it| it.are_exceeded(&self.counts));
        if is_too_much && self.stopped.is_none() {
            self.stopped = Some(Stopped::TooManyFailures);
        }
        if self.submitting.is_exhausted && self.may_submit() {
            self.look_for_more_inputs().await;
        }
        let left = self.counts.of(State::Pending)
            + self.counts.of(State::Intent)
            + self.counts.of(State::Submitted);
        let eta = rate.and_then(|rate| Duration::try_from_secs_f64(left as f64 / rate).ok());
        // Whoever does not read it does not need it.
        let _ = self.tell.try_send(Progress {
            counts: self.counts,
            rate,
            eta,
            elapsed: self.started.elapsed(),
            window: self.window.size(),
        });
    }

    /// Takes up what was appended to the inputs.
    async fn look_for_more_inputs(&mut self) {
        match self.shared.journal.with(|keeper| keeper.grow()).await {
            Ok(true) => self.submitting.is_exhausted = false,
            Ok(false) => self.submitting.has_looked_for_more = true,
            Err(error) => self.fail(error),
        }
    }
}
