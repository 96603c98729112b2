//! Journal of the batches of these tests, on SQLite. `tests/postgres` has its own.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub use podqueue_batch::store::{Sqlite as Journal, SqliteStore as JournalStore};
use podqueue_batch::{Batch, Open};

use crate::support::Folder;

/// The journal of the batch in this folder.
pub fn of(folder: &Path) -> Journal {
    Journal::file(folder.join("results.jsonl.journal"))
}

/// The batch in this folder, which knows all that it needs.
pub fn open_without_inputs(folder: &Folder) -> Open {
    Batch::open(folder.journal())
}

/// Lets a process that runs the batch find it.
pub fn tell(_: &mut Command) {}

/// Returns true if a process has begun it.
pub fn exists(journal: &Journal) -> bool {
    journal.path().exists()
}

/// Returns true if a process has it open.
pub fn is_open(journal: &Journal) -> bool {
    journal.is_open()
}

/// Lets this much time pass by the clock of the process, which is decisive.
pub fn pass(_: &Path, _: Duration) {}
