//! A PostgreSQL server for these tests, and the journals in it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use podqueue_batch::store::OpenStore;
pub use podqueue_batch::store::{Postgres as Journal, PostgresStore as JournalStore};
use podqueue_batch::{Batch, Open};
use podqueue_pgserver::Server;

use crate::support::Folder;

/// Environment variable with the URL of the database, for the processes of these tests.
const URL: &str = "BATCH_DATABASE";

/// The server ends with the process.
static SERVER: LazyLock<Server> = LazyLock::new(Server::start);

/// All tests but those that break it use one database.
static DATABASE: LazyLock<String> =
    LazyLock::new(|| env::var(URL).unwrap_or_else(|_| SERVER.create("jobs")));

/// The journal of the batch in this folder.
pub fn of(folder: &Path) -> Journal {
    Journal::connect(DATABASE.clone(), name(folder)).lease(Duration::from_secs(3))
}

fn name(folder: &Path) -> String {
    // However its path ends.
    folder.components().collect::<PathBuf>().display().to_string()
}

/// The batch in this folder, which knows all that it needs, but not which results are whose.
pub fn open_without_inputs(folder: &Folder) -> Open {
    Batch::open(folder.journal()).results(folder.path("results.jsonl"))
}

/// The URL of a database of its own.
pub fn database(name: &str) -> String {
    SERVER.create(name)
}

/// Executes statements in a database, and returns what they print.
pub fn sql(database: &str, statements: &str) -> String {
    SERVER.sql(database, statements)
}

/// Lets a process that runs the batch find it.
pub fn tell(process: &mut Command) {
    process.env(URL, &*DATABASE);
}

/// Returns true if a process has begun it.
pub fn exists(journal: &Journal) -> bool {
    journal.inspect().is_ok()
}

/// Returns true if a process has it open.
pub fn is_open(journal: &Journal) -> bool {
    journal.is_open().unwrap()
}

/// Lets this much time pass by the clock of the database, which is decisive.
pub fn pass(folder: &Path, time: Duration) {
    let (name, time) = (name(folder), time.as_millis());
    SERVER.sql(
        "jobs",
        &format!(
            "UPDATE podqueue.input SET submitted_at = submitted_at - {time}, seen_at = seen_at - {time}
             WHERE batch = (SELECT id FROM podqueue.batch WHERE name = '{name}')"
        ),
    );
}
