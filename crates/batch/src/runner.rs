//! Runner: the event loop of a run, which submits pending inputs and collects outstanding jobs.
//!
//! One task owns the state of the run ([`Runner`]) and makes every decision; short tasks make the
//! calls, record their outcome in the journal, and report it as an event ([`RunnerEvent`]). Invariant: what
//! the runner knows of an input is durable, because the event is sent after the commit. A run whose
//! process lost its lease restarts with what [`CarryOver`] keeps.

mod admission;
mod attempt;
mod cancel;
mod carry_over;
mod collect;
mod connections;
mod core;
mod error_summary;
mod in_flight;
mod maintenance;
mod outputs;
mod peers;
mod poll;
mod progress;
mod schedule;
mod window;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use self::carry_over::CarryOver;
use self::core::{Runner, RunnerEvent};
use self::progress::ProgressReporter;
use crate::error::{ErrorKind, Result};
use crate::progress::{Progress, Report, Stopped};
use crate::requests::{Ending, end};
use crate::run::settings::{Settings, Stop};
use crate::shared::{Guard, Resolved, Shared, WebhookCall};

/// Interval between progress reports, in which the files are checked, too.
const TICK: Duration = Duration::from_millis(250);

/// Runs a batch to its end, or until it is stopped.
pub(crate) async fn run(
    shared: Arc<Shared>,
    settings: Settings,
    stop: watch::Sender<Stop>,
    reporter: mpsc::Sender<Progress>,
) -> Result<Report> {
    settings.check(&shared.on_unknown)?;
    let (deliver, mut delivered) = mpsc::unbounded_channel();
    let _guard = Guard::begin(&shared, deliver)?;
    let mut carry_over = CarryOver::begin(&shared).await?;
    let reporter = ProgressReporter::to(reporter);
    let runs =
        run_until_ended(&shared, settings, &stop, &reporter, &mut delivered, &mut carry_over);
    tokio::select! {
        ended = runs => ended,
        never = reporter.watch(&shared, stop.subscribe()) => match never {},
    }
}

/// Restarts after each lost lease.
async fn run_until_ended(
    shared: &Arc<Shared>,
    settings: Settings,
    stop: &watch::Sender<Stop>,
    reporter: &ProgressReporter,
    delivered: &mut mpsc::UnboundedReceiver<WebhookCall>,
    carry_over: &mut CarryOver,
) -> Result<Report> {
    loop {
        let (happened, received) = mpsc::unbounded_channel();
        let plan = (settings.clone(), stop.clone(), reporter.clone());
        let ended = match Runner::begin(Arc::clone(shared), plan, happened, carry_over).await {
            Ok(runner) => drive(runner, received, delivered, carry_over).await,
            Err(error) => Err(error),
        };
        match ended {
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                carry_over.begin_anew(shared).await?;
            }
            ended => return ended,
        }
    }
}

/// Runs a batch until its end, or until this process loses its lease.
async fn drive(
    mut runner: Runner,
    mut received: mpsc::UnboundedReceiver<RunnerEvent>,
    delivered: &mut mpsc::UnboundedReceiver<WebhookCall>,
    carry_over: &mut CarryOver,
) -> Result<Report> {
    let mut stopped = runner.stop.subscribe();
    let mut ticks: Interval = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !runner.is_over() {
        runner.submit_more();
        runner.poll_more();
        runner.cancel_more();
        let wake = runner.wakes_at();
        tokio::select! {
            Some(event) = received.recv() => runner.take(event),
            Some(delivered) = delivered.recv() => runner.delivered(delivered),
            _ = ticks.tick() => runner.maintain().await,
            () = tokio::time::sleep_until(wake) => {}
            // The stopper may have been dropped.
            _ = stopped.changed() => {}
        }
        // Results are ready in bulk: all of them before the next decision.
        while let Ok(event) = received.try_recv() {
            runner.take(event);
        }
        while runner.tasks.try_join_next().is_some() {}
    }
    runner.end(carry_over).await
}

impl Runner {
    fn take(&mut self, event: RunnerEvent) {
        // Calls that say nothing new do not keep the run waiting for more.
        if !matches!(event, RunnerEvent::Resolved(Ok(Resolved::Nothing | Resolved::NotYet))) {
            self.last_event = Instant::now();
        }
        match event {
            RunnerEvent::Ready(waited) => self.ready(waited),
            RunnerEvent::Claimed(claimed) => self.claimed(claimed),
            RunnerEvent::Submitted(submitted) => self.submitted(submitted),
            RunnerEvent::Polled(polled) => self.polled(polled),
            RunnerEvent::Cancelled(index) => self.cancelled(index),
            RunnerEvent::Resolved(resolved) => self.resolved(resolved),
            RunnerEvent::Panicked(index) => self.panicked(index),
        }
    }

    async fn end(mut self, carry_over: &mut CarryOver) -> Result<Report> {
        self.tasks.shutdown().await;
        let shared = Arc::clone(&self.shared);
        carry_over.submitted = self.submissions.submitted;
        if let Some(error) = self.failed.take_if(|it| it.kind() == ErrorKind::Interrupted) {
            carry_over.unrecorded.append(&mut self.unrecorded);
            return Err(error);
        }
        let ended = self.report(carry_over).await;
        let ending = Ending::of(&ended);
        let has_ended = ended.is_ok();
        let closed = shared.journal.with(move |state| {
            end(&mut *state.store, ending)?;
            if has_ended {
                state.accept_loss()?;
            }
            // Other processes may collect what is still outstanding.
            state.store.sharing().map_or(Ok(()), |sharing| sharing.leave())
        });
        let closed = closed.await;
        ended.and_then(|report| closed.map(|()| report))
    }

    async fn report(self, carry_over: &CarryOver) -> Result<Report> {
        let ended = self.shared.journal.with(|state| {
            state.results.check_in_place()?;
            let results = state.results.path().to_owned();
            let failures = state.rewrite_failures()?;
            Ok((state.store.tally()?, results, failures))
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
            submitted_now: self.submissions.submitted,
            not_collected: self.not_collected,
            execution: tally.execution(),
            delay: tally.delay(),
            elapsed: self.started.elapsed(),
            interrupted: carry_over.interrupted,
            results,
            failures,
        })
    }
}
