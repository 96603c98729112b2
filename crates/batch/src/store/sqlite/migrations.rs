//! Schema of the file, and its migrations.

use std::path::Path;

use rusqlite::Connection;

use super::errors::failed;
use crate::error::{Error, ErrorKind, Result};

/// Marks the file as a journal ("pqba").
const APPLICATION: i32 = 0x7071_6261;

/// Migrations, each from the preceding version. The version of a file is the number of migrations.
const MIGRATIONS: [&str; 3] = [
    // `input_state` finds the next pending input that is no copy.
    "CREATE TABLE note (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
     CREATE TABLE run (
         id INTEGER PRIMARY KEY,
         endpoint_id TEXT NOT NULL,
         base_url TEXT NOT NULL,
         policy TEXT,
         ttl INTEGER,
         started_at INTEGER NOT NULL
     );
     CREATE TABLE input (
         idx INTEGER PRIMARY KEY,
         line INTEGER NOT NULL,
         start INTEGER,
         length INTEGER,
         body BLOB,
         digest BLOB NOT NULL,
         state INTEGER NOT NULL,
         attempt INTEGER NOT NULL,
         same_as INTEGER,
         run INTEGER REFERENCES run (id),
         job_id TEXT,
         submitted_at INTEGER,
         seen_at INTEGER,
         validation_error TEXT,
         error TEXT
     );
     CREATE INDEX input_state ON input (state, same_as);
     CREATE INDEX input_same_as ON input (same_as) WHERE same_as IS NOT NULL;
     CREATE TABLE tally (state INTEGER PRIMARY KEY, inputs INTEGER NOT NULL);
     CREATE TABLE spent (execution_ms REAL NOT NULL, delay_ms REAL NOT NULL);
     INSERT INTO spent VALUES (0, 0);",
    "CREATE INDEX input_job ON input (job_id) WHERE job_id IS NOT NULL;",
    // Earlier attempts have no reserve.
    "ALTER TABLE input ADD COLUMN reserve_ms REAL NOT NULL DEFAULT 0;
     ALTER TABLE input ADD COLUMN charged_ms REAL NOT NULL DEFAULT 0;
     ALTER TABLE spent ADD COLUMN timed INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE spent ADD COLUMN squares_ms REAL NOT NULL DEFAULT 0;
     ALTER TABLE spent ADD COLUMN charged_ms REAL NOT NULL DEFAULT 0;
     UPDATE spent SET charged_ms = execution_ms;",
];

/// Brings a file up to this version.
pub(super) fn run(connection: &mut Connection, path: &Path) -> Result<()> {
    apply(connection, path, &MIGRATIONS)
}

/// Refuses a file that is not a journal of this version.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<()> {
    match version(connection, path, MIGRATIONS.len())? {
        found if found == MIGRATIONS.len() => Ok(()),
        0 => {
            let message = format!(
                "the journal {} has no batch in it yet: a process is about to begin it, or ended before it could",
                path.display()
            );
            Err(Error::new(ErrorKind::Journal, message))
        }
        found => {
            let message = format!(
                "the journal {} is of the older version {found}: run its batch once to update it",
                path.display()
            );
            Err(Error::new(ErrorKind::Journal, message))
        }
    }
}

fn apply(connection: &mut Connection, path: &Path, migrations: &[&str]) -> Result<()> {
    let found = version(connection, path, migrations.len())?;
    for (done, migration) in migrations.iter().enumerate().skip(found) {
        let mut migrate = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", done + 1)?;
            transaction.commit()
        };
        migrate().map_err(|error| failed("update", path, error))?;
    }
    Ok(())
}

fn version(connection: &Connection, path: &Path, newest: usize) -> Result<usize> {
    let number = |pragma: &str| -> Result<i64> {
        let read = connection.pragma_query_value(None, pragma, |row| row.get(0));
        read.map_err(|error| failed("open", path, error))
    };
    let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0));
    let tables: i64 = tables.map_err(|error| failed("open", path, error))?;
    let (application, version) = (number("application_id")?, number("user_version")?);
    if tables > 0 && application != i64::from(APPLICATION) {
        let message = format!("{} is a database, but not a journal of a batch", path.display());
        return Err(Error::new(ErrorKind::NotAJournal, message));
    }
    match usize::try_from(version) {
        Ok(version) if version <= newest => Ok(version),
        _ => {
            let message = format!(
                "the journal {} has version {version}, and this program knows versions up to {newest}: use the newer program that wrote it",
                path.display()
            );
            Err(Error::new(ErrorKind::NewerVersion, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migrated(connection: &mut Connection, migrations: &[&str]) -> Result<()> {
        apply(connection, Path::new("a.journal"), migrations)
    }

    #[test]
    fn an_older_journal_is_migrated_and_a_newer_one_is_refused() {
        let [one, two] = ["CREATE TABLE a (b)", "ALTER TABLE a ADD COLUMN c"];
        let mut connection = Connection::open_in_memory().expect("a database");
        migrated(&mut connection, &[one]).expect("a new journal");
        connection.execute("INSERT INTO a VALUES (1)", []).expect("a row");
        migrated(&mut connection, &[one, two]).expect("the older version");
        let row = connection.query_row("SELECT b, c FROM a", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?))
        });
        assert_eq!(row.expect("the row"), (1, None));
        migrated(&mut connection, &[one, two]).expect("nothing to do");
        let error = migrated(&mut connection, &[one]).expect_err("the newer version");
        assert_eq!(error.kind(), ErrorKind::NewerVersion);
    }

    #[test]
    fn a_journal_without_a_batch_is_not_called_an_older_one() {
        let connection = Connection::open_in_memory().expect("a database");
        let error = check(&connection, Path::new("a.journal")).expect_err("nothing is in it");
        assert!(error.to_string().contains("no batch in it yet"), "{error}");
    }

    #[test]
    fn a_failed_migration_leaves_the_older_version() {
        let mut connection = Connection::open_in_memory().expect("a database");
        migrated(&mut connection, &["CREATE TABLE a (b)"]).expect("a new journal");
        let broken = ["CREATE TABLE a (b)", "CREATE TABLE c (d); CREATE TABLE a (b)"];
        migrated(&mut connection, &broken).expect_err("a table exists");
        let version = version(&connection, Path::new("a.journal"), 2).expect("a version");
        assert_eq!(version, 1);
        connection.query_row("SELECT * FROM c", [], |_| Ok(())).expect_err("rolled back");
    }

    #[test]
    fn the_database_of_another_program_is_refused() {
        let mut connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch("CREATE TABLE users (name)").expect("a table");
        let error = run(&mut connection, Path::new("a.db")).expect_err("not a journal");
        assert_eq!(error.kind(), ErrorKind::NotAJournal);
    }
}
