//! A database that has lost changes which were durable: a replica that was behind became the
//! primary, or a backup was put back.
//!
//! A process knows it by its own last change. It lets all others know by a note, because what it had
//! submitted is pending again for them.

use tokio_postgres::Client;

use super::connection::Connection;
use super::failure::Failure;
use super::rows::{int8, random, text};
use crate::error::Result;
use crate::store::sharing::LOST;

/// The name of the note that tells one acceptance of such a loss from another.
const ACCEPTED: &str = "accepted";

/// What the others are told.
const WHAT: &str = "the database has lost changes that were durable: no process submits anything more until that is accepted";

/// Refuses a batch whose database has lost changes, unless that is accepted, which settles it.
pub(super) fn check(connection: &mut Connection, batch: i64, accept: bool) -> Result<()> {
    let acceptance = random()?.to_string();
    let found = connection.persist(async |client| {
        let acceptance = acceptance.as_str();
        let values = [int8(&batch), text(&LOST), text(&ACCEPTED), text(&acceptance)];
        let sql = match accept {
            true => {
                "WITH lost AS (
                    DELETE FROM podqueue.note WHERE batch = $1 AND results = 0 AND name = $2
                    RETURNING batch)
                INSERT INTO podqueue.note (batch, results, name, text)
                SELECT batch, 0, $3, $4 FROM lost
                ON CONFLICT (batch, results, name) DO UPDATE SET text = excluded.text"
            }
            false => "SELECT FROM podqueue.note WHERE batch = $1 AND results = 0 AND name = $2",
        };
        let values = if accept { &values[..] } else { &values[..2] };
        Ok(client.query_typed_opt(sql, values).await?.is_some())
    });
    match found {
        Ok(false) => Ok(()),
        Ok(true) => Err(connection.failed("open", Failure::Lost)),
        Err(failure) => Err(connection.failed("open", failure)),
    }
}

/// The last acceptance that a process knows which joins now, as an expression.
pub(super) const LAST_ACCEPTED: &str = "coalesce((SELECT text FROM podqueue.note
    WHERE batch = $1 AND results = 0 AND name = 'accepted'), '')";

/// Lets other processes know, also those that begin later, that they must not submit anything. If
/// that was accepted since this process joined, it alone has to begin anew.
pub(super) fn judged(connection: &mut Connection, batch: i64, accepted: &str) -> Failure {
    let told = connection.persist(async |client| {
        let sql = format!(
            "INSERT INTO podqueue.note (batch, results, name, text)
             SELECT $1, 0, $2, $3 WHERE {LAST_ACCEPTED} = $4 ON CONFLICT DO NOTHING"
        );
        let values = [int8(&batch), text(&LOST), text(&WHAT), text(&accepted)];
        client.query_typed(&sql, &values).await?;
        let sql = "SELECT FROM podqueue.note WHERE batch = $1 AND results = 0 AND name = $2";
        Ok(client.query_typed_opt(sql, &values[..2]).await?.is_some())
    });
    match told {
        Ok(false) => Failure::TakenOver,
        // Whoever cannot be told finds changes lost, too, or has lost none.
        _ => Failure::Lost,
    }
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
