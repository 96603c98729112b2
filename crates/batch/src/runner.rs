//! A run: submits what is pending, and collects what is outstanding.
//!
//! One task decides everything ([`Runner`]); others do one thing each and report what happened. A
//! task that submits or looks also records the outcome, so that whatever the runner knows is durable.

mod cancellations;
mod cancelling;
mod claimed;
mod collecting;
mod connections;
mod core;
mod look;
mod others;
mod outputs;
mod pause;
mod rate;
mod record;
mod schedule;
mod sharing;
mod so_far;
mod submissions;
mod submit;
mod submitting;
mod telling;
mod tick;
mod trouble;
mod window;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use self::core::{Happened, Runner};
use self::so_far::SoFar;
use self::telling::Teller;
use crate::error::{ErrorKind, Result};
use crate::progress::{Progress, Report, Stopped};
use crate::requests::{Ending, end};
use crate::run::settings::{Settings, Stop};
use crate::shared::{Delivered, Guard, Resolved, Shared};

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
    let (deliver, mut delivered) = mpsc::unbounded_channel();
    let _guard = Guard::begin(&shared, deliver)?;
    let mut so_far = SoFar::begin(&shared).await?;
    let tell = Teller::to(tell);
    let runs = run_until_ended(&shared, settings, &stop, &tell, &mut delivered, &mut so_far);
    tokio::select! {
        ended = runs => ended,
        never = tell.watch(&shared, stop.subscribe()) => match never {},
    }
}

/// Begins anew after each interruption.
async fn run_until_ended(
    shared: &Arc<Shared>,
    settings: Settings,
    stop: &watch::Sender<Stop>,
    tell: &Teller,
    delivered: &mut mpsc::UnboundedReceiver<Delivered>,
    so_far: &mut SoFar,
) -> Result<Report> {
    loop {
        let (happened, received) = mpsc::unbounded_channel();
        let plan = (settings.clone(), stop.clone(), tell.clone());
        let ended = match Runner::begin(Arc::clone(shared), plan, happened, so_far).await {
            Ok(runner) => drive(runner, received, delivered, so_far).await,
            Err(error) => Err(error),
        };
        match ended {
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                so_far.begin_anew(shared).await?;
            }
            ended => return ended,
        }
    }
}

/// Runs a batch until its end, or until this process is taken over by another one.
async fn drive(
    mut runner: Runner,
    mut received: mpsc::UnboundedReceiver<Happened>,
    delivered: &mut mpsc::UnboundedReceiver<Delivered>,
    so_far: &mut SoFar,
) -> Result<Report> {
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
    runner.end(so_far).await
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

    async fn end(mut self, so_far: &mut SoFar) -> Result<Report> {
        self.tasks.shutdown().await;
        let shared = Arc::clone(&self.shared);
        so_far.submitted = self.submitting.submitted;
        if let Some(error) = self.failed.take_if(|it| it.kind() == ErrorKind::Interrupted) {
            so_far.unrecorded.append(&mut self.unrecorded);
            return Err(error);
        }
        let ended = self.report(so_far).await;
        let ending = Ending::of(&ended);
        let has_ended = ended.is_ok();
        let told = shared.journal.with(move |keeper| {
            end(&mut *keeper.store, ending)?;
            if has_ended {
                keeper.accept_loss()?;
            }
            // Others may collect what this run has left.
            keeper.store.sharing().map_or(Ok(()), |sharing| sharing.leave())
        });
        let told = told.await;
        ended.and_then(|report| told.map(|()| report))
    }

    async fn report(self, so_far: &SoFar) -> Result<Report> {
        let ended = self.shared.journal.with(|keeper| {
            keeper.results.check_in_place()?;
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
            interrupted: so_far.interrupted,
            results,
            failures,
        })
    }
}
