//! Fence: the row of a process, which every transaction locks before it writes, so that a process whose
//! lease was lost writes nothing.

use tokio_postgres::Client;

use super::connection::Failure;
use super::loss::OnLoss;
use super::rows::{int8, text};
use crate::store::LOST;

/// Checks the fence: locks the row of this process until the transaction ends, or fails if the
/// lease was lost; and fails if the database has lost changes, unless `on_loss` accepts that.
/// Returns the number of the last change of this process.
pub(super) async fn check_lease(
    client: &Client,
    batch: i64,
    process: i64,
    durable: i64,
    on_loss: OnLoss,
) -> Result<i64, Failure> {
    let sql = "SELECT last_change, EXISTS (
            SELECT FROM podqueue.note WHERE batch = $2 AND results = 0 AND name = $3)
        FROM podqueue.process WHERE id = $1 FOR UPDATE";
    let values = [int8(&process), int8(&batch), text(&LOST)];
    let Some(row) = client.query_typed_opt(sql, &values).await? else {
        return Err(missing(client, batch, process, durable).await?);
    };
    let (last, is_marked): (i64, bool) = (row.get(0), row.get(1));
    match last >= durable && (!is_marked || on_loss != OnLoss::Refuse) {
        true => Ok(last),
        false => Err(Failure::Lost),
    }
}

/// Returns the reason for which the row of the process is missing: a recovery keeps a record of the last
/// change.
async fn missing(
    client: &Client,
    batch: i64,
    process: i64,
    durable: i64,
) -> Result<Failure, Failure> {
    Ok(match has_change(client, batch, process, durable).await? {
        true => Failure::LeaseLost,
        false => Failure::Lost,
    })
}

/// Returns true if the database has this change of a process, or the batch was removed from it.
pub(super) async fn has_change(
    client: &Client,
    batch: i64,
    process: i64,
    durable: i64,
) -> Result<bool, Failure> {
    let sql = "SELECT EXISTS (
            SELECT FROM podqueue.process WHERE id = $1 AND last_change >= $3
            UNION ALL SELECT FROM podqueue.taken WHERE process = $1 AND last_change >= $3)
        OR NOT EXISTS (SELECT FROM podqueue.batch WHERE id = $2)";
    let values = [int8(&process), int8(&batch), int8(&durable)];
    Ok(client.query_typed_one(sql, &values).await?.get(0))
}
