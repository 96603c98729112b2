//! What a run knows, and what it is told.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use podqueue::Endpoint;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::cancellations::Cancelling;
use super::claimed::{Submitted, Submitter};
use super::connections::{Connections, is_out_of_files};
use super::look::Looked;
use super::others::{Others, outstanding};
use super::outputs::Outputs;
use super::pause::Pause;
use super::rate::Rate;
use super::record::record_of;
use super::schedule::Schedule;
use super::so_far::SoFar;
use super::submissions::Submitting;
use super::telling::Teller;
use super::trouble::Trouble;
use super::window::Window;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::Claimed;
use crate::progress::Stopped;
use crate::requests::{Pace, begin};
use crate::run::settings::{Settings, Stop};
use crate::shared::{Delivered, Resolved, Shared};
use crate::state::Counts;
use crate::store::{Change, Tally};

/// What the runner is told.
pub(super) enum Happened {
    /// So many submissions could be sent now.
    Ready(usize),
    Claimed(Result<Vec<Claimed>>),
    Submitted(Submitted),
    Looked(Looked),
    /// The job of this input was to be cancelled.
    Cancelled(u64),
    /// A delivery told the job of an input whose outcome was unknown.
    Resolved(Result<Resolved>),
    /// A task panicked, which may have submitted this input.
    Panicked(Option<u64>),
}

/// How many inputs have ended, and how many of them other than with an output.
#[derive(Clone, Copy)]
pub(super) struct Ended {
    pub(super) inputs: u64,
    pub(super) failures: u64,
}

/// What decides everything in a run.
pub(super) struct Runner {
    pub(super) shared: Arc<Shared>,
    pub(super) settings: Settings,
    pub(super) stop: watch::Sender<Stop>,
    pub(super) tell: Teller,
    /// The number of this run, and where each run's jobs are.
    pub(super) run: u64,
    pub(super) endpoints: HashMap<u64, (Endpoint, u64)>,
    /// The processes that share the batch.
    pub(super) others: Others,
    /// What became of submissions when nothing could be recorded any more.
    pub(super) unrecorded: Vec<Change>,
    pub(super) happened: mpsc::UnboundedSender<Happened>,
    pub(super) tasks: JoinSet<()>,
    pub(super) submitting: Submitting,
    pub(super) schedule: Schedule,
    pub(super) looking: usize,
    /// The batch is cancelled: jobs that are still to be cancelled.
    pub(super) cancelling: Option<Cancelling>,
    /// Jobs that deliveries told, of inputs whose submission is in flight.
    pub(super) told: HashMap<u64, Vec<Delivered>>,
    pub(super) window: Window,
    pub(super) connections: Connections,
    pub(super) outputs: Outputs,
    /// How fast inputs end, and how fast this run's own jobs do.
    pub(super) rate: Rate,
    pub(super) drained: Rate,
    /// When other processes were last let know, and what.
    pub(super) published: (Instant, Option<Pace>),
    pub(super) started: Instant,
    /// How many inputs had ended before this run.
    pub(super) ended_before: u64,
    pub(super) counts: Counts,
    /// The same as the events of this run have it: sooner, and without copies.
    pub(super) ended: Ended,
    pub(super) not_collected: u64,
    pub(super) trouble: Trouble,
    /// When the service last answered, and when something last happened.
    pub(super) last_contact: Instant,
    pub(super) last_event: Instant,
    pub(super) stopped: Option<Stopped>,
    pub(super) failed: Option<Error>,
    /// Nothing more can be collected.
    pub(super) is_broken: bool,
}

impl Runner {
    pub(super) async fn begin(
        shared: Arc<Shared>,
        (settings, stop, tell): (Settings, watch::Sender<Stop>, Teller),
        happened: mpsc::UnboundedSender<Happened>,
        so_far: &SoFar,
    ) -> Result<Self> {
        let record = record_of(&settings, shared.clock.now())?;
        let began = shared.journal.with(move |keeper| {
            keeper.check()?;
            begin(&mut *keeper.store)?;
            let run = keeper.store.begin_run(&record)?;
            let (outstanding, others) = outstanding(keeper)?;
            Ok((run, keeper.store.runs()?, outstanding, others, keeper.store.tally()?))
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
            submitting: Submitting::new(submitter),
            window: Window::new(settings.window),
            connections: Connections::new(),
            outputs: Outputs::new(),
            rate: Rate::new(now),
            drained: Rate::new(now),
            schedule: Schedule::default(),
            ended_before: counts.ended(),
            tasks: JoinSet::new(),
            told: HashMap::new(),
            looking: 0,
            cancelling: None,
            published: (now, None),
            not_collected: 0,
            trouble: Trouble::default(),
            stopped: None,
            failed: None,
            is_broken: false,
            started: so_far.started,
            last_contact: now,
            last_event: now,
            shared,
            settings,
            stop,
            tell,
            run,
            endpoints: HashMap::new(),
            others: Others::new(others, so_far.standing.clone()),
            unrecorded: Vec::new(),
            happened,
            ended: Ended { failures: counts.failures(), inputs: counts.ended() },
            counts,
        };
        runner.submitting.submitted = so_far.submitted;
        if runner.settings.take.is_some_and(|most| so_far.submitted >= most) {
            runner.stopped = Some(Stopped::Taken);
        }
        runner.know(&runs);
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

    pub(super) fn may_look(&self) -> bool {
        !self.is_broken && *self.stop.borrow() < Stop::Collecting
    }

    pub(super) fn is_over(&self) -> bool {
        if !self.submitting.is_idle() {
            return false;
        }
        if !self.may_look() {
            return true;
        }
        if self.stopped == Some(Stopped::Cancelled) && self.cancelling.is_none() {
            return false;
        }
        let has_submitted = !self.may_submit()
            || (self.submitting.is_exhausted && self.submitting.has_looked_for_more);
        !self.stays_for_others()
            && has_submitted
            && self.looking == 0
            && self.schedule.len() == 0
            && !self.awaits_deliveries()
    }

    /// When there is something to do, if nothing happens before.
    pub(super) fn wakes_at(&self) -> Instant {
        let submit = self.submitting.submitter.pause.ends();
        let look = self.schedule.wakes_at().filter(|_| self.can_look());
        let soonest = submit.into_iter().chain(look).min();
        soonest.unwrap_or_else(|| Instant::now() + Duration::from_secs(60))
    }

    /// A task that reports what happened, also if it panics.
    pub(super) fn task(
        &self,
        submits: Option<u64>,
        work: impl Future<Output = Happened> + Send + 'static,
    ) -> impl Future<Output = ()> + Send + 'static {
        let happened = self.happened.clone();
        async move {
            let event = AssertUnwindSafe(work).catch_unwind().await;
            // Nobody listens any more if the run has ended.
            let _ = happened.send(event.unwrap_or(Happened::Panicked(submits)));
        }
    }

    pub(super) fn panicked(&mut self, index: Option<u64>) {
        self.submitting.forget(index);
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

    /// What to say of a call that failed. Where no more files can be opened, there are fewer calls at
    /// once from now on.
    pub(super) fn words(&mut self, error: &podqueue::Error) -> String {
        if !is_out_of_files(error) {
            return error.to_string();
        }
        self.connections.ran_out(self.submitting.in_flight.len() + self.looking + 1);
        format!(
            "this process can open no more files, and makes fewer calls at once: raise its limit (`ulimit -n`). {error}"
        )
    }

    /// The service could not be reached once more.
    pub(super) fn unreached(&mut self, error: podqueue::Error) {
        if self.last_contact.elapsed() < self.settings.patience {
            return;
        }
        let words = self.words(&error);
        let message = format!(
            "the service could not be reached for {:?}; nothing is lost: run the batch again once it can. {words}",
            self.settings.patience
        );
        self.fail(Error::new(ErrorKind::Unreachable, message).with_service(error));
    }

    /// The service refuses whatever it is asked.
    pub(super) fn refused(&mut self, error: podqueue::Error) {
        let message = format!(
            "the service refuses all calls; nothing is lost: run the batch again once that is settled. {error}"
        );
        self.fail(Error::new(ErrorKind::Service, message).with_service(error));
    }
}
