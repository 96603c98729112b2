//! Leases: membership of the processes that share a batch, and their transactions.
//!
//! A process joins with its first write. Every write renews its lease, and an idle process renews
//! it every quarter of it. A process that another process has seen renew nothing for the time of a
//! lease is recovered by it ([`recovery`](super::recovery)).
//!
//! Invariant: a write first locks the row of its process (the fence, [`check_lease`]), so nothing
//! is written by a process that was recovered. Checked by `tests/postgres/sharing.rs` and
//! `machines.rs`.
//!
//! A write is retried until its outcome is known. Each change has a number, which its transaction
//! stores in the row of the process: after a lost response, that number shows whether it was
//! committed.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::connection::{Connection, StoreFailure};
use super::loss::{self, LAST_ACCEPTED, OnLoss};
use super::recovery::{self, Peers};
use super::rows::{self, int, int8, text, value};
use super::transaction::{
    Delta, LONG, SHORT, Timeouts, Writing, begin, check_lease, commit, has_change,
};
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::State;
use crate::store::{Change, Event, Input, Outage, Sharing};

/// Timeout of listing inputs, possibly all of them.
const LIST_TIMEOUT: Duration = Duration::from_secs(180);

/// Timeout of closing.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The results of a process that has not identified any.
pub(super) const NO_RESULTS: i64 = 0;

/// An open [`Postgres`](super::Postgres) journal.
pub struct PostgresStore {
    connection: Connection,
    /// The batch, and its name.
    batch: i64,
    name: String,
    lease: Duration,
    /// The results of this process, and the state of interrupted submissions.
    results: i64,
    intents: State,
    /// The process, while it has a lease.
    process: Option<Process>,
    /// True if the lease was lost: the process has to rejoin.
    is_interrupted: bool,
    peers: Peers,
    /// The delta of the changes since [`lock`](crate::store::Sharing::lock).
    locked: Option<Delta>,
    is_read_only: bool,
    /// The policy for lost changes.
    on_loss: OnLoss,
}

/// Lease of this process, as the database knows it.
struct Process {
    id: i64,
    /// The number of its last change, which tells if a change is durable whose response was lost.
    changes: i64,
    /// The number of the last change that is known to be durable.
    durable: i64,
    /// The last loss of changes that was accepted before it joined.
    accepted: String,
    /// Begin of the change that renewed the lease last.
    renewed: Instant,
    /// The inputs that it is submitting.
    submitting: HashSet<u64>,
}

impl Process {
    /// Returns true if the lease is due for renewal.
    fn is_due(&self, every: Duration) -> bool {
        self.renewed.elapsed() >= every
    }
}

/// The next change of this process.
struct NextChange {
    /// The process.
    id: i64,
    /// The number of the change, and of the last change that is known to be durable.
    change: i64,
    durable: i64,
}

/// Access to the database.
impl PostgresStore {
    /// The store of a process that has not joined yet.
    pub(super) fn new(
        connection: Connection,
        batch: i64,
        name: String,
        lease: Duration,
        is_read_only: bool,
        on_loss: OnLoss,
    ) -> Self {
        Self {
            connection,
            batch,
            name,
            lease,
            results: NO_RESULTS,
            intents: State::Unknown,
            process: None,
            is_interrupted: false,
            peers: Peers::default(),
            locked: None,
            is_read_only,
            on_loss,
        }
    }

    /// The results of this process.
    pub(super) fn results(&self) -> i64 {
        self.results
    }

    /// The policy of this process for lost changes.
    pub(super) fn on_loss(&self) -> OnLoss {
        self.on_loss
    }

    /// Returns true between [`lock`](Sharing::lock) and [`unlock`](Sharing::unlock).
    pub(super) fn is_locked(&self) -> bool {
        self.locked.is_some()
    }

    /// The inputs that this process is submitting.
    pub(super) fn submitting(&self) -> HashSet<u64> {
        self.process.as_ref().map(|process| process.submitting.clone()).unwrap_or_default()
    }

    /// Records which inputs this process is submitting, after a commit.
    pub(super) fn note_submitting(&mut self, changes: &[Change], claimed: &[Input]) {
        let Some(process) = &mut self.process else { return };
        for Change { index, event, .. } in changes {
            if !matches!(event, Event::Seen { .. }) {
                process.submitting.remove(index);
            }
        }
        process.submitting.extend(claimed.iter().map(|input| input.index));
    }

    /// The id of this process; 0, which no process has, without a lease.
    fn process_id(&self) -> i64 {
        self.process.as_ref().map_or(0, |process| process.id)
    }

    /// Writes without a lease, in statements of their own.
    pub(super) fn write_without_lease(
        &mut self,
        work: impl AsyncFn(&Client, i64) -> Result<(), StoreFailure>,
    ) -> Result<()> {
        let batch = self.batch;
        let written = self.connection.retry(async |client| work(client, batch).await);
        written.map_err(|failure| self.failed("write", failure))
    }

    /// Reads: in the transaction of `lock`, or outside of any.
    pub(super) fn read<T>(
        &mut self,
        work: impl AsyncFn(&Client, i64) -> Result<T, StoreFailure>,
    ) -> Result<T> {
        let batch = self.batch;
        if self.locked.is_some() {
            return self.inside(async |client, _| work(client, batch).await);
        }
        self.renew_if_due();
        let read = self.connection.retry(async |client| work(client, batch).await);
        read.map_err(|failure| self.failed("read", failure))
    }

    /// Reads the batch in a transaction, with its planner settings.
    pub(super) fn read_in_transaction<T>(
        &mut self,
        work: impl AsyncFn(&Client, i64) -> Result<T, StoreFailure>,
    ) -> Result<T> {
        if self.locked.is_some() {
            return self.read(work);
        }
        self.renew_if_due();
        let batch = self.batch;
        let find = async |client: &Client| {
            begin(client, LONG, "").await?;
            let found = work(client, batch).await?;
            client.batch_execute("COMMIT").await?;
            Ok(found)
        };
        let found = self.connection.retry_with(|connection| connection.attempt(LIST_TIMEOUT, find));
        found.map_err(|failure| self.failed("read", failure))
    }

    /// Writes in one transaction, unless the lease was lost.
    pub(super) fn write<T>(
        &mut self,
        work: impl AsyncFn(&Writing<'_>) -> Result<(T, Delta), StoreFailure>,
    ) -> Result<T> {
        self.write_within(SHORT, work)
    }

    /// Writes with other timeouts.
    pub(super) fn write_within<T>(
        &mut self,
        timeouts: Timeouts,
        work: impl AsyncFn(&Writing<'_>) -> Result<(T, Delta), StoreFailure>,
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
        let (settings, on_loss) = (self.connection.settings(), self.on_loss);
        let begun = Instant::now();
        let written = self.connection.retry_with(|connection| {
            connection.attempt(timeouts.attempt, async |client| {
                begin(client, timeouts, settings).await?;
                let last = check_lease(client, batch, id, durable, on_loss).await?;
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
        self.record_durable_change(change, begun);
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
        work: impl AsyncFn(&Client, &Writing<'_>) -> Result<T, StoreFailure>,
    ) -> Result<T> {
        let process = self.process_id();
        let (batch, results) = (self.batch, self.results);
        let done = match self.connection.is_transaction_open() {
            true => self.connection.attempt(LONG.attempt, async |client| {
                let writing = Writing { client, batch, process, results, is_done: false };
                work(client, &writing).await
            }),
            false => Err(StoreFailure::Transient("the connection has broken".to_owned())),
        };
        done.map_err(|failure| self.interrupted(failure, "which was undone"))
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
    fn record_durable_change(&mut self, change: i64, begun: Instant) {
        if let Some(process) = &mut self.process {
            (process.durable, process.renewed) = (change, begun);
        }
    }

    /// A failure in the middle of a locked transaction, which only the caller can repeat. `outcome`
    /// completes the message.
    fn interrupted(&mut self, failure: StoreFailure, outcome: &str) -> Error {
        self.locked = None;
        self.connection.close();
        match failure {
            StoreFailure::Transient(why) => {
                self.forget();
                let message = format!(
                    "the connection to {} broke in the middle of a change, {outcome}: run the batch again ({why})",
                    self.connection.target()
                );
                Error::new(ErrorKind::Interrupted, message)
            }
            other => self.failed("write", other),
        }
    }

    /// The error for the caller. Forgets the process if its lease was lost.
    fn failed(&mut self, what: &str, failure: StoreFailure) -> Error {
        let failure = match failure {
            StoreFailure::Lost => {
                let accepted = self.process.as_ref().map_or("", |process| &process.accepted);
                loss::mark_and_classify(&mut self.connection, self.batch, accepted)
            }
            failure => failure,
        };
        if matches!(failure, StoreFailure::LeaseLost) {
            self.forget();
        }
        self.connection.failed(what, failure)
    }

    /// Removes the process, which owns no inputs any more.
    fn forget(&mut self) {
        (self.is_interrupted, self.process) = (true, None);
    }

    fn without_process(&self) -> Error {
        Error::new(ErrorKind::Journal, format!("the batch {:?} has no process here", self.name))
    }
}

/// Membership.
impl PostgresStore {
    /// Joins, unless this process has a lease.
    fn join_if_new(&mut self) -> Result<()> {
        match &self.process {
            _ if self.is_interrupted => {
                Err(self.connection.failed("write", StoreFailure::LeaseLost))
            }
            Some(_) => Ok(()),
            None => self.join(),
        }
    }

    /// Begins a lease, and recovers expired processes.
    fn join(&mut self) -> Result<()> {
        let (batch, results, lease) = (self.batch, self.results, self.lease);
        let begun = Instant::now();
        let joined = self.connection.retry_durably(async |client| {
            // A new id for each attempt: an earlier attempt may have been committed, and recovered
            // since, although its response was lost.
            let id = rows::random()?;
            let sql = format!(
                "INSERT INTO podqueue.process (id, batch, results, lease_until, moved)
                SELECT $5, id, $2, clock_timestamp() + $3 * interval '1 second', array_fill(0::bigint, ARRAY[$4])
                FROM podqueue.batch WHERE id = $1 RETURNING id, {LAST_ACCEPTED}"
            );
            let (lease, states) = (lease.as_secs_f64(), State::ALL.len() as i32);
            let values = [
                int8(&batch),
                int8(&results),
                value(&lease, Type::FLOAT8),
                value(&states, Type::INT4),
                int8(&id),
            ];
            Ok(client.query_typed_opt(&sql, &values).await?.map(|row| (row.get(0), row.get(1))))
        });
        let joined: Option<(i64, String)> =
            joined.map_err(|failure| self.failed("join", failure))?;
        let (id, accepted) = joined.ok_or_else(|| self.connection.removed(&self.name))?;
        let submitting = HashSet::new();
        let (changes, durable) = (0, 0);
        self.process = Some(Process { id, changes, durable, accepted, renewed: begun, submitting });
        self.recover().map(drop)
    }

    /// Renews the lease before a read. A failure is left to what follows: an outage to the read,
    /// which is retried for longer, and a lost lease to the next write.
    fn renew_if_due(&mut self) {
        let every = self.renew_every();
        if self.process.as_ref().is_some_and(|process| process.is_due(every)) {
            let _ = self.renew();
        }
    }
}

impl Sharing for PostgresStore {
    fn identify(&mut self, results: &str, intents: State) -> Result<()> {
        // Own notes belong to the results of a process.
        let (batch, new) = (self.batch, rows::random()?);
        let id = self.connection.retry_durably(async |client| {
            let sql = "INSERT INTO podqueue.results (batch, token, id) VALUES ($1, $2, $3)
                ON CONFLICT DO NOTHING";
            let values = [int8(&batch), text(&results), int8(&new)];
            client.query_typed(sql, &values).await?;
            let sql = "SELECT id FROM podqueue.results WHERE batch = $1 AND token = $2";
            Ok(client.query_typed_one(sql, &values[..2]).await?.get(0))
        });
        self.results = id.map_err(|failure| self.failed("write", failure))?;
        self.intents = intents;
        Ok(())
    }

    fn position(&self) -> Option<String> {
        let Process { id, durable, accepted, .. } = self.process.as_ref()?;
        Some(format!("{id} {durable} {accepted}"))
    }

    fn check_position(&mut self, position: &str) -> Result<()> {
        let mut words = position.split_whitespace();
        let mut number = || words.next()?.parse::<i64>().ok();
        // A truncated file, as after a loss of power, proves nothing.
        let (Some(process), Some(durable)) = (number(), number()) else { return Ok(()) };
        let accepted = words.next().unwrap_or_default();
        let has_lost = self
            .read(async |client, batch| Ok(!has_change(client, batch, process, durable).await?))?;
        if !has_lost {
            return Ok(());
        }
        let marked = loss::mark(&mut self.connection, self.batch, Some(accepted));
        let is_marked = marked.map_err(|failure| self.connection.failed("write", failure))?;
        match is_marked && self.on_loss == OnLoss::Refuse {
            true => Err(self.connection.failed("open", StoreFailure::Lost)),
            false => Ok(()),
        }
    }

    fn rejoin(&mut self) -> Result<()> {
        (self.is_interrupted, self.process) = (false, None);
        self.join()
    }

    fn recover(&mut self) -> Result<Vec<Input>> {
        if self.process.is_none() {
            self.join_if_new()?;
            return Sharing::outstanding(self);
        }
        let (id, results) = (self.process_id(), self.results);
        let found =
            self.read(async |client, batch| recovery::peers(client, batch, id, results).await)?;
        let expired = self.peers.observe(&found, self.lease);
        if expired.is_empty() {
            return Ok(Vec::new());
        }
        let intents = self.intents;
        self.write(async |writing| {
            if writing.is_done {
                let Writing { client, batch, process, .. } = writing;
                let taken = recovery::outstanding(client, *batch, *process).await?;
                return Ok((taken, Delta::default()));
            }
            recovery::recover(writing, &expired, intents).await
        })
    }

    fn outstanding(&mut self) -> Result<Vec<Input>> {
        let Some(id) = self.process.as_ref().map(|process| process.id) else {
            return Ok(Vec::new());
        };
        self.read_in_transaction(async |client, batch| {
            recovery::outstanding(client, batch, id).await
        })
    }

    fn owns(&mut self, index: u64) -> Result<bool> {
        let (id, index) = (self.process_id(), int(index));
        self.read(async |client, batch| {
            let sql = "SELECT EXISTS (
                SELECT FROM podqueue.input WHERE batch = $1 AND idx = $2 AND owner = $3)";
            let values = [int8(&batch), int8(&index), int8(&id)];
            Ok(client.query_typed_one(sql, &values).await?.get(0))
        })
    }

    fn peers(&mut self, at_work: bool) -> Result<u64> {
        let id = self.process_id();
        self.read(async |client, batch| {
            let sql = "SELECT count(*) FROM podqueue.process
                WHERE batch = $1 AND id <> $2 AND lease_until <> '-infinity'
                AND (NOT $3 OR lease_until > clock_timestamp())";
            let values = [int8(&batch), int8(&id), value(&at_work, Type::BOOL)];
            Ok(rows::number(&client.query_typed_one(sql, &values).await?, 0))
        })
    }

    fn outage(&self) -> Outage {
        self.connection.outage()
    }

    fn renew_every(&self) -> Duration {
        self.lease / 4
    }

    fn renew(&mut self) -> Result<()> {
        if self.process.is_none() || self.locked.is_some() {
            return Ok(());
        }
        // The next change is retried for longer.
        let outage_timeout = self.connection.set_outage_timeout(Duration::ZERO);
        let renewed = self.write(async |_| Ok(((), Delta::default())));
        self.connection.set_outage_timeout(outage_timeout);
        renewed
    }

    fn release(&mut self) -> Result<()> {
        let Some(id) = self.process.as_ref().map(|process| process.id) else { return Ok(()) };
        let left = self.connection.retry(async |client| give_up(client, id).await);
        left.map_err(|failure| self.failed("exit", failure))?;
        self.process = None;
        Ok(())
    }

    fn report_loss(&mut self) -> Result<()> {
        let marked = loss::mark(&mut self.connection, self.batch, None);
        marked.map(drop).map_err(|failure| self.failed("write", failure))
    }

    fn accepts_loss(&self) -> bool {
        self.on_loss != OnLoss::Refuse
    }

    fn check_loss(&mut self) -> Result<()> {
        if !self.accepts_loss() {
            return Ok(());
        }
        let (on_loss, own) = (self.on_loss, self.results);
        let is_marked = self.read(async |client, batch| {
            let is_marked = loss::is_marked(client, batch).await?;
            if is_marked {
                loss::refuse(&loss::not_imported(client, batch, own).await?, on_loss)?;
            }
            Ok(is_marked)
        });
        if !is_marked? {
            self.on_loss = OnLoss::Refuse;
        }
        Ok(())
    }

    fn accept_loss(&mut self) -> Result<()> {
        if !self.accepts_loss() {
            return Ok(());
        }
        let on_loss = self.on_loss;
        let accepted = self.write(async |writing| {
            let Writing { client, batch, results, is_done, .. } = writing;
            let acceptance = loss::accept(client, *batch, *results, *is_done, on_loss).await?;
            Ok((acceptance, Delta::default()))
        });
        self.loss_accepted(accepted?);
        Ok(())
    }

    fn time(&mut self) -> Result<u64> {
        self.read(async |client, _| {
            let sql = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
            Ok(rows::number(&client.query_typed_one(sql, &[]).await?, 0))
        })
    }

    fn own_notes(&mut self, name: &str, at_work: bool) -> Result<Vec<String>> {
        self.read(async |client, batch| {
            let sql = "SELECT text FROM podqueue.note
                WHERE batch = $1 AND name = $2 AND text <> '' AND (NOT $3 OR EXISTS (
                    SELECT FROM podqueue.process WHERE process.batch = note.batch
                    AND process.results = note.results AND lease_until > clock_timestamp()))
                ORDER BY results";
            let values = [int8(&batch), text(&name), value(&at_work, Type::BOOL)];
            let found = client.query_typed(sql, &values).await?;
            Ok(found.iter().map(|row| row.get(0)).collect())
        })
    }

    fn failures(&mut self, from: u64, limit: usize) -> Result<Vec<Input>> {
        let (results, from, limit) = (self.results, int(from), rows::limit(limit));
        self.read_in_transaction(async |client, batch| {
            let sql = format!(
                "SELECT {} FROM podqueue.input
                 WHERE batch = $1 AND results = $2 AND idx >= $3 AND state IN ({})
                 ORDER BY idx LIMIT $4",
                rows::INPUT,
                rows::codes(&State::failures()),
            );
            let values = [int8(&batch), int8(&results), int8(&from), int8(&limit)];
            rows::inputs(&client.query_typed(&sql, &values).await?)
        })
    }

    fn lock(&mut self) -> Result<()> {
        self.join_if_new()?;
        let NextChange { id, durable, .. } = self.next_change()?;
        let (batch, settings) = (self.batch, self.connection.settings());
        let on_loss = self.on_loss;
        let begun = self.connection.retry_with(|connection| {
            connection.attempt(LONG.attempt, async |client| {
                begin(client, LONG, settings).await?;
                check_lease(client, batch, id, durable, on_loss).await?;
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

    fn unlock(&mut self, keep: bool) -> Result<()> {
        let Some(delta) = self.locked.take() else { return Ok(()) };
        if !keep {
            self.connection.close();
            return Ok(());
        }
        let NextChange { id, change, .. } = self.next_change()?;
        let (lease, begun) = (self.lease, Instant::now());
        let ended = match self.connection.is_transaction_open() {
            true => self.connection.attempt(LONG.attempt, async |client| {
                commit(client, id, change, lease, &delta).await
            }),
            false => Err(StoreFailure::Transient("the connection has broken".to_owned())),
        };
        ended.map_err(|failure| self.interrupted(failure, "which may have taken effect"))?;
        self.record_durable_change(change, begun);
        Ok(())
    }
}

impl Drop for PostgresStore {
    /// Gives up the lease, if the database can be reached, so that recovery need not wait.
    fn drop(&mut self) {
        let Some(id) = self.process.as_ref().map(|process| process.id) else { return };
        if self.locked.is_some() {
            self.connection.close();
        }
        let _ = self.connection.attempt(CLOSE_TIMEOUT, async |client| give_up(client, id).await);
    }
}

async fn give_up(client: &Client, process: i64) -> Result<(), StoreFailure> {
    let sql = "UPDATE podqueue.process SET lease_until = '-infinity' WHERE id = $1";
    client.query_typed(sql, &[int8(&process)]).await?;
    Ok(())
}
