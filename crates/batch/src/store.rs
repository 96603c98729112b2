//! Where a batch is recorded: a trait, and the values that it exchanges.
//!
//! A store is called by one thread at a time, and its calls may block. One store is for one process
//! at a time, or shared by several ([`Sharing`]).

#[cfg(feature = "postgres")]
mod postgres;
mod rules;
mod sharing;
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::{Postgres, PostgresStore};
pub use sharing::Sharing;
pub(crate) use sharing::{lock, unlock};
pub use sqlite::{Sqlite, SqliteStore};

use crate::error::Result;
use crate::state::{Counts, State};

/// A recipe for a [`Store`], which [`Batch::open`](crate::Batch::open) follows.
pub trait OpenStore: Send + 'static {
    /// The store.
    type Store: Store;

    /// Whether there is nothing yet, so that opening it creates a store: what no batch can begin
    /// with is refused before that.
    fn is_new(&self) -> bool {
        false
    }

    /// Opens the store, and creates it if it does not exist: for this process alone, unless it is
    /// [shared](Store::sharing).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InUse`](crate::ErrorKind::InUse) if another process has a store open that is not
    /// shared, and the kinds for a journal that cannot be opened.
    fn open(self) -> Result<Self::Store>;

    /// Opens an existing store for reading, also while others have it open.
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

    /// Sets notes in a store that may have been opened for reading, for those who have it open.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn request(&mut self, notes: &[Note]) -> Result<()> {
        self.add(&[], notes)
    }

    /// What a store can do that several processes share. `None` if it is for one process.
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

/// A named text that is stored along with the inputs.
pub type Note = (&'static str, String);

/// The digest of an input's text.
pub type Digest = [u8; 16];

/// An input to add.
#[derive(Clone, Debug)]
pub struct NewInput {
    /// The line of the inputs file, counted from one; for other inputs, the index plus one.
    pub line: u64,
    /// Where its text is.
    pub place: Place,
    /// The digest of its text.
    pub digest: Digest,
    /// The index of an earlier input with the same content, whose result it gets.
    pub same_as: Option<u64>,
    /// What is wrong with it: the input is refused whenever it is claimed.
    pub flaw: Option<String>,
}

/// Where the text of an input is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the inputs file.
    File {
        /// The offset of its first byte.
        offset: u64,
        /// The number of bytes, without the line break.
        length: u64,
    },
    /// In the store.
    Stored(Vec<u8>),
}

/// An input, as recorded.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its index, from zero.
    pub index: u64,
    /// The line of the inputs file, counted from one.
    pub line: u64,
    /// Where its text is.
    pub place: Place,
    /// The digest of its text.
    pub digest: Digest,
    /// The index of the input that it is a copy of.
    pub same_as: Option<u64>,
    /// What is wrong with it, for which it is refused whenever it is claimed.
    pub flaw: Option<String>,
    /// Its state.
    pub state: State,
    /// How often it was submitted, or may have been.
    pub attempt: u64,
    /// The run that submitted it last.
    pub run: Option<u64>,
    /// The job that it became.
    pub job_id: Option<String>,
    /// When it was accepted, in milliseconds of Unix time.
    pub submitted_at: Option<u64>,
    /// When its job was last seen not to have ended, in milliseconds of Unix time.
    pub seen_at: Option<u64>,
    /// Why it did not complete.
    pub error: Option<String>,
}

/// A run: where inputs are submitted to, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// The endpoint's id.
    pub endpoint_id: String,
    /// The URL of the service.
    pub base_url: String,
    /// The policy of the submissions, as JSON.
    pub policy: Option<String>,
    /// The ttl of that policy, in milliseconds.
    pub ttl: Option<u64>,
    /// When it began, in milliseconds of Unix time.
    pub started_at: u64,
}

/// Changes that take effect together.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// What happened to inputs, in this order.
    pub changes: Vec<Change>,
    /// Notes to set, which [`Store::own_note`] reads.
    pub notes: Vec<Note>,
    /// Inputs to claim, after the changes.
    pub claim: Option<Claim>,
}

/// A request for inputs to submit.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// How many at most.
    pub limit: usize,
    /// The run that submits them.
    pub run: u64,
}

/// What happened to an input.
#[derive(Clone, Debug)]
pub struct Change {
    /// The input.
    pub index: u64,
    /// The attempt that it is about.
    pub attempt: u64,
    /// What happened.
    pub event: Event,
}

/// What happens to an input.
#[derive(Clone, Debug)]
pub enum Event {
    /// It was certainly not accepted, and is pending again; the attempt does not count.
    NotSent,
    /// It may have been accepted, and is submitted again.
    Resubmit,
    /// It was accepted as this job. An unknown input becomes a submitted one.
    Accepted {
        /// The job's id.
        job_id: String,
        /// When, in milliseconds of Unix time.
        at: u64,
    },
    /// Whether it was accepted is not known, for this reason.
    Unknown(String),
    /// Its job has not ended yet.
    Seen {
        /// When, in milliseconds of Unix time.
        at: u64,
    },
    /// Nothing more happens to it.
    Ended(Ended),
}

/// How an input ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// A final state.
    pub state: State,
    /// Why it did not complete.
    pub error: Option<String>,
    /// How long it waited for a worker, in milliseconds.
    pub delay_ms: Option<f64>,
    /// How long it ran, in milliseconds.
    pub execution_ms: Option<f64>,
}

/// How many inputs are in each state, and what they took in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// The number of inputs, by state.
    pub counts: Counts,
    /// The sum of all execution times, in milliseconds.
    pub execution_ms: f64,
    /// The sum of all times before execution, in milliseconds.
    pub delay_ms: f64,
}
