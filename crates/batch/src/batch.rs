//! Batch: the handle of an open batch, and its opening.
//!
//! Opening finds journal, inputs and results, and recovers what an earlier process left, in this
//! order, so that a refusal leaves nothing behind: settings and files are checked, the store is
//! opened, the inputs are indexed or compared, uncommitted results are recovered, expired processes
//! of a shared store are recovered, and interrupted submissions become unknown or pending.

mod operations;
mod path_validation;

pub use operations::{Checked, Retried};

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::StreamExt;
use podqueue::{Endpoint, Policy};
use tokio::sync::{mpsc, oneshot};

use crate::clock::Clock;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::columns::Column;
use crate::handle_state::{HandleState, Resolved, WebhookCall, not_yet};
use crate::input_state::State;
use crate::inputs::{
    ChangedInputs, FoundInputs, Inputs, Shape, SourceCopy, SourceRecord, Texts, copy, index,
};
use crate::journal::{Journal, JournalState};
use crate::results::{Failures, LargeOutputs, OwnershipFile, Results, committed};
use crate::run::Run;
use crate::run_notes::clear;
use crate::status::{RefusedInput, Status, UnknownInput};
use crate::store::{JournalStore, OpenStore, Store, lock, unlock};
use crate::submission;
use crate::submission::OnUnknown;
use crate::webhook::{Identity, Ticket, job_id};

/// A batch: inputs, a journal of their states, and a file of results.
///
/// Cheap to clone. The journal is closed, and can be opened by another process, when the last clone
/// and the last [`Run`](crate::Run) are dropped.
///
/// ```no_run
/// # async fn example(client: podqueue::Client) -> Result<(), podqueue_batch::Error> {
/// use podqueue_batch::{Batch, Inputs, OnUnknown, Sqlite};
///
/// let batch = Batch::open(Sqlite::file("answers.journal"))
///     .inputs(Inputs::jsonl("prompts.jsonl"))
///     .results("answers.jsonl")
///     .on_unknown(OnUnknown::Hold)
///     .await?;
/// let report = batch.run(client.endpoint("painter")).await?;
/// println!("{} of {} completed", report.counts.of(podqueue_batch::State::Completed),
/// report.counts.total());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Batch {
    shared: Arc<HandleState>,
    changed: ChangedInputs,
    /// Number of results imported into a store that had lost their records.
    imported: u64,
    columns: Arc<[Column]>,
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("on_unknown", self.shared.on_unknown())
            .finish_non_exhaustive()
    }
}

impl Batch {
    /// Opens a batch, or begins a new batch. Inputs that were submitted before and got no response
    /// become [`State::Unknown`](crate::State::Unknown), or are submitted again: see
    /// [`Open::on_unknown`].
    pub fn open<S: JournalStore>(store: S) -> Open {
        Open::new(store)
    }

    /// Submits the pending inputs to this endpoint, and collects the outstanding jobs, also from
    /// endpoints that earlier runs submitted to.
    pub fn run(&self, endpoint: Endpoint) -> Run {
        Run::new(Arc::clone(&self.shared), endpoint)
    }

    /// Returns the number of inputs that had changed when the batch was opened: see
    /// [`Open::accept_changed_inputs`].
    #[must_use]
    pub fn changed_inputs(&self) -> ChangedInputs {
        self.changed
    }

    /// Returns the number of results imported because the database had lost their records
    /// (`Postgres::accept_loss`).
    #[must_use]
    pub fn imported_results(&self) -> u64 {
        self.imported
    }

    /// Returns the columns of inputs in a CSV file, if they were converted when the batch was opened,
    /// with their inferred types: see [`Inputs::file`].
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the input counts by state, and the total execution and queue time.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub async fn status(&self) -> Result<Status> {
        self.shared.journal().with(|state| Status::read(state.store())).await
    }

    /// The inputs of which it is not known whether they were accepted.
    ///
    /// # Errors
    ///
    /// If the journal or the inputs cannot be read.
    pub async fn unknown(&self) -> Result<Vec<UnknownInput>> {
        let list = self.shared.journal().with(|state| {
            let (store, texts) = state.store_and_texts();
            UnknownInput::list(store, Some(texts))
        });
        list.await
    }

    /// The first `limit` inputs that were refused, by index.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub async fn refused(&self, limit: usize) -> Result<Vec<RefusedInput>> {
        let list =
            self.shared.journal().with(move |state| RefusedInput::list(state.store(), limit));
        list.await
    }

    /// Delivers a webhook call: the query of the URL that was called, or the whole URL, and the
    /// body. If it is about an input that is [`State::Unknown`](crate::State::Unknown), the job is
    /// now known, and is collected by the current or the next run. Returns true if the call is
    /// about this batch, and names a job; respond with 200 only once this has returned.
    ///
    /// Calls about any other submission change nothing, including a submission that was refused, as
    /// with a 429: a refusal is believed, and the input is submitted again.
    ///
    /// See [`OnUnknown::ByWebhook`](crate::OnUnknown::ByWebhook).
    ///
    /// # Errors
    ///
    /// If the journal cannot be written, or it is not known yet whether the input is unknown:
    /// respond with 500, so that the service calls again.
    pub async fn deliver(&self, url: &str, body: &[u8]) -> Result<bool> {
        let Some(ticket) = self.ticket(url) else { return Ok(false) };
        let Some(job_id) = job_id(body) else { return Ok(false) };
        let (reply, done) = oneshot::channel();
        let delivered = WebhookCall { ticket, job_id: job_id.clone(), reply };
        if self.shared.forward(delivered)
            && let Ok(done) = done.await
        {
            return done.map(|()| true);
        }
        // There is no run, or it ended in between.
        if let Resolved::NotYet = self.shared.resolve(ticket, job_id.clone()).await? {
            return Err(not_yet(ticket));
        }
        // A run that has begun in between may not know the job.
        let (reply, _) = oneshot::channel();
        self.shared.forward(WebhookCall { ticket, job_id, reply });
        Ok(true)
    }

    /// Returns true if a webhook call is about this batch, given the query of the URL that was
    /// called, or the whole URL: the body of any other call need not be read.
    #[must_use]
    pub fn expects(&self, url: &str) -> bool {
        self.ticket(url).is_some()
    }

    fn ticket(&self, url: &str) -> Option<Ticket> {
        let query = url.split_once('?').map_or(url, |(_, query)| query);
        self.shared.identity().ticket(query)
    }
}

/// Number of inputs of a stream that wait to be copied.
const COPY_BUFFER: usize = 64;

/// Largest number of repetitions after a broken connection.
const REPETITIONS: usize = 5;

/// Object-safe form of [`OpenStore`].
trait OpenAny: Send {
    fn is_new(&self) -> Result<bool>;
    fn open(self: Box<Self>) -> Result<Box<dyn Store>>;
}

impl<S: OpenStore> OpenAny for S {
    fn is_new(&self) -> Result<bool> {
        OpenStore::is_new(self)
    }

    fn open(self: Box<Self>) -> Result<Box<dyn Store>> {
        Ok(Box::new(OpenStore::open(*self)?))
    }
}

/// Opens a batch when awaited; returned by [`Batch::open`].
///
/// # Errors
///
/// - [`ErrorKind::Unreachable`] if the database of a shared journal, or the object of the inputs,
///   cannot be reached, and [`ErrorKind::Interrupted`] if the connection to the database breaks
///   again and again, or while inputs are copied that are not in a file;
/// - [`ErrorKind::InUse`] if another process has the journal open, or the results with another
///   journal, and [`ErrorKind::Duplicate`] if the journal is a copy, or another name, of one that
///   is still there;
/// - [`ErrorKind::Inputs`] if the inputs cannot be read, or there are none;
/// - [`ErrorKind::InputsChanged`] if they are not those of the journal;
/// - [`ErrorKind::OtherResults`] if the results are not those of the journal;
/// - [`ErrorKind::Settings`] if a new batch lacks its inputs or results;
/// - [`ErrorKind::NewerVersion`], [`ErrorKind::NotAJournal`], [`ErrorKind::Journal`] and
///   [`ErrorKind::Results`] for the files themselves.
#[must_use = "nothing is opened until it is awaited"]
pub struct Open {
    store: Box<dyn OpenAny>,
    inputs: Option<Inputs>,
    settings: OpenSettings,
}

struct OpenSettings {
    results: Option<PathBuf>,
    on_unknown: OnUnknown,
    largest_in_line: usize,
    may_change: bool,
    clock: Clock,
    run: Option<(Endpoint, Policy)>,
}

impl Open {
    fn new<S: OpenStore>(store: S) -> Self {
        let settings = OpenSettings {
            results: None,
            on_unknown: OnUnknown::default(),
            largest_in_line: LargeOutputs::ABOVE,
            may_change: false,
            clock: Clock::default(),
            run: None,
        };
        Self { store: Box::new(store), inputs: None, settings }
    }

    /// The inputs. A batch that exists already has them: see [`Inputs`]. If they are omitted and
    /// their file is gone or has changed, only submissions fail: outstanding jobs can still
    /// be collected, retried with [`Batch::retry_jobs`], and cancelled.
    pub fn inputs(mut self, inputs: Inputs) -> Self {
        self.inputs = Some(inputs);
        self
    }

    /// The file of results, which a batch that exists already knows. One line per completed input,
    /// in the order of completion:
    ///
    /// ```json
    /// {"index": 17, "key": "…", "status": "COMPLETED", "job_id": "…",
    ///  "output": …, "delay_ms": 12, "execution_ms": 640}
    /// ```
    ///
    /// The file can be read while the batch runs. A line that was written and not committed when a
    /// process died is removed when the batch is opened again. Inputs that did not complete are
    /// written next to it, to `….failed.jsonl`.
    pub fn results(mut self, path: impl Into<PathBuf>) -> Self {
        self.settings.results = Some(path.into());
        self
    }

    /// The policy for inputs of which it is not known whether they were accepted, from this run and
    /// from earlier runs.
    pub fn on_unknown(mut self, policy: OnUnknown) -> Self {
        self.settings.on_unknown = policy;
        self
    }

    /// The largest output, in bytes, that stands in a line of the results; 1 MiB by default. A
    /// larger output is stored as a file in the folder `….outputs` next to them, and its line has
    /// that file's path as `output_file`.
    pub fn max_inline_output(mut self, bytes: usize) -> Self {
        self.settings.largest_in_line = bytes;
        self
    }

    /// Takes up inputs that have changed since the batch began, instead of refusing them. An input
    /// is its position: those that are still pending are submitted with their new content, and
    /// those that were submitted, or have ended, keep their state; a result has the key that
    /// stands in its line when it is collected. [`Batch::changed_inputs`] returns their numbers.
    /// None may be missing, and the batch must be without [`dedupe`](Inputs::dedupe).
    pub fn accept_changed_inputs(mut self) -> Self {
        self.settings.may_change = true;
        self
    }

    /// Checks that jobs can be submitted to this endpoint with this policy, so that settings which
    /// the next run would refuse are refused here, before anything is created. Nothing is sent.
    pub fn check_run(mut self, endpoint: &Endpoint, policy: &Policy) -> Self {
        self.settings.run = Some((endpoint.clone(), policy.clone()));
        self
    }

    /// The clock of the batch, instead of the system's; for tests.
    #[doc(hidden)]
    pub fn clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.settings.clock = Clock::new(now);
        self
    }

    async fn open(self) -> Result<Batch> {
        let Self { store, inputs, settings } = self;
        if let Some((endpoint, policy)) = &settings.run {
            submission::check(endpoint, Some(policy), &settings.on_unknown)?;
        }
        let has_inputs = inputs.is_some();
        let found = match inputs {
            Some(inputs) => inputs.find(settings.results.as_deref()).await?,
            None => FoundInputs::default(),
        };
        #[cfg(feature = "object-storage")]
        let reader = found.reader;
        let (mut given, copy) = (found.values, found.copy);
        let mut known = has_inputs.then_some((found.path, found.shape));
        // The last item is `None`.
        let (copied, mut to_copy) = mpsc::channel(COPY_BUFFER);
        let opening = tokio::task::spawn_blocking(move || {
            let inputs = known.as_ref().and_then(|(path, _)| path.as_deref());
            let results = settings.results.as_deref();
            path_validation::check(inputs, results)?;
            if store.is_new()? {
                known.as_ref().ok_or_else(without_inputs)?;
                path_validation::check_new(inputs, results.ok_or_else(without_results)?)?;
                copy.as_ref().map_or(Ok(()), SourceCopy::check)?;
            }
            let mut store = store.open()?;
            let mut ownership = identify(&mut *store, &settings)?;
            let mut columns = Vec::new();
            if let (Some(copy), Some((path, _))) = (copy, &mut known) {
                let complete = copy.complete(&mut *store, settings.may_change)?;
                // The lease of a shared store may be lost meanwhile.
                repeated(&mut *store, |store| complete.version.record(store))?;
                (*path, columns) = (Some(complete.path), complete.columns);
            }
            // A stream of inputs can be read only once.
            let mut has_drawn = false;
            let opened = repeated(&mut *store, |store| {
                if has_drawn {
                    return Err(copy_interrupted());
                }
                let to_copy = std::iter::from_fn(|| {
                    has_drawn = true;
                    to_copy.blocking_recv().unwrap_or_else(|| {
                        // The caller has dropped the future.
                        let message = "the inputs were not read to their end";
                        Some(Err(serde::de::Error::custom(message)))
                    })
                });
                Opened::begin(store, ownership.as_mut(), known.clone(), to_copy, &settings)
            })?;
            opened.open(store, ownership, settings, columns)
        });
        if let Some(given) = &mut given {
            loop {
                let input = given.next().await;
                let is_last = input.is_none();
                // Ends early if the receiver was dropped.
                if copied.send(input).await.is_err() || is_last {
                    break;
                }
            }
        }
        #[cfg(feature = "object-storage")]
        if let Some(reader) = reader {
            reader.read().await;
        }
        drop(copied);
        opening.await.unwrap_or_else(|end| {
            let message = format!("opening the batch was interrupted: {end}");
            Err(Error::new(ErrorKind::Journal, message))
        })
    }
}

fn without_results() -> Error {
    Error::new(ErrorKind::Settings, "the journal is new: say where the results go")
}

/// The state of inputs whose process crashed while it submitted them.
fn after_intent(on_unknown: &OnUnknown) -> State {
    match on_unknown {
        OnUnknown::Resubmit => State::Pending,
        _ => State::Unknown,
    }
}

/// Identifies the results of this process to a shared store.
fn identify(store: &mut dyn Store, settings: &OpenSettings) -> Result<Option<OwnershipFile>> {
    let Some(sharing) = store.sharing() else { return Ok(None) };
    let Some(results) = &settings.results else {
        let message = "the journal is shared: say where this process writes its results";
        return Err(Error::new(ErrorKind::Settings, message));
    };
    let ownership = OwnershipFile::open(results)?;
    sharing.identify(ownership.token(), after_intent(&settings.on_unknown))?;
    Ok(Some(ownership))
}

/// Repeats idempotent work whose connection to a shared store broke, each time under a new lease.
fn repeated<T>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut dyn Store) -> Result<T>,
) -> Result<T> {
    let mut done = work(store);
    for _ in 0..REPETITIONS {
        match (&done, store.sharing()) {
            (Err(error), Some(sharing)) if error.kind() == ErrorKind::Interrupted => {
                done = sharing.rejoin().and_then(|()| work(store));
            }
            _ => break,
        }
    }
    done
}

/// The error of a connection that broke while inputs were copied.
fn copy_interrupted() -> Error {
    let message = "the connection to the database broke while inputs were copied, which can be read only once: none of them was added; open the batch again";
    Error::new(ErrorKind::Interrupted, message)
}

/// Inputs and results of a batch that is being opened.
struct Opened {
    source: SourceRecord,
    changed: ChangedInputs,
    identity: Identity,
    results: Results,
    failures: Failures,
    texts: Texts,
}

impl Opened {
    /// Indexes the inputs, and recovers the results and expired processes. Idempotent.
    fn begin(
        store: &mut dyn Store,
        ownership: Option<&mut OwnershipFile>,
        inputs: Option<(Option<PathBuf>, Shape)>,
        to_copy: impl Iterator<Item = serde_json::Result<Vec<u8>>>,
        settings: &OpenSettings,
    ) -> Result<Self> {
        lock(store)?;
        let begin = |store: &mut dyn Store| {
            if let Some(results) = &settings.results {
                Results::check(store, results)?;
            }
            let source = index_inputs(store, inputs, to_copy, settings.may_change)?;
            Ok((source, Identity::of(store)?))
        };
        let begun = begin(store);
        let ((source, changed), identity) = unlock(store, begun)?;
        let path = match &settings.results {
            Some(path) => path.clone(),
            None => committed(store)?.pop().map(|(path, _)| path).ok_or_else(without_results)?,
        };
        let are_of_batch =
            ownership.as_ref().is_some_and(|ownership| ownership.is_of(identity.id()));
        // The results may not prove that a backup was restored: they may be as old as it is. The
        // store is marked before they are imported.
        if let Some(position) =
            ownership.as_ref().filter(|_| are_of_batch).and_then(|it| it.position())
            && let Some(sharing) = store.sharing()
        {
            sharing.check_position(position)?;
        }
        let results = Results::open(store, &path, are_of_batch)?;
        if let Some(ownership) = ownership {
            ownership.keep(identity.id())?;
        }
        clear(store)?;
        match store.sharing() {
            Some(sharing) => {
                sharing.recover()?;
                settings.clock.follow(sharing.time()?);
                sharing.check_loss()?;
            }
            None => {
                store.move_all(&[State::Intent], State::Unknown)?;
            }
        }
        if matches!(settings.on_unknown, OnUnknown::Resubmit) {
            store.move_all(&[State::Unknown], State::Pending)?;
        }
        let mut texts = Texts::open(&source);
        let mut failures = Failures::of(results.path());
        failures.write(store, &mut texts)?;
        Ok(Self { source, changed, identity, results, failures, texts })
    }

    fn open(
        self,
        store: Box<dyn Store>,
        ownership: Option<OwnershipFile>,
        settings: OpenSettings,
        columns: Vec<Column>,
    ) -> Result<Batch> {
        let Self { source, changed, identity, results, failures, texts } = self;
        let OpenSettings { on_unknown, largest_in_line, clock, .. } = settings;
        let (shape, imported) = (source.shape.clone(), results.imported());
        let large = LargeOutputs::of(results.path(), largest_in_line);
        let state = JournalState::new(store, source, texts, results, failures, large, ownership);
        let journal = Journal::start(state)?;
        let shared = Arc::new(HandleState::new(journal, identity, on_unknown, shape, clock));
        Ok(Batch { shared, changed, imported, columns: columns.into() })
    }
}

impl IntoFuture for Open {
    type Output = Result<Batch>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.open())
    }
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open")
            .field("inputs", &self.inputs)
            .field("results", &self.settings.results)
            .field("on_unknown", &self.settings.on_unknown)
            .finish_non_exhaustive()
    }
}

/// Indexes the inputs, or compares them with those of the store.
fn index_inputs(
    store: &mut dyn Store,
    inputs: Option<(Option<PathBuf>, Shape)>,
    given: impl Iterator<Item = serde_json::Result<Vec<u8>>>,
    may_change: bool,
) -> Result<(SourceRecord, ChangedInputs)> {
    let known = SourceRecord::read(store)?;
    if let (Some((_, shape)), Some(known)) = (&inputs, &known)
        && known.shape != *shape
    {
        let message = format!(
            "the batch was begun with other settings of its inputs ({}), and not with these: {shape}. Use the same ones; or new results and a new journal, which submit all inputs anew",
            known.shape
        );
        return Err(Error::new(ErrorKind::Settings, message));
    }
    if may_change && known.as_ref().is_some_and(|known| known.shape.dedupe) {
        let message = "the batch submits equal inputs once, and so cannot accept changed ones: use new results and a new journal for them";
        return Err(Error::new(ErrorKind::Settings, message));
    }
    let (source, changed) = match (inputs, known) {
        (Some((Some(path), shape)), known) => index(store, &path, shape, known, may_change)?,
        (Some((None, shape)), known) => copy(store, given, shape, known, may_change)?,
        (None, Some(known)) => match known.file.clone() {
            Some(file) => {
                let shape = known.shape.clone();
                match index(store, &file.path, shape, Some(known.clone()), may_change) {
                    // The inputs are only needed by a process that submits them.
                    Err(error) if !may_change && error.is_of_inputs() => {
                        (SourceRecord::read(store)?.unwrap_or(known), ChangedInputs::default())
                    }
                    indexed => indexed?,
                }
            }
            None => (known, ChangedInputs::default()),
        },
        (None, None) => return Err(without_inputs()),
    };
    if source.inputs == 0 {
        return Err(match &source.file {
            Some(file) => path_validation::empty_inputs(&file.path),
            None => Error::new(ErrorKind::Inputs, "there are no inputs"),
        });
    }
    Ok((source, changed))
}

fn without_inputs() -> Error {
    Error::new(ErrorKind::Settings, "the journal is new: pass the inputs of the batch")
}
