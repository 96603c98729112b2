//! The store in a PostgreSQL database.

mod statements;

use std::fmt;
use std::time::Duration;

use podqueue_postgres::{Connection, Target};
use podqueue_runtime::{ChangeRecords, LimitStore, StoreError};

/// How long an exchange may take, and how long connecting: a database that hangs is an error.
const TIME: Duration = Duration::from_secs(5);

/// Limits in a PostgreSQL database, for any number of processes on any number of machines.
///
/// Moments are those of the database's clock alone: the machines' clocks need not agree. If the
/// database's clock is set back, time goes on from where it was; if it is set ahead, processes report
/// again what still counts.
///
/// The tables are in the schema `podqueue`, where batches have theirs. They are created
/// automatically: the user needs the right to create the schema, or the schema itself, and no other
/// right. They contain no API key. No state is kept in a session, so that a pooler in transaction
/// mode may be in between. Commits wait for the database's disk, also where `synchronous_commit` is
/// off otherwise: what a crash took back could be used twice.
///
/// Needs PostgreSQL 13 or later, and the feature `postgres`.
pub struct PostgresLimits {
    connection: Connection,
    /// Whether the tables were there when the connection was made.
    has_tables: bool,
}

impl PostgresLimits {
    /// Limits in the database at this URL: `postgres://user@host:port/database`, with the parameters
    /// of PostgreSQL's own programs. It is connected to when a client first needs it. A password
    /// that is not in the URL is taken from `PGPASSWORD`, or from the file `PGPASSFILE`
    /// (`~/.pgpass`).
    ///
    /// Where the server offers TLS, it is used, and its certificate verified: by the certificates
    /// that the system trusts, and those in the file `sslrootcert`. `sslmode=require` refuses a
    /// server without TLS, which is spoken to in clear otherwise, and `sslmode=disable` does without.
    /// On one machine there is none, unless `sslmode` or `sslrootcert` says so. Client certificates
    /// are not supported. Without a feature for TLS (`rustls`, which is on by default,
    /// `rustls-no-provider`, `native-tls`), a URL that demands it is refused.
    ///
    /// # Errors
    ///
    /// If the URL is invalid, TLS cannot be set up, or a thread cannot be started.
    pub fn connect(url: impl AsRef<str>) -> Result<Self, StoreError> {
        let connection = Connection::new(Target::parse(url.as_ref())?)?;
        Ok(Self { connection, has_tables: false })
    }
}

impl LimitStore for PostgresLimits {
    fn name(&self) -> String {
        self.connection.target().to_string()
    }

    fn exchange(&mut self, keys: &[String], change: ChangeRecords<'_>) -> Result<(), StoreError> {
        let had_tables = std::mem::take(&mut self.has_tables);
        self.connection.attempt(TIME, async |client| {
            if !had_tables {
                statements::make_tables(client).await?;
            }
            statements::exchange(client, keys, change).await
        })?;
        // After a failure, one looks again.
        self.has_tables = true;
        Ok(())
    }
}

impl fmt::Debug for PostgresLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresLimits").field(self.connection.target()).finish()
    }
}
