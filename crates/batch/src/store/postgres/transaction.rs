//! Reading, and writing under the lease of this process.

use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::failure::Failure;
use super::loss;
use super::rows::{int8, value};
use super::store::{Delta, PostgresStore, Process};
use crate::error::{Error, ErrorKind, Result};

/// How long a change may take.
pub(super) const SHORT: Duration = Duration::from_secs(15);

/// How long inputs may take to be listed: all of them, possibly.
const LISTED: Duration = Duration::from_secs(3 * 60);

/// How long one may take that is about all inputs.
pub(super) const LONG: Duration = Duration::from_secs(30 * 60);

/// What every transaction sets: a million inputs may just have been added, and what the database
/// believes of them may be old. All is found by an index, in its order. A statement that cannot do
/// without what is off seems so expensive that it would be compiled, for much longer than it takes.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; \
    SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; \
    SET LOCAL enable_mergejoin = off; SET LOCAL jit = off; ";

/// A process that is stopped in the middle of a transaction of a few statements must not keep others
/// waiting for longer than its lease.
const FEW: &str = "SET LOCAL idle_in_transaction_session_timeout = '4s'; \
    SET LOCAL statement_timeout = '12s'; ";

/// The same for one that is about all inputs.
const ALL: &str = "SET LOCAL idle_in_transaction_session_timeout = '300s'; \
    SET LOCAL statement_timeout = 0; ";

/// A change of this process.
struct Turn {
    /// The process.
    id: i64,
    /// The number of the change, and of the last one that is known to be durable.
    change: i64,
    durable: i64,
}

/// A transaction of this process.
pub(super) struct Writing<'a> {
    pub(super) client: &'a Client,
    pub(super) batch: i64,
    pub(super) process: i64,
    pub(super) results: i64,
    /// It was durable although its response was lost: what it returned is to be read again, and
    /// nothing to be changed.
    pub(super) is_done: bool,
}

impl PostgresStore {
    /// Reads something: in what was begun by `lock`, or apart.
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

    /// The same for what may be found in several ways, of which the database must not choose a slow
    /// one.
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

    /// Changes something, as a whole, if this process has not been taken over.
    pub(super) fn write<T>(
        &mut self,
        work: impl AsyncFn(&Writing<'_>) -> Result<(T, Delta), Failure>,
    ) -> Result<T> {
        self.write_within(SHORT, work)
    }

    /// The same for what may take long.
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
        let Turn { id, change, durable } = self.next_change()?;
        let (batch, results, lease) = (self.batch, self.results, self.lease);
        let (settings, on_loss) = (self.connection.settings, self.on_loss);
        let begun = Instant::now();
        let written = self.connection.persist_with(|connection| {
            connection.attempt(time, async |client| {
                begin(client, time > SHORT, settings).await?;
                let last = loss::check_lease(client, batch, id, durable, on_loss).await?;
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
    fn next_change(&mut self) -> Result<Turn> {
        match &mut self.process {
            Some(Process { id, changes, durable, .. }) => {
                *changes += 1;
                Ok(Turn { id: *id, change: *changes, durable: *durable })
            }
            None => Err(self.without_process()),
        }
    }

    /// Does something in what `lock` has begun. Any failure ends that.
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
            false => Err(Failure::Passing("the connection has broken".to_owned())),
        };
        done.map_err(|failure| self.interrupted(failure))
    }

    pub(super) fn begin_lock(&mut self) -> Result<()> {
        self.join_if_new()?;
        let Turn { id, durable, .. } = self.next_change()?;
        let (batch, settings) = (self.batch, self.connection.settings);
        let on_loss = self.on_loss;
        let begun = self.connection.persist_with(|connection| {
            connection.attempt(LONG, async |client| {
                begin(client, true, settings).await?;
                loss::check_lease(client, batch, id, durable, on_loss).await?;
                // Its lines can be read meanwhile, and inputs added to other batches.
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
        let Turn { id, change, .. } = self.next_change()?;
        let (lease, begun) = (self.lease, Instant::now());
        let ended = match self.connection.is_whole() {
            true => self
                .connection
                .attempt(LONG, async |client| commit(client, id, change, lease, &delta).await),
            false => Err(Failure::Passing("the connection has broken".to_owned())),
        };
        ended.map_err(|failure| self.interrupted(failure))?;
        self.wrote(change, begun);
        Ok(())
    }

    /// This change is durable, and the lease was renewed by it, which began then.
    fn wrote(&mut self, change: i64, begun: Instant) {
        if let Some(process) = &mut self.process {
            // Others may have been cut off with this one.
            if process.renewed.elapsed() > self.lease / 2 {
                self.taking_from = Instant::now() + self.lease;
            }
            (process.durable, process.renewed) = (change, begun);
        }
    }

    /// A failure in the middle of changes that cannot be made again from here.
    fn interrupted(&mut self, failure: Failure) -> Error {
        self.locked = None;
        self.connection.close();
        match failure {
            Failure::Passing(why) => {
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

    /// The error for the caller. What this process has is known only as long as its changes succeed.
    pub(super) fn failed(&mut self, what: &str, failure: Failure) -> Error {
        let failure = match failure {
            Failure::Lost => {
                let accepted = self.process.as_ref().map_or("", |process| &process.accepted);
                loss::judged(&mut self.connection, self.batch, accepted)
            }
            failure => failure,
        };
        if matches!(failure, Failure::TakenOver) {
            self.forget();
        }
        self.connection.failed(what, failure)
    }

    /// This process has nothing any more.
    fn forget(&mut self) {
        (self.is_interrupted, self.process) = (true, None);
        self.taking_from = Instant::now() + self.lease;
    }

    fn without_process(&self) -> Error {
        Error::new(ErrorKind::Journal, format!("the batch {:?} has no process here", self.name))
    }
}

async fn begin(client: &Client, is_long: bool, settings: &str) -> Result<(), Failure> {
    let bounds = if is_long { ALL } else { FEW };
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
        return Err(Failure::TakenOver);
    }
    Ok(client.batch_execute("COMMIT").await?)
}
