//! PostgreSQL store of shared limits: one row per record, and one transaction per exchange.
//!
//! An exchange locks its rows in the order of their keys, so that concurrent exchanges are
//! serialized and cannot deadlock. Each row has the moment of its last exchange and the reading of
//! the database's clock at that time. The next moment is the latest of the rows' moments, each
//! advanced by what the clock has moved since: it never goes back, even if the clock does.
//! Statements that are sent together cost one round trip, so an exchange takes two.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use futures_util::future::{try_join, try_join3};
use podqueue_postgres::{Connection, Failure, Target, begin_tables, has_table};
use podqueue_runtime::{ChangeRecords, LimitStore, StoreError};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// Timeout of an exchange, and of connecting.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Limits in a PostgreSQL database, for any number of processes on any number of machines.
///
/// Moments are those of the database's clock alone: the machines' clocks need not agree. If the
/// database's clock is set back, time continues from where it was; if it is set ahead, processes
/// report again the requests that still count.
///
/// The tables are in the schema `podqueue`, where batches have theirs. They are created
/// automatically: the user needs the right to create the schema, or owns the schema, and needs no
/// other right. They contain no API key. No state is kept in a session, so that connections may
/// pass through a pooler in transaction mode. Commits wait for the database's disk, even if
/// `synchronous_commit` is off by default: permits whose commit a crash undoes could be granted
/// twice.
///
/// Needs PostgreSQL 13 or later, and the feature `postgres`.
pub struct PostgresLimits {
    connection: Connection,
    /// The tables are known to exist, so that an exchange need not check.
    has_tables: bool,
}

impl PostgresLimits {
    /// Limits in the database at this URL: `postgres://user@host:port/database`, with the
    /// parameters of PostgreSQL's own programs. It is connected to when a client first needs it. A
    /// password that is not in the URL is taken from `PGPASSWORD`, or from the file `PGPASSFILE`
    /// (`~/.pgpass`).
    ///
    /// Where the server offers TLS, it is used, and its certificate verified: by the certificates
    /// that the system trusts, and those in the file `sslrootcert`. `sslmode=require` refuses a
    /// server without TLS, where the default falls back to an unencrypted connection;
    /// `sslmode=disable` disables TLS. A connection within one machine uses none, unless `sslmode`
    /// or `sslrootcert` is set. Client certificates are not supported. Without a feature for TLS
    /// (`rustls`, which is on by default, `rustls-no-provider`, `native-tls`), a URL that demands
    /// it is refused.
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
        self.connection.attempt(EXCHANGE_TIMEOUT, async |client| {
            if !had_tables {
                create_tables(client).await?;
            }
            exchange(client, keys, change).await
        })?;
        // A failed exchange leaves it unset, so that the next one checks again.
        self.has_tables = true;
        Ok(())
    }
}

impl fmt::Debug for PostgresLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresLimits").field(self.connection.target()).finish()
    }
}

/// A record, the moment of its last exchange, and the reading of the database's clock at that time.
const TABLE: &str = "CREATE TABLE podqueue.limit_record (
    key text PRIMARY KEY,
    value bytea,
    moment bigint NOT NULL,
    clock bigint NOT NULL
)";

/// The reading of the database's clock, in microseconds.
const CLOCK: &str = "floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// A process that is suspended in an exchange blocks its peers for no longer than a lease, and a
/// waiting statement times out before its connection does.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL idle_in_transaction_session_timeout = '1s'; SET LOCAL statement_timeout = '3s'; \
    SELECT set_config('synchronous_commit', 'on', true) \
    WHERE current_setting('synchronous_commit') = 'off'";

/// Lifetime of an unused record, in microseconds: far longer than the window of any limit.
const RECORD_LIFETIME: i64 = 10 * 60 * 1_000_000;

/// Attempts to read records that concurrent exchanges remove.
const ATTEMPTS: usize = 5;

/// Creates the tables if they do not exist.
async fn create_tables(client: &Client) -> Result<(), Failure> {
    if has_table(client, "limit_record").await? {
        return Ok(());
    }
    begin_tables(client).await?;
    // Another session may have created it before the lock was acquired.
    if !has_table(client, "limit_record").await? {
        client.batch_execute(TABLE).await?;
    }
    Ok(client.batch_execute("COMMIT").await?)
}

/// Changes the records with these keys in one transaction that excludes every other exchange of any
/// of them.
async fn exchange(
    client: &Client,
    keys: &[String],
    change: ChangeRecords<'_>,
) -> Result<(), Failure> {
    for _ in 0..ATTEMPTS {
        match read(client, keys).await? {
            Some((now, mut records)) => {
                let moment = Duration::from_micros(u64::try_from(now.moment).unwrap_or(0));
                change(moment, &mut records);
                return write(client, keys, records, now).await;
            }
            // In a transaction of its own, because missing rows cannot be locked in order.
            None => create_records(client, keys).await?,
        }
    }
    let message = "the records of the limits are removed as soon as they are created";
    Err(Failure::Transient(message.to_owned()))
}

/// The moment of an exchange, and the reading of the database's clock.
struct Now {
    moment: i64,
    clock: i64,
}

/// Begins a transaction, and reads and locks the records until it ends. Returns `None`, and rolls
/// back, if one of them does not exist.
async fn read(
    client: &Client,
    keys: &[String],
) -> Result<Option<(Now, Vec<Option<Vec<u8>>>)>, Failure> {
    // A fixed order of locks prevents a deadlock.
    let records = "SELECT key, value, moment, clock FROM podqueue.limit_record
        WHERE key = ANY ($1) ORDER BY key FOR UPDATE";
    // Read after the rows are locked, so that it is later than the reading of the previous
    // exchange.
    let clock = format!("SELECT {CLOCK}");
    let begun = client.batch_execute(BEGIN);
    let parameters = [(&keys as _, Type::TEXT_ARRAY)];
    let records = client.query_typed(records, &parameters);
    let ((), rows, clock) = try_join3(begun, records, client.query_typed_one(&clock, &[])).await?;
    if rows.len() < keys.len() {
        client.batch_execute("ROLLBACK").await?;
        return Ok(None);
    }
    let clock: i64 = clock.get(0);
    // A clock that was set back counts as not having moved.
    let moments = rows.iter().map(|row| {
        let (moment, last): (i64, i64) = (row.get(2), row.get(3));
        moment + (clock - last).max(0)
    });
    let moment = moments.max().unwrap_or(clock);
    let mut values: HashMap<&str, Option<Vec<u8>>> =
        rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let records = keys.iter().map(|key| values.remove(key.as_str()).flatten()).collect();
    Ok(Some((Now { moment, clock }, records)))
}

/// Writes the records, and ends the transaction.
async fn write(
    client: &Client,
    keys: &[String],
    records: Vec<Option<Vec<u8>>>,
    now: Now,
) -> Result<(), Failure> {
    let sql =
        "UPDATE podqueue.limit_record AS record SET value = new.value, moment = $3, clock = $4
        FROM unnest($1, $2) AS new (key, value) WHERE record.key = new.key";
    let parameters = [
        (&keys as _, Type::TEXT_ARRAY),
        (&records as _, Type::BYTEA_ARRAY),
        (&now.moment as _, Type::INT8),
        (&now.clock as _, Type::INT8),
    ];
    let written = client.execute_typed(sql, &parameters);
    // If the first fails, the second ends the transaction without a change.
    try_join(written, client.batch_execute("COMMIT")).await?;
    Ok(())
}

/// Creates missing records, and removes those that were not used within the retention.
async fn create_records(client: &Client, keys: &[String]) -> Result<(), Failure> {
    let sql = format!(
        "INSERT INTO podqueue.limit_record (key, moment, clock)
         SELECT key, now, now FROM unnest($1) AS key, (SELECT {CLOCK} AS now) AS clock ORDER BY key
         ON CONFLICT DO NOTHING"
    );
    client.execute_typed(&sql, &[(&keys as _, Type::TEXT_ARRAY)]).await?;
    let sql = format!(
        "DELETE FROM podqueue.limit_record WHERE key IN (
             SELECT key FROM podqueue.limit_record WHERE clock < {CLOCK} - $1
             FOR UPDATE SKIP LOCKED)"
    );
    client.execute_typed(&sql, &[(&RECORD_LIFETIME, Type::INT8)]).await?;
    Ok(())
}
