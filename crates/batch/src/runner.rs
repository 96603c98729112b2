//! Runner: the event loop of a run, which submits pending inputs and collects outstanding jobs.
//!
//! A single task owns the three parts of a run, and passes values between them:
//!
//! ```text
//!             number of outstanding jobs
//!       ┌─────────────────────────────────────┐
//!       ▼                                     │
//!   submitter ─────── accepted jobs ─────▶ collector
//!       │                                   │    ▲
//!    outcomes ─────▶ coordinator ◀── outcomes    │
//!                        └──── recovered jobs ───┘
//! ```
//!
//! - [`Submitter`]: admission, window, submission attempts.
//! - [`Collector`]: poll schedule, polls, webhook calls, cancellation.
//! - [`Coordinator`]: peers, maintenance, progress, and the end of the run.
//!
//! Short tasks make the calls, record their outcome in the journal, and report it as an event to
//! their part. Invariant: the knowledge of a part about an input is durable, because the event is
//! sent after the commit. A run whose process has lost its lease drops its parts and restarts: its
//! state is reloaded from the journal, and [`CarryOver`] keeps the rest.

mod collector;
mod coordinator;
#[cfg(feature = "object-storage")]
mod publisher;
mod publisher_handle;
mod submitter;
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use self::collector::Collector;
use self::coordinator::{Coordinator, Maintained, Peers, ProgressReporter, outstanding};
use self::publisher_handle::PublisherHandle;
use self::submitter::{Applied, Submitter};
use crate::budget::Cost;
use crate::error::{ErrorKind, Result};
use crate::handle_state::{Guard, HandleState, WebhookCall, cancel_pending};
use crate::progress::{Progress, Report, Stopped};
use crate::run::settings::{Settings, Stop, record_of};
use crate::run_notes::{Ending, begin, end, pending_cancel, set_price};
use crate::store::Change;

/// Interval of maintenance, and so of progress reports.
const MAINTENANCE: Duration = Duration::from_millis(250);

/// Longest time without a decision.
const IDLE: Duration = Duration::from_secs(60);

/// Runs a batch to its end, or until it is stopped.
pub(crate) async fn run(
    shared: Arc<HandleState>,
    settings: Settings,
    stop: watch::Sender<Stop>,
    reporter: mpsc::Sender<Progress>,
) -> Result<Report> {
    settings.check(shared.on_unknown())?;
    let (deliver, mut calls) = mpsc::unbounded_channel();
    let _guard = Guard::begin(&shared, deliver)?;
    let mut carry_over = CarryOver::begin(&shared).await?;
    let reporter = ProgressReporter::to(reporter);
    let (publishing, publish) = PublisherHandle::begin(&shared, &settings, &reporter).await?;
    carry_over.publishing = publishing;
    let runs = run_until_ended(&shared, settings, &stop, &reporter, &mut calls, &mut carry_over);
    tokio::select! {
        ended = runs => ended,
        never = reporter.watch(&shared, stop.subscribe()) => match never {},
        never = publish => match never {},
    }
}

/// Restarts after each lost lease.
async fn run_until_ended(
    shared: &Arc<HandleState>,
    settings: Settings,
    stop: &watch::Sender<Stop>,
    reporter: &ProgressReporter,
    calls: &mut mpsc::UnboundedReceiver<WebhookCall>,
    carry_over: &mut CarryOver,
) -> Result<Report> {
    loop {
        let outside = (stop.clone(), reporter.clone());
        let ended = match Runner::begin(shared, settings.clone(), outside, carry_over).await {
            Ok(runner) => runner.drive(calls, carry_over).await,
            Err(error) => Err(error),
        };
        match ended {
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                carry_over.rejoin(shared).await?;
            }
            ended => return ended,
        }
    }
}

/// The parts of a run under one lease.
struct Runner {
    shared: Arc<HandleState>,
    submitter: Submitter,
    collector: Collector,
    coordinator: Coordinator,
}

impl Runner {
    async fn begin(
        shared: &Arc<HandleState>,
        settings: Settings,
        outside: (watch::Sender<Stop>, ProgressReporter),
        carry_over: &CarryOver,
    ) -> Result<Self> {
        let shared = Arc::clone(shared);
        let record = record_of(&settings, shared.clock().now())?;
        let price = settings.budget.map(|budget| budget.per_second());
        let began = shared.journal().with(move |state| {
            state.check()?;
            begin(state.store())?;
            price.map_or(Ok(()), |price| set_price(state.store(), price))?;
            let run = state.store().begin_run(&record)?;
            let (outstanding, peers) = outstanding(state)?;
            Ok((run, state.store().runs()?, outstanding, peers, state.store().tally()?))
        });
        let (run, runs, outstanding, peers, tally) = began.await?;
        let peers = Peers::new(peers, carry_over.pending_cancel.clone());
        let started = carry_over.started;
        let mut coordinator =
            Coordinator::new(Arc::clone(&shared), &settings, outside, peers, tally, started);
        let submitter = Submitter::new(Arc::clone(&shared), &settings, run, carry_over.submitted);
        submitter.check_take(&mut coordinator);
        coordinator.stop_if_too_many_failed();
        let mut collector = Collector::new(Arc::clone(&shared), settings, run);
        collector.resume(&runs, outstanding);
        Ok(Self { shared, submitter, collector, coordinator })
    }

    /// Runs the batch until its end, or until this process loses its lease.
    async fn drive(
        mut self,
        calls: &mut mpsc::UnboundedReceiver<WebhookCall>,
        carry_over: &mut CarryOver,
    ) -> Result<Report> {
        let mut stops = self.coordinator.stops();
        let mut maintenance = interval(MAINTENANCE);
        maintenance.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.is_over() {
            self.submitter.submit_more(self.collector.outstanding(), &self.coordinator);
            self.collector.poll_more(&mut self.coordinator);
            self.collector.cancel_more(&self.coordinator);
            let wake = self.wakes_at();
            tokio::select! {
                () = self.submitter.event() => {}
                () = self.collector.event() => {}
                Some(call) = calls.recv() => {
                    let is_in_flight = self.submitter.is_in_flight(call.ticket.index);
                    self.collector.deliver(call, is_in_flight);
                }
                _ = maintenance.tick() => self.maintain().await,
                () = sleep_until(wake) => {}
                // The stopper may have been dropped.
                _ = stops.changed() => {}
            }
            // Results are ready in bulk: all of them before the next decision.
            self.apply_events();
        }
        self.end(carry_over).await
    }

    fn is_over(&self) -> bool {
        let Self { submitter, collector, coordinator, .. } = self;
        if !submitter.is_idle() {
            return false;
        }
        if !coordinator.may_poll() {
            return true;
        }
        if coordinator.is_cancelled() && !collector.is_cancelling() {
            return false;
        }
        (!coordinator.may_submit() || submitter.is_exhausted())
            && collector.is_idle()
            && !coordinator.waits_for_peers(collector.not_collected())
            && !coordinator.awaits_webhook_calls()
    }

    /// Returns the time of the next timer, for when no event comes before.
    fn wakes_at(&self) -> Instant {
        let submit = self.submitter.wakes_at();
        let poll = self.collector.wakes_at(&self.coordinator);
        let soonest = submit.into_iter().chain(poll).min();
        soonest.unwrap_or_else(|| Instant::now() + IDLE)
    }

    fn apply_events(&mut self) {
        let Self { submitter, collector, coordinator, .. } = self;
        while let Some(applied) = submitter.apply_event(collector.outstanding(), coordinator) {
            if let Applied::Ended { ticket, accepted } = applied {
                collector.submission_ended(ticket, accepted);
            }
        }
        let ended = coordinator.ended_count();
        while collector.apply_event(coordinator) {}
        if coordinator.ended_count() > ended {
            submitter.expect_capacity();
        }
    }

    async fn maintain(&mut self) {
        let Self { shared, submitter, collector, coordinator } = self;
        let Maintained { is_cancelled, recovered, drain } = coordinator.maintain().await;
        // Submissions in flight may be accepted: their jobs are cancelled once that is known.
        if is_cancelled && !collector.is_cancelling() && submitter.is_idle() {
            if let Err(error) = cancel_pending(shared.journal()).await {
                coordinator.fail(error);
            }
            collector.cancel_all();
        }
        collector.resume(&recovered.runs, recovered.inputs);
        if recovered.may_be_pending {
            submitter.expect_more();
        }
        submitter.set_rate(drain, Instant::now());
        submitter.index_appended_inputs(coordinator).await;
        // Nothing that could still end would make room, in any process.
        if submitter.is_out_of_budget(coordinator.charged_ms())
            && submitter.is_idle()
            && coordinator.not_ended() <= collector.not_collected()
        {
            coordinator.stop(Stopped::OutOfBudget);
        }
        coordinator.report(submitter.window()).await;
    }

    async fn end(mut self, carry_over: &mut CarryOver) -> Result<Report> {
        self.submitter.shutdown().await;
        self.collector.shutdown().await;
        carry_over.submitted = self.submitter.submitted();
        if let Some(error) = self.coordinator.take_interruption() {
            carry_over.unrecorded.extend(self.submitter.take_unrecorded());
            return Err(error);
        }
        let (shared, stops) = (Arc::clone(&self.shared), self.coordinator.stops());
        let ended = match self.report(carry_over).await {
            Ok(report) => carry_over.publishing.finish(report, stops).await,
            failed => failed,
        };
        let ending = Ending::of(&ended);
        let has_ended = ended.is_ok();
        let closed = shared.journal().with(move |state| {
            end(state.store(), ending)?;
            if has_ended {
                state.accept_loss()?;
            }
            // Other processes may collect the outstanding jobs.
            state.store().sharing().map_or(Ok(()), |sharing| sharing.release())
        });
        let closed = closed.await;
        ended.and_then(|report| closed.map(|()| report))
    }

    async fn report(self, carry_over: &CarryOver) -> Result<Report> {
        let ended = self.shared.journal().with(|state| {
            state.check_results_in_place()?;
            let results = state.results_path();
            let failures = state.rewrite_failures()?;
            Ok((state.store().tally()?, results, failures))
        });
        let ended = ended.await;
        let price = self.coordinator.price();
        let (failed, stopped, elapsed) = self.coordinator.finish();
        if let Some(error) = failed {
            return Err(error);
        }
        let (tally, results, failures) = ended?;
        Ok(Report {
            counts: tally.counts,
            stopped,
            submitted_now: self.submitter.submitted(),
            not_collected: self.collector.not_collected(),
            execution: tally.execution(),
            delay: tally.delay(),
            cost: price.map(|price| Cost::of(&tally, price)),
            elapsed,
            interrupted: carry_over.interrupted,
            results,
            failures,
            manifest: None,
        })
    }
}

/// State of a run that survives a lost lease.
///
/// Another process has recovered the jobs of this process, which continues under a new lease: with
/// the time and the counts of the run, and the outcomes that it could not record.
struct CarryOver {
    started: Instant,
    /// The cancel request that was pending when the run began, of a shared journal.
    pending_cancel: Option<String>,
    /// Number of inputs that it has submitted.
    submitted: u64,
    /// Number of leases that were lost.
    interrupted: u64,
    /// Outcomes of submissions that could not be recorded.
    unrecorded: Vec<Change>,
    publishing: PublisherHandle,
}

impl CarryOver {
    /// The lease can be lost before the first command of the run.
    async fn begin(shared: &HandleState) -> Result<Self> {
        let started = Instant::now();
        let mut carry_over = Self {
            started,
            pending_cancel: None,
            submitted: 0,
            interrupted: 0,
            unrecorded: Vec::new(),
            publishing: PublisherHandle::default(),
        };
        loop {
            let pending_cancel = shared.journal().with(|state| match state.store().sharing() {
                Some(_) => pending_cancel(state.store()),
                None => Ok(None),
            });
            match pending_cancel.await {
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    carry_over.rejoin(shared).await?;
                }
                pending_cancel => {
                    carry_over.pending_cancel = pending_cancel?;
                    return Ok(carry_over);
                }
            }
        }
    }

    /// Rejoins under a new lease.
    async fn rejoin(&mut self, shared: &HandleState) -> Result<()> {
        self.interrupted += 1;
        loop {
            match self.try_rejoin(shared).await {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                rejoined => return rejoined,
            }
        }
    }

    async fn try_rejoin(&mut self, shared: &HandleState) -> Result<()> {
        let rejoined = shared.journal().with(|state| {
            state.rejoin()?;
            state.store().sharing().map(|sharing| sharing.time()).transpose()
        });
        if let Some(time) = rejoined.await? {
            shared.clock().follow(time);
        }
        // The process that recovered these inputs could not know their outcome.
        while let Some(change) = self.unrecorded.last() {
            shared.record_late(change.clone()).await?;
            self.unrecorded.pop();
        }
        Ok(())
    }
}
