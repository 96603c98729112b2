//! Store: the trait of a journal, and the values that it exchanges.
//!
//! A store is called by one thread at a time, and its calls may block. One store is for one process
//! at a time, or shared by several ([`Sharing`]).

#[cfg(feature = "postgres")]
mod postgres;
mod records;
mod sharing;
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
#[cfg(all(feature = "postgres", feature = "unstable-store"))]
pub use postgres::PostgresStore;
pub use records::{
    Change, Claim, Commit, Digest, Ended, Event, Input, NewInput, Note, Place, RunRecord, Tally,
};
pub(crate) use sharing::{IMPORTED, LOST};
pub use sharing::{Outage, Sharing};
pub use sqlite::Sqlite;
#[cfg(feature = "unstable-store")]
pub use sqlite::SqliteStore;

use crate::error::Result;
use crate::state::State;

/// A store of journals: [`Sqlite`], or `Postgres` with the feature `postgres`. No other type can be one.
pub trait JournalStore: OpenStore {}

impl<S: OpenStore> JournalStore for S {}

/// A recipe for a [`Store`], which [`Batch::open`](crate::Batch::open) follows.
pub trait OpenStore: Send + 'static {
    /// The store.
    type Store: Store;

    /// Whether there is nothing yet, so that opening it creates a store: what no batch can begin
    /// with is refused before that.
    ///
    /// # Errors
    ///
    /// If that cannot be told.
    fn is_new(&self) -> Result<bool> {
        Ok(false)
    }

    /// Opens the store, and creates it if it does not exist: for this process alone, unless it is
    /// [shared](Store::sharing).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InUse`](crate::ErrorKind::InUse) if another process has a store open that is not
    /// shared, and the kinds for a journal that cannot be opened.
    fn open(self) -> Result<Self::Store>;

    /// Opens an existing store for reading, also while other processes have it open.
    ///
    /// # Errors
    ///
    /// If there is no such store.
    fn inspect(&self) -> Result<Self::Store>;
}

/// A durable record of a batch. Whatever a method has returned successfully survives the loss of
/// the process and of the machine's power.
pub trait Store: Send + 'static {
    /// The note with this name.
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

    /// Sets notes in a store that may have been opened for reading, for the process that runs the batch.
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
    /// If the store cannot be written. Nothing is added then.
    fn add(&mut self, inputs: &[NewInput], notes: &[Note]) -> Result<()>;

    /// Replaces the texts of inputs, all or none: their line, place, digest and flaw, and
    /// what they are copies of.
    ///
    /// # Errors
    ///
    /// If the store cannot be written. Nothing is replaced then.
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
    /// pending ones, now [`State::Intent`], with their attempt counted.
    ///
    /// # Errors
    ///
    /// If the store cannot be written, or a change is about an input in another state or attempt.
    /// Nothing is changed then.
    fn commit(&mut self, commit: &Commit) -> Result<Vec<Input>>;

    /// Moves all inputs from one state to another, without ending them.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn move_all(&mut self, from: &[State], to: State) -> Result<u64>;

    /// How many inputs are in each state, and what they took.
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

    /// The index of another input than this one that has this job, submitted to the same endpoint
    /// as this one was.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn holder(&mut self, job_id: &str, index: u64) -> Result<Option<u64>>;

    /// The inputs that are copies of this one.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn copies(&mut self, index: u64) -> Result<Vec<Input>>;
}

/// Excludes other processes from a shared store, until [`unlock`] is called.
pub(crate) fn lock(store: &mut dyn Store) -> Result<()> {
    store.sharing().map_or(Ok(()), |sharing| sharing.lock())
}

/// Ends what [`lock`] began: the changes take effect, unless `done` is an error.
pub(crate) fn unlock<T>(store: &mut dyn Store, done: Result<T>) -> Result<T> {
    let Some(sharing) = store.sharing() else { return done };
    match done {
        Ok(done) => sharing.unlock(true).map(|()| done),
        Err(error) => {
            // Nothing of it remains, whether or not this succeeds.
            let _ = sharing.unlock(false);
            Err(error)
        }
    }
}
