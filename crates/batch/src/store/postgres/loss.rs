//! A database that has lost changes which were durable: a replica that was behind became the
//! primary, or a backup was put back.
//!
//! A process knows it by its own last change. It lets all others know by a note, because what it had
//! submitted is pending again for them.

use tokio_postgres::Client;

use super::connection::Connection;
use super::failure::Failure;
use super::rows::{self, int8, text};
use super::store::NOWHERE;
use crate::error::Result;

/// The name of the note that says so.
const LOST: &str = "lost";

/// Refuses a batch whose database has lost changes, unless that is accepted, which settles it.
pub(super) fn check(connection: &mut Connection, batch: i64, accept: bool) -> Result<()> {
    let found = connection.persist(async |client| {
        let values = [int8(&batch), text(&LOST)];
        let sql = match accept {
            true => "DELETE FROM podqueue.note WHERE batch = $1 AND results = 0 AND name = $2",
            false => "SELECT FROM podqueue.note WHERE batch = $1 AND results = 0 AND name = $2",
        };
        Ok(client.query_typed_opt(sql, &values).await?.is_some())
    });
    match found {
        Ok(false) => Ok(()),
        Ok(true) => Err(connection.failed("open", Failure::Lost)),
        Err(failure) => Err(connection.failed("open", failure)),
    }
}

/// Lets other processes know, also those that begin later, that they must not submit anything.
pub(super) fn mark(connection: &mut Connection, batch: i64) {
    let note = [(LOST, "durable changes".to_owned())];
    // Whoever cannot be told finds changes lost, too, or has lost none.
    let _ = connection.persist(async |client| rows::set_notes(client, batch, NOWHERE, &note).await);
}

/// Makes sure that nobody takes this process over until the transaction ends, or that nobody has; and
/// that the database has not lost this change of it, nor changes of others. The number of its last
/// change.
pub(super) async fn check_lease(
    client: &Client,
    batch: i64,
    process: i64,
    durable: i64,
) -> Result<i64, Failure> {
    let sql = "SELECT last_change, EXISTS (
            SELECT FROM podqueue.note WHERE batch = $2 AND results = 0 AND name = $3)
        FROM podqueue.process WHERE id = $1 FOR UPDATE";
    let values = [int8(&process), int8(&batch), text(&LOST)];
    let Some(row) = client.query_typed_opt(sql, &values).await? else {
        return Err(missing(client, batch, process, durable).await?);
    };
    match (row.get(0), row.get(1)) {
        (last, false) if last >= durable => Ok(last),
        _ => Err(Failure::Lost),
    }
}

/// Why there is no such process: whoever takes one over says so.
async fn missing(
    client: &Client,
    batch: i64,
    process: i64,
    durable: i64,
) -> Result<Failure, Failure> {
    let sql = "SELECT last_change FROM podqueue.taken WHERE process = $1
        UNION ALL SELECT $3 WHERE NOT EXISTS (SELECT FROM podqueue.batch WHERE id = $2)";
    let values = [int8(&process), int8(&batch), int8(&durable)];
    let found = client.query_typed(sql, &values).await?;
    Ok(match found.first().map(|row| row.get::<_, i64>(0)) {
        Some(last) if last >= durable => Failure::TakenOver,
        _ => Failure::Lost,
    })
}
