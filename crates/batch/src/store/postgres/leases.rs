//! Leases: membership of the processes that share a batch, and recovery of those that have crashed.
//!
//! Every commit renews the lease of its process, and idle processes renew it every quarter of it. A
//! process whose lease has expired, by the database's clock, is deleted under a lock of its row;
//! its outstanding inputs get a new owner, and its interrupted submissions become unknown or
//! pending. Invariant: a commit first locks the row of its process (the fence,
//! `fence::check_lease`), so nothing is written by a process that was recovered. After an outage,
//! no process is recovered before all had a lease's time to renew theirs.
//! `tests/postgres/sharing.rs` and `machines.rs` hold this.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::connection::Failure;
use super::fence;
use super::loss::{self, LAST_ACCEPTED, OnLoss};
use super::removed;
use super::rows::{self, Value, int, int8, int8s, text, value};
use super::transaction::{Delta, PostgresStore, Process, Writing};
use crate::error::{ErrorKind, Result};
use crate::state::State;
use crate::store::{Input, Outage, Sharing};

/// Timeout of closing.
const FAREWELL: Duration = Duration::from_secs(2);

/// A process that is to be recovered.
struct ExpiredProcess {
    id: i64,
    delta: Delta,
}

/// Processes that can be recovered: their lease has expired, and could be renewed for a lease's time;
/// or they have given it up; or they wrote to the results that this process writes to.
const EXPIRED: &str = "SELECT id, moved, execution_ms, delay_ms FROM podqueue.process
    WHERE batch = $1 AND id <> $2 AND (
        lease_until = '-infinity'
        OR (results = $3 AND results <> 0)
        OR ($4 AND lease_until < clock_timestamp()
            AND pg_postmaster_start_time() + $5 * interval '1 second' < clock_timestamp()))
    ORDER BY id";

impl Sharing for PostgresStore {
    fn identify(&mut self, results: &str, intents: State) -> Result<()> {
        // Own notes belong to the results of a process.
        let (batch, new) = (self.batch, rows::random()?);
        let id = self.connection.persist_durably(async |client| {
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
        (*durable > 0).then(|| format!("{id} {durable} {accepted}"))
    }

    fn check_position(&mut self, position: &str) -> Result<()> {
        let mut words = position.split_whitespace();
        let mut number = || words.next()?.parse::<i64>().ok();
        // A truncated file, as after a loss of power, proves nothing.
        let (Some(process), Some(durable)) = (number(), number()) else { return Ok(()) };
        let accepted = words.next().unwrap_or_default();
        let has_lost = self.read(async |client, batch| {
            Ok(!fence::has_change(client, batch, process, durable).await?)
        })?;
        if !has_lost {
            return Ok(());
        }
        let marked = loss::mark(&mut self.connection, self.batch, Some(accepted));
        let is_marked = marked.map_err(|failure| self.connection.failed("write", failure))?;
        match is_marked && self.on_loss == OnLoss::Refuse {
            true => Err(self.connection.failed("open", Failure::Lost)),
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
        let (id, results) = (self.process.as_ref().map_or(0, |it| it.id), self.results);
        let (may_recover, lease) = (self.may_recover(), self.lease);
        let expired = self.read(async |client, batch| {
            let exists = format!("SELECT EXISTS ({EXPIRED})");
            let lease = lease.as_secs_f64();
            let values = expired_values(&batch, &id, &results, &may_recover, &lease);
            let row = client.query_typed_one(&exists, &values).await?;
            Ok(row.get::<_, bool>(0))
        });
        if !expired? {
            return Ok(Vec::new());
        }
        let intents = self.intents;
        self.write(async |writing| {
            let (batch, id) = (writing.batch, writing.process);
            if writing.is_done {
                return Ok((outstanding(writing.client, batch, id).await?, Delta::default()));
            }
            let expired =
                find_expired(writing.client, batch, id, results, may_recover, lease).await?;
            recover(writing.client, batch, id, expired, intents).await
        })
    }

    fn outstanding(&mut self) -> Result<Vec<Input>> {
        let Some(id) = self.process.as_ref().map(|process| process.id) else {
            return Ok(Vec::new());
        };
        self.find(async |client, batch| outstanding(client, batch, id).await)
    }

    fn owns(&mut self, index: u64) -> Result<bool> {
        let (id, index) = (self.process.as_ref().map_or(0, |process| process.id), int(index));
        self.read(async |client, batch| {
            let sql = "SELECT EXISTS (
                SELECT FROM podqueue.input WHERE batch = $1 AND idx = $2 AND owner = $3)";
            let values = [int8(&batch), int8(&index), int8(&id)];
            Ok(client.query_typed_one(sql, &values).await?.get(0))
        })
    }

    fn peers(&mut self) -> Result<u64> {
        let id = self.process.as_ref().map_or(0, |process| process.id);
        self.read(async |client, batch| {
            let sql = "SELECT count(*) FROM podqueue.process
                WHERE batch = $1 AND id <> $2 AND lease_until <> '-infinity'";
            let values = [int8(&batch), int8(&id)];
            Ok(rows::number(&client.query_typed_one(sql, &values).await?, 0))
        })
    }

    fn outage(&self) -> Outage {
        self.connection.outage.clone()
    }

    fn renew_every(&self) -> Duration {
        self.lease / 4
    }

    fn renew(&mut self) -> Result<()> {
        if self.process.is_none() || self.locked.is_some() {
            return Ok(());
        }
        // The next change is retried for longer.
        let patience = std::mem::take(&mut self.connection.patience);
        let renewed = self.write(async |_| Ok(((), Delta::default())));
        self.connection.patience = patience;
        renewed
    }

    fn release(&mut self) -> Result<()> {
        let Some(id) = self.process.as_ref().map(|process| process.id) else { return Ok(()) };
        let left = self.connection.persist(async |client| give_up(client, id).await);
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
        self.find(async |client, batch| {
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
        self.begin_lock()
    }

    fn unlock(&mut self, keep: bool) -> Result<()> {
        self.end_lock(keep)
    }
}

impl PostgresStore {
    /// Returns true if processes with expired leases had the time to renew them.
    fn may_recover(&self) -> bool {
        Instant::now() >= self.recovery_from
    }

    /// Joins, unless this process has a lease.
    pub(super) fn join_if_new(&mut self) -> Result<()> {
        match &self.process {
            _ if self.is_interrupted => Err(self.connection.failed("write", Failure::LeaseLost)),
            Some(_) => Ok(()),
            None => self.join(),
        }
    }

    /// Begins a lease, and recovers expired processes.
    fn join(&mut self) -> Result<()> {
        let (batch, results, lease) = (self.batch, self.results, self.lease);
        let begun = Instant::now();
        let joined = self.connection.persist_durably(async |client| {
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
        let (id, accepted) = joined.ok_or_else(|| removed(&self.name, &self.connection))?;
        let submitting = HashSet::new();
        let (changes, durable) = (0, 0);
        self.process = Some(Process { id, changes, durable, accepted, renewed: begun, submitting });
        self.recover().map(drop)
    }

    /// Renews the lease before a read. A transient outage is left to the read, which is retried for
    /// longer.
    pub(super) fn renew_if_due(&mut self) -> Result<()> {
        let every = self.renew_every();
        if !self.process.as_ref().is_some_and(|process| process.is_due(every)) {
            return Ok(());
        }
        match self.renew() {
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for PostgresStore {
    /// Gives up the lease, if the database can be reached, so that recovery need not wait.
    fn drop(&mut self) {
        let Some(id) = self.process.as_ref().map(|process| process.id) else { return };
        if self.locked.is_some() {
            self.connection.close();
        }
        let time = if thread::panicking() { FAREWELL / 4 } else { FAREWELL };
        let _ = self.connection.attempt(time, async |client| give_up(client, id).await);
    }
}

async fn give_up(client: &Client, process: i64) -> Result<(), Failure> {
    let sql = "UPDATE podqueue.process SET lease_until = '-infinity' WHERE id = $1";
    client.query_typed(sql, &[int8(&process)]).await?;
    Ok(())
}

/// The parameters of [`EXPIRED`].
fn expired_values<'a>(
    batch: &'a i64,
    id: &'a i64,
    results: &'a i64,
    may_recover: &'a bool,
    lease: &'a f64,
) -> [Value<'a>; 5] {
    let may_recover = value(may_recover, Type::BOOL);
    [int8(batch), int8(id), int8(results), may_recover, value(lease, Type::FLOAT8)]
}

async fn find_expired(
    client: &Client,
    batch: i64,
    id: i64,
    results: i64,
    may_recover: bool,
    lease: Duration,
) -> Result<Vec<ExpiredProcess>, Failure> {
    // A locked row is skipped: its process is about to write, or is being recovered by another process.
    let sql = format!("{EXPIRED} FOR UPDATE SKIP LOCKED");
    let lease = lease.as_secs_f64();
    let values = expired_values(&batch, &id, &results, &may_recover, &lease);
    let found = client.query_typed(&sql, &values).await?;
    let expired = found.iter().map(|row| {
        let moved: Vec<i64> = row.get(1);
        let mut delta =
            Delta { execution_ms: row.get(2), delay_ms: row.get(3), ..Delta::default() };
        for (sum, moved) in delta.moved.iter_mut().zip(moved) {
            *sum = moved;
        }
        ExpiredProcess { id: row.get(0), delta }
    });
    Ok(expired.collect())
}

/// Recovers expired processes.
async fn recover(
    client: &Client,
    batch: i64,
    process: i64,
    expired: Vec<ExpiredProcess>,
    intents: State,
) -> Result<(Vec<Input>, Delta), Failure> {
    let mut delta = Delta::default();
    expired.iter().for_each(|expired| delta.add(&expired.delta));
    let ids: Vec<i64> = expired.iter().map(|expired| expired.id).collect();
    let sql = "WITH expired AS (
            DELETE FROM podqueue.process WHERE id = ANY ($1) RETURNING id, batch, last_change)
        INSERT INTO podqueue.taken (process, batch, last_change) SELECT * FROM expired
        ON CONFLICT DO NOTHING";
    client.query_typed(sql, &[int8s(&ids)]).await?;
    let sql = "UPDATE podqueue.input SET state = $3, owner = NULL, error = NULL
        WHERE batch = $1 AND owner = ANY ($2) AND state = 1";
    let to = i16::from(intents.code());
    let values = [int8(&batch), int8s(&ids), value(&to, Type::INT2)];
    let moved = client.execute_typed(sql, &values).await?;
    delta.shift(State::Intent, intents, usize::try_from(moved).unwrap_or(usize::MAX));
    let sql = format!(
        "UPDATE podqueue.input SET owner = $3
         WHERE batch = $1 AND owner = ANY ($2) AND state = 2 RETURNING {}",
        rows::INPUT
    );
    let values = [int8(&batch), int8s(&ids), int8(&process)];
    let taken = rows::inputs(&client.query_typed(&sql, &values).await?)?;
    Ok((taken, delta))
}

async fn outstanding(client: &Client, batch: i64, process: i64) -> Result<Vec<Input>, Failure> {
    let sql = format!(
        "SELECT {} FROM podqueue.input WHERE batch = $1 AND owner = $2 AND state = 2 ORDER BY idx",
        rows::INPUT
    );
    let values = [int8(&batch), int8(&process)];
    rows::inputs(&client.query_typed(&sql, &values).await?)
}
