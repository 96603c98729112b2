//! Scheduler: a task for each batch that has not ended, which takes it from event to event.
//!
//! A task reads the events of its batch, does what the next event needs, and records it. After an
//! error, it waits and reads again; a process that starts does the same with all batches that it
//! finds. Of servers that share a folder, each has a task for each batch: all of them run it, as
//! the leases of its journal allow, and one validates and finalizes it, under a lock.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use podqueue::{Endpoint, Policy};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};

use super::batches::{BatchFolder, Batches, Ended, Events, Journals, Validated, folder_error};
use super::durable;
use super::files::{Files, on_thread};
use super::job_output::SubmitRequest;
use super::models::Models;
use super::progress::{ErrorOutputs, Progress};
use super::stop_signal::stopped;
use super::{output_files, validation};
use crate::batch::Batch;
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::Counts;
use crate::inputs::Inputs;

/// Interval at which a task looks for events that another task or server has recorded.
const CHECK: Duration = Duration::from_millis(500);

/// Interval at which servers that share a folder look for batches of others.
const SCAN: Duration = Duration::from_secs(2);

/// Interval at which files that have expired are removed.
const SWEEP: Duration = Duration::from_secs(600);

/// First and longest wait after an error.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));

/// Time to wait for a server that is ending, and has the folder locked.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// Time in which the tasks record the submissions in flight when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Time after the end of a batch for which outstanding jobs are tried to be cancelled, in
/// milliseconds.
const CANCEL_PATIENCE: u64 = 10 * 60 * 1_000;

/// Time for which the service may be unreachable while the last outputs are collected.
const COLLECT_OUTAGE_TIMEOUT: Duration = Duration::from_secs(60);

/// Limits of the ttl of a job.
const TTL: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(7 * 24 * 60 * 60));

/// The settings of a scheduler.
pub(super) struct Settings {
    pub(super) folder: PathBuf,
    pub(super) journals: Journals,
    pub(super) models: Models,
    pub(super) max_requests: u64,
    pub(super) concurrent_batches: usize,
    pub(super) now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    pub(super) on_problem: Arc<dyn Fn(&str) + Send + Sync>,
}

/// The batches that are in progress.
pub(super) struct Scheduler {
    context: Arc<Context>,
    tasks_by_batch: Mutex<HashMap<String, Arc<BatchTask>>>,
    join_set: Mutex<JoinSet<()>>,
}

/// State shared by all tasks.
struct Context {
    settings: Settings,
    running: Semaphore,
    stop: watch::Sender<bool>,
    /// Number of this server among those that share the folder.
    server: usize,
    /// Held as long as a task may change the folder.
    _locks: Vec<File>,
}

/// Handle of a batch's task: its progress, and its wake-up.
#[derive(Default)]
struct BatchTask {
    progress: Mutex<Option<Progress>>,
    errors: Arc<Mutex<ErrorOutputs>>,
    wake: Notify,
}

impl BatchTask {
    /// Publishes the progress of a batch with these counts.
    async fn publish(&self, batch: &BatchFolder, counts: Counts) -> Result<()> {
        let (errors, run) = (Arc::clone(&self.errors), batch.run());
        let progress = on_thread(move || locked(&errors).progress(&counts, &run)).await;
        *locked(&self.progress) = Some(progress.map_err(folder_error)?);
        Ok(())
    }
}

/// Next action of a task.
enum Step {
    /// Reads the events again.
    Again,
    /// Reads the events again after a while, because another server is at work.
    Wait,
    /// Ends the task: the batch has ended, or the server stops.
    Done,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scheduler {
    /// Locks the folder, and continues the batches that are in it.
    pub(super) async fn start(mut settings: Settings) -> Result<Arc<Self>> {
        let failed =
            |path: &Path, error| Error::file(ErrorKind::Settings, "use the folder", path, error);
        let path = settings.folder.clone();
        settings.folder = std::path::absolute(&path).map_err(|error| failed(&path, error))?;
        durable::create_folder(&settings.folder).map_err(|error| failed(&path, error))?;
        let (server, locks) = lock(&settings.folder, settings.journals.are_shared()).await?;
        let context = Arc::new(Context {
            running: Semaphore::new(settings.concurrent_batches),
            settings,
            stop: watch::Sender::new(false),
            server,
            _locks: locks,
        });
        let scheduler = Arc::new(Self {
            context,
            tasks_by_batch: Mutex::default(),
            join_set: Mutex::default(),
        });
        let mut done = HashSet::new();
        scheduler.scan(&mut done).await.map_err(|error| failed(&path, error))?;
        let stopping = scheduler.context.stop.subscribe();
        let watching = Self::watch(Arc::downgrade(&scheduler), stopping, done);
        locked(&scheduler.join_set).spawn(watching);
        Ok(scheduler)
    }

    /// Milliseconds of Unix time.
    pub(super) fn now(&self) -> u64 {
        self.context.now()
    }

    /// The folder of an owner.
    pub(super) fn owner(&self, name: &str) -> PathBuf {
        self.context.settings.folder.join(name)
    }

    pub(super) fn journals(&self) -> &Journals {
        &self.context.settings.journals
    }

    /// The progress of a batch that is run here.
    pub(super) fn progress(&self, id: &str) -> Option<Progress> {
        let task = locked(&self.tasks_by_batch).get(id).cloned()?;
        *locked(&task.progress)
    }

    /// Starts the task of a batch, or lets it read the events now.
    pub(super) fn start_or_wake(self: &Arc<Self>, batch: BatchFolder) {
        let mut tasks_by_batch = locked(&self.tasks_by_batch);
        if let Some(task) = tasks_by_batch.get(batch.id()) {
            task.wake.notify_one();
            return;
        }
        let task = Arc::new(BatchTask::default());
        tasks_by_batch.insert(batch.id().to_owned(), Arc::clone(&task));
        let (scheduler, context) = (Arc::downgrade(self), Arc::clone(&self.context));
        let mut join_set = locked(&self.join_set);
        // Tasks that have ended are removed.
        while join_set.try_join_next().is_some() {}
        join_set.spawn(async move {
            context.run_to_end(&batch, &task).await;
            if let Some(scheduler) = scheduler.upgrade() {
                locked(&scheduler.tasks_by_batch).remove(batch.id());
            }
        });
    }

    /// Starts tasks for the batches that have none. `done` are those that need none: they have ended,
    /// or their record is damaged, which is reported once and keeps no other batch from running.
    async fn scan(self: &Arc<Self>, done: &mut HashSet<String>) -> io::Result<()> {
        let folder = self.context.settings.folder.clone();
        let known: HashSet<String> =
            done.iter().chain(locked(&self.tasks_by_batch).keys()).cloned().collect();
        let found = on_thread(move || {
            let (mut open, mut done, mut problems) = (Vec::new(), Vec::new(), Vec::new());
            for owner in durable::names(&folder)? {
                for batch in Batches::of(&folder.join(owner)).all()? {
                    if known.contains(batch.id()) {
                        continue;
                    }
                    match batch.events() {
                        Ok(events) if events.is_final() && !batch.run().exists() => {
                            done.push(batch.id().to_owned());
                        }
                        Ok(_) => open.push(batch),
                        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                            done.push(batch.id().to_owned());
                            problems.push(format!(
                                "the batch {} does not run: {error}; restore the file from a backup, and start the server again",
                                batch.id()
                            ));
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
            Ok((open, done, problems))
        });
        let (open, newly_done, problems) = found.await?;
        done.extend(newly_done);
        problems.iter().for_each(|problem| self.context.report(problem));
        open.into_iter().for_each(|batch| self.start_or_wake(batch));
        Ok(())
    }

    /// Looks for batches of other servers, and removes files that have expired.
    async fn watch(
        scheduler: Weak<Self>,
        mut stopping: watch::Receiver<bool>,
        mut done: HashSet<String>,
    ) {
        let mut scans = interval(SCAN);
        let mut swept: Option<Instant> = None;
        loop {
            tokio::select! {
                biased;
                _ = stopping.wait_for(|it| *it) => return,
                _ = scans.tick() => {}
            }
            let Some(scheduler) = scheduler.upgrade() else { return };
            let context = &scheduler.context;
            if swept.is_none_or(|at| at.elapsed() > SWEEP) {
                swept = Some(Instant::now());
                let (folder, now) = (context.settings.folder.clone(), context.now());
                let sweep = move || {
                    for owner in durable::names(&folder)? {
                        let owner = folder.join(owner);
                        Files::of(&owner, now).sweep()?;
                        Batches::of(&owner).sweep()?;
                    }
                    Ok::<_, io::Error>(())
                };
                if let Err(error) = on_thread(sweep).await {
                    context.report(&format!("could not remove expired files: {error}"));
                }
            }
            if context.settings.journals.are_shared()
                && let Err(error) = scheduler.scan(&mut done).await
            {
                context.report(&format!("could not read the batches: {error}"));
            }
        }
    }

    /// Reports a problem to the operator.
    pub(super) fn report(&self, problem: &str) {
        self.context.report(problem);
    }

    /// Ends all tasks in an orderly way.
    pub(super) async fn stop(&self) {
        self.context.stop.send_replace(true);
        let mut join_set = std::mem::take(&mut *locked(&self.join_set));
        let ended = async { while join_set.join_next().await.is_some() {} };
        let _ = timeout(STOP_TIMEOUT, ended).await;
    }

    /// Ends all tasks now.
    pub(super) fn abort(&self) {
        locked(&self.join_set).abort_all();
    }
}

/// Locks the folder: for one server, or as one of those that share it, with a number of its own.
async fn lock(folder: &Path, is_shared: bool) -> Result<(usize, Vec<File>)> {
    let open = |name: &str| {
        let path = folder.join(name);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        crate::files::private(&mut options);
        options
            .open(&path)
            .map_err(|error| Error::file(ErrorKind::Settings, "open the lock", &path, error))
    };
    let began = Instant::now();
    let whole = open(".lock")?;
    loop {
        match if is_shared { whole.try_lock_shared() } else { whole.try_lock() } {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_PATIENCE => {
                sleep(Duration::from_millis(20)).await;
            }
            Err(TryLockError::WouldBlock) => {
                let message = format!(
                    "another server uses the folder {}: stop it; or let both keep their journals in one database, which all servers of the folder must do then",
                    folder.display()
                );
                return Err(Error::new(ErrorKind::InUse, message));
            }
            Err(TryLockError::Error(error)) => {
                return Err(Error::file(ErrorKind::Settings, "lock", folder, error));
            }
        }
    }
    if !is_shared {
        return Ok((0, vec![whole]));
    }
    let mut number = 0;
    loop {
        let own = open(&format!(".server-{number}.lock"))?;
        match own.try_lock() {
            Ok(()) => return Ok((number, vec![whole, own])),
            Err(TryLockError::WouldBlock) => number += 1,
            Err(TryLockError::Error(error)) => {
                return Err(Error::file(ErrorKind::Settings, "lock", folder, error));
            }
        }
    }
}

impl Context {
    fn now(&self) -> u64 {
        let time = (self.settings.now)().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
    }

    fn report(&self, problem: &str) {
        (self.settings.on_problem)(problem);
    }

    /// Takes a batch to its end, or until the server stops.
    async fn run_to_end(self: &Arc<Self>, batch: &BatchFolder, task: &BatchTask) {
        let mut stopping = self.stop.subscribe();
        let (mut backoff, mut reported) = (BACKOFF.0, None);
        while !*stopping.borrow_and_update() {
            let wait = match self.step(batch, task).await {
                Ok(Step::Done) => return,
                Ok(Step::Again) => {
                    (backoff, reported) = (BACKOFF.0, None);
                    continue;
                }
                Ok(Step::Wait) => CHECK,
                Err(error) => {
                    // Its advice may be to run the batch again.
                    let problem =
                        format!("batch {}: {error}; the server tries again by itself", batch.id());
                    // A handle that was just dropped, here or in a process that ended, is closed
                    // in a moment.
                    let is_passing = error.kind() == ErrorKind::InUse && backoff < BACKOFF.1;
                    if !is_passing && reported.as_ref() != Some(&problem) {
                        self.report(&problem);
                        reported = Some(problem);
                    }
                    let wait = backoff;
                    backoff = BACKOFF.1.min(backoff * 2);
                    wait
                }
            };
            tokio::select! {
                () = sleep(wait) => {}
                () = task.wake.notified() => {}
                _ = stopping.changed() => {}
            }
        }
    }

    /// Does what the next event of a batch needs.
    async fn step(self: &Arc<Self>, batch: &BatchFolder, task: &BatchTask) -> Result<Step> {
        let events = self.events(batch).await?;
        if events.is_final() {
            let (context, batch) = (Arc::clone(self), batch.clone());
            on_thread(move || batch.remove_run(&context.settings.journals)).await?;
            return Ok(Step::Done);
        }
        if events.validated.is_none() || events.finalizing.is_some() || events.is_invalid() {
            let (context, batch) = (Arc::clone(self), batch.clone());
            return on_thread(move || context.step_alone(&batch)).await;
        }
        match self.run(batch, task, &events).await {
            // Another server has finalized the batch, and removed its files.
            Err(error) if !self.events(batch).await?.is_final() => Err(error),
            Err(_) => Ok(Step::Again),
            ended => ended,
        }
    }

    async fn events(&self, batch: &BatchFolder) -> Result<Events> {
        let batch = batch.clone();
        on_thread(move || batch.events().map_err(folder_error)).await
    }

    /// Validates or finalizes a batch, unless another server does so. Blocks.
    fn step_alone(&self, batch: &BatchFolder) -> Result<Step> {
        let Some(_exclusive) = batch.exclusive().map_err(folder_error)? else {
            return Ok(Step::Wait);
        };
        let events = batch.events().map_err(folder_error)?;
        if events.is_final() {
            return Ok(Step::Again);
        }
        let Settings { journals, models, max_requests, .. } = &self.settings;
        if events.validated.is_none() {
            let path = batch.inputs();
            let checked = validation::check(&path, &events.request.endpoint, models, *max_requests)
                .map_err(|error| Error::file(ErrorKind::Inputs, "read", &path, error))?;
            let validation::Checked { total, model, errors } = checked;
            let validated = Validated { at: self.now(), total, model, errors };
            batch.record_validated(&validated).map_err(folder_error)?;
        } else if let Some(finalizing) = &events.finalizing {
            let lifetime = events.request.output_lifetime;
            let ended = match events.is_invalid() {
                true => Ended::without_requests(self.now()),
                false => output_files::write(batch, journals, finalizing, lifetime, self.now())?,
            };
            batch.record_ended(&ended).map_err(folder_error)?;
        } else {
            // The batch was cancelled while its file, which is invalid, was validated.
            batch.record_finalizing(self.now()).map_err(folder_error)?;
        }
        Ok(Step::Again)
    }

    /// Runs a batch until all of its requests have ended.
    async fn run(
        self: &Arc<Self>,
        batch: &BatchFolder,
        task: &BatchTask,
        events: &Events,
    ) -> Result<Step> {
        let mut stopped_at = events.stopped_at();
        if stopped_at.is_none() && self.now() >= events.request.expires_at {
            let at = self.now();
            self.record(batch, move |batch| batch.record_expiring(at)).await?;
            stopped_at = Some(at);
        }
        // A batch that is to stop does not wait for others.
        let _permit = match stopped_at {
            Some(_) => None,
            None => {
                let Ok(permit) = timeout(CHECK, self.running.acquire()).await else {
                    return Ok(Step::Again);
                };
                Some(permit)
            }
        };
        let model = events.validated.as_ref().and_then(|validated| validated.model.as_deref());
        let endpoint = model.and_then(|model| self.settings.models.endpoint(model));
        let endpoint = match (endpoint, stopped_at) {
            (None, Some(_)) => self.settings.models.any(),
            (endpoint, _) => endpoint,
        };
        let Some(endpoint) = endpoint.cloned() else {
            let message = format!(
                "there is no endpoint for the model {} any more: start the server with one",
                model.unwrap_or_default()
            );
            return Err(Error::new(ErrorKind::Settings, message));
        };
        if events.request.has_shared_journal != self.settings.journals.are_shared() {
            let message = "the batch was begun with its journal elsewhere: start the server with the database, or without one, as it was then";
            return Err(Error::new(ErrorKind::Settings, message));
        }
        let now = Arc::clone(&self.settings.now);
        let engine = batch
            .open(&self.settings.journals)
            .inputs(Inputs::jsonl(batch.inputs()).input_field("body").key_field("custom_id"))
            .results(batch.results(self.server))
            .max_inline_output(usize::MAX)
            .clock(move || now())
            .await?;
        // Another server may have ended the batch and removed its journal, before this one was
        // opened.
        if self.events(batch).await?.is_final() {
            return Ok(Step::Again);
        }
        task.publish(batch, engine.status().await?.counts).await?;
        let ended = match stopped_at {
            None => self.submit_and_collect(batch, task, events, &engine, endpoint).await,
            Some(at) => self.cancel_and_collect(batch, task, &engine, endpoint, at).await,
        };
        if ended? {
            let at = self.now();
            self.record(batch, move |batch| batch.record_finalizing(at)).await?;
            return Ok(Step::Again);
        }
        Ok(if *self.stop.borrow() { Step::Done } else { Step::Wait })
    }

    async fn record(
        &self,
        batch: &BatchFolder,
        record: impl FnOnce(&BatchFolder) -> io::Result<()> + Send + 'static,
    ) -> Result<()> {
        let batch = batch.clone();
        on_thread(move || record(&batch).map_err(folder_error)).await
    }

    /// Submits the requests and collects their outputs. Returns true if all have ended.
    async fn submit_and_collect(
        self: &Arc<Self>,
        batch: &BatchFolder,
        task: &BatchTask,
        events: &Events,
        engine: &Batch,
        endpoint: Endpoint,
    ) -> Result<bool> {
        let left = events.request.expires_at.saturating_sub(self.now());
        let ttl = Duration::from_millis(left).clamp(TTL.0, TTL.1);
        let route = events.request.endpoint.clone();
        let mut run = engine
            .run(endpoint)
            .policy(Policy::new().ttl(ttl))
            .submit_with(SubmitRequest { route });
        let stopper = run.stopper();
        let mut stopping = self.stop.subscribe();
        let mut checks = interval(CHECK);
        let mut reported = None;
        loop {
            tokio::select! {
                progress = run.next() => {
                    let Some(progress) = progress else { break };
                    task.publish(batch, progress.counts).await?;
                    if progress.error.is_some() && progress.error != reported {
                        let error = progress.error.as_deref().unwrap_or_default();
                        self.report(&format!("batch {}: {error}", batch.id()));
                    }
                    reported = progress.error;
                }
                () = stopped(&mut stopping) => {
                    stopper.exit();
                    break;
                }
                _ = checks.tick() => self.check(batch, &stopper).await?,
                () = task.wake.notified() => self.check(batch, &stopper).await?,
            }
        }
        let report = run.await?;
        task.publish(batch, report.counts).await?;
        Ok(report.counts.open() == 0)
    }

    /// Ends a run whose batch has been finalized, or is to stop.
    async fn check(
        self: &Arc<Self>,
        batch: &BatchFolder,
        stopper: &crate::run::Stopper,
    ) -> Result<()> {
        let events = self.events(batch).await?;
        if events.finalizing.is_some() {
            stopper.exit();
            return Ok(());
        }
        let mut is_stopped = events.stopped_at().is_some();
        if !is_stopped && self.now() >= events.request.expires_at {
            let at = self.now();
            self.record(batch, move |batch| batch.record_expiring(at)).await?;
            is_stopped = true;
        }
        if is_stopped {
            let (context, batch) = (Arc::clone(self), batch.clone());
            // The run may not have begun to listen to requests: the request is repeated.
            on_thread(move || batch.reader(&context.settings.journals)?.request_cancel()).await?;
        }
        Ok(())
    }

    /// Cancels the requests that have not ended, and collects the outputs of those that have.
    /// Returns true if all have ended.
    async fn cancel_and_collect(
        self: &Arc<Self>,
        batch: &BatchFolder,
        task: &BatchTask,
        engine: &Batch,
        endpoint: Endpoint,
        stopped_at: u64,
    ) -> Result<bool> {
        let gives_up = self.now() > stopped_at.saturating_add(CANCEL_PATIENCE);
        match engine.cancel(&endpoint).await {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::InUse => {
                let (context, batch) = (Arc::clone(self), batch.clone());
                on_thread(move || batch.reader(&context.settings.journals)?.request_cancel())
                    .await?;
                return Ok(false);
            }
            // The jobs end with their ttl at the latest.
            Err(error) if gives_up && error.kind() == ErrorKind::Service => return Ok(true),
            Err(error) => return Err(error),
        }
        let mut run = engine.run(endpoint).take(0).outage_timeout(COLLECT_OUTAGE_TIMEOUT);
        let stopper = run.stopper();
        let mut stopping = self.stop.subscribe();
        let report = tokio::select! {
            report = &mut run => report,
            () = stopped(&mut stopping) => {
                stopper.exit();
                run.await
            }
        };
        match report {
            Ok(report) => {
                task.publish(batch, report.counts).await?;
                Ok(report.counts.open() == 0 || gives_up)
            }
            Err(error) if gives_up && error.service().is_some() => Ok(true),
            Err(error) => Err(error),
        }
    }
}
