//! The store in an SQLite file.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use podqueue::{ChangeRecords, LimitStore, StoreError};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::clock;

/// How long to wait for other processes, each of which needs the file for a moment.
const BUSY: Duration = Duration::from_secs(2);

/// A file is worth nothing after a crash of the machine, so nothing is synced.
const SETUP: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS clock (
        one INTEGER PRIMARY KEY CHECK (one = 1), boot TEXT NOT NULL, micros INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS record (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
";

/// Limits in an SQLite file, for the processes of one machine.
///
/// The file is created if it does not exist, for its owner only, and contains no API key. It must be
/// on a local disk. Deleting it while processes use it makes them forget each other.
#[derive(Debug)]
pub struct SqliteLimits {
    path: PathBuf,
    connection: Option<Connection>,
}

impl SqliteLimits {
    /// Limits in this file. It is opened when a client first needs it.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), connection: None }
    }
}

impl LimitStore for SqliteLimits {
    fn name(&self) -> String {
        format!("the file {}", self.path.display())
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => open(&self.path)?,
        };
        exchange(&mut connection, keys, change)?;
        // After a failure it is opened anew.
        self.connection = Some(connection);
        Ok(())
    }
}

fn open(path: &Path) -> Result<Connection, StoreError> {
    // SQLite gives the files next to it the same rights.
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
        Ok(_) | Err(_) => {}
    }
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.execute_batch(SETUP)?;
    Ok(connection)
}

fn exchange(
    connection: &mut Connection,
    keys: &[String],
    change: ChangeRecords<'_>,
) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let boot = clock::boot();
    let last: Option<(String, i64)> = transaction
        .prepare_cached("SELECT boot, micros FROM clock")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let mut now = clock::now();
    if let Some((last_boot, last)) = last {
        let last = Duration::from_micros(u64::try_from(last).unwrap_or(0));
        // Without a name of the boot, a clock that went back tells.
        let is_same = if boot.is_empty() { last <= now } else { last_boot == boot };
        if is_same {
            now = now.max(last);
        } else {
            transaction.execute("DELETE FROM record", [])?;
        }
    }
    let mut records = Vec::with_capacity(keys.len());
    {
        let mut select = transaction.prepare_cached("SELECT value FROM record WHERE key = ?1")?;
        for key in keys {
            records.push(select.query_row([key], |row| row.get::<_, Vec<u8>>(0)).optional()?);
        }
    }
    change(now, &mut records);
    {
        let mut set = transaction.prepare_cached(
            "INSERT INTO record VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
        )?;
        let mut delete = transaction.prepare_cached("DELETE FROM record WHERE key = ?1")?;
        for (key, record) in keys.iter().zip(&records) {
            match record {
                Some(value) => set.execute(params![key, value])?,
                None => delete.execute([key])?,
            };
        }
        let micros = i64::try_from(now.as_micros()).unwrap_or(i64::MAX);
        transaction
            .prepare_cached(
                "INSERT INTO clock VALUES (1, ?1, ?2)
                 ON CONFLICT (one) DO UPDATE SET boot = ?1, micros = ?2",
            )?
            .execute(params![boot, micros])?;
    }
    transaction.commit()?;
    Ok(())
}
