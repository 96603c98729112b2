//! Transactions: reads, and writes under the lease of this process.
//!
//! A write is retried until its outcome is known. Each change has a number, which its transaction
//! stores in the row of the process: after a lost response, that number shows whether it was
//! committed.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::connection::{Connection, Failure};
use super::fence;
use super::loss::{self, OnLoss};
use super::rows::{int8, value};
use crate::error::{Error, ErrorKind, Result};
use crate::state::State;

/// Timeout of a change.
pub(super) const SHORT: Duration = Duration::from_secs(15);

/// Timeout of listing inputs, possibly all of them.
const LISTED: Duration = Duration::from_secs(3 * 60);

/// Timeout of a change of all inputs.
pub(super) const LONG: Duration = Duration::from_secs(30 * 60);

/// Planner settings of every transaction: a million inputs may just have been added, and the
/// statistics be old. Everything is found by an index, in its order. If a statement needs a
/// disabled plan, its inflated cost triggers JIT compilation, which takes longer than the query.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; \
    SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; \
    SET LOCAL enable_mergejoin = off; SET LOCAL jit = off; ";

/// Timeouts of a short transaction: a process that is stopped in the middle must not block other
/// processes for longer than its lease.
const SHORT_TIMEOUTS: &str = "SET LOCAL idle_in_transaction_session_timeout = '4s'; \
    SET LOCAL statement_timeout = '12s'; ";

/// Timeouts of a transaction over all inputs.
const LONG_TIMEOUTS: &str = "SET LOCAL idle_in_transaction_session_timeout = '300s'; \
    SET LOCAL statement_timeout = 0; ";

/// A change of this process.
struct NextChange {
    /// The process.
    id: i64,
    /// The number of the change, and of the last change that is known to be durable.
    change: i64,
    durable: i64,
}

/// A transaction of this process.
pub(super) struct Writing<'a> {
    pub(super) client: &'a Client,
    pub(super) batch: i64,
    pub(super) process: i64,
    pub(super) results: i64,
    /// True if the transaction was committed, and its response lost: the work must only read again
    /// what it returned.
    pub(super) is_done: bool,
}

impl PostgresStore {
    /// Reads: in the transaction of `lock`, or outside of any.
    pub(super) fn read<T>(
        &mut self,
        work: impl AsyncFn(&Client, i64) -> Result<T, Failure>,
    ) -> Result<T> {
        let batch = self.batch;
        if self.locked.is_some() {
            return self.inside(async |client, _| work(client, batch).await);
        }
        self.renew_if_due()?;
        let read = self.connection.persist(async |client| work(client, batch).await);
        read.map_err(|failure| self.failed("read", failure))
    }

    /// The same with the planner settings of a transaction.
    pub(super) fn find<T>(
        &mut self,
        work: impl AsyncFn(&Client, i64) -> Result<T, Failure>,
    ) -> Result<T> {
        if self.locked.is_some() {
            return self.read(work);
        }
        self.renew_if_due()?;
        let batch = self.batch;
        let find = async |client: &Client| {
            begin(client, true, "").await?;
            let found = work(client, batch).await?;
            client.batch_execute("COMMIT").await?;
            Ok(found)
        };
        let found = self.connection.persist_with(|connection| connection.attempt(LISTED, find));
        found.map_err(|failure| self.failed("read", failure))
    }

    /// Writes in one transaction, unless the lease was lost.
    pub(super) fn write<T>(
        &mut self,
        work: impl AsyncFn(&Writing<'_>) -> Result<(T, Delta), Failure>,
    ) -> Result<T> {
        self.write_within(SHORT, work)
    }

    /// The same with another timeout.
    pub(super) fn write_within<T>(
        &mut self,
        time: Duration,
        work: impl AsyncFn(&Writing<'_>) -> Result<(T, Delta), Failure>,
    ) -> Result<T> {
        if self.is_read_only {
            let message = format!("the batch {:?} was opened for reading", self.name);
            return Err(Error::new(ErrorKind::Journal, message));
        }
        if self.locked.is_some() {
            let (done, delta) = self.inside(async |_, writing| work(writing).await)?;
            if let Some(locked) = &mut self.locked {
                locked.add(&delta);
            }
            return Ok(done);
        }
        self.join_if_new()?;
        let NextChange { id, change, durable } = self.next_change()?;
        let (batch, results, lease) = (self.batch, self.results, self.lease);
        let (settings, on_loss) = (self.connection.settings, self.on_loss);
        let begun = Instant::now();
        let written = self.connection.persist_with(|connection| {
            connection.attempt(time, async |client| {
                begin(client, time > SHORT, settings).await?;
                let last = fence::check_lease(client, batch, id, durable, on_loss).await?;
                let is_done = last == change;
                let writing = Writing { client, batch, process: id, results, is_done };
                let (done, delta) = work(&writing).await?;
                match is_done {
                    true => client.batch_execute("ROLLBACK").await?,
                    false => commit(client, id, change, lease, &delta).await?,
                }
                Ok(done)
            })
        });
        let done = written.map_err(|failure| self.failed("write", failure))?;
        self.wrote(change, begun);
        Ok(done)
    }

    /// The next change of this process.
    fn next_change(&mut self) -> Result<NextChange> {
        match &mut self.process {
            Some(Process { id, changes, durable, .. }) => {
                *changes += 1;
                Ok(NextChange { id: *id, change: *changes, durable: *durable })
            }
            None => Err(self.without_process()),
        }
    }

    /// Works in the transaction of `lock`. Any failure rolls it back.
    fn inside<T>(
        &mut self,
        work: impl AsyncFn(&Client, &Writing<'_>) -> Result<T, Failure>,
    ) -> Result<T> {
        let process = self.process.as_ref().map_or(0, |process| process.id);
        let (batch, results) = (self.batch, self.results);
        let done = match self.connection.is_whole() {
            true => self.connection.attempt(LONG, async |client| {
                let writing = Writing { client, batch, process, results, is_done: false };
                work(client, &writing).await
            }),
            false => Err(Failure::Transient("the connection has broken".to_owned())),
        };
        done.map_err(|failure| self.interrupted(failure))
    }

    pub(super) fn begin_lock(&mut self) -> Result<()> {
        self.join_if_new()?;
        let NextChange { id, durable, .. } = self.next_change()?;
        let (batch, settings) = (self.batch, self.connection.settings);
        let on_loss = self.on_loss;
        let begun = self.connection.persist_with(|connection| {
            connection.attempt(LONG, async |client| {
                begin(client, true, settings).await?;
                fence::check_lease(client, batch, id, durable, on_loss).await?;
                // The row can be read meanwhile, and inputs added to other batches.
                let sql = "SELECT 1 FROM podqueue.batch WHERE id = $1 FOR NO KEY UPDATE";
                client.query_typed_one(sql, &[int8(&batch)]).await?;
                Ok(())
            })
        });
        begun.map_err(|failure| self.failed("write", failure))?;
        self.locked = Some(Delta::default());
        Ok(())
    }

    pub(super) fn end_lock(&mut self, keep: bool) -> Result<()> {
        let Some(delta) = self.locked.take() else { return Ok(()) };
        if !keep {
            self.connection.close();
            return Ok(());
        }
        let NextChange { id, change, .. } = self.next_change()?;
        let (lease, begun) = (self.lease, Instant::now());
        let ended = match self.connection.is_whole() {
            true => self
                .connection
                .attempt(LONG, async |client| commit(client, id, change, lease, &delta).await),
            false => Err(Failure::Transient("the connection has broken".to_owned())),
        };
        ended.map_err(|failure| self.interrupted(failure))?;
        self.wrote(change, begun);
        Ok(())
    }

    /// Records that the loss was accepted, or that there is none any more.
    pub(super) fn loss_accepted(&mut self, acceptance: String) {
        if let Some(process) = &mut self.process {
            process.accepted = acceptance;
        }
        // A later loss needs its own acceptance. An uncommitted acceptance may have to be repeated.
        if self.locked.is_none() {
            self.on_loss = OnLoss::Refuse;
        }
    }

    /// Records that this change, which began at `begun`, is durable and has renewed the lease.
    fn wrote(&mut self, change: i64, begun: Instant) {
        if let Some(process) = &mut self.process {
            // Other processes may have been cut off with this process.
            if process.renewed.elapsed() > self.lease / 2 {
                self.recovery_from = Instant::now() + self.lease;
            }
            (process.durable, process.renewed) = (change, begun);
        }
    }

    /// A failure in the middle of a locked transaction, which only the caller can repeat.
    fn interrupted(&mut self, failure: Failure) -> Error {
        self.locked = None;
        self.connection.close();
        match failure {
            Failure::Transient(why) => {
                self.forget();
                let message = format!(
                    "the connection to {} broke in the middle of a change, which was undone: run the batch again ({why})",
                    self.connection.target()
                );
                Error::new(ErrorKind::Interrupted, message)
            }
            other => self.failed("write", other),
        }
    }

    /// The error for the caller. Forgets the process if its lease was lost.
    pub(super) fn failed(&mut self, what: &str, failure: Failure) -> Error {
        let failure = match failure {
            Failure::Lost => {
                let accepted = self.process.as_ref().map_or("", |process| &process.accepted);
                loss::judged(&mut self.connection, self.batch, accepted)
            }
            failure => failure,
        };
        if matches!(failure, Failure::LeaseLost) {
            self.forget();
        }
        self.connection.failed(what, failure)
    }

    /// Removes the process, which owns no inputs any more.
    fn forget(&mut self) {
        (self.is_interrupted, self.process) = (true, None);
        self.recovery_from = Instant::now() + self.lease;
    }

    fn without_process(&self) -> Error {
        Error::new(ErrorKind::Journal, format!("the batch {:?} has no process here", self.name))
    }
}

async fn begin(client: &Client, is_long: bool, settings: &str) -> Result<(), Failure> {
    let bounds = if is_long { LONG_TIMEOUTS } else { SHORT_TIMEOUTS };
    Ok(client.batch_execute(&format!("{BEGIN}{bounds}{settings}")).await?)
}

/// Counts what has changed, renews the lease, and makes all of it durable.
async fn commit(
    client: &Client,
    process: i64,
    change: i64,
    lease: Duration,
    delta: &Delta,
) -> Result<(), Failure> {
    let sql = "UPDATE podqueue.process SET
            lease_until = clock_timestamp() + $2 * interval '1 second',
            last_change = $6,
            moved = ARRAY(
                SELECT a + b FROM unnest(moved, $3) WITH ORDINALITY AS sums (a, b, place) ORDER BY place
            ),
            execution_ms = execution_ms + $4,
            delay_ms = delay_ms + $5
        WHERE id = $1";
    let (lease, moved) = (lease.as_secs_f64(), delta.moved.as_slice());
    let values = [
        int8(&process),
        value(&lease, Type::FLOAT8),
        value(&moved, Type::INT8_ARRAY),
        value(&delta.execution_ms, Type::FLOAT8),
        value(&delta.delay_ms, Type::FLOAT8),
        int8(&change),
    ];
    if client.execute_typed(sql, &values).await? == 0 {
        return Err(Failure::LeaseLost);
    }
    Ok(client.batch_execute("COMMIT").await?)
}

/// The results of a process that has not identified any.
pub(super) const NOWHERE: i64 = 0;

/// An open [`Postgres`](super::Postgres) journal.
pub struct PostgresStore {
    pub(super) connection: Connection,
    /// The batch, and its name.
    pub(super) batch: i64,
    pub(super) name: String,
    pub(super) lease: Duration,
    /// The results of this process, and the state of interrupted submissions.
    pub(super) results: i64,
    pub(super) intents: State,
    /// The process, while it has a lease.
    pub(super) process: Option<Process>,
    /// True if the lease was lost: the process has to rejoin.
    pub(super) is_interrupted: bool,
    /// No process is recovered before: those that were cut off together can renew their leases.
    pub(super) recovery_from: Instant,
    /// The delta of the changes since [`lock`](crate::store::Sharing::lock).
    pub(super) locked: Option<Delta>,
    pub(super) is_read_only: bool,
    /// The policy for lost changes.
    pub(super) on_loss: OnLoss,
}

/// Lease of this process, as the database knows it.
pub(super) struct Process {
    pub(super) id: i64,
    /// The number of its last change, which tells if a change is durable whose response was lost.
    pub(super) changes: i64,
    /// The number of the last change that is known to be durable.
    pub(super) durable: i64,
    /// The last loss of changes that was accepted before it joined.
    pub(super) accepted: String,
    /// Begin of the change that renewed the lease last.
    pub(super) renewed: Instant,
    /// The inputs that it is submitting.
    pub(super) submitting: HashSet<u64>,
}

impl Process {
    /// Returns true if the lease is due for renewal.
    pub(super) fn is_due(&self, every: Duration) -> bool {
        self.renewed.elapsed() >= every
    }
}

/// Change of the tally by a transaction: the number of inputs moved to each state, less those moved from
/// it, and their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Delta {
    pub(super) moved: [i64; State::ALL.len()],
    pub(super) execution_ms: f64,
    pub(super) delay_ms: f64,
}

impl Delta {
    /// Moves a number of inputs to another state.
    pub(super) fn shift(&mut self, from: State, to: State, inputs: usize) {
        let inputs = i64::try_from(inputs).unwrap_or(i64::MAX);
        self.moved[usize::from(from.code())] -= inputs;
        self.moved[usize::from(to.code())] += inputs;
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (sum, moved) in self.moved.iter_mut().zip(other.moved) {
            *sum += moved;
        }
        self.execution_ms += other.execution_ms;
        self.delay_ms += other.delay_ms;
    }
}
