//! Loss of durable changes: a replica that was behind became the primary, or a backup was restored.
//!
//! Each process knows the number of its own last change, and has results of its own: either can
//! prove that the database is older than the process. The proof is a mark in the database (the note
//! [`LOST`]), which every transaction of a process reads under its lease, and every process that
//! joins.
//!
//! The mark is removed in the transaction of the first operation that its acceptance permits, and
//! so after all other checks: the claim of inputs, or the end of a cancellation. Before, each
//! machine imports what only its results know, and records that ([`IMPORTED`]), so an input with a
//! result is not pending when inputs are claimed. A new mark resets the imports.

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::connection::{Connection, StoreFailure};
use super::rows::{int8, random, text, value};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{IMPORTED, LOST};

/// Name of the note of the last acceptance of a loss: a random number.
const ACCEPTED: &str = "accepted";

/// Text of the mark.
const MARK_TEXT: &str = "the database has lost changes that were durable: no process submits anything more until that is accepted";

/// Number of results listed that were not imported.
const MAX_LISTED_RESULTS: i64 = 20;

/// Policy of a process for a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnLoss {
    /// Stop, or refuse to join.
    Refuse,
    /// Join, import the own results, and continue once all known results are imported.
    Accept,
    /// Accept, but give up the results of other processes.
    GiveUpResults,
}

/// Refuses a batch whose database has lost changes, unless that is to be accepted.
pub(super) fn check(connection: &mut Connection, batch: i64, on_loss: OnLoss) -> Result<()> {
    if on_loss != OnLoss::Refuse {
        return Ok(());
    }
    match connection.retry(async |client| is_marked(client, batch).await) {
        Ok(false) => Ok(()),
        Ok(true) => Err(connection.failed("open", StoreFailure::Lost)),
        Err(failure) => Err(connection.failed("open", failure)),
    }
}

/// SQL expression: last accepted loss, for a joining process.
pub(super) const LAST_ACCEPTED: &str = "coalesce((SELECT text FROM podqueue.note
    WHERE batch = $1 AND results = 0 AND name = 'accepted'), '')";

/// Marks the batch, so that no process submits anything, including processes that join later. If
/// the loss was accepted since this process joined, only this process has to rejoin.
pub(super) fn mark_and_classify(
    connection: &mut Connection,
    batch: i64,
    accepted: &str,
) -> StoreFailure {
    match mark(connection, batch, Some(accepted)) {
        Ok(false) => StoreFailure::LeaseLost,
        // If the mark cannot be written, other processes detect the loss themselves, or have lost
        // nothing.
        _ => StoreFailure::Lost,
    }
}

/// Marks the batch, unless it is marked, or a loss was accepted since `accepted`. Returns true if
/// marked. A new mark resets the imports.
pub(super) fn mark(
    connection: &mut Connection,
    batch: i64,
    accepted: Option<&str>,
) -> Result<bool, StoreFailure> {
    connection.retry_durably(async |client| {
        let sql = format!(
            "WITH marked AS (
                INSERT INTO podqueue.note (batch, results, name, text)
                SELECT $1, 0, $2, $3 WHERE $4::text IS NULL OR {LAST_ACCEPTED} = $4
                ON CONFLICT DO NOTHING RETURNING batch)
             DELETE FROM podqueue.note USING marked
             WHERE note.batch = marked.batch AND note.name = $5"
        );
        let values = [
            int8(&batch),
            text(&LOST),
            text(&MARK_TEXT),
            value(&accepted, Type::TEXT),
            text(&IMPORTED),
        ];
        client.query_typed(&sql, &values).await?;
        is_marked(client, batch).await
    })
}

pub(super) async fn is_marked(client: &Client, batch: i64) -> Result<bool, StoreFailure> {
    let sql = "SELECT FROM podqueue.note WHERE batch = $1 AND results = 0 AND name = $2";
    Ok(client.query_typed_opt(sql, &[int8(&batch), text(&LOST)]).await?.is_some())
}

/// Paths of results that were not imported since the batch was marked: at most
/// [`MAX_LISTED_RESULTS`], those of this process first.
pub(super) async fn not_imported(
    client: &Client,
    batch: i64,
    own: i64,
) -> Result<Vec<(bool, String)>, StoreFailure> {
    let sql = "SELECT results = $2, text::json ->> 'path' FROM podqueue.note
        WHERE batch = $1 AND results <> 0 AND name = 'results' AND NOT EXISTS (
            SELECT FROM podqueue.note AS imported WHERE imported.batch = $1
            AND imported.results = note.results AND imported.name = $3)
        ORDER BY results <> $2, text LIMIT $4";
    let values = [int8(&batch), int8(&own), text(&IMPORTED), int8(&MAX_LISTED_RESULTS)];
    let found = client.query_typed(sql, &values).await?;
    let path = |row: &tokio_postgres::Row| row.get::<_, Option<String>>(1).unwrap_or_default();
    Ok(found.iter().map(|row| (row.get(0), path(row))).collect())
}

/// Accepts the loss of a marked batch, unless results were not imported, or this change is already
/// committed (`is_done`). `own` are the results of this process. Returns the number of the last
/// acceptance.
pub(super) async fn accept(
    client: &Client,
    batch: i64,
    own: i64,
    is_done: bool,
    on_loss: OnLoss,
) -> Result<String, StoreFailure> {
    if !is_done && is_marked(client, batch).await? {
        let missing = not_imported(client, batch, own).await?;
        refuse(&missing, on_loss)?;
        let acceptance = random()?.to_string();
        let sql = "DELETE FROM podqueue.note WHERE batch = $1 AND (
            (results = 0 AND name = $2) OR name = $3)";
        client.query_typed(sql, &[int8(&batch), text(&LOST), text(&IMPORTED)]).await?;
        let sql = "INSERT INTO podqueue.note (batch, results, name, text) VALUES ($1, 0, $2, $3)
            ON CONFLICT (batch, results, name) DO UPDATE SET text = excluded.text";
        let values = [int8(&batch), text(&ACCEPTED), value(&acceptance, Type::TEXT)];
        client.query_typed(sql, &values).await?;
    }
    last_accepted(client, batch).await
}

/// The number of the last acceptance.
async fn last_accepted(client: &Client, batch: i64) -> Result<String, StoreFailure> {
    let sql = format!("SELECT {LAST_ACCEPTED}");
    Ok(client.query_typed_one(&sql, &[int8(&batch)]).await?.get(0))
}

pub(super) fn refuse(missing: &[(bool, String)], on_loss: OnLoss) -> Result<(), StoreFailure> {
    let is_new = missing.iter().any(|(is_own, _)| *is_own);
    if is_new {
        // The mark is newer than the loss that this process accepts.
        return Err(StoreFailure::Lost);
    }
    if missing.is_empty() || on_loss == OnLoss::GiveUpResults {
        return Ok(());
    }
    let paths: Vec<_> = missing.iter().map(|(_, path)| path.as_str()).collect();
    let message = format!(
        "the loss of changes is not accepted yet: this process has imported its results, but the results of other processes may contain jobs that are missing here, whose inputs would be submitted again: {}. Nothing was submitted: import these where they are, in the same way, and the last process continues; if some are gone for good, give them up (Postgres::accept_loss_of_results)",
        paths.join(", ")
    );
    Err(StoreFailure::Final(Error::new(ErrorKind::OtherResults, message)))
}
