//! Recovery of processes whose leases have expired.
//!
//! The row of an expired process is deleted under its lock, so its next change finds no row and
//! fails. Its outstanding inputs get a new owner, and its interrupted submissions become unknown or
//! pending. Its sums are added to those of the recovering process, so that the counts of the batch
//! stay the same.

use std::time::Duration;

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::connection::StoreFailure;
use super::rows::{self, Value, int8, int8s, value};
use super::transaction::{Delta, Writing};
use crate::input_state::State;
use crate::store::Input;

/// The processes that a process can recover.
#[derive(Clone, Copy)]
pub(super) struct Expired {
    /// The recovering process, and its results.
    pub(super) process: i64,
    pub(super) results: i64,
    /// True if processes with expired leases had the time to renew them.
    pub(super) had_time: bool,
    pub(super) lease: Duration,
}

/// Statement of [`Expired`]: their lease has expired, and could be renewed for a lease's time;
/// or they have given it up; or they wrote to the results that this process writes to.
const EXPIRED: &str = "SELECT id, moved, execution_ms, delay_ms FROM podqueue.process
    WHERE batch = $1 AND id <> $2 AND (
        lease_until = '-infinity'
        OR (results = $3 AND results <> 0)
        OR ($4 AND lease_until < clock_timestamp()
            AND pg_postmaster_start_time() + $5 * interval '1 second' < clock_timestamp()))
    ORDER BY id";

impl Expired {
    /// Returns true if there are any.
    pub(super) async fn exist(&self, client: &Client, batch: i64) -> Result<bool, StoreFailure> {
        let (sql, lease) = (format!("SELECT EXISTS ({EXPIRED})"), self.lease.as_secs_f64());
        Ok(client.query_typed_one(&sql, &self.values(&batch, &lease)).await?.get(0))
    }

    /// Recovers them. Returns their outstanding inputs, which belong to this process from now on.
    pub(super) async fn recover(
        &self,
        writing: &Writing<'_>,
        intents: State,
    ) -> Result<(Vec<Input>, Delta), StoreFailure> {
        let Writing { client, batch, process, .. } = writing;
        let (ids, mut delta) = self.lock(client, *batch).await?;
        let sql = "WITH expired AS (
                DELETE FROM podqueue.process WHERE id = ANY ($1) RETURNING id, batch, last_change)
            INSERT INTO podqueue.taken (process, batch, last_change) SELECT * FROM expired
            ON CONFLICT DO NOTHING";
        client.query_typed(sql, &[int8s(&ids)]).await?;
        let sql = "UPDATE podqueue.input SET state = $3, owner = NULL, error = NULL
            WHERE batch = $1 AND owner = ANY ($2) AND state = 1";
        let to = i16::from(intents.code());
        let values = [int8(batch), int8s(&ids), value(&to, Type::INT2)];
        let moved = client.execute_typed(sql, &values).await?;
        delta.shift(State::Intent, intents, usize::try_from(moved).unwrap_or(usize::MAX));
        let sql = format!(
            "UPDATE podqueue.input SET owner = $3
             WHERE batch = $1 AND owner = ANY ($2) AND state = 2 RETURNING {}",
            rows::INPUT
        );
        let values = [int8(batch), int8s(&ids), int8(process)];
        let taken = rows::inputs(&client.query_typed(&sql, &values).await?)?;
        Ok((taken, delta))
    }

    /// Locks their rows. Returns their ids, and the sum of what they have moved.
    async fn lock(&self, client: &Client, batch: i64) -> Result<(Vec<i64>, Delta), StoreFailure> {
        // A locked row is skipped: its process is about to write, or is being recovered by another
        // process.
        let sql = format!("{EXPIRED} FOR UPDATE SKIP LOCKED");
        let lease = self.lease.as_secs_f64();
        let found = client.query_typed(&sql, &self.values(&batch, &lease)).await?;
        let mut sum = Delta::default();
        for row in &found {
            sum.add(&Delta::of(row.get(1), row.get(2), row.get(3)));
        }
        Ok((found.iter().map(|row| row.get(0)).collect(), sum))
    }

    fn values<'a>(&'a self, batch: &'a i64, lease: &'a f64) -> [Value<'a>; 5] {
        [
            int8(batch),
            int8(&self.process),
            int8(&self.results),
            value(&self.had_time, Type::BOOL),
            value(lease, Type::FLOAT8),
        ]
    }
}

/// The outstanding inputs of a process.
pub(super) async fn outstanding(
    client: &Client,
    batch: i64,
    process: i64,
) -> Result<Vec<Input>, StoreFailure> {
    let sql = format!(
        "SELECT {} FROM podqueue.input WHERE batch = $1 AND owner = $2 AND state = 2 ORDER BY idx",
        rows::INPUT
    );
    let values = [int8(&batch), int8(&process)];
    rows::inputs(&client.query_typed(&sql, &values).await?)
}
