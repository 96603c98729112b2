//! Connection to the database: retries with backoff during an outage, and classifies failures.

use std::thread;
use std::time::{Duration, Instant};

use podqueue_postgres::{Connection as RawConnection, Failure as DatabaseFailure, Target};
use tokio_postgres::Client;

use crate::error::{Error, ErrorKind, Result};
use crate::store::Outage;

/// Timeout of a few statements.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);

/// Timeout of an attempt after the outage timeout has passed.
const LAST_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// Patience of the first connection: the database may be starting, or the URL be wrong.
const MAX_CONNECT_OUTAGE: Duration = Duration::from_secs(10);

/// Longest backoff between two attempts.
const MAX_BACKOFF: Duration = Duration::from_secs(1);

pub(super) struct Connection {
    raw: RawConnection,
    outage_timeout: Duration,
    outage: Outage,
    /// See [`settings`](Self::settings).
    settings: &'static str,
    encoding: String,
    is_read_only: bool,
    /// The database has answered.
    has_answered: bool,
}

impl Connection {
    pub(super) fn open(url: &str, outage_timeout: Duration) -> Result<Self> {
        let target = Target::parse(url)
            .map_err(|error| Error::new(ErrorKind::Settings, error.to_string()))?;
        let raw = RawConnection::new(target).map_err(|error| {
            let message = format!("could not start a thread for the database: {error}");
            Error::new(ErrorKind::Journal, message).with_source(error)
        })?;
        let mut this = Self {
            raw,
            outage_timeout: outage_timeout.min(MAX_CONNECT_OUTAGE),
            outage: Outage::default(),
            settings: "",
            encoding: String::new(),
            is_read_only: false,
            has_answered: false,
        };
        let (began, first) = (Instant::now(), this.outage_timeout);
        let ask = async |client: &Client| {
            let sql = "SELECT current_setting('synchronous_commit') = 'off',
                current_setting('server_encoding'),
                current_setting('transaction_read_only') = 'on'";
            let row = client.query_typed_one(sql, &[]).await?;
            Ok((row.get(0), row.get(1), row.get(2)))
        };
        let settings = this.retry_with(|it| {
            let asked = it.attempt(MAX_CONNECT_OUTAGE, ask);
            // In total: the server may not even refuse.
            it.outage_timeout = if began.elapsed() < first { first } else { Duration::ZERO };
            asked
        });
        let is_off;
        (is_off, this.encoding, this.is_read_only) =
            settings.map_err(|failure| this.failed("reach", failure))?;
        this.outage_timeout = outage_timeout;
        if is_off {
            this.settings = "SET LOCAL synchronous_commit = on; ";
        }
        Ok(this)
    }

    /// Refuses a database that is read-only, or cannot store every text: otherwise a run would wait
    /// for it, or fail midway.
    pub(super) fn check_for_writing(&self) -> Result<()> {
        let why = if self.is_read_only {
            "nothing can be written there: it is a standby, or default_transaction_read_only is on; use the URL of the primary, as a user who may write"
        } else if !matches!(self.encoding.as_str(), "UTF8" | "SQL_ASCII") {
            "its encoding cannot have every text; make one with createdb --encoding UTF8 --template template0"
        } else {
            return Ok(());
        };
        let message = format!("cannot keep a batch in {}: {why}", self.target());
        Err(Error::new(ErrorKind::Settings, message))
    }

    pub(super) fn target(&self) -> &Target {
        self.raw.target()
    }

    /// The outage of the database, if it is unreachable.
    pub(super) fn outage(&self) -> Outage {
        self.outage.clone()
    }

    /// Settings of each transaction that depend on the server.
    pub(super) fn settings(&self) -> &'static str {
        self.settings
    }

    /// Sets the outage timeout, and returns the previous one.
    pub(super) fn set_outage_timeout(&mut self, outage_timeout: Duration) -> Duration {
        std::mem::replace(&mut self.outage_timeout, outage_timeout)
    }

    /// Makes one attempt. After any failure, the connection is closed, which rolls back its
    /// transaction.
    pub(super) fn attempt<T>(
        &mut self,
        time: Duration,
        work: impl AsyncFnOnce(&Client) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreFailure> {
        let time = if self.outage.is_given_up() { time.min(LAST_ATTEMPT_TIMEOUT) } else { time };
        let done = self.raw.attempt(time, work);
        self.has_answered |= done.is_ok();
        match done {
            // A certificate or a setting was valid before, so the failure counts as transient.
            Err(StoreFailure::Insecure(why)) if self.has_answered => {
                Err(StoreFailure::Transient(why.to_string()))
            }
            Err(StoreFailure::Insecure(why)) => Err(StoreFailure::Final(why)),
            done => done,
        }
    }

    /// Repeats idempotent work until it succeeds or the outage timeout has passed.
    pub(super) fn retry<T>(
        &mut self,
        work: impl AsyncFn(&Client) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreFailure> {
        self.retry_with(|this| this.attempt(STATEMENT_TIMEOUT, &work))
    }

    /// Retries work in a transaction that is synced to disk, whatever the default of the server.
    pub(super) fn retry_durably<T>(
        &mut self,
        work: impl AsyncFn(&Client) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreFailure> {
        let begin = format!("BEGIN; {}", self.settings);
        self.retry(async |client| {
            client.batch_execute(&begin).await?;
            let done = work(client).await?;
            client.batch_execute("COMMIT").await?;
            Ok(done)
        })
    }

    pub(super) fn retry_with<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Self) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreFailure> {
        let mut pause = Duration::from_millis(20);
        loop {
            match attempt(self) {
                Err(StoreFailure::Transient(why)) => {
                    if !self.outage.failed(why.clone(), self.outage_timeout) {
                        return Err(StoreFailure::Transient(why));
                    }
                    thread::sleep(pause);
                    pause = (pause * 2).min(MAX_BACKOFF);
                }
                done => {
                    self.outage.ended();
                    return done;
                }
            }
        }
    }

    /// Returns true if the transaction of this connection is still open.
    pub(super) fn is_transaction_open(&self) -> bool {
        self.raw.is_open()
    }

    /// Closes the connection, which rolls back its transaction.
    pub(super) fn close(&mut self) {
        self.raw.close();
    }

    /// The error for a batch that was removed from the database.
    pub(super) fn removed(&self, name: &str) -> Error {
        let message = format!("the batch {name:?} was removed from {}", self.target());
        Error::new(ErrorKind::Journal, message)
    }

    /// The error for the caller: `what` completes "could not".
    pub(super) fn failed(&self, what: &str, failure: StoreFailure) -> Error {
        let target = self.target();
        match failure {
            StoreFailure::Final(error) if error.kind() != ErrorKind::Journal => error,
            StoreFailure::Insecure(error) | StoreFailure::Final(error) => {
                error.explained(|why| format!("could not {what} the batch in {target}: {why}"))
            }
            StoreFailure::Transient(why) => {
                let message = format!(
                    "could not {what} the batch in {target}: {why}; nothing is lost: run it again once the database can be reached"
                );
                Error::new(ErrorKind::Unreachable, message)
            }
            StoreFailure::Lost => {
                let message = format!(
                    "{target} has lost changes that were durable: a replica that was behind has become the primary, or a backup was restored. Inputs that were submitted since may be pending there, and would be submitted again, so no process of the batch submits anything more. Put the newest database back; or import what the results of each machine know, and accept that the rest is submitted again (Postgres::accept_loss)"
                );
                Error::new(ErrorKind::Journal, message)
            }
            StoreFailure::LeaseLost => {
                let message = format!(
                    "this process was cut off from {target}, or stopped, for longer than its lease, and another one has recovered its jobs: run the batch again, and it continues under a new lease"
                );
                Error::new(ErrorKind::Interrupted, message)
            }
        }
    }
}

/// Failure of an operation in the database.
#[derive(Debug)]
pub(super) enum StoreFailure {
    /// Transient: a retry over a new connection may succeed.
    Transient(String),
    /// TLS is not as demanded: final at first, transient once the database has responded.
    Insecure(Error),
    /// A retry cannot succeed.
    Final(Error),
    /// The process has lost its lease.
    LeaseLost,
    /// The database has lost changes that were durable.
    Lost,
}

impl From<Error> for StoreFailure {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

impl From<DatabaseFailure> for StoreFailure {
    fn from(failure: DatabaseFailure) -> Self {
        match failure {
            DatabaseFailure::Final { message, source } => {
                Self::Final(Error::new(ErrorKind::Journal, message).with_source(source))
            }
            DatabaseFailure::Insecure { message, source } => {
                Self::Insecure(Error::new(ErrorKind::Journal, message).with_source(source))
            }
            transient => Self::Transient(transient.to_string()),
        }
    }
}

impl From<tokio_postgres::Error> for StoreFailure {
    fn from(error: tokio_postgres::Error) -> Self {
        DatabaseFailure::from(error).into()
    }
}
