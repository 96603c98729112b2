//! A run: submits what is pending, and collects what is outstanding.
//!
//! One task decides everything ([`Runner`]); others do one thing each and report what happened. A
//! task that submits or looks also records the outcome, so that whatever the runner knows is durable.

mod cancellations;
mod cancelling;
mod claimed;
mod collecting;
mod core;
mod look;
mod rate;
mod record;
mod schedule;
mod submissions;
mod submit;
mod submitting;
mod tick;
mod trouble;
mod window;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use self::core::{Happened, Runner};
use crate::error::Result;
use crate::progress::{Progress, Report, Stopped};
use crate::requests::{Ending, end};
use crate::run::settings::{Settings, Stop};
use crate::shared::{Guard, Resolved, Shared};

/// How often progress is reported, and the files are looked at.
const TICK: Duration = Duration::from_millis(250);

/// Runs a batch to its end, or until it is stopped.
pub(crate) async fn run(
    shared: Arc<Shared>,
    settings: Settings,
    stop: watch::Sender<Stop>,
    tell: mpsc::Sender<Progress>,
) -> Result<Report> {
    settings.check(&shared.on_unknown)?;
    let (happened, mut received) = mpsc::unbounded_channel();
    let (deliver, mut delivered) = mpsc::unbounded_channel();
    let _guard = Guard::begin(&shared, deliver)?;
    let mut runner = Runner::begin(shared, settings, stop, tell, happened).await?;
    let mut stopped = runner.stop.subscribe();
    let mut ticks: Interval = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !runner.is_over() {
        runner.submit_more();
        runner.look_at_more();
        runner.cancel_more();
        let wake = runner.wakes_at();
        tokio::select! {
            Some(event) = received.recv() => runner.take(event),
            Some(delivered) = delivered.recv() => runner.delivered(delivered),
            _ = ticks.tick() => runner.tick().await,
            () = tokio::time::sleep_until(wake) => {}
            // Whoever stopped it may have gone.
            _ = stopped.changed() => {}
        }
        // Results are ready in bulk: all of them before the next decision.
        while let Ok(event) = received.try_recv() {
            runner.take(event);
        }
        while runner.tasks.try_join_next().is_some() {}
    }
    runner.end().await
}

impl Runner {
    fn take(&mut self, event: Happened) {
        // Calls that say nothing new do not keep the run waiting for more.
        if !matches!(event, Happened::Resolved(Ok(Resolved::Nothing | Resolved::NotYet))) {
            self.last_event = Instant::now();
        }
        match event {
            Happened::Ready(waited) => self.ready(waited),
            Happened::Claimed(claimed) => self.claimed(claimed),
            Happened::Submitted(submitted) => self.submitted(submitted),
            Happened::Looked(looked) => self.looked(looked),
            Happened::Cancelled(index) => self.cancelled(index),
            Happened::Resolved(resolved) => self.resolved(resolved),
            Happened::Panicked(index) => self.panicked(index),
        }
    }

    async fn end(mut self) -> Result<Report> {
        self.tasks.shutdown().await;
        let shared = Arc::clone(&self.shared);
        let ended = self.report().await;
        let ending = Ending::of(&ended);
        let told =
            shared.journal.with(move |keeper| end(&mut *keeper.store, ending.as_ref())).await;
        ended.and_then(|report| told.map(|()| report))
    }

    async fn report(self) -> Result<Report> {
        let ended = self.shared.journal.with(|keeper| {
            let results = keeper.results.path().to_owned();
            let failures = keeper.rewrite_failures()?;
            Ok((keeper.store.tally()?, results, failures))
        });
        let ended = ended.await;
        if let Some(error) = self.failed {
            return Err(error);
        }
        let (tally, results, failures) = ended?;
        let on_request = (*self.stop.borrow() != Stop::Not).then_some(Stopped::OnRequest);
        Ok(Report {
            counts: tally.counts,
            stopped: self.stopped.or(on_request),
            submitted_now: self.submitting.submitted,
            not_collected: self.not_collected,
            execution: tally.execution(),
            delay: tally.delay(),
            elapsed: self.started.elapsed(),
            results,
            failures,
        })
    }
}
