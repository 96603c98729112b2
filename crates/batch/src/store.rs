//! Store: the trait of a journal, and the values that it exchanges.
//!
//! A store is called by one thread at a time, and its calls may block. One store is for one process
//! at a time, or shared by several ([`Sharing`]): with leases, recovery, locks and outages.

#[cfg(feature = "postgres")]
mod postgres;
mod records;
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
#[cfg(all(feature = "postgres", feature = "unstable-store"))]
pub use postgres::PostgresStore;
pub use records::{
    Change, Charge, Claim, Commit, Digest, Ended, Event, Input, NewInput, Note, RunRecord, Tally,
    TextLocation,
};
pub use sqlite::Sqlite;
#[cfg(feature = "unstable-store")]
pub use sqlite::SqliteStore;

#[cfg(feature = "unstable-store")]
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::input_state::State;

/// Number of inputs that are read, or changed, at a time.
pub(crate) const PAGE: usize = 1_000;

/// Name of the note that marks a shared store that has lost changes. Its text is the message for
/// users.
pub(crate) const LOST: &str = "lost";

/// Name of the note that a process has imported its results since the mark was set.
pub(crate) const IMPORTED: &str = "imported";

/// A store of journals: [`Sqlite`], or `Postgres` with the feature `postgres`. No type of another
/// crate can be one.
pub trait JournalStore: OpenStore {}

impl<S: OpenStore> JournalStore for S {}

/// Factory of a [`Store`], which [`Batch::open`](crate::Batch::open) calls.
pub trait OpenStore: Send + 'static {
    /// The store.
    type Store: Store;

    /// Returns true if the store does not exist. Settings are validated before it is created.
    ///
    /// # Errors
    ///
    /// If the existence of the store cannot be determined.
    fn is_new(&self) -> Result<bool> {
        Ok(false)
    }

    /// Opens the store, and creates it if it does not exist: for this process alone, unless it is
    /// [shared](Store::sharing).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InUse`](crate::ErrorKind::InUse) if another process has a store open that is
    /// not shared, and the kinds for a journal that cannot be opened.
    fn open(self) -> Result<Self::Store>;

    /// Opens an existing store for reading, also while other processes have it open.
    ///
    /// # Errors
    ///
    /// If there is no such store, it cannot be read, has another version, or its database is
    /// unreachable.
    fn inspect(&self) -> Result<Self::Store>;
}

/// A durable record of a batch. A change that a method has returned successfully survives the
/// loss of the process and of the machine's power.
pub trait Store: Send + 'static {
    /// The note with this name. A note is a named text of the journal.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn note(&mut self, name: &str) -> Result<Option<String>>;

    /// The note with this name among those that are about this process's results or runs: those
    /// that a [`Commit`] sets. In a store for one process, they are notes like any other.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn own_note(&mut self, name: &str) -> Result<Option<String>> {
        self.note(name)
    }

    /// Sets notes in a store that may have been opened for reading, for the process that runs the
    /// batch.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn request(&mut self, notes: &[Note]) -> Result<()> {
        self.add(&[], notes)
    }

    /// Operations of a store that several processes share. `None` if it is for one process.
    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        None
    }

    /// Appends inputs, all or none, and stores notes together with them. The first input has index
    /// zero.
    ///
    /// # Errors
    ///
    /// If the store cannot be written: then no input is added.
    fn add(&mut self, inputs: &[NewInput], notes: &[Note]) -> Result<()>;

    /// Replaces the texts of inputs, all or none: their line, location, digest and validation
    /// error, and the inputs that they are copies of.
    ///
    /// # Errors
    ///
    /// If the store cannot be written: then no text is replaced.
    fn replace(&mut self, inputs: &[(u64, NewInput)]) -> Result<()>;

    /// Records that a run begins, and returns its number.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn begin_run(&mut self, run: &RunRecord) -> Result<u64>;

    /// All runs so far, with their numbers.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn runs(&mut self) -> Result<Vec<(u64, RunRecord)>>;

    /// Makes all changes of a commit or none, and returns the inputs that it claims: the first
    /// pending inputs, now [`State::Intent`], with their attempt counted.
    ///
    /// # Errors
    ///
    /// If the store cannot be written, or a change is about an input in another state or attempt.
    /// Then no change is made.
    fn commit(&mut self, commit: &Commit) -> Result<Vec<Input>>;

    /// Moves all inputs from one state to another, without ending them.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn move_all(&mut self, from: &[State], to: State) -> Result<u64>;

    /// Returns the input counts by state, and the total execution and queue time.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn tally(&mut self) -> Result<Tally>;

    /// The inputs in any of these states from index `from` on, at most `limit`, by index.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn inputs(&mut self, states: &[State], from: u64, limit: usize) -> Result<Vec<Input>>;

    /// The index of an input other than `index` that has this job and was submitted to the same
    /// endpoint.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn holder(&mut self, job_id: &str, index: u64) -> Result<Option<u64>>;

    /// The inputs that are copies of this input.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn copies(&mut self, index: u64) -> Result<Vec<Input>>;

    /// In a simulation: the time until the store responds, on tokio's clock. The journal is then a
    /// task. `None`, as in any real store: the journal has a thread, and calls of the store block.
    #[cfg(feature = "unstable-store")]
    fn response(&mut self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        None
    }
}

/// Begins an exclusive transaction of a shared store, until [`unlock`] is called.
pub(crate) fn lock(store: &mut dyn Store) -> Result<()> {
    store.sharing().map_or(Ok(()), |sharing| sharing.lock())
}

/// Ends the transaction of [`lock`]: the changes take effect, unless `done` is an error.
pub(crate) fn unlock<T>(store: &mut dyn Store, done: Result<T>) -> Result<T> {
    let Some(sharing) = store.sharing() else { return done };
    match done {
        Ok(done) => sharing.unlock(true).map(|()| done),
        Err(error) => {
            // The transaction is rolled back even if this call fails.
            let _ = sharing.unlock(false);
            Err(error)
        }
    }
}

/// Operations of a [`Store`] that several processes share.
///
/// Each process has a lease, which every change renews. Another process that has seen it renew
/// nothing for the time of a lease, by its own clock, can recover its inputs: nothing that the
/// process writes afterwards takes effect (it is fenced off), and its changes fail with
/// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted), until it rejoins under a new lease.
///
/// Inputs that are being submitted, or outstanding, belong to the process that claimed or
/// recovered them.
pub trait Sharing {
    /// Registers the results of this process (by a token that no other results have), and the state
    /// of inputs that a process was submitting when it lost its lease: [`State::Unknown`] or
    /// [`State::Pending`]. An earlier process with the same results is recovered at once.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn identify(&mut self, results: &str, intents: State) -> Result<()>;

    /// Returns the last change of this process that is known to be durable, as a text that
    /// [`check_position`](Self::check_position) reads after a restart; `None` before it has
    /// joined.
    fn position(&self) -> Option<String>;

    /// Compares the store with the [`position`](Self::position) of an earlier process with the same
    /// results. If the store does not have that change, it has lost changes: that is recorded as
    /// [`report_loss`](Self::report_loss) does, unless the loss was accepted since that process
    /// joined.
    ///
    /// # Errors
    ///
    /// If changes are lost and their loss is not to be accepted, or the store cannot be written.
    fn check_position(&mut self, position: &str) -> Result<()>;

    /// Rejoins under a new lease. The process has only the inputs that it recovers.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn rejoin(&mut self) -> Result<()>;

    /// Observes the other processes, recovers those whose leases have expired since they were first
    /// observed, and returns their outstanding inputs, which belong to this process from now on.
    /// Called at least once per second.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn recover(&mut self) -> Result<Vec<Input>>;

    /// The outstanding inputs of this process.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn outstanding(&mut self) -> Result<Vec<Input>>;

    /// Returns true if this process submits this input, or collects its job.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn owns(&mut self, index: u64) -> Result<bool>;

    /// Returns the number of other processes that have neither released their lease nor been
    /// recovered: of those at work (whose lease is still valid by the store's clock), or of all,
    /// crashed ones among them.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn peers(&mut self, at_work: bool) -> Result<u64>;

    /// The outage of the store, which can be read while it is waited for.
    fn outage(&self) -> Outage;

    /// Returns the interval at which the lease must be renewed while nothing is written.
    fn renew_every(&self) -> Duration;

    /// Renews the lease.
    ///
    /// # Errors
    ///
    /// If the lease was lost, or the store cannot be written.
    fn renew(&mut self) -> Result<()>;

    /// Gives up the lease: other processes may recover the outstanding jobs. The next change
    /// begins a new lease.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn release(&mut self) -> Result<()>;

    /// Records that the store has lost changes that were durable, so that every process is refused,
    /// including processes that join later, until the loss is accepted.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn report_loss(&mut self) -> Result<()>;

    /// Returns true if this process accepts a loss: its settings accept it, and the store was
    /// marked when the process joined, or by the process itself.
    fn accepts_loss(&self) -> bool;

    /// Refuses to accept a loss while there are results that were not imported since. If there is
    /// no loss, later losses are not accepted.
    ///
    /// # Errors
    ///
    /// If results of other processes were not imported, and they are not to be given up.
    fn check_loss(&mut self) -> Result<()>;

    /// Accepts the loss, if this process does: other processes can join again. A commit that claims
    /// inputs does the same.
    ///
    /// # Errors
    ///
    /// If the store cannot be written, or as [`check_loss`](Self::check_loss) does.
    fn accept_loss(&mut self) -> Result<()>;

    /// The time by the store's clock, in milliseconds of Unix time.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn time(&mut self) -> Result<u64>;

    /// The notes with this name that [`Store::own_note`](Store::own_note) reads in each
    /// process: in those that are at work, or in all that ever were.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn own_notes(&mut self, name: &str, at_work: bool) -> Result<Vec<String>>;

    /// The inputs with these results that ended other than with an output, from index `from` on, at
    /// most `limit`, by index: inputs that this process, or an earlier process with the same
    /// results, ended.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn failures(&mut self, from: u64, limit: usize) -> Result<Vec<Input>>;

    /// Begins an exclusive transaction: no other process can write until [`unlock`](Self::unlock).
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn lock(&mut self) -> Result<()>;

    /// Ends the transaction of [`lock`](Self::lock): the changes take effect, or are discarded.
    ///
    /// # Errors
    ///
    /// If the store cannot be written. The changes are discarded then, unless the response to their
    /// commit was lost: then they may have taken effect.
    fn unlock(&mut self, keep: bool) -> Result<()>;
}

/// A failure this long after the last failure begins a new outage: the time in between is unknown.
const SEPARATE_OUTAGE: Duration = Duration::from_secs(60);

/// The divisor of the outage timeout of a process that must stop.
const SHORTENED_DIVISOR: u32 = 30;

/// Outage of a [shared store](Sharing) that is unreachable. The store [reports](Self::failed) it;
/// its waiters see why, and can shorten the wait. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Outage(Arc<Mutex<OutageState>>);

#[derive(Debug, Default)]
struct OutageState {
    /// The first and the last failure since the last success, if there was one.
    failed: Option<(Instant, Instant)>,
    why: String,
    is_given_up: bool,
    is_shortened: bool,
}

impl Outage {
    fn known(&self) -> MutexGuard<'_, OutageState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time for which the store has been unreachable, and the last error. `None` if it
    /// is reachable.
    #[must_use]
    pub fn elapsed(&self) -> Option<(Duration, String)> {
        let known = self.known();
        known.failed.map(|(first, _)| (first.elapsed(), known.why.clone()))
    }

    /// Shortens the wait for the store to a thirtieth of its outage timeout (10 s of 5 min), or no
    /// longer.
    pub fn set_shortened(&self, is_shortened: bool) {
        self.known().is_shortened = is_shortened;
    }

    /// Reports a failure, in a store with this outage timeout. Returns true if the operation is to
    /// be retried.
    pub fn failed(&self, why: String, outage_timeout: Duration) -> bool {
        let mut known = self.known();
        let now = Instant::now();
        let first = match known.failed {
            Some((first, last)) if now - last < SEPARATE_OUTAGE => first,
            _ => now,
        };
        (known.failed, known.why) = (Some((first, now)), why);
        let outage_timeout =
            if known.is_shortened { outage_timeout / SHORTENED_DIVISOR } else { outage_timeout };
        let is_over = now - first >= outage_timeout;
        // An attempt without an outage timeout is no evidence of how long the outage lasts.
        known.is_given_up |= is_over && outage_timeout > Duration::ZERO;
        !is_over
    }

    /// Reports that the store has responded.
    pub fn ended(&self) {
        let mut known = self.known();
        (known.failed, known.is_given_up) = (None, false);
    }

    /// Returns true if the outage timeout has passed: remaining work is attempted once, briefly.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.known().is_given_up
    }
}
