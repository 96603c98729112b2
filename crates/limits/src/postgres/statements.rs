//! What is said to the database. Statements that are sent together cost one round trip.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::{try_join, try_join3};
use podqueue_postgres::{Failure, begin_tables, has_table};
use podqueue_runtime::ChangeRecords;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// A record, the moment of its last exchange, and what the database's clock said then.
const TABLE: &str = "CREATE TABLE podqueue.limit_record (
    key text PRIMARY KEY,
    value bytea,
    moment bigint NOT NULL,
    clock bigint NOT NULL
)";

/// What the database's clock says, in microseconds.
const CLOCK: &str = "floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// A process that is stopped in the middle of an exchange keeps others waiting for no longer than a
/// lease, and whoever waits gives up before its connection does.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL idle_in_transaction_session_timeout = '1s'; SET LOCAL statement_timeout = '3s'; \
    SELECT set_config('synchronous_commit', 'on', true) \
    WHERE current_setting('synchronous_commit') = 'off'";

/// How long a record is kept that nobody uses, in microseconds: far longer than anything counts.
const KEPT: i64 = 10 * 60 * 1_000_000;

/// How often records may have been removed before they were read.
const TRIES: usize = 5;

/// Makes the tables where there are none.
pub(super) async fn make_tables(client: &Client) -> Result<(), Failure> {
    if has_table(client, "limit_record").await? {
        return Ok(());
    }
    begin_tables(client).await?;
    // Others may have done it meanwhile.
    if !has_table(client, "limit_record").await? {
        client.batch_execute(TABLE).await?;
    }
    Ok(client.batch_execute("COMMIT").await?)
}

/// Lets the records with these keys be changed, in one transaction that nobody else who needs one of
/// them can be in.
pub(super) async fn exchange(
    client: &Client,
    keys: &[String],
    change: ChangeRecords<'_>,
) -> Result<(), Failure> {
    for _ in 0..TRIES {
        match read(client, keys).await? {
            Some((now, mut records)) => {
                let moment = Duration::from_micros(u64::try_from(now.moment).unwrap_or(0));
                change(moment, &mut records);
                return write(client, keys, records, now).await;
            }
            // Apart, because keys that are not there cannot be locked in order.
            None => create(client, keys).await?,
        }
    }
    let message = "the records of the limits are removed as soon as they are made";
    Err(Failure::Passing(message.to_owned()))
}

/// A moment, and what the database's clock says.
struct Now {
    moment: i64,
    clock: i64,
}

/// Begins a transaction and reads the records, which nobody else can read until it ends. Without one
/// of them there is none of it.
async fn read(
    client: &Client,
    keys: &[String],
) -> Result<Option<(Now, Vec<Option<Vec<u8>>>)>, Failure> {
    // In one order, so that nobody waits for somebody who waits for them.
    let records = "SELECT key, value, moment, clock FROM podqueue.limit_record
        WHERE key = ANY ($1) ORDER BY key FOR UPDATE";
    // After the records are locked: whoever had them read the clock before.
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
    // A clock that was set back has not moved.
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

/// Makes records where there are none, and removes those that nobody has used for long.
async fn create(client: &Client, keys: &[String]) -> Result<(), Failure> {
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
    client.execute_typed(&sql, &[(&KEPT, Type::INT8)]).await?;
    Ok(())
}
