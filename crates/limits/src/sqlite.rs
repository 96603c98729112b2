//! SQLite store of shared limits: a file that the processes of one machine lock for each exchange.
//!
//! The store has a clock of its own that never goes back: see [`moment`].

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use podqueue_runtime::{ChangeRecords, LimitStore, StoreError};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

/// Timeout of waiting for the lock, which each process holds briefly.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// Limits are not needed after a crash of the machine, so nothing is synced.
const SETUP: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS store_clock (
        one INTEGER PRIMARY KEY CHECK (one = 1), moment INTEGER NOT NULL, time_of_day INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS record (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
";

/// Limits in an SQLite file, for the processes of one machine.
///
/// The file is created if it does not exist, readable by its owner only, and contains no API key.
/// It must be on a local disk. If it is deleted or replaced while processes use it, each of them
/// continues with the file at its path, within a third of a second while it sends requests.
#[derive(Debug)]
pub struct SqliteLimits {
    path: PathBuf,
    open: Option<OpenFile>,
}

impl SqliteLimits {
    /// Limits in this file. It is opened when a client first needs it.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), open: None }
    }
}

impl LimitStore for SqliteLimits {
    fn name(&self) -> String {
        format!("the file {}", self.path.display())
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        let unmoved = self.open.take().filter(|it| identity(&self.path).ok() == Some(it.file));
        let mut open = match unmoved {
            Some(open) => open,
            None => OpenFile::open(&self.path)?,
        };
        open.exchange(keys, change)?;
        // A failed exchange leaves it unset, so that the next one opens the file again.
        self.open = Some(open);
        Ok(())
    }
}

/// The device and the inode number of a file. The number is not reused while the file is open.
type FileIdentity = (u64, u64);

fn identity(path: &Path) -> std::io::Result<FileIdentity> {
    std::fs::metadata(path).map(|file| (file.dev(), file.ino()))
}

/// An open file, and the state of its clock in this process.
#[derive(Debug)]
struct OpenFile {
    connection: Connection,
    file: FileIdentity,
    /// The moment of the last exchange.
    last: Option<(Instant, Duration)>,
}

impl OpenFile {
    fn open(path: &Path) -> Result<Self, StoreError> {
        // SQLite creates the files next to it with the same permissions.
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
            Ok(_) | Err(_) => {}
        }
        let file = identity(path)?;
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.execute_batch(SETUP)?;
        if identity(path)? != file {
            return Err("the file was replaced while it was opened".into());
        }
        Ok(Self { connection, file, last: None })
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let stored: Option<(i64, i64)> = transaction
            .prepare_cached("SELECT moment, time_of_day FROM store_clock")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        // Near the end of its range the clock would stand still, and requests would count for ever.
        let stored = stored.filter(|(moment, _)| *moment < i64::MAX / 2);
        let stored = stored.map(|(moment, time)| (duration(moment), duration(time)));
        let (time, time_of_day) = (Instant::now(), time_of_day());
        // Rounded as it is stored, so that the next moment is not earlier.
        let now = duration(micros(moment(stored, self.last, time, time_of_day)));
        let mut records = Vec::with_capacity(keys.len());
        {
            let mut select =
                transaction.prepare_cached("SELECT value FROM record WHERE key = ?1")?;
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
            transaction
                .prepare_cached(
                    "INSERT INTO store_clock VALUES (1, ?1, ?2)
                     ON CONFLICT (one) DO UPDATE SET moment = ?1, time_of_day = ?2",
                )?
                .execute([now, time_of_day].map(micros))?;
        }
        transaction.commit()?;
        self.last = Some((time, now));
        Ok(())
    }
}

/// The moment by the store's clock, which never goes back: the stored moment plus the time since.
///
/// No clock of a machine is suitable for all of its processes: the monotonic clock restarts at boot
/// and differs between time namespaces, and the time of day can be set. But each process knows by
/// its own monotonic clock how much time has passed since its own last exchange, and adopts a
/// stored moment that is ahead of its own. Only a process that adopts one, or has no earlier
/// exchange, relies on the time of day, once; if that was set back, no time has passed.
fn moment(
    stored: Option<(Duration, Duration)>,
    last: Option<(Instant, Duration)>,
    time: Instant,
    time_of_day: Duration,
) -> Duration {
    let Some((moment, stored_at)) = stored else { return time_of_day };
    let own = last.map(|(then, last)| last + (time - then));
    own.filter(|own| *own >= moment)
        .unwrap_or_else(|| moment + time_of_day.saturating_sub(stored_at))
}

fn time_of_day() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

fn duration(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}
