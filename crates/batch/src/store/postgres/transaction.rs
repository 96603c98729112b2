//! Transactions of a process: their settings, the fence, the commit, and the delta of the counts.

use std::time::Duration;

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

use super::connection::StoreFailure;
use super::loss::OnLoss;
use super::rows::{int8, text, value};
use crate::input_state::State;
use crate::store::{LOST, Tally};

/// Timeouts of a transaction: that of an attempt, and settings by which the server ends it.
#[derive(Clone, Copy)]
pub(super) struct Timeouts {
    pub(super) attempt: Duration,
    settings: &'static str,
}

/// Timeouts of a change: a process that is stopped in the middle must not block other processes for
/// longer than its lease.
pub(super) const SHORT: Timeouts = Timeouts {
    attempt: Duration::from_secs(15),
    settings: "SET LOCAL idle_in_transaction_session_timeout = '4s'; \
        SET LOCAL statement_timeout = '12s'; ",
};

/// Timeouts of a change of all inputs.
pub(super) const LONG: Timeouts = Timeouts {
    attempt: Duration::from_secs(1_800),
    settings: "SET LOCAL idle_in_transaction_session_timeout = '300s'; \
        SET LOCAL statement_timeout = 0; ",
};

/// Planner settings of every transaction: a million inputs may just have been added, and the
/// statistics be old. Everything is found by an index, in its order. If a statement needs a
/// disabled plan, its inflated cost triggers JIT compilation, which takes longer than the query.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; \
    SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; \
    SET LOCAL enable_mergejoin = off; SET LOCAL jit = off; ";

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

/// Begins a transaction.
pub(super) async fn begin(
    client: &Client,
    timeouts: Timeouts,
    settings: &str,
) -> Result<(), StoreFailure> {
    Ok(client.batch_execute(&format!("{BEGIN}{}{settings}", timeouts.settings)).await?)
}

/// Counts what has changed, renews the lease, and makes all of it durable.
pub(super) async fn commit(
    client: &Client,
    process: i64,
    change: i64,
    lease: Duration,
    delta: &Delta,
) -> Result<(), StoreFailure> {
    let sql = "UPDATE podqueue.process SET
            lease_until = clock_timestamp() + $2 * interval '1 second',
            last_change = $6,
            moved = ARRAY(
                SELECT a + b FROM unnest(moved, $3) WITH ORDINALITY AS sums (a, b, place) ORDER BY place
            ),
            execution_ms = execution_ms + $4,
            delay_ms = delay_ms + $5,
            timed = timed + $7,
            squares_ms = squares_ms + $8,
            charged_ms = charged_ms + $9
        WHERE id = $1";
    let (lease, moved) = (lease.as_secs_f64(), delta.moved.as_slice());
    let values = [
        int8(&process),
        value(&lease, Type::FLOAT8),
        value(&moved, Type::INT8_ARRAY),
        value(&delta.execution_ms, Type::FLOAT8),
        value(&delta.delay_ms, Type::FLOAT8),
        int8(&change),
        int8(&delta.timed),
        value(&delta.squares_ms, Type::FLOAT8),
        value(&delta.charged_ms, Type::FLOAT8),
    ];
    if client.execute_typed(sql, &values).await? == 0 {
        return Err(StoreFailure::LeaseLost);
    }
    Ok(client.batch_execute("COMMIT").await?)
}

/// Checks the fence: locks the row of this process until the transaction ends, or fails if the
/// lease was lost; and fails if the database has lost changes, unless `on_loss` accepts that.
/// Returns the number of the last change of this process.
pub(super) async fn check_lease(
    client: &Client,
    batch: i64,
    process: i64,
    durable: i64,
    on_loss: OnLoss,
) -> Result<i64, StoreFailure> {
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
        false => Err(StoreFailure::Lost),
    }
}

/// Returns the reason for which the row of the process is missing: a recovery keeps a record of the
/// last change.
async fn missing(
    client: &Client,
    batch: i64,
    process: i64,
    durable: i64,
) -> Result<StoreFailure, StoreFailure> {
    Ok(match has_change(client, batch, process, durable).await? {
        true => StoreFailure::LeaseLost,
        false => StoreFailure::Lost,
    })
}

/// Returns true if the database has this change of a process, or the batch was removed from it.
pub(super) async fn has_change(
    client: &Client,
    batch: i64,
    process: i64,
    durable: i64,
) -> Result<bool, StoreFailure> {
    let sql = "SELECT EXISTS (
            SELECT FROM podqueue.process WHERE id = $1 AND last_change >= $3
            UNION ALL SELECT FROM podqueue.recovered WHERE process = $1 AND last_change >= $3)
        OR NOT EXISTS (SELECT FROM podqueue.batch WHERE id = $2)";
    let values = [int8(&process), int8(&batch), int8(&durable)];
    Ok(client.query_typed_one(sql, &values).await?.get(0))
}

/// Change of the tally by a transaction: the number of inputs moved to each state, less those moved
/// from it, and their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Delta {
    moved: [i64; State::ALL.len()],
    execution_ms: f64,
    delay_ms: f64,
    timed: i64,
    squares_ms: f64,
    charged_ms: f64,
}

/// Columns of a process that [`Delta::of`] reads.
pub(super) const SUMS: &str = "process.moved, process.execution_ms, process.delay_ms,
    process.timed, process.squares_ms, process.charged_ms";

impl Delta {
    /// The delta of a process, from the columns [`SUMS`] of its row, the first of them at `first`;
    /// `None` if there is no process.
    pub(super) fn of(row: &Row, first: usize) -> Option<Self> {
        let moved: Vec<i64> = row.get::<_, Option<_>>(first)?;
        let mut delta = Self {
            execution_ms: row.get(first + 1),
            delay_ms: row.get(first + 2),
            timed: row.get(first + 3),
            squares_ms: row.get(first + 4),
            charged_ms: row.get(first + 5),
            ..Self::default()
        };
        delta.moved.iter_mut().zip(moved).for_each(|(sum, moved)| *sum += moved);
        Some(delta)
    }

    /// New inputs, which begin as pending.
    pub(super) fn of_new(inputs: i64) -> Self {
        let mut delta = Self::default();
        delta.moved[usize::from(State::Pending.code())] = inputs;
        delta
    }

    /// Moves a number of inputs to another state.
    pub(super) fn shift(&mut self, from: State, to: State, inputs: usize) {
        let inputs = i64::try_from(inputs).unwrap_or(i64::MAX);
        self.moved[usize::from(from.code())] -= inputs;
        self.moved[usize::from(to.code())] += inputs;
    }

    /// Adds the times of an input that has ended.
    pub(super) fn add_times(&mut self, execution_ms: Option<f64>, delay_ms: Option<f64>) {
        let execution = execution_ms.unwrap_or_default();
        self.execution_ms += execution;
        self.delay_ms += delay_ms.unwrap_or_default();
        self.timed += i64::from(execution_ms.is_some());
        self.squares_ms += execution * execution;
    }

    /// Adds to the charge of all attempts.
    pub(super) fn add_charge(&mut self, charged_ms: f64) {
        self.charged_ms += charged_ms;
    }

    /// Returns the change of the charge of all attempts.
    pub(super) fn charged_ms(&self) -> f64 {
        self.charged_ms
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (sum, moved) in self.moved.iter_mut().zip(other.moved) {
            *sum += moved;
        }
        self.execution_ms += other.execution_ms;
        self.delay_ms += other.delay_ms;
        self.timed += other.timed;
        self.squares_ms += other.squares_ms;
        self.charged_ms += other.charged_ms;
    }

    /// The tally of a batch whose deltas this is the sum of.
    pub(super) fn tally(&self) -> Tally {
        let Self { moved, execution_ms, delay_ms, timed, squares_ms, charged_ms } = *self;
        let timed = u64::try_from(timed).unwrap_or_default();
        let mut tally =
            Tally { execution_ms, delay_ms, timed, squares_ms, charged_ms, ..Tally::default() };
        for (state, inputs) in State::ALL.into_iter().zip(moved) {
            tally.counts.set(state, u64::try_from(inputs).unwrap_or_default());
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_add_up_to_the_tally() {
        let mut sum = Delta::of_new(10);
        sum.shift(State::Pending, State::Intent, 4);
        sum.add_times(Some(2.0), Some(0.5));
        sum.add_times(None, Some(0.25));
        sum.add_times(Some(1.0), None);
        sum.add_charge(9.0);
        let mut other = Delta::default();
        other.shift(State::Intent, State::Submitted, 3);
        other.add_times(Some(8.0), Some(4.0));
        other.add_charge(-2.0);
        sum.add(&other);
        let tally = sum.tally();
        assert_eq!((tally.execution_ms, tally.delay_ms), (11.0, 4.75));
        assert_eq!((tally.timed, tally.squares_ms, tally.charged_ms), (3, 69.0, 7.0));
        let counts = State::ALL.map(|state| tally.counts.of(state));
        assert_eq!(counts, [6, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
}
