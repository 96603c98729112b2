//! A run: submits what is pending, and collects what is outstanding.
//!
//! One task decides everything ([`Runner`]); others do one thing each and report what happened. A
//! task that submits or looks also records the outcome, so that whatever the runner knows is durable.

mod claimed;
mod collecting;
mod look;
mod rate;
mod record;
mod schedule;
mod submit;
mod submitting;
mod tick;
mod window;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use podqueue::Endpoint;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use self::claimed::Submitted;
use self::collecting::Looked;
use self::rate::Rate;
use self::record::record_of;
use self::schedule::Schedule;
use self::submit::Submitter;
use self::submitting::Submitting;
use self::window::Window;
use crate::batch::{Guard, Shared};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::Claimed;
use crate::progress::{Progress, Report, Stopped};
use crate::results::write_failures;
use crate::run::{Settings, Stop};
use crate::state::{Counts, State};
use crate::store::{Input, RunRecord, Tally};

pub(crate) use self::collecting::Delivered;

/// How often progress is reported, and the files are looked at.
const TICK: Duration = Duration::from_millis(250);

/// What the runner is told.
pub(crate) enum Happened {
    /// A submission could be sent now, after so long a wait.
    Ready(Duration),
    Claimed(Result<Vec<Claimed>>),
    Submitted(Submitted),
    Looked(Looked),
    Delivered(Delivered),
    /// A delivery told the job of an input whose outcome was unknown.
    Resolved(Result<Option<Input>>),
    /// A task panicked, which may have submitted this input.
    Panicked(Option<u64>),
}

struct Runner {
    shared: Arc<Shared>,
    settings: Settings,
    stop: watch::Sender<Stop>,
    tell: mpsc::Sender<Progress>,
    /// The number of this run, and where each run's jobs are.
    run: u64,
    endpoints: HashMap<u64, (Endpoint, u64)>,
    happened: mpsc::UnboundedSender<Happened>,
    tasks: JoinSet<()>,
    submitting: Submitting,
    schedule: Schedule,
    looking: usize,
    /// Jobs that deliveries told, of inputs whose submission is in flight.
    told: HashMap<u64, Delivered>,
    window: Window,
    rate: Rate,
    started: Instant,
    /// How many inputs had ended before this run.
    ended_before: u64,
    counts: Counts,
    not_collected: u64,
    /// When the service last answered, and when something last happened.
    last_contact: Instant,
    last_event: Instant,
    stopped: Option<Stopped>,
    failed: Option<Error>,
}

/// Runs a batch to its end, or until it is stopped.
pub(crate) async fn run(
    shared: Arc<Shared>,
    settings: Settings,
    stop: watch::Sender<Stop>,
    tell: mpsc::Sender<Progress>,
) -> Result<Report> {
    let (happened, mut received) = mpsc::unbounded_channel();
    let _guard = Guard::begin(&shared, happened.clone())?;
    let mut runner = Runner::begin(shared, settings, stop, tell, happened).await?;
    let mut stopped = runner.stop.subscribe();
    let mut ticks: Interval = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !runner.is_over() {
        runner.submit_more();
        runner.look_at_more();
        let wake = runner.wakes_at();
        tokio::select! {
            Some(event) = received.recv() => runner.take(event),
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
    async fn begin(
        shared: Arc<Shared>,
        settings: Settings,
        stop: watch::Sender<Stop>,
        tell: mpsc::Sender<Progress>,
        happened: mpsc::UnboundedSender<Happened>,
    ) -> Result<Self> {
        let record = record_of(&settings, shared.clock.now())?;
        let began = shared.journal.with(move |keeper| {
            let run = keeper.store.begin_run(&record)?;
            let submitted = keeper.store.inputs(&[State::Submitted], 0, usize::MAX)?;
            Ok((run, keeper.store.runs()?, submitted, keeper.store.tally()?))
        });
        let (run, runs, outstanding, Tally { counts, .. }) = began.await?;
        let known = |record: &RunRecord| settings.endpoint_of(record);
        let endpoints = runs.iter().filter_map(|(run, record)| {
            let ttl = record.ttl.unwrap_or(schedule::DEFAULT_TTL);
            Some((*run, (known(record)?, ttl)))
        });
        let endpoints = endpoints.collect();
        let submitter =
            Submitter { endpoint: settings.endpoint.clone(), policy: settings.policy.clone() };
        let now = Instant::now();
        let mut runner = Self {
            submitting: Submitting::new(submitter),
            window: Window::new(settings.window),
            rate: Rate::new(now),
            schedule: Schedule::default(),
            ended_before: counts.ended(),
            tasks: JoinSet::new(),
            told: HashMap::new(),
            looking: 0,
            not_collected: 0,
            stopped: None,
            failed: None,
            started: now,
            last_contact: now,
            last_event: now,
            shared,
            settings,
            stop,
            tell,
            run,
            endpoints,
            happened,
            counts,
        };
        for input in outstanding {
            runner.resume(input);
        }
        Ok(runner)
    }

    fn take(&mut self, event: Happened) {
        self.last_event = Instant::now();
        match event {
            Happened::Ready(waited) => self.ready(waited),
            Happened::Claimed(claimed) => self.claimed(claimed),
            Happened::Submitted(submitted) => self.submitted(submitted),
            Happened::Looked(looked) => self.looked(looked),
            Happened::Delivered(delivered) => self.delivered(delivered),
            Happened::Resolved(resolved) => self.resolved(resolved),
            Happened::Panicked(index) => self.panicked(index),
        }
    }

    /// Whether inputs may be submitted.
    fn may_submit(&self) -> bool {
        self.failed.is_none() && self.stopped.is_none() && *self.stop.borrow() == Stop::Not
    }

    fn may_look(&self) -> bool {
        self.failed.is_none() && *self.stop.borrow() < Stop::Collecting
    }

    fn is_over(&self) -> bool {
        if !self.submitting.is_idle() {
            return false;
        }
        if !self.may_look() {
            return true;
        }
        let has_submitted = !self.may_submit()
            || (self.submitting.is_exhausted && self.submitting.has_looked_for_more);
        has_submitted && self.looking == 0 && self.schedule.len() == 0 && !self.awaits_deliveries()
    }

    /// When there is something to do, if nothing happens before.
    fn wakes_at(&self) -> Instant {
        let submit = self.submitting.not_before.filter(|at| *at > Instant::now());
        let look = self.schedule.wakes_at().filter(|_| self.can_look());
        let soonest = submit.into_iter().chain(look).min();
        soonest.unwrap_or_else(|| Instant::now() + Duration::from_secs(60))
    }

    /// A task that reports what happened, also if it panics.
    fn task(
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

    fn panicked(&mut self, index: Option<u64>) {
        self.submitting.forget(index);
        let message = "a task panicked, in a function passed to the client or in this crate: nothing is lost, and an input that was being submitted is unknown when the batch is next opened";
        self.fail(Error::new(ErrorKind::Service, message));
    }

    /// Ends the run with this error, once all submissions in flight are recorded.
    fn fail(&mut self, error: Error) {
        if self.failed.is_none() {
            self.failed = Some(error);
        }
    }

    /// The service could not be reached once more.
    fn unreached(&mut self, error: podqueue::Error) {
        if self.last_contact.elapsed() < self.settings.patience {
            return;
        }
        let message = format!(
            "the service could not be reached for {:?}; nothing is lost: run the batch again once it can. {error}",
            self.settings.patience
        );
        self.fail(Error::new(ErrorKind::Unreachable, message).with_service(error));
    }

    /// The service refuses whatever it is asked.
    fn refused(&mut self, error: podqueue::Error) {
        let message = format!(
            "the service refuses all calls; nothing is lost: run the batch again once that is settled. {error}"
        );
        self.fail(Error::new(ErrorKind::Service, message).with_service(error));
    }

    async fn end(mut self) -> Result<Report> {
        self.tasks.shutdown().await;
        let ended = self.shared.journal.with(|keeper| {
            let results = keeper.results.path().to_owned();
            let failures = write_failures(&mut *keeper.store, &mut keeper.texts, &results)?;
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
