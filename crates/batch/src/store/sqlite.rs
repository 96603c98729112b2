//! SQLite store: a journal in one file, for one process at a time.

mod errors;
mod file_identity;
mod lock;
mod migrations;
mod statements;
mod wal;

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use self::errors::{behind, damaged, failed, without_log};
use self::file_identity::OpenedFile;
use self::lock::{Lock, while_unlocked};
use super::{OpenStore, Store};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, sync_folder};

/// Timeout of a lock that a reader in another process holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Name of the note of the commit counter.
const COMMITS: &str = "commits";

/// Name of the note of the location of the last changes. It is [`IN_LOG`] in the file itself, and
/// not only in its log, before the first change of a process; an orderly end makes it [`IN_FILE`].
/// So a file that says `IN_LOG`, and has no log next to it, was copied or moved without it.
const CHANGES: &str = "changes";
const IN_LOG: &str = "in the log";
const IN_FILE: &str = "in the file";

/// A journal in an SQLite file, for one process at a time.
///
/// The file, and those that SQLite puts next to it, can be read by their owner only. They contain
/// no API key and no storage credential. A lock file (`….lock`) keeps other processes away. The
/// file must be on a local disk: SQLite cannot be trusted on a network file system.
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
    opened: OpenedFile,
    /// Reason for which nothing more is claimed in this run: the disk is full.
    full: Option<Error>,
    /// Held as long as the store is open for writing.
    lock: Option<Lock>,
}

impl Sqlite {
    /// The journal in this file, which is created if it does not exist.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Follows a link to the file, whose lock and log are next to the file itself.
    fn followed(&self) -> Self {
        let is_link = fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_symlink());
        let path = if is_link { fs::canonicalize(&self.path).ok() } else { None };
        Self { path: path.unwrap_or_else(|| self.path.clone()) }
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn read(&self) -> Result<SqliteStore> {
        file_identity::check_file(&self.path)?;
        // The process that has it open has checked it.
        while_unlocked(&self.path, || check_log(&self.path)).unwrap_or(Ok(()))?;
        // Opened for writing, without which it could not share the log of a writer.
        let connection = self.connect(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut store = SqliteStore::of(connection, self.path.clone())?;
        // A log left behind marks an unclean shutdown.
        store.leave_log(wal::exists(&self.path))?;
        let read = store.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        if read.as_ref().is_err_and(cannot_write) {
            if wal::exists(&self.path) {
                let message = format!(
                    "the journal {} cannot be read in a folder that cannot be written, because its last changes are in the -wal file next to it: copy both to another folder, and read them there",
                    self.path.display()
                );
                return Err(Error::new(ErrorKind::Journal, message));
            }
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            store.connection = self.connect(Path::new(&unchanging(&self.path)), flags)?;
        }
        store.configure("PRAGMA query_only = ON;")?;
        migrations::check(&store.connection, &self.path)?;
        Ok(store)
    }

    /// For the holder of the lock.
    fn write(self, lock: &Lock) -> Result<SqliteStore> {
        if create(&self.path)? {
            lock.forget_commits();
        }
        check_log(&self.path)?;
        self.check_has_log(lock)?;
        // SQLite removes the log when it is closed in an orderly way.
        let was_killed = wal::exists(&self.path);
        let connection = self.connect(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut store = SqliteStore::of(connection, self.path)?;
        store.check_commits(lock)?;
        if was_killed {
            store.check()?;
        }
        migrations::run(&mut store.connection, &store.path)?;
        store.configure(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
        )?;
        Ok(store)
    }

    /// Refuses a journal that was copied or moved without the log of a process that was killed. On
    /// its machine the lock file gives stronger evidence: other programs that read a journal merge
    /// its log into it.
    fn check_has_log(&self, lock: &Lock) -> Result<()> {
        let is_elsewhere = last_commit(lock, &self.path)? == 0;
        if !is_elsewhere || wal::is_there(&self.path) {
            return Ok(());
        }
        // A file that is opened in any other way would get a log.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = self.connect(Path::new(&unchanging(&self.path)), flags)?;
        let mut file = SqliteStore::of(connection, self.path.clone())?;
        // A file that cannot be read this way is a file whose creation was interrupted, which
        // SQLite rolls back when it opens it for writing, or a damaged file, which it refuses then.
        match file.note_if_any(CHANGES).ok().flatten().as_deref() {
            Some(IN_LOG) => {
                // A copy whose original is still there is refused for that.
                file.identity_note()?;
                Err(without_log(&self.path))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if there is no journal yet.
    #[must_use]
    pub fn is_new(&self) -> bool {
        !self.path.exists()
    }

    /// Returns true if the journal is open for writing, in another process or in this process.
    #[must_use]
    pub fn is_open(&self) -> bool {
        while_unlocked(&self.followed().path, || ()).is_none()
    }

    fn connect(&self, file: &Path, flags: OpenFlags) -> Result<Connection> {
        if !self.path.exists() {
            let message = format!("there is no journal {}", self.path.display());
            return Err(Error::new(ErrorKind::Journal, message));
        }
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)
            .map_err(|error| failed("open", &self.path, error))?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(|error| failed("open", &self.path, error))?;
        Ok(connection)
    }
}

impl OpenStore for Sqlite {
    type Store = SqliteStore;

    fn is_new(&self) -> Result<bool> {
        Ok(self.is_new())
    }

    /// The file may also be in a folder that cannot be written.
    fn inspect(&self) -> Result<SqliteStore> {
        self.followed().read()
    }

    fn open(self) -> Result<SqliteStore> {
        let this = self.followed();
        file_identity::check_file(&this.path)?;
        let lock = Lock::take(&this.path)?;
        match this.write(&lock) {
            Ok(mut store) => {
                lock.leave_number(false);
                store.lock = Some(lock);
                store.record_identity()?;
                Ok(store)
            }
            Err(error) => {
                if error.kind() == ErrorKind::NotAJournal {
                    lock.withdraw();
                }
                Err(error)
            }
        }
    }
}

impl SqliteStore {
    fn of(connection: Connection, path: PathBuf) -> Result<Self> {
        let opened = OpenedFile::of(&path)
            .map_err(|error| Error::file(ErrorKind::Journal, "open the journal", &path, error))?;
        Ok(Self { connection, path, opened, full: None, lock: None })
    }

    /// Refuses a journal that lacks commits of the process that had it open last.
    fn check_commits(&mut self, lock: &Lock) -> Result<()> {
        let known = last_commit(lock, &self.path)?;
        if known == 0 {
            return Ok(());
        }
        // A remaining log is not merged into a file that is refused.
        self.leave_log(true)?;
        let found = self.note_if_any(COMMITS)?.and_then(|text| text.parse().ok());
        if known > found.unwrap_or_default() {
            return Err(behind(&self.path));
        }
        self.leave_log(false)
    }

    /// The note with this name, also of a file that is not a journal yet.
    fn note_if_any(&mut self, name: &str) -> Result<Option<String>> {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'note'";
        let has_notes = self.connection.query_row(sql, [], |row| row.get(0));
        match has_notes.map_err(|error| failed("read", &self.path, error))? {
            true => self.note(name),
            false => Ok(None),
        }
    }

    /// Records the journal's path, and that its last changes are in its log from now on, and
    /// refuses a copy. Both are in the file itself, and not only in its log: a copy of the file
    /// alone is a copy, too.
    fn record_identity(&mut self) -> Result<()> {
        let identity = self.identity_note()?;
        let identity = identity.map(|note| (file_identity::NOTE, note));
        let notes: Vec<_> = identity.into_iter().chain([(CHANGES, IN_LOG.to_owned())]).collect();
        self.add(&[], &notes)?;
        self.merge_log()
    }

    /// Refuses a copy; returns the record of the journal's path, unless it is unchanged.
    fn identity_note(&mut self) -> Result<Option<String>> {
        let (path, note) = (self.path.clone(), self.note(file_identity::NOTE)?);
        let note_of =
            |path: &Path| Sqlite::file(path).inspect().ok()?.note(file_identity::NOTE).ok()?;
        file_identity::identity_note(&path, note.as_deref(), note_of, || self.random())
    }

    /// Moves all changes from the log into the file, durably.
    fn merge_log(&mut self) -> Result<()> {
        let merge = |row: &rusqlite::Row<'_>| row.get::<_, bool>(0);
        let is_busy = self.connection.query_row("PRAGMA wal_checkpoint(FULL)", [], merge);
        match is_busy.map_err(|error| failed("write", &self.path, error))? {
            false => Ok(()),
            true => {
                let message = format!(
                    "another process keeps reading the journal {}: wait for it to end, or stop it",
                    self.path.display()
                );
                Err(Error::new(ErrorKind::InUse, message))
            }
        }
    }

    /// Makes the checks that take a second per million inputs, and begins a new log, without the
    /// remains of an interrupted write.
    fn check(&mut self) -> Result<()> {
        // The log is not merged into a file that is damaged.
        self.leave_log(true)?;
        let check = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        let found: String = check.map_err(|error| failed("check", &self.path, error))?;
        if found != "ok" {
            return Err(damaged(&self.path, &found));
        }
        self.leave_log(false)?;
        // A reader may prevent it.
        self.configure("PRAGMA wal_checkpoint(TRUNCATE);")
    }

    /// Reserves disk space to record the outcomes of submissions.
    fn reserve_space(&self) -> Result<()> {
        let kept = self.lock.as_ref().map_or(Ok(()), Lock::reserve_space);
        kept.map_err(|error| {
            Error::file(ErrorKind::Journal, "reserve disk space for", &self.path, error)
        })
    }

    /// Releases the reserved disk space, and that of the log.
    fn release_space(&mut self) {
        if let Some(lock) = &self.lock {
            lock.release_space();
        }
        if self.configure("PRAGMA wal_checkpoint(TRUNCATE);").is_ok() {
            self.opened.forget_log();
        }
    }

    /// A random number of 128 bits, in hexadecimal.
    fn random(&self) -> Result<String> {
        let random = self.connection.query_row("SELECT hex(randomblob(16))", [], |row| row.get(0));
        random.map_err(|error| failed("read", &self.path, error))
    }

    /// Decides if the log stays when the last connection is closed.
    fn leave_log(&self, leave: bool) -> Result<()> {
        let set = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave);
        set.map(drop).map_err(|error| failed("open", &self.path, error))
    }

    fn configure(&mut self, pragmas: &str) -> Result<()> {
        let done = self.connection.execute_batch(pragmas);
        done.map_err(|error| failed("open", &self.path, error))
    }
}

impl Drop for SqliteStore {
    /// Records that the log is merged: SQLite merges and removes it when the connection closes.
    fn drop(&mut self) {
        let is_writer = self.lock.is_some();
        if is_writer && self.add(&[], &[(CHANGES, IN_FILE.to_owned())]).is_err() {
            let _ = self.leave_log(true);
        }
    }
}

/// The number of the last commit of a process that was killed.
fn last_commit(lock: &Lock, journal: &Path) -> Result<u64> {
    lock.last_commit()
        .map_err(|error| Error::file(ErrorKind::Journal, "read the lock file of", journal, error))
}

/// Creates the file before SQLite does, which would let other users read it. An existing file is
/// not opened: closing it would end the locks that SQLite holds on it elsewhere in this process.
/// Returns true if the file is new.
fn create(path: &Path) -> Result<bool> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    match options.open(path) {
        Ok(file) => file.sync_all().and_then(|()| sync_folder(path)).map(|()| true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
    .map_err(|error| Error::file(ErrorKind::Journal, "create the journal", path, error))
}

/// Refuses a log that has lost changes, before SQLite continues without them.
fn check_log(journal: &Path) -> Result<()> {
    let is_damaged = wal::is_damaged(journal)
        .map_err(|error| Error::file(ErrorKind::Journal, "read the log of", journal, error))?;
    match is_damaged {
        true => Err(damaged(journal, "changes are missing in the middle of its -wal file")),
        false => Ok(()),
    }
}

/// Returns true if SQLite failed for want of a file that it may not create or write.
fn cannot_write(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// The URI of a file that no process changes, which SQLite reads without creating a log.
fn unchanging(path: &Path) -> String {
    let path = path.to_string_lossy();
    let separator = if cfg!(windows) { '\\' } else { '/' };
    let escaped: String = path.replace(separator, "/").bytes().map(escape).collect();
    let root = if cfg!(windows) { "/" } else { "" };
    format!("file:{root}{escaped}?immutable=1")
}

fn escape(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}
