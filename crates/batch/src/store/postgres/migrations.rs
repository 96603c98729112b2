//! Schema of the database, and its migrations.

use std::time::Duration;

use podqueue_postgres::{begin_tables, has_table};
use tokio_postgres::Client;

use super::connection::{Connection, StoreFailure};
use crate::error::{Error, ErrorKind, Result};

/// Timeout of a migration, and of the removal of a batch.
pub(super) const LONG: Duration = Duration::from_secs(10 * 60);

/// Migrations, each from the preceding version. The version of a database is the number of
/// migrations.
///
/// The counts of a batch are its number of inputs, which begin as pending, and what each of its
/// processes has moved from state to state. An input's owner is the process that submits it or
/// polls its job; its results are where its end was recorded.
///
/// Processes and results have random ids: a database that was restored from a backup must not
/// assign ids again. Of a process that was recovered, the last change is kept.
const MIGRATIONS: [&str; 3] = [
    "
    CREATE TABLE podqueue.batch (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL UNIQUE,
        inputs bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE podqueue.results (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        batch bigint NOT NULL REFERENCES podqueue.batch ON DELETE CASCADE,
        token text NOT NULL,
        UNIQUE (batch, token)
    );
    CREATE TABLE podqueue.note (
        batch bigint NOT NULL REFERENCES podqueue.batch ON DELETE CASCADE,
        results bigint NOT NULL,
        name text NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (batch, results, name)
    );
    CREATE TABLE podqueue.process (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        batch bigint NOT NULL REFERENCES podqueue.batch ON DELETE CASCADE,
        results bigint NOT NULL,
        lease_until timestamptz NOT NULL,
        last_change bigint NOT NULL DEFAULT 0,
        moved bigint[] NOT NULL,
        execution_ms double precision NOT NULL DEFAULT 0,
        delay_ms double precision NOT NULL DEFAULT 0
    );
    CREATE INDEX process_batch ON podqueue.process (batch);
    CREATE TABLE podqueue.run (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        batch bigint NOT NULL REFERENCES podqueue.batch ON DELETE CASCADE,
        process bigint NOT NULL,
        endpoint_id text NOT NULL,
        base_url text NOT NULL,
        policy text,
        ttl bigint,
        started_at bigint NOT NULL
    );
    CREATE INDEX run_batch ON podqueue.run (batch);
    CREATE TABLE podqueue.input (
        batch bigint NOT NULL REFERENCES podqueue.batch ON DELETE CASCADE,
        idx bigint NOT NULL,
        line bigint NOT NULL,
        start bigint,
        length bigint,
        body bytea,
        digest bytea NOT NULL,
        same_as bigint,
        validation_error text,
        state smallint NOT NULL DEFAULT 0,
        attempt bigint NOT NULL DEFAULT 0,
        owner bigint,
        results bigint,
        run bigint,
        job_id text,
        submitted_at bigint,
        seen_at bigint,
        error text,
        PRIMARY KEY (batch, idx)
    );
    CREATE INDEX input_pending ON podqueue.input (batch, idx) WHERE state = 0;
    CREATE INDEX input_open ON podqueue.input (batch, owner, idx) WHERE state IN (1, 2);
    CREATE INDEX input_failed ON podqueue.input (batch, results, idx)
        WHERE state IN (4, 5, 6, 7, 8, 10);
    CREATE INDEX input_unknown ON podqueue.input (batch, idx) WHERE state = 9;
    CREATE INDEX input_same_as ON podqueue.input (batch, same_as) WHERE same_as IS NOT NULL;
    CREATE INDEX input_job ON podqueue.input (batch, job_id) WHERE job_id IS NOT NULL;
",
    "
    ALTER TABLE podqueue.process ALTER id DROP IDENTITY;
    ALTER TABLE podqueue.results ALTER id DROP IDENTITY;
    CREATE TABLE podqueue.recovered (
        process bigint PRIMARY KEY,
        batch bigint NOT NULL REFERENCES podqueue.batch ON DELETE CASCADE,
        last_change bigint NOT NULL
    );
    CREATE INDEX recovered_batch ON podqueue.recovered (batch);
",
    // Earlier attempts have no reserve.
    "
    ALTER TABLE podqueue.input
        ADD reserve_ms double precision NOT NULL DEFAULT 0,
        ADD charged_ms double precision NOT NULL DEFAULT 0;
    ALTER TABLE podqueue.process
        ADD timed bigint NOT NULL DEFAULT 0,
        ADD squares_ms double precision NOT NULL DEFAULT 0,
        ADD charged_ms double precision NOT NULL DEFAULT 0;
    UPDATE podqueue.process SET charged_ms = execution_ms;
",
];

/// Brings the database up to this version.
pub(super) fn run(connection: &mut Connection) -> Result<()> {
    if found(connection)? == Some(MIGRATIONS.len()) {
        return Ok(());
    }
    let migrated = connection
        .retry_with(|it| it.attempt(LONG, async |client| apply(client, &MIGRATIONS).await));
    migrated.map_err(|failure| connection.failed("make the tables for", failure))
}

/// Returns true if there are tables.
pub(super) fn has_tables(connection: &mut Connection) -> Result<bool> {
    Ok(found(connection)?.is_some())
}

/// Refuses a database that is not of this version.
pub(super) fn check(connection: &mut Connection) -> Result<()> {
    match found(connection)? {
        Some(found) if found == MIGRATIONS.len() => Ok(()),
        None => {
            let message = format!("there is no batch in {} yet", connection.target());
            Err(Error::new(ErrorKind::Journal, message))
        }
        Some(found) => {
            let message = format!(
                "the tables in {} are of the older version {found}: run a batch there once to update them",
                connection.target()
            );
            Err(Error::new(ErrorKind::Journal, message))
        }
    }
}

/// The version of the tables, unless it is newer than this program knows. `None` without tables.
fn found(connection: &mut Connection) -> Result<Option<usize>> {
    let found = connection
        .retry_with(|it| it.attempt(LONG, async |client| version(client, MIGRATIONS.len()).await));
    found.map_err(|failure| connection.failed("open", failure))
}

async fn apply(client: &Client, migrations: &[&str]) -> Result<(), StoreFailure> {
    begin_tables(client).await?;
    // Another process may have done it meanwhile.
    let found = version(client, migrations.len()).await?;
    if found.is_none() {
        client.batch_execute("CREATE TABLE podqueue.version (version bigint NOT NULL)").await?;
        client.batch_execute("INSERT INTO podqueue.version VALUES (0)").await?;
    }
    for migration in migrations.iter().skip(found.unwrap_or_default()) {
        client.batch_execute(migration).await?;
        client.batch_execute("UPDATE podqueue.version SET version = version + 1").await?;
    }
    Ok(client.batch_execute("COMMIT").await?)
}

async fn version(client: &Client, newest: usize) -> Result<Option<usize>, StoreFailure> {
    if !has_table(client, "version").await? {
        return Ok(None);
    }
    let row = client.query_typed_opt("SELECT version FROM podqueue.version", &[]).await?;
    let Some(row) = row else { return Ok(None) };
    let version: i64 = row.get(0);
    match usize::try_from(version) {
        Ok(version) if version <= newest => Ok(Some(version)),
        _ => {
            let message = format!(
                "the tables of batches in the database have version {version}, and this program knows versions up to {newest}: use a newer program"
            );
            Err(Error::new(ErrorKind::NewerVersion, message).into())
        }
    }
}
