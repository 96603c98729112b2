//! The schema `podqueue`, in which each store has tables.

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::failure::Failure;

/// Keeps others out while tables are made ("podqueue").
const LOCK: i64 = 0x706f_6471_7565_7565;

/// What a user needs who makes the schema.
const CREATE: &str = "; there is no schema podqueue yet, and the user needs rights to make it (GRANT CREATE ON DATABASE), or one that is there (CREATE SCHEMA podqueue AUTHORIZATION)";

/// Whether the schema has this table.
///
/// # Errors
///
/// If the database does not tell.
pub async fn has_table(client: &Client, table: &str) -> Result<bool, Failure> {
    // Not `to_regclass`: it may go by what this session knew before somebody else made the table.
    let sql =
        "SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = 'podqueue' AND relname = $1)";
    Ok(client.query_typed_one(sql, &[(&table, Type::TEXT)]).await?.get(0))
}

/// Begins a transaction in which tables can be made, and creates the schema if there is none. Until
/// the transaction ends, nobody else can do so: look again whether they have done it meanwhile.
///
/// # Errors
///
/// If the database does not respond, or the user has no right to create the schema.
pub async fn begin_tables(client: &Client) -> Result<(), Failure> {
    client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    client.query_typed(lock, &[(&LOCK, Type::INT8)]).await?;
    // It may be there, made by somebody who may.
    let sql = "SELECT 1 FROM pg_namespace WHERE nspname = 'podqueue'";
    if client.query_typed_opt(sql, &[]).await?.is_none() {
        let created = client.batch_execute("CREATE SCHEMA podqueue").await;
        created.map_err(|error| Failure::without_right(error, CREATE))?;
    }
    Ok(())
}
