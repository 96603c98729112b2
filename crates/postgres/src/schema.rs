//! Database schema `podqueue`, which holds the tables of every store.

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::failure::Failure;

/// Key of the advisory lock that serializes the creation of tables ("podqueue").
const LOCK: i64 = 0x706f_6471_7565_7565;

/// Privilege that the user needs to create the schema.
const CREATE_PRIVILEGE: &str = "; there is no schema podqueue yet, and the user needs the right to create it (GRANT CREATE ON DATABASE), or an existing one (CREATE SCHEMA podqueue AUTHORIZATION)";

/// Returns true if the schema has this table.
///
/// # Errors
///
/// The query failed.
pub async fn has_table(client: &Client, table: &str) -> Result<bool, Failure> {
    // Not `to_regclass`, which may use the session's catalog cache from before another session
    // created the table.
    let sql =
        "SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = 'podqueue' AND relname = $1)";
    Ok(client.query_typed_one(sql, &[(&table, Type::TEXT)]).await?.get(0))
}

/// Begins a transaction for the creation of tables, and creates the schema if it does not exist. An
/// advisory lock excludes other sessions until the transaction ends: check again whether another
/// session has created the tables in the meantime.
///
/// # Errors
///
/// A statement failed, or the user lacks the privilege to create the schema.
pub async fn begin_tables(client: &Client) -> Result<(), Failure> {
    client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    client.query_typed(lock, &[(&LOCK, Type::INT8)]).await?;
    // Not CREATE SCHEMA IF NOT EXISTS, which needs the privilege even where the schema exists.
    let sql = "SELECT 1 FROM pg_namespace WHERE nspname = 'podqueue'";
    if client.query_typed_opt(sql, &[]).await?.is_none() {
        let created = client.batch_execute("CREATE SCHEMA podqueue").await;
        created.map_err(|error| Failure::with_privileges(error, CREATE_PRIVILEGE))?;
    }
    Ok(())
}
