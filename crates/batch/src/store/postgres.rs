//! PostgreSQL store: a journal that any number of processes share.

mod connection;
mod leases;
mod loss;
mod migrations;
mod recovery;
mod rows;
mod statements;
mod transaction;

use std::fmt;
use std::time::Duration;

use tokio_postgres::types::Type;

use self::connection::{Connection, StoreFailure};
pub use self::leases::PostgresStore;
use self::loss::OnLoss;
use self::rows::{int8, value};
use super::OpenStore;
use crate::error::{Error, ErrorKind, Result};

/// Lease of a process: it is recovered within two seconds after its end.
const LEASE: Duration = Duration::from_secs(9);

/// Grace period after a lease, in which a process may still be at work and renew it.
const LEASE_GRACE: Duration = Duration::from_secs(3);

/// Time for which the database may be unreachable.
const OUTAGE_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// A journal in a PostgreSQL database, for any number of processes on any number of machines. The
/// database keeps several batches, each by its name.
///
/// Every process opens the same batch, runs it and writes its own results. An input is claimed by a
/// single process. The inputs of a process that crashes are recovered by another process 9 to 11
/// seconds later; a process that was only stopped, or cut off, is fenced off, and rejoins under a
/// new lease. Times are compared by the database's clock alone.
///
/// The tables are in the schema `podqueue`, which is created and updated automatically: the user
/// needs the right to create it, or the schema itself, and no other right. No state is kept in a
/// session, so that a pooler in transaction mode may be in between. A database that cannot be
/// written, or whose encoding cannot have every text, is refused when the batch is opened. A commit
/// waits until it is on the database's disk, also where `synchronous_commit` is off otherwise.
///
/// Needs PostgreSQL 13 or later, and the feature `postgres`.
#[derive(Clone)]
pub struct Postgres {
    url: String,
    name: String,
    outage_timeout: Duration,
    lease: Duration,
    on_loss: OnLoss,
}

impl Postgres {
    /// The batch with this name in the database at this URL: `postgres://user@host:port/database`,
    /// with the parameters of PostgreSQL's own programs. A password that is not in the URL is taken
    /// from `PGPASSWORD`, or from the file `PGPASSFILE` (`~/.pgpass`).
    ///
    /// If the server offers TLS, it is used, and its certificate verified: by the certificates that
    /// the system trusts, and those in the file `sslrootcert`. `sslmode=require` refuses a server
    /// without TLS, where the default falls back to an unencrypted connection; `sslmode=disable`
    /// disables TLS. On one machine, TLS is used only if `sslmode` or `sslrootcert` says so. Client
    /// certificates are not supported. Without a feature for TLS (`rustls`, which is on by default,
    /// `rustls-no-provider`, `native-tls`), a URL that demands it is refused.
    pub fn connect(url: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            name: name.into(),
            outage_timeout: OUTAGE_TIMEOUT,
            lease: LEASE,
            on_loss: OnLoss::Refuse,
        }
    }

    /// Sets the time for which the database may be unreachable until a run fails: 5 minutes by
    /// default. Opening a batch waits for its first response for 10 seconds at most.
    #[must_use]
    pub fn outage_timeout(mut self, time: Duration) -> Self {
        self.outage_timeout = time;
        self
    }

    /// Continues a batch whose database has lost changes that were durable: a replica that was
    /// behind became the primary, or a backup was restored, while processes ran it.
    /// Otherwise, a batch of which a process has noticed this is refused.
    ///
    /// Opening the batch imports the results that the database does not know, so that no input that
    /// has a result is submitted again. Each process that ran the batch has its own results: until
    /// those of all processes are imported, opening fails after the import, with
    /// [`ErrorKind::OtherResults`] and the paths of the missing results. So open it in this way
    /// wherever it ran; the last process continues, and the other processes can open it as usual
    /// then.
    ///
    /// The loss is accepted once inputs are claimed, a run ends without claiming any, or
    /// [`Batch::cancel`](crate::Batch::cancel) ends: until then, every process that does not accept
    /// it is refused. What was submitted since the loss, and has no result yet, is submitted again.
    #[must_use]
    pub fn accept_loss(mut self) -> Self {
        self.on_loss = OnLoss::Accept;
        self
    }

    /// Accepts the loss, as [`accept_loss`](Self::accept_loss), without the results of machines
    /// that no longer exist: results of other processes that were not imported. Inputs of which
    /// only they have results are submitted again.
    #[must_use]
    pub fn accept_loss_of_results(mut self) -> Self {
        self.on_loss = OnLoss::GiveUpResults;
        self
    }

    /// Another lease than that of 9 seconds, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn lease(mut self, time: Duration) -> Self {
        self.lease = time;
        self
    }

    /// Returns true if a process runs the batch, or crashed recently: its lease has not
    /// expired by the server's clock, or less than 3 seconds ago. A process that was cut off for
    /// longer, or whose server was, does not count until it has renewed its lease, so check again
    /// after 3 seconds.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached.
    pub fn is_open(&self) -> Result<bool> {
        let late = LEASE_GRACE.as_secs_f64();
        self.inspect()?.read(async |client, batch| {
            let sql = "SELECT EXISTS (SELECT FROM podqueue.process
                WHERE batch = $1 AND lease_until <> '-infinity'
                AND clock_timestamp() < lease_until + $2 * interval '1 second')";
            let values = [int8(&batch), value(&late, Type::FLOAT8)];
            Ok(client.query_typed_one(sql, &values).await?.get(0))
        })
    }

    /// Removes the batch, if there is one.
    #[cfg(feature = "serve")]
    pub(crate) fn remove(&self) -> Result<()> {
        let mut connection = self.reach()?;
        if !migrations::has_tables(&mut connection)? {
            return Ok(());
        }
        // The inputs and other rows of the batch are removed with it.
        let removed = connection.retry_with(|it| {
            it.attempt(migrations::LONG, async |client| {
                let sql = "DELETE FROM podqueue.batch WHERE name = $1";
                Ok(client.query_typed(sql, &[(&self.name, Type::TEXT)]).await.map(drop)?)
            })
        });
        removed.map_err(|failure| connection.failed("remove", failure))
    }

    fn reach(&self) -> Result<Connection> {
        if self.name.is_empty() || self.name.contains('\0') {
            let message = "a batch in a database needs a name";
            return Err(Error::new(ErrorKind::Settings, message));
        }
        Connection::open(&self.url, self.outage_timeout)
    }

    /// Returns true if the batch with this name has no inputs yet.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached.
    pub fn is_new(&self) -> Result<bool> {
        let mut connection = self.reach()?;
        if !migrations::has_tables(&mut connection)? {
            return Ok(true);
        }
        let found = connection.retry(async |client| {
            let sql = "SELECT 1 FROM podqueue.batch WHERE name = $1 AND inputs > 0";
            Ok(client.query_typed_opt(sql, &[(&self.name, Type::TEXT)]).await?.is_none())
        });
        found.map_err(|failure| connection.failed("read", failure))
    }

    /// The error for a name without a batch, with the names there are.
    fn missing(&self, connection: &mut Connection) -> Error {
        let names = connection.retry(async |client| {
            let sql = "SELECT name FROM podqueue.batch ORDER BY id DESC LIMIT 5";
            let rows = client.query_typed(sql, &[]).await?;
            Ok(rows.iter().map(|row| format!("{:?}", row.get::<_, &str>(0))).collect::<Vec<_>>())
        });
        let known = match names.unwrap_or_default().as_slice() {
            [] => String::new(),
            names => format!("; the newest ones there are {}", names.join(", ")),
        };
        let message =
            format!("there is no batch {:?} in {}{known}", self.name, connection.target());
        Error::new(ErrorKind::Journal, message)
    }

    fn store(&self, connection: Connection, batch: i64, is_read_only: bool) -> PostgresStore {
        let name = self.name.clone();
        PostgresStore::new(connection, batch, name, self.lease, is_read_only, self.on_loss)
    }
}

impl OpenStore for Postgres {
    type Store = PostgresStore;

    fn is_new(&self) -> Result<bool> {
        self.is_new()
    }

    fn open(self) -> Result<PostgresStore> {
        let mut connection = self.reach()?;
        connection.check_for_writing()?;
        migrations::run(&mut connection)?;
        let batch = create(&mut connection, &self.name)?;
        loss::check(&mut connection, batch, self.on_loss)?;
        Ok(self.store(connection, batch, false))
    }

    fn inspect(&self) -> Result<PostgresStore> {
        let mut connection = self.reach()?;
        migrations::check(&mut connection)?;
        match find(&mut connection, &self.name)? {
            Some(batch) => Ok(self.store(connection, batch, true)),
            None => Err(self.missing(&mut connection)),
        }
    }
}

/// The batch with this name.
fn find(connection: &mut Connection, name: &str) -> Result<Option<i64>> {
    let found = connection.retry(async |client| {
        let sql = "SELECT id FROM podqueue.batch WHERE name = $1";
        Ok(client.query_typed_opt(sql, &[(&name, Type::TEXT)]).await?)
    });
    let row = found.map_err(|failure| connection.failed("read", failure))?;
    Ok(row.map(|row| row.get(0)))
}

/// The batch with this name, which is created if there is none.
fn create(connection: &mut Connection, name: &str) -> Result<i64> {
    let created = connection.retry_durably(async |client| {
        // A second process waits for the first process.
        let sql = "INSERT INTO podqueue.batch (name) VALUES ($1) ON CONFLICT DO NOTHING";
        client.query_typed(sql, &[(&name, Type::TEXT)]).await.map_err(StoreFailure::from)
    });
    created.map_err(|failure| connection.failed("begin", failure))?;
    find(connection, name)?.ok_or_else(|| connection.removed(name))
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may contain a password.
        f.debug_struct("Postgres").field("name", &self.name).finish_non_exhaustive()
    }
}
