//! Call journal: a write-ahead log of changing calls by their keys, in SQLite, so that a call that
//! an assistant repeats is sent once.
//!
//! # States of a call
//!
//! | state | meaning | the same key again |
//! |---|---|---|
//! | none | never sent, or refused | sends |
//! | `sending` | recorded before it was sent, by a process that lives | waits |
//! | `unknown` | sent, perhaps accepted: the response was lost, or the process died | never sends |
//! | `accepted` | the service accepted the job, whose id is recorded | reads the job |
//! | `accepted` | a change of a batch was made, whose reply is recorded | returns the reply |
//!
//! Invariant: a key is sent at most once, unless the client proved that the service accepted
//! nothing. [`begin`](CallJournal::begin) inserts `sending` in one transaction with the check that
//! there is no row, durably before anything is sent; only that call gets a [`Permit`], and nothing
//! but [`free`](Permit::free) removes a row. Processes share the journal: each holds a lock on a
//! file of its own as long as it lives, and `kill -9` frees it, so a `sending` row whose process
//! holds no lock is `unknown`. Within a process, it is unknown if no permit of it exists.
//!
//! A call also reserves its longest execution, in milliseconds, in the transaction that compares
//! the sum with the bound: the sum of all charges is never above it. A charge becomes the execution
//! time once a status says so, and stays if that never happens.
//!
//! Checked by `tests/mcp/` and by `crates/cli/tests/program/mcp_adversary.rs`.

pub(crate) mod batches;

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tokio::sync::watch;

use crate::error::Error;
use crate::random::random_hex;

/// Timeout of a transaction that waits for those of other processes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Time after which a call whose job ended is forgotten: then the service has long forgotten the
/// job.
const RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The version of the tables. Version 1 had those of calls.
const VERSION: i64 = 2;

const TABLES: &str = "
    CREATE TABLE calls (
        service TEXT NOT NULL,
        key TEXT NOT NULL,
        tool TEXT NOT NULL,
        arguments TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('sending', 'unknown', 'accepted')),
        process TEXT NOT NULL,
        job_id TEXT,
        charged_ms REAL NOT NULL,
        execution_ms REAL,
        outcome TEXT,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (service, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX calls_of_jobs ON calls (service, endpoint, job_id);
";

/// Jobs whose streams a server follows, or followed.
const STREAMS: &str = "
    CREATE TABLE streams (
        service TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        job_id TEXT NOT NULL,
        process TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (service, endpoint, job_id)
    ) STRICT, WITHOUT ROWID;
";

/// Batches, which [`batches`] uses.
const BATCHES: &str = "
    CREATE TABLE batches (
        name TEXT NOT NULL PRIMARY KEY,
        service TEXT NOT NULL,
        identity TEXT NOT NULL,
        arguments TEXT NOT NULL,
        is_bounded INTEGER NOT NULL,
        is_running INTEGER NOT NULL,
        charged_ms REAL NOT NULL,
        created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// The sum of the charges of calls that were forgotten.
const FORGOTTEN: &str = "
    CREATE TABLE forgotten (charged_ms REAL NOT NULL) STRICT;
    INSERT INTO forgotten VALUES (0);
";

/// A call that changes something.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The identity of the service.
    pub(crate) service: String,
    pub(crate) key: String,
    pub(crate) tool: &'static str,
    /// Hash of the arguments that change what the call does.
    pub(crate) arguments: String,
    pub(crate) endpoint: String,
    /// The longest execution, in milliseconds; zero where jobs cost nothing.
    pub(crate) reserved_ms: f64,
}

/// The sums of the charges, in milliseconds of execution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Charges {
    /// Of the executions whose time is known.
    pub(crate) spent_ms: f64,
    /// Reserved by jobs that have not ended, and by those whose execution time is not known.
    pub(crate) reserved_ms: f64,
}

impl Charges {
    pub(crate) fn sum(&self) -> f64 {
        self.spent_ms + self.reserved_ms
    }
}

/// Beginning of a call: sent for the first time, or known already.
#[derive(Debug)]
pub(crate) enum Begin {
    /// This call sends.
    Send(Permit),
    /// Another call with this key sends at this moment.
    Sending {
        /// True if it is a call of another process.
        elsewhere: bool,
    },
    /// The service accepted the job.
    Accepted { job_id: String },
    /// The change was made.
    Done { outcome: String },
    /// The job may have been accepted.
    Unknown { job_id: Option<String> },
    /// The key belongs to a call with other arguments.
    OtherArguments,
    /// The reservation is more than what is left.
    OverBudget {
        charges: Charges,
        /// Jobs whose reservations may become less: endpoint and id.
        open: Vec<(String, String)>,
    },
}

/// A journal, of one or several processes.
#[derive(Clone, Debug)]
pub(crate) struct CallJournal {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    connection: Mutex<Connection>,
    /// The identity of this process, which names its lock file.
    process: String,
    processes: PathBuf,
    /// The services and keys of the permits that exist.
    permits: Mutex<HashSet<(String, String)>>,
    /// Changes with each permit that ends.
    ended: watch::Sender<u64>,
    /// Locked as long as this process lives.
    _lock: File,
}

/// The permit to send a call, of which there is one for each key.
#[derive(Debug)]
pub(crate) struct Permit {
    shared: Arc<Shared>,
    call: Call,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CallJournal {
    /// Opens the journal in a folder, which is created if it does not exist.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let processes = folder.join("processes");
        let failed = |error: std::io::Error| {
            Error::new(format_args!("open the state folder {}", folder.display()), error)
        };
        create_private(&processes).map_err(failed)?;
        restrict(folder).map_err(failed)?;
        let path = folder.join("calls.db");
        // SQLite creates its other files with the permissions of this one.
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        private(&mut options);
        options.open(&path).map_err(failed)?;
        let failed = |error: rusqlite::Error| {
            Error::new(format_args!("open the call journal {}", path.display()), error)
        };
        let mut connection = Connection::open(&path).map_err(failed)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        // A call is sent only after its row is durable.
        connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;

        let process = random_hex()?;
        let transaction = immediate(&mut connection).map_err(failed)?;
        let version: i64 = transaction
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(failed)?;
        let missing: &[&str] = match version {
            0 => &[TABLES, STREAMS, FORGOTTEN, BATCHES],
            1 => &[STREAMS, FORGOTTEN, BATCHES],
            VERSION => &[],
            _ => {
                return Err(Error::invalid(format!(
                    "the call journal {} has version {version}, of a newer program: expected \
                     {VERSION}; use that program, or another --state folder",
                    path.display()
                )));
            }
        };
        transaction.execute_batch(&missing.concat()).map_err(failed)?;
        transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
        forget(&transaction).map_err(failed)?;
        // The transaction excludes others that sweep: they cannot take this lock before it is held.
        let own = register(&processes, &process)
            .map_err(|error| Error::new("create the lock file of this process", error))?;
        sweep(&processes, &process);
        transaction.commit().map_err(failed)?;
        let shared = Shared {
            connection: Mutex::new(connection),
            process,
            processes,
            permits: Mutex::default(),
            ended: watch::Sender::new(0),
            _lock: own,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Notifies of permits that end, from now on.
    pub(crate) fn ended(&self) -> watch::Receiver<u64> {
        self.shared.ended.subscribe()
    }

    /// Returns true if no permit exists.
    pub(crate) fn is_idle(&self) -> bool {
        lock(&self.shared.permits).is_empty()
    }

    /// Begins a call, within a bound of the sum of all charges, in milliseconds.
    pub(crate) async fn begin(&self, call: Call, max_ms: Option<f64>) -> Result<Begin, Error> {
        self.run(move |shared| shared.begin(call, max_ms)).await
    }

    /// Records the end of a job, if a call of this journal submitted it.
    pub(crate) async fn settle(
        &self,
        service: &str,
        endpoint: &str,
        job_id: &str,
        execution_ms: Option<f64>,
        outcome: Option<String>,
    ) -> Result<(), Error> {
        let key = (service.to_owned(), endpoint.to_owned(), job_id.to_owned());
        self.run(move |shared| {
            let connection = lock(&shared.connection);
            connection
                .execute(
                    "UPDATE calls SET execution_ms = coalesce(?4, execution_ms),
                         charged_ms = min(charged_ms, coalesce(?4, charged_ms)),
                         outcome = coalesce(?5, outcome)
                     WHERE service = ?1 AND endpoint = ?2 AND job_id = ?3",
                    params![key.0, key.1, key.2, execution_ms, outcome],
                )
                .map_err(|error| Error::new("record the end of a job", error))?;
            Ok(())
        })
        .await
    }

    /// The recorded end of a job, if it was seen.
    pub(crate) async fn outcome(
        &self,
        service: &str,
        endpoint: &str,
        job_id: &str,
    ) -> Result<Option<String>, Error> {
        let key = (service.to_owned(), endpoint.to_owned(), job_id.to_owned());
        self.run(move |shared| {
            lock(&shared.connection)
                .query_row(
                    "SELECT outcome FROM calls
                     WHERE service = ?1 AND endpoint = ?2 AND job_id = ?3 AND outcome IS NOT NULL",
                    params![key.0, key.1, key.2],
                    |row| row.get(0),
                )
                .optional()
                .map_err(|error| Error::new("read the end of a job", error))
        })
        .await
    }

    /// Records that this server follows the stream of a job. Returns true if another one did.
    pub(crate) async fn begin_stream(
        &self,
        service: &str,
        endpoint: &str,
        job_id: &str,
    ) -> Result<bool, Error> {
        let key = (service.to_owned(), endpoint.to_owned(), job_id.to_owned());
        self.run(move |shared| {
            begin_stream(&mut lock(&shared.connection), &key, &shared.process)
                .map_err(|error| Error::new("record a stream in the call journal", error))
        })
        .await
    }

    /// Runs a transaction on a thread for blocking work.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<Shared>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = Arc::clone(&self.shared);
        let result = tokio::task::spawn_blocking(move || work(&shared)).await;
        result.unwrap_or_else(|error| Err(Error::new("use the call journal", error)))
    }
}

impl Shared {
    fn begin(self: &Arc<Self>, call: Call, max_ms: Option<f64>) -> Result<Begin, Error> {
        let mut connection = lock(&self.connection);
        self.begin_in(&mut connection, call, max_ms)
            .map_err(|error| Error::new("record the call in the call journal", error))
    }

    fn begin_in(
        self: &Arc<Self>,
        connection: &mut Connection,
        call: Call,
        max_ms: Option<f64>,
    ) -> rusqlite::Result<Begin> {
        let transaction = immediate(connection)?;
        let found = transaction
            .query_row(
                "SELECT arguments, state, process, job_id, outcome FROM calls
                 WHERE service = ?1 AND key = ?2",
                params![call.service, call.key],
                |row| {
                    let texts: [String; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
                    Ok((texts, row.get::<_, Option<String>>(3)?, row.get::<_, Option<String>>(4)?))
                },
            )
            .optional()?;
        if let Some(([arguments, state, process], job_id, outcome)) = found {
            if arguments != call.arguments {
                return Ok(Begin::OtherArguments);
            }
            return Ok(match (state.as_str(), job_id, outcome) {
                ("accepted", Some(job_id), _) => Begin::Accepted { job_id },
                ("accepted", None, Some(outcome)) => Begin::Done { outcome },
                ("sending", ..) if self.sends(&process, &call) => {
                    Begin::Sending { elsewhere: process != self.process }
                }
                ("sending", job_id, _) => {
                    transaction.execute(
                        "UPDATE calls SET state = 'unknown' WHERE service = ?1 AND key = ?2",
                        params![call.service, call.key],
                    )?;
                    transaction.commit()?;
                    Begin::Unknown { job_id }
                }
                (_, job_id, _) => Begin::Unknown { job_id },
            });
        }
        if let Some(max_ms) = max_ms {
            let charges = charges(&transaction)?;
            if call.reserved_ms > 0.0 && charges.sum() + call.reserved_ms > max_ms {
                let mut open = transaction.prepare(
                    "SELECT endpoint, job_id FROM calls
                     WHERE charged_ms > 0 AND execution_ms IS NULL AND job_id IS NOT NULL
                     ORDER BY outcome IS NOT NULL, created_at LIMIT 20",
                )?;
                let open = open.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                let open = open.collect::<rusqlite::Result<_>>()?;
                return Ok(Begin::OverBudget { charges, open });
            }
        }
        transaction.execute(
            "INSERT INTO calls (service, key, tool, arguments, endpoint, state, process,
                 charged_ms, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, 'sending', ?6, ?7, ?8)",
            params![
                call.service,
                call.key,
                call.tool,
                call.arguments,
                call.endpoint,
                self.process,
                call.reserved_ms,
                now(),
            ],
        )?;
        // Before the commit, so that no other call of this process finds a row without a permit.
        lock(&self.permits).insert((call.service.clone(), call.key.clone()));
        let permit = Permit { shared: Arc::clone(self), call };
        transaction.commit()?;
        Ok(Begin::Send(permit))
    }

    /// Returns true if the process that recorded a call may be sending it now.
    fn sends(&self, process: &str, call: &Call) -> bool {
        if process == self.process {
            return lock(&self.permits).contains(&(call.service.clone(), call.key.clone()));
        }
        is_alive(&self.processes.join(process))
    }
}

impl Permit {
    /// Records that the service accepted the job.
    pub(crate) async fn accept(self, job_id: &str) -> Result<(), Error> {
        self.end("UPDATE calls SET state = 'accepted', job_id = ?3", Some(job_id)).await
    }

    /// Records that the change was made, and its reply.
    pub(crate) async fn finish(self, outcome: &str) -> Result<(), Error> {
        self.end("UPDATE calls SET state = 'accepted', outcome = ?3", Some(outcome)).await
    }

    /// Records that the job may have been accepted.
    pub(crate) async fn unknown(self, job_id: Option<&str>) -> Result<(), Error> {
        self.end("UPDATE calls SET state = 'unknown', job_id = ?3", job_id).await
    }

    /// Frees the key: the service accepted nothing.
    pub(crate) async fn free(self) -> Result<(), Error> {
        self.end("DELETE FROM calls", None).await
    }

    async fn end(self, change: &'static str, value: Option<&str>) -> Result<(), Error> {
        let value = value.map(str::to_owned);
        let journal = CallJournal { shared: Arc::clone(&self.shared) };
        let ended = journal.run(move |shared| {
            let (service, key) = (&self.call.service, &self.call.key);
            let connection = lock(&shared.connection);
            let result = match value {
                None if change.starts_with("DELETE") => connection.execute(
                    &format!("{change} WHERE service = ?1 AND key = ?2"),
                    params![service, key],
                ),
                value => connection.execute(
                    &format!("{change} WHERE service = ?1 AND key = ?2"),
                    params![service, key, value],
                ),
            };
            drop(connection);
            // The permit ends here, after its row.
            drop(self);
            result.map_err(|error| Error::new("record the outcome in the call journal", error))
        });
        ended.await.map(|_| ())
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        lock(&self.shared.permits).remove(&(self.call.service.clone(), self.call.key.clone()));
        self.shared.ended.send_modify(|ended| *ended += 1);
    }
}

fn immediate(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

fn charges(connection: &Connection) -> rusqlite::Result<Charges> {
    connection.query_row(
        "SELECT (SELECT total(charged_ms) FROM calls WHERE execution_ms IS NOT NULL)
             + (SELECT total(charged_ms) FROM batches WHERE NOT is_running)
             + (SELECT total(charged_ms) FROM forgotten),
             (SELECT total(charged_ms) FROM calls WHERE execution_ms IS NULL)
             + (SELECT total(charged_ms) FROM batches WHERE is_running)",
        [],
        |row| Ok(Charges { spent_ms: row.get(0)?, reserved_ms: row.get(1)? }),
    )
}

fn begin_stream(
    connection: &mut Connection,
    (service, endpoint, job_id): &(String, String, String),
    process: &str,
) -> rusqlite::Result<bool> {
    let transaction = immediate(connection)?;
    let earlier: Option<String> = transaction
        .query_row(
            "SELECT process FROM streams WHERE service = ?1 AND endpoint = ?2 AND job_id = ?3",
            params![service, endpoint, job_id],
            |row| row.get(0),
        )
        .optional()?;
    transaction.execute(
        "INSERT OR REPLACE INTO streams (service, endpoint, job_id, process, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![service, endpoint, job_id, process, now()],
    )?;
    transaction.commit()?;
    Ok(earlier.is_some_and(|earlier| earlier != process))
}

/// Forgets calls that ended long ago, and keeps the sum of their charges.
fn forget(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    const OLD: &str = "state = 'accepted' AND outcome IS NOT NULL AND created_at < ?1";
    let before = now() - i64::try_from(RETENTION.as_secs()).unwrap_or(i64::MAX);
    transaction.execute(
        &format!(
            "UPDATE forgotten SET charged_ms = charged_ms
                 + (SELECT total(charged_ms) FROM calls WHERE {OLD})"
        ),
        params![before],
    )?;
    transaction.execute(&format!("DELETE FROM calls WHERE {OLD}"), params![before])?;
    transaction.execute("DELETE FROM streams WHERE created_at < ?1", params![before])?;
    Ok(())
}

/// The time, in seconds since 1970.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}

/// Creates and locks the file of this process.
fn register(processes: &Path, process: &str) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    let file = options.open(processes.join(process))?;
    file.lock()?;
    Ok(file)
}

/// Removes the files of dead processes. Without a file, a process is dead as well.
fn sweep(processes: &Path, own: &str) {
    let files = fs::read_dir(processes).into_iter().flatten().flatten();
    for file in files.filter(|file| file.file_name() != own && !is_alive(&file.path())) {
        let _ = fs::remove_file(file.path());
    }
}

/// Returns true if a process holds the lock of its file, or that cannot be known.
fn is_alive(file: &Path) -> bool {
    match File::open(file) {
        Ok(file) => !matches!(file.try_lock(), Ok(())),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Creates a folder that only its owner can read.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Lets only the owner read a folder that may have existed before.
fn restrict(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs::set_permissions(folder, mode)?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Lets only the owner read a file that is created.
fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}
