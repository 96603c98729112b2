//! Coordinator: the state machine of a run (submitting, collecting, ended), its maintenance and
//! progress.
//!
//! Both parts report the responses of the service to it, and ask it before each call:
//! [`may_submit`](Coordinator::may_submit), [`may_poll`](Coordinator::may_poll). It calls neither
//! of them.
//!
//! ```text
//!             stopped, or an error of the inputs        broken, or told to exit
//! submitting ────────────────────────────▶ collecting ────────────────────────▶ ended
//!     └──────────────────── nothing left, here or of peers ─────────────────────▲
//! ```
//!
//! Maintenance runs four times a second: it refreshes the counts of the journal, checks that the
//! files are in place, reads requests to cancel, recovers the inputs of processes whose lease has
//! expired, and publishes and reports the live progress. Any error but that of a call to the
//! service ends the run: the first error is kept, and reported when the submissions in flight are
//! recorded.
//!
//! Invariant: states never go back: a stopped run does not submit again, a failed run does not poll
//! again. While a peer is alive that may leave inputs behind, a run that may still collect them
//! does not end.
//!
//! Checked by `a_killed_process_is_recovered_within_its_lease_and_two_seconds`,
//! `the_reason_of_a_stop_is_journalled_and_a_complete_end_is_not`,
//! `progress_reports_persistent_errors`, `a_process_out_of_files_reports_it`.

mod connection_limit;
mod reporter;
mod throughput;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use self::connection_limit::{ConnectionLimit, is_out_of_files};
use self::reporter::ErrorSummary;
pub(super) use self::reporter::ProgressReporter;
use self::throughput::Throughput;
use crate::budget::Cost;
use crate::error::{Error, ErrorKind, Result};
use crate::handle_state::HandleState;
use crate::input_state::State;
use crate::journal::{Journal, JournalState};
use crate::progress::{MaxFailures, Progress, Stopped};
use crate::run::settings::{Settings, Stop};
use crate::run_notes::{LiveProgress, is_cancel_requested};
use crate::store::{Input, RunRecord, Tally};
use crate::submission::OnUnknown;

/// Interval at which the live progress is published for other processes.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(2);

/// State of a run, shared by its parts.
pub(super) struct Coordinator {
    shared: Arc<HandleState>,
    max_failures: Option<MaxFailures>,
    outage_timeout: Duration,
    await_webhooks: Duration,
    stop: watch::Sender<Stop>,
    stopped: Option<Stopped>,
    failed: Option<Error>,
    /// True if jobs cannot be collected any more.
    is_broken: bool,
    peers: Peers,
    throughput: Throughput,
    /// The tally that was last read, and the price of a second of execution.
    tally: Tally,
    price: Option<f64>,
    connections: ConnectionLimit,
    errors: ErrorSummary,
    reporter: ProgressReporter,
    /// The live progress that was last published for other processes, and its time.
    published: (Instant, Option<LiveProgress>),
    started: Instant,
    /// The last response of the service, and the last event.
    last_contact: Instant,
    last_event: Instant,
}

/// Result of the maintenance, for the submitter and the collector.
pub(super) struct Maintained {
    /// The batch is to be cancelled.
    pub(super) is_cancelled: bool,
    pub(super) recovered: Recovered,
    /// The rate, per second, at which this run's own jobs end.
    pub(super) drain: f64,
}

impl Coordinator {
    /// The coordinator of a run that started at this time and shares the batch with these peers.
    pub(super) fn new(
        shared: Arc<HandleState>,
        settings: &Settings,
        (stop, reporter): (watch::Sender<Stop>, ProgressReporter),
        peers: Peers,
        tally: Tally,
        started: Instant,
    ) -> Self {
        let now = Instant::now();
        Self {
            shared,
            max_failures: settings.max_failures,
            outage_timeout: settings.outage_timeout,
            await_webhooks: settings.await_webhooks,
            stop,
            stopped: None,
            failed: None,
            is_broken: false,
            peers,
            throughput: Throughput::new(tally.counts, now),
            tally,
            price: settings.budget.map(|budget| budget.per_second()),
            connections: ConnectionLimit::new(),
            errors: ErrorSummary::default(),
            reporter,
            published: (now, None),
            started,
            last_contact: now,
            last_event: now,
        }
    }

    /// Returns true if inputs may be submitted.
    pub(super) fn may_submit(&self) -> bool {
        self.failed.is_none() && self.stopped.is_none() && *self.stop.borrow() == Stop::Not
    }

    /// Returns true if outstanding jobs may be polled.
    pub(super) fn may_poll(&self) -> bool {
        !self.is_broken && *self.stop.borrow() < Stop::Collecting
    }

    /// Returns true if the batch is to be cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.stopped == Some(Stopped::Cancelled)
    }

    /// Returns true if the run continues only because it may have to recover the inputs of a peer,
    /// which collects what cannot be collected here.
    pub(super) fn waits_for_peers(&self, not_collected: u64) -> bool {
        let is_wanted = self.may_submit() || self.is_cancelled();
        is_wanted && self.peers.are_at_work() && self.throughput.counts.open() > not_collected
    }

    /// Returns true if webhook calls may still resolve unknown inputs.
    pub(super) fn awaits_webhook_calls(&self) -> bool {
        matches!(self.shared.on_unknown(), OnUnknown::ByWebhook(_))
            && self.may_submit()
            && self.throughput.counts.of(State::Unknown) > 0
            && self.last_event.elapsed() < self.await_webhooks
    }

    /// Returns the stop signal of the run.
    pub(super) fn stops(&self) -> watch::Receiver<Stop> {
        self.stop.subscribe()
    }

    /// Stops submitting, for this reason, unless it has stopped already.
    pub(super) fn stop(&mut self, reason: Stopped) {
        self.stopped.get_or_insert(reason);
    }

    /// Ends the run with this error, once all submissions in flight are recorded.
    pub(super) fn fail(&mut self, error: Error) {
        self.is_broken = true;
        self.failed.get_or_insert(error);
    }

    /// Ends the run with this error, once everything outstanding is collected.
    pub(super) fn fail_to_submit(&mut self, error: Error) {
        self.failed.get_or_insert(error);
    }

    /// Fails the run because a task panicked.
    pub(super) fn panicked(&mut self) {
        let message = "a task panicked, in a function passed to the client or in this crate: nothing is lost, and an input that was being submitted is unknown when the batch is next opened";
        self.fail(Error::new(ErrorKind::Service, message));
    }

    /// Fails the run because the service refuses every call.
    pub(super) fn refused(&mut self, error: podqueue::Error) {
        let message = format!(
            "the service refuses all calls; nothing is lost: run the batch again once that is settled. {error}"
        );
        self.fail(Error::new(ErrorKind::Service, message).with_service(error));
    }

    /// Fails the run if the service has been unreachable for longer than the outage timeout.
    pub(super) fn unreached(&mut self, error: podqueue::Error) {
        if self.last_contact.elapsed() < self.outage_timeout {
            return;
        }
        let description = self.describe(&error);
        let message = format!(
            "the service could not be reached for {:?}; nothing is lost: run the batch again once it can. {description}",
            self.outage_timeout
        );
        self.fail(Error::new(ErrorKind::Unreachable, message).with_service(error));
    }

    /// Describes the error of a call that has ended. Where no more files can be opened, fewer calls
    /// are made at once from now on.
    pub(super) fn describe(&mut self, error: &podqueue::Error) -> String {
        if !is_out_of_files(error) {
            return error.to_string();
        }
        self.connections.record_exhaustion();
        format!(
            "this process can open no more files, and makes fewer calls at once: raise its limit (`ulimit -n`). {error}"
        )
    }

    /// Returns the number of concurrent calls that each part may make.
    pub(super) fn half_of_connections(&self) -> usize {
        self.connections.half()
    }

    pub(super) fn call_began(&mut self) {
        self.connections.began();
    }

    pub(super) fn call_ended(&mut self) {
        self.connections.ended();
    }

    /// Records that the service has responded.
    pub(super) fn record_response(&mut self) {
        self.last_contact = Instant::now();
    }

    /// Records an event.
    pub(super) fn record_activity(&mut self) {
        self.last_event = Instant::now();
    }

    /// Records that the service has accepted an input.
    pub(super) fn accepted(&mut self) {
        self.errors.submitted();
        self.record_response();
    }

    /// Records that the service has not accepted an input.
    pub(super) fn not_accepted(&mut self, error: String) {
        self.errors.not_submitted(error);
    }

    /// Records that the status of a job could be read.
    pub(super) fn polled(&mut self, index: u64) {
        self.errors.seen(index);
    }

    /// Records that the status of a job could not be read.
    pub(super) fn not_polled(&mut self, index: u64, error: String) {
        self.errors.unseen(index, error);
    }

    /// Records that an input has ended, in this state.
    pub(super) fn ended(&mut self, state: State) {
        self.throughput.ended(state);
        self.stop_if_too_many_failed();
    }

    pub(super) fn stop_if_too_many_failed(&mut self) {
        if self.max_failures.is_some_and(|most| self.throughput.exceeds(most)) {
            self.stop(Stopped::TooManyFailures);
        }
    }

    /// Checks the files, measures the rate, reads requests and recovers peers.
    pub(super) async fn maintain(&mut self) -> Maintained {
        let now = Instant::now();
        let pending_cancel = self.peers.pending_cancel();
        let checked = self.shared.journal().with(move |state| {
            state.check()?;
            state.check_results_in_place()?;
            let is_cancelled = is_cancel_requested(state.store(), pending_cancel.as_deref())?;
            Ok((state.store().tally()?, is_cancelled))
        });
        let is_cancelled = match checked.await {
            Ok((tally, is_cancelled)) => {
                self.throughput.counts = tally.counts;
                self.tally = tally;
                is_cancelled
            }
            Err(error) => {
                self.fail(error);
                false
            }
        };
        if is_cancelled {
            self.stop(Stopped::Cancelled);
        }
        self.connections.grow();
        let pending = self.throughput.counts.of(State::Pending);
        let recovered = match self.peers.recover(self.shared.journal(), pending).await {
            Ok(recovered) => recovered,
            Err(error) => {
                self.fail(error);
                Recovered::default()
            }
        };
        let drain = self.throughput.measure(now);
        self.stop_if_too_many_failed();
        Maintained { is_cancelled, recovered, drain }
    }

    /// Publishes the live progress for other processes, and reports progress.
    pub(super) async fn report(&mut self, window: usize) {
        let counts = self.throughput.counts;
        let live =
            LiveProgress { rate: self.throughput.rate(), window, error: self.errors.summary() };
        self.publish(&live).await;
        self.reporter.report(Progress {
            counts,
            rate: live.rate,
            eta: live.eta(&counts),
            elapsed: self.started.elapsed(),
            window: live.window,
            cost: self.price.map(|price| Cost::of(&self.tally, price)),
            error: live.error,
        });
    }

    /// Returns the price of a second of execution, if the run has one.
    pub(super) fn price(&self) -> Option<f64> {
        self.price
    }

    /// Returns the charge of all attempts that was last read.
    pub(super) fn charged_ms(&self) -> f64 {
        self.tally.charged_ms
    }

    /// Returns the number of inputs that were in flight or outstanding when they were last counted,
    /// in all processes.
    pub(super) fn not_ended(&self) -> u64 {
        self.tally.counts.of(State::Intent) + self.tally.counts.of(State::Submitted)
    }

    /// Returns the number of inputs that are known to have ended.
    pub(super) fn ended_count(&self) -> u64 {
        self.throughput.ended_count()
    }

    async fn publish(&mut self, live: &LiveProgress) {
        let now = Instant::now();
        let (at, last) = &self.published;
        if last.as_ref() != Some(live) && (last.is_none() || now - *at >= PUBLISH_INTERVAL) {
            self.published = (now, Some(live.clone()));
            let live = live.clone();
            let published = self.shared.journal().with(move |state| live.write(state.store()));
            if let Err(error) = published.await {
                self.fail(error);
            }
        }
    }

    /// Returns the error of a run that ended because this process lost its lease.
    pub(super) fn take_interruption(&mut self) -> Option<Error> {
        self.failed.take_if(|error| error.kind() == ErrorKind::Interrupted)
    }

    /// Returns the error that ended the run, or the reason for which it stopped, and its duration.
    pub(super) fn finish(self) -> (Option<Error>, Option<Stopped>, Duration) {
        let on_request = (*self.stop.borrow() != Stop::Not).then_some(Stopped::OnRequest);
        (self.failed, self.stopped.or(on_request), self.started.elapsed())
    }
}

/// Interval of recovery, which observes the peers, without its jitter.
const RECOVERY_INTERVAL: Duration = Duration::from_millis(500);

/// Maximum jitter of the interval of recovery, in milliseconds.
const RECOVERY_JITTER_MS: u32 = 250;

/// The processes that share a batch with this process.
#[derive(Default)]
pub(super) struct Peers {
    /// Number of peers that have a lease, or have crashed and were not recovered yet.
    processes: u64,
    /// The cancel request that was pending when this run began, which it ignores.
    pending_cancel: Option<String>,
    /// Time at which peers are counted and recovered next; `None` for a store of one process.
    check_at: Option<Instant>,
}

/// Inputs recovered from peers.
#[derive(Default)]
pub(super) struct Recovered {
    pub(super) inputs: Vec<Input>,
    /// All runs, if there are any inputs.
    pub(super) runs: Vec<(u64, RunRecord)>,
    /// A peer may have made inputs pending again.
    pub(super) may_be_pending: bool,
}

impl Peers {
    /// `processes` is `None` for a store of one process.
    pub(super) fn new(processes: Option<u64>, pending_cancel: Option<String>) -> Self {
        let check_at = processes.map(|_| Instant::now());
        Self { processes: processes.unwrap_or(0), pending_cancel, check_at }
    }

    fn are_at_work(&self) -> bool {
        self.processes > 0
    }

    fn pending_cancel(&self) -> Option<String> {
        self.pending_cancel.clone()
    }

    /// Counts the peers, and recovers those whose lease has expired, if that is due.
    async fn recover(&mut self, journal: &Journal, pending: u64) -> Result<Recovered> {
        let now = Instant::now();
        if self.check_at.is_none_or(|at| now < at) {
            return Ok(Recovered::default());
        }
        self.check_at = Some(now + RECOVERY_INTERVAL + jitter());
        let checked = journal.with(|state| {
            let (mut inputs, mut processes) = (Vec::new(), 0);
            if let Some(sharing) = state.store().sharing() {
                // In this order: a process that exits in between is still counted.
                processes = sharing.peers(false)?;
                inputs = sharing.recover()?;
            }
            let runs = if inputs.is_empty() { Vec::new() } else { state.store().runs()? };
            inputs.retain(|input| input.run.is_some());
            Ok((inputs, runs, processes))
        });
        let (inputs, runs, processes) = checked.await?;
        self.processes = processes;
        Ok(Recovered { inputs, runs, may_be_pending: processes > 0 && pending > 0 })
    }
}

fn jitter() -> Duration {
    let mut random = [0; 4];
    // Without jitter, all processes would check at the same time, and wait for each other.
    let _ = getrandom::fill(&mut random);
    Duration::from_millis((u32::from_ne_bytes(random) % RECOVERY_JITTER_MS).into())
}

/// Returns the outstanding inputs of this process, and the number of its peers.
pub(super) fn outstanding(state: &mut JournalState) -> Result<(Vec<Input>, Option<u64>)> {
    match state.store().sharing() {
        Some(sharing) => {
            let peers = sharing.peers(false)?;
            sharing.recover()?;
            Ok((sharing.outstanding()?, Some(peers)))
        }
        None => Ok((state.store().inputs(&[State::Submitted], 0, usize::MAX)?, None)),
    }
}
