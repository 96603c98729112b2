//! The store in one SQLite file, for one process at a time.

mod failure;
mod lock;
mod migrations;
mod rows;
mod statements;

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use self::failure::failed;
use self::lock::{Lock, is_locked};
use super::OpenStore;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, sync_folder};

/// How long to wait for a reader in another process that happens to hold a lock.
const BUSY: Duration = Duration::from_secs(10);

/// A journal in an SQLite file, for one process at a time.
///
/// The file, and those that SQLite puts next to it, can be read by their owner only. They contain no
/// API key and no storage credential. A lock file (`….lock`) keeps other processes away. The file
/// must be on a local disk: SQLite cannot be trusted on a network file system.
///
/// Commits are synced to disk (`synchronous=FULL`, in WAL mode), so they survive a power loss.
#[derive(Clone, Debug)]
pub struct Sqlite {
    path: PathBuf,
}

/// An open [`Sqlite`] journal.
pub struct SqliteStore {
    connection: Connection,
    path: PathBuf,
    /// Held as long as the store is open for writing.
    _lock: Option<Lock>,
}

impl Sqlite {
    /// The journal in this file, which is created if it does not exist.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens an existing journal for reading, also while a batch uses it.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is not a journal of this version.
    pub fn inspect(&self) -> Result<SqliteStore> {
        // It reads with the rights to write, without which it could not join those who do.
        let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut store = SqliteStore { connection, path: self.path.clone(), _lock: None };
        store.configure("PRAGMA query_only = ON;")?;
        migrations::check(&store.connection, &self.path)?;
        Ok(store)
    }

    /// Whether the journal is open for writing, in another process or in this one.
    #[must_use]
    pub fn is_open(&self) -> bool {
        is_locked(&self.path)
    }

    fn connect(&self, flags: OpenFlags) -> Result<Connection> {
        if !self.path.exists() {
            let message = format!("there is no journal {}", self.path.display());
            return Err(Error::new(ErrorKind::Journal, message));
        }
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)
            .map_err(|error| failed("open", &self.path, error))?;
        connection.busy_timeout(BUSY).map_err(|error| failed("open", &self.path, error))?;
        Ok(connection)
    }
}

impl OpenStore for Sqlite {
    type Store = SqliteStore;

    fn open(self) -> Result<SqliteStore> {
        let lock = Lock::take(&self.path)?;
        create(&self.path)?;
        let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut store = SqliteStore { connection, path: self.path, _lock: Some(lock) };
        migrations::run(&mut store.connection, &store.path)?;
        store.configure(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
        )?;
        Ok(store)
    }
}

impl SqliteStore {
    /// Lets a store that was opened for reading write for once.
    pub(crate) fn writing<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.configure("PRAGMA query_only = OFF;")?;
        let done = work(self);
        self.configure("PRAGMA query_only = ON;")?;
        done
    }

    fn configure(&mut self, pragmas: &str) -> Result<()> {
        let done = self.connection.execute_batch(pragmas);
        done.map_err(|error| failed("open", &self.path, error))
    }
}

/// Creates the file before SQLite does, which would let others read it. An existing one is not opened:
/// closing it would end the locks that SQLite holds on it elsewhere in this process.
fn create(path: &Path) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    match options.open(path) {
        Ok(file) => file.sync_all().and_then(|()| sync_folder(path)),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
    .map_err(|error| Error::file(ErrorKind::Journal, "create the journal", path, error))
}
