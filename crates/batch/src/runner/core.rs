//! State of a run, and the events that change it.

use std::collections::{HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use podqueue::Endpoint;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::attempt::{Pause, Submitted, Submitter};
use super::carry_over::CarryOver;
use super::connections::{Connections, is_out_of_files};
use super::error_summary::ErrorSummary;
use super::in_flight::Submissions;
use super::outputs::Outputs;
use super::poll::Polled;
use super::progress::ProgressReporter;
use super::schedule::Schedule;
use super::window::{Rate, Window};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::{Claimed, JournalState};
use crate::progress::Stopped;
use crate::requests::{Pace, begin};
use crate::run::settings::{Settings, Stop, record_of};
use crate::shared::{Resolved, Shared, WebhookCall};
use crate::state::{Counts, State};
use crate::store::{Change, Input, Tally};

/// Event of a run.
pub(super) enum RunnerEvent {
    /// The limiter permits this many submissions now.
    Ready(usize),
    Claimed(Result<Vec<Claimed>>),
    Submitted(Submitted),
    Polled(Polled),
    /// The job of this input was to be cancelled.
    Cancelled(u64),
    /// A webhook call named the job of an input whose outcome was unknown.
    Resolved(Result<Resolved>),
    /// A task panicked, which may have submitted this input.
    Panicked(Option<u64>),
}

/// How many inputs have ended, and how many of them other than with an output.
#[derive(Clone, Copy)]
pub(super) struct EndedCounts {
    pub(super) inputs: u64,
    pub(super) failures: u64,
}

/// State of a run, owned by the task that makes its decisions.
pub(super) struct Runner {
    pub(super) shared: Arc<Shared>,
    pub(super) settings: Settings,
    pub(super) stop: watch::Sender<Stop>,
    pub(super) reporter: ProgressReporter,
    /// The number of this run, and the endpoint and ttl of each run.
    pub(super) run: u64,
    pub(super) endpoints: HashMap<u64, (Endpoint, u64)>,
    /// The processes that share the batch.
    pub(super) peers: Peers,
    /// Outcomes of submissions that could not be recorded.
    pub(super) unrecorded: Vec<Change>,
    pub(super) happened: mpsc::UnboundedSender<RunnerEvent>,
    pub(super) tasks: JoinSet<()>,
    pub(super) submissions: Submissions,
    pub(super) schedule: Schedule,
    pub(super) polling: usize,
    /// The batch is cancelled: jobs that are still to be cancelled.
    pub(super) cancelling: Option<Cancelling>,
    /// Webhook calls about inputs whose submission is in flight.
    pub(super) deliveries: HashMap<u64, Vec<WebhookCall>>,
    pub(super) window: Window,
    pub(super) connections: Connections,
    pub(super) outputs: Outputs,
    /// How fast inputs end, and how fast this run's own jobs do.
    pub(super) rate: Rate,
    pub(super) drained: Rate,
    /// The pace that was last published for other processes, and when.
    pub(super) published: (Instant, Option<Pace>),
    pub(super) started: Instant,
    /// How many inputs had ended before this run.
    pub(super) ended_before: u64,
    pub(super) counts: Counts,
    /// Counted from the events of this run: earlier than the journal's counts, and without copies.
    pub(super) ended: EndedCounts,
    pub(super) not_collected: u64,
    pub(super) errors: ErrorSummary,
    /// When the service last responded, and the last event.
    pub(super) last_contact: Instant,
    pub(super) last_event: Instant,
    pub(super) stopped: Option<Stopped>,
    pub(super) failed: Option<Error>,
    /// Collection has failed, too.
    pub(super) is_broken: bool,
}

impl Runner {
    pub(super) async fn begin(
        shared: Arc<Shared>,
        (settings, stop, reporter): (Settings, watch::Sender<Stop>, ProgressReporter),
        happened: mpsc::UnboundedSender<RunnerEvent>,
        carry_over: &CarryOver,
    ) -> Result<Self> {
        let record = record_of(&settings, shared.clock.now())?;
        let began = shared.journal.with(move |state| {
            state.check()?;
            begin(&mut *state.store)?;
            let run = state.store.begin_run(&record)?;
            let (outstanding, others) = outstanding(state)?;
            Ok((run, state.store.runs()?, outstanding, others, state.store.tally()?))
        });
        let (run, runs, outstanding, others, Tally { counts, .. }) = began.await?;
        let submitter = Submitter {
            step: Arc::clone(&settings.step),
            endpoint: settings.endpoint.clone(),
            policy: settings.policy.clone(),
            pause: Pause::default(),
        };
        let now = Instant::now();
        let mut runner = Self {
            submissions: Submissions::new(submitter),
            window: Window::new(settings.window),
            connections: Connections::new(),
            outputs: Outputs::new(),
            rate: Rate::new(now),
            drained: Rate::new(now),
            schedule: Schedule::default(),
            ended_before: counts.ended(),
            tasks: JoinSet::new(),
            deliveries: HashMap::new(),
            polling: 0,
            cancelling: None,
            published: (now, None),
            not_collected: 0,
            errors: ErrorSummary::default(),
            stopped: None,
            failed: None,
            is_broken: false,
            started: carry_over.started,
            last_contact: now,
            last_event: now,
            shared,
            settings,
            stop,
            reporter,
            run,
            endpoints: HashMap::new(),
            peers: Peers::new(others, carry_over.standing.clone()),
            unrecorded: Vec::new(),
            happened,
            ended: EndedCounts { failures: counts.failures(), inputs: counts.ended() },
            counts,
        };
        runner.submissions.submitted = carry_over.submitted;
        if runner.settings.take.is_some_and(|most| carry_over.submitted >= most) {
            runner.stopped = Some(Stopped::Taken);
        }
        runner.register_runs(&runs);
        runner.stop_if_too_many_failed();
        for input in outstanding {
            runner.resume(input);
        }
        Ok(runner)
    }

    /// Whether inputs may be submitted.
    pub(super) fn may_submit(&self) -> bool {
        self.failed.is_none() && self.stopped.is_none() && *self.stop.borrow() == Stop::Not
    }

    pub(super) fn may_poll(&self) -> bool {
        !self.is_broken && *self.stop.borrow() < Stop::Collecting
    }

    pub(super) fn is_over(&self) -> bool {
        if !self.submissions.is_idle() {
            return false;
        }
        if !self.may_poll() {
            return true;
        }
        if self.stopped == Some(Stopped::Cancelled) && self.cancelling.is_none() {
            return false;
        }
        let has_submitted = !self.may_submit()
            || (self.submissions.is_exhausted && self.submissions.has_checked_for_more);
        !self.waits_for_peers()
            && has_submitted
            && self.polling == 0
            && self.schedule.len() == 0
            && !self.awaits_deliveries()
    }

    /// When the next timer is due, if no event comes before.
    pub(super) fn wakes_at(&self) -> Instant {
        let submit = self.submissions.submitter.pause.ends();
        let poll = self.schedule.wakes_at().filter(|_| self.can_poll());
        let soonest = submit.into_iter().chain(poll).min();
        soonest.unwrap_or_else(|| Instant::now() + Duration::from_secs(60))
    }

    /// A task that reports what happened, also if it panics.
    pub(super) fn task(
        &self,
        submits: Option<u64>,
        work: impl Future<Output = RunnerEvent> + Send + 'static,
    ) -> impl Future<Output = ()> + Send + 'static {
        let happened = self.happened.clone();
        async move {
            let event = AssertUnwindSafe(work).catch_unwind().await;
            // The receiver is dropped when the run has ended.
            let _ = happened.send(event.unwrap_or(RunnerEvent::Panicked(submits)));
        }
    }

    pub(super) fn panicked(&mut self, index: Option<u64>) {
        self.submissions.forget(index);
        let message = "a task panicked, in a function passed to the client or in this crate: nothing is lost, and an input that was being submitted is unknown when the batch is next opened";
        self.fail(Error::new(ErrorKind::Service, message));
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

    /// Describes the error of a call. Where no more files can be opened, fewer calls are made at once
    /// from now on.
    pub(super) fn describe(&mut self, error: &podqueue::Error) -> String {
        if !is_out_of_files(error) {
            return error.to_string();
        }
        self.connections.ran_out(self.submissions.in_flight.len() + self.polling + 1);
        format!(
            "this process can open no more files, and makes fewer calls at once: raise its limit (`ulimit -n`). {error}"
        )
    }

    /// Fails the run if the service has been unreachable for longer than the patience.
    pub(super) fn unreached(&mut self, error: podqueue::Error) {
        if self.last_contact.elapsed() < self.settings.patience {
            return;
        }
        let description = self.describe(&error);
        let message = format!(
            "the service could not be reached for {:?}; nothing is lost: run the batch again once it can. {description}",
            self.settings.patience
        );
        self.fail(Error::new(ErrorKind::Unreachable, message).with_service(error));
    }

    /// Fails the run because the service refuses every call.
    pub(super) fn refused(&mut self, error: podqueue::Error) {
        let message = format!(
            "the service refuses all calls; nothing is lost: run the batch again once that is settled. {error}"
        );
        self.fail(Error::new(ErrorKind::Service, message).with_service(error));
    }
}

/// The jobs of a batch that is cancelled.
pub(super) struct Cancelling {
    /// The inputs whose jobs are still to be cancelled.
    pub(super) left: Vec<u64>,
    /// The inputs whose jobs are being cancelled.
    pub(super) calls: HashSet<u64>,
}

/// Other processes that share the batch.
#[derive(Default)]
pub(super) struct Peers {
    /// How many there are.
    pub(super) processes: u64,
    /// The cancel request that stood when this run began, which it ignores.
    pub(super) standing: Option<String>,
    /// When to count and recover them next; `None` for a store of one process.
    pub(super) check_at: Option<Instant>,
}

impl Peers {
    /// `processes` is `None` for a store of one process.
    pub(super) fn new(processes: Option<u64>, standing: Option<String>) -> Self {
        let check_at = processes.map(|_| Instant::now());
        Self { processes: processes.unwrap_or(0), standing, check_at }
    }
}

/// Returns the outstanding inputs of this process, and the number of its peers.
pub(super) fn outstanding(state: &mut JournalState) -> Result<(Vec<Input>, Option<u64>)> {
    match state.store.sharing() {
        Some(sharing) => {
            let others = sharing.others()?;
            sharing.take_over()?;
            Ok((sharing.outstanding()?, Some(others)))
        }
        None => Ok((state.store.inputs(&[State::Submitted], 0, usize::MAX)?, None)),
    }
}
