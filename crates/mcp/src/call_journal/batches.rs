//! Batches of the call journal: their names, and their shares of what all calls may cost.
//!
//! A batch reserves the most that its run may charge, in the transaction that compares the sum of
//! all charges with the bound, and the run gets what was reserved as its budget. When the run has
//! ended, the batch is charged what its own journal says. So the charge here is never below the
//! sum of the charges there, and each execution counts once: a batch's jobs are no calls.
//!
//! Only the process that has the journal of the batch open reserves and settles, so no two of them
//! do so at a time. If it is killed, its reservation stays until the batch is run again, or
//! cancelled. If the files of a batch are removed and the batch begins anew, its charge so far is
//! that of what was forgotten: its new journal knows nothing of it.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{CallJournal, Charges, charges, immediate, lock, now};
use crate::error::Error;

/// A batch.
#[derive(Clone, Debug)]
pub(crate) struct BatchRecord {
    pub(crate) name: String,
    /// The identity of the service.
    pub(crate) service: String,
    /// Hash of what identifies the batch besides its results.
    pub(crate) identity: String,
    /// The arguments of its last run, as JSON.
    pub(crate) arguments: String,
}

/// The bound of a batch that begins, in milliseconds of execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchBound {
    /// Of the sum of all charges.
    pub(crate) max_ms: f64,
    /// The longest execution of a job.
    pub(crate) job_ms: f64,
}

/// Registration of a batch.
#[derive(Debug)]
pub(crate) enum Register {
    New,
    Known,
    /// The name belongs to another batch.
    Other,
    /// It has jobs whose cost is not known here.
    Unbounded,
    /// Not even one job can be paid for.
    OverBudget(Charges),
}

impl CallJournal {
    /// Registers a batch, or updates the arguments of a known one. `exists` says that its own
    /// journal does.
    pub(crate) async fn register_batch(
        &self,
        batch: BatchRecord,
        bound: Option<BatchBound>,
        exists: bool,
    ) -> Result<Register, Error> {
        self.run(move |shared| {
            register(&mut lock(&shared.connection), &batch, bound, exists)
                .map_err(|error| Error::new("record the batch in the call journal", error))
        })
        .await
    }

    /// Reserves what a run of a batch may cost: its charge so far and `further_ms`, or `most_ms` if
    /// given, and no more than what is left. Returns what the whole batch may be charged.
    pub(crate) async fn reserve_batch(
        &self,
        name: &str,
        further_ms: f64,
        most_ms: Option<f64>,
        max_ms: f64,
    ) -> Result<f64, Error> {
        let name = name.to_owned();
        self.run(move |shared| {
            reserve(&mut lock(&shared.connection), &name, further_ms, most_ms, max_ms)
                .map_err(|error| Error::new("reserve the cost of the batch", error))
        })
        .await
    }

    /// Charges a batch whose run has ended.
    pub(crate) async fn settle_batch(&self, name: &str, charged_ms: f64) -> Result<(), Error> {
        let name = name.to_owned();
        self.run(move |shared| {
            lock(&shared.connection)
                .execute(
                    "UPDATE batches SET charged_ms = ?2, is_running = 0 WHERE name = ?1",
                    params![name, charged_ms],
                )
                .map(|_| ())
                .map_err(|error| Error::new("record the cost of the batch", error))
        })
        .await
    }

    /// Forgets a batch that could not begin, so that its results may be those of another one.
    pub(crate) async fn forget_batch(&self, name: &str) -> Result<(), Error> {
        let name = name.to_owned();
        self.run(move |shared| {
            lock(&shared.connection)
                .execute("DELETE FROM batches WHERE name = ?1 AND charged_ms = 0", params![name])
                .map(|_| ())
                .map_err(|error| Error::new("forget the batch", error))
        })
        .await
    }

    /// The batch with this name.
    pub(crate) async fn batch(&self, name: &str) -> Result<Option<BatchRecord>, Error> {
        let name = name.to_owned();
        self.run(move |shared| {
            lock(&shared.connection)
                .query_row(&format!("{SELECT} WHERE name = ?1"), params![name], record)
                .optional()
                .map_err(|error| Error::new("read the batches", error))
        })
        .await
    }

    /// Batches, the latest first, from a number on.
    pub(crate) async fn batches(&self, from: u32, most: u32) -> Result<Vec<BatchRecord>, Error> {
        self.run(move |shared| {
            let connection = lock(&shared.connection);
            let query = format!("{SELECT} ORDER BY created_at DESC, name LIMIT ?2 OFFSET ?1");
            let list = || -> rusqlite::Result<Vec<BatchRecord>> {
                let mut statement = connection.prepare(&query)?;
                statement.query_map(params![from, most], record)?.collect()
            };
            list().map_err(|error| Error::new("list the batches", error))
        })
        .await
    }
}

const SELECT: &str = "SELECT name, service, identity, arguments FROM batches";

fn record(row: &Row<'_>) -> rusqlite::Result<BatchRecord> {
    Ok(BatchRecord {
        name: row.get(0)?,
        service: row.get(1)?,
        identity: row.get(2)?,
        arguments: row.get(3)?,
    })
}

fn register(
    connection: &mut Connection,
    batch: &BatchRecord,
    bound: Option<BatchBound>,
    exists: bool,
) -> rusqlite::Result<Register> {
    let transaction = immediate(connection)?;
    let found = transaction
        .query_row(
            "SELECT service, identity, is_bounded FROM batches WHERE name = ?1",
            params![batch.name],
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?)),
        )
        .optional()?;
    let Some((service, identity, is_bounded)) = found else {
        if let Some(bound) = bound {
            if exists {
                return Ok(Register::Unbounded);
            }
            let charges = charges(&transaction)?;
            if charges.sum() + bound.job_ms > bound.max_ms {
                return Ok(Register::OverBudget(charges));
            }
        }
        transaction.execute(
            "INSERT INTO batches (name, service, identity, arguments, is_bounded, is_running,
                 charged_ms, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, ?6)",
            params![
                batch.name,
                batch.service,
                batch.identity,
                batch.arguments,
                bound.is_some(),
                now()
            ],
        )?;
        transaction.commit()?;
        return Ok(Register::New);
    };
    if (&service, &identity) != (&batch.service, &batch.identity) {
        return Ok(Register::Other);
    }
    if bound.is_some() && !is_bounded {
        return Ok(Register::Unbounded);
    }
    if !exists {
        transaction.execute(
            "UPDATE forgotten SET charged_ms = charged_ms
                 + (SELECT charged_ms FROM batches WHERE name = ?1)",
            params![batch.name],
        )?;
        transaction.execute(
            "UPDATE batches SET charged_ms = 0, is_running = 0 WHERE name = ?1",
            params![batch.name],
        )?;
    }
    // A run without a bound is not counted, and so no later one can be.
    transaction.execute(
        "UPDATE batches SET arguments = ?2, is_bounded = is_bounded AND ?3 WHERE name = ?1",
        params![batch.name, batch.arguments, bound.is_some()],
    )?;
    transaction.commit()?;
    Ok(Register::Known)
}

fn reserve(
    connection: &mut Connection,
    name: &str,
    further_ms: f64,
    most_ms: Option<f64>,
    max_ms: f64,
) -> rusqlite::Result<f64> {
    let transaction = immediate(connection)?;
    let charged_ms: f64 = transaction.query_row(
        "SELECT charged_ms FROM batches WHERE name = ?1",
        params![name],
        |row| row.get(0),
    )?;
    let left_ms = max_ms - (charges(&transaction)?.sum() - charged_ms);
    let budget_ms = most_ms.unwrap_or(f64::INFINITY).min(charged_ms + further_ms).min(left_ms);
    let budget_ms = budget_ms.max(0.0);
    // What may have been charged stays, also if less is permitted now.
    transaction.execute(
        "UPDATE batches SET charged_ms = max(charged_ms, ?2), is_running = 1 WHERE name = ?1",
        params![name, budget_ms],
    )?;
    transaction.commit()?;
    Ok(budget_ms)
}
