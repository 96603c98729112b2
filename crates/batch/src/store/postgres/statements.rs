//! Statements of the store: claims and changes of inputs.
//!
//! Changes are read together, in the order in which all processes lock inputs, validated in this
//! process, and written together.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tokio_postgres::types::Type;

use super::connection::StoreFailure;
use super::leases::{NO_RESULTS, PostgresStore};
use super::loss::{self, OnLoss};
use super::rows::{self, clean, int, int8, int8s, text, value};
use super::transaction::{Delta, LONG, SUMS, Writing};
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::State;
use crate::store::records::can_happen;
use crate::store::{
    Change, Charge, Claim, Commit, Ended, Event, Input, NewInput, Note, RunRecord, Sharing, Store,
    Tally,
};

/// Refuses a run at another service than that of the processes at work: each would recover jobs
/// that only the other can collect, and wait for it.
async fn check_service(writing: &Writing<'_>, base_url: &str) -> Result<(), StoreFailure> {
    let Writing { client, batch, process, .. } = writing;
    // Of two runs that begin at the same time, one waits for the other.
    let sql = "SELECT 1 FROM podqueue.batch WHERE id = $1 FOR NO KEY UPDATE";
    client.query_typed(sql, &[int8(batch)]).await?;
    let sql = "SELECT run.base_url FROM podqueue.process
        JOIN podqueue.run ON run.batch = process.batch AND run.process = process.id
        WHERE process.batch = $1 AND process.id <> $2 AND run.base_url <> $3
        AND lease_until > clock_timestamp() LIMIT 1";
    let values = [int8(batch), int8(process), value(&base_url, Type::TEXT)];
    let Some(row) = client.query_typed_opt(sql, &values).await? else { return Ok(()) };
    let message = format!(
        "another process runs this batch with the service {}, and this one would use {base_url}: neither could collect the jobs of the other. Use the same service, or wait for that process to end; if it was killed, it counts as ended after its lease of 9 seconds",
        row.get::<_, &str>(0)
    );
    Err(Error::new(ErrorKind::InUse, message).into())
}

impl Store for PostgresStore {
    fn note(&mut self, name: &str) -> Result<Option<String>> {
        self.note_of(NO_RESULTS, name)
    }

    fn own_note(&mut self, name: &str) -> Result<Option<String>> {
        self.note_of(self.results(), name)
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        Some(self)
    }

    fn add(&mut self, inputs: &[NewInput], notes: &[Note]) -> Result<()> {
        self.write(async |writing| {
            if !writing.is_done {
                add(writing, inputs).await?;
                let Writing { client, batch, .. } = writing;
                rows::set_notes(client, *batch, NO_RESULTS, notes).await?;
            }
            Ok(((), Delta::default()))
        })
    }

    fn request(&mut self, notes: &[Note]) -> Result<()> {
        self.write_without_lease(async |client, batch| {
            rows::set_notes(client, batch, NO_RESULTS, notes).await
        })
    }

    fn replace(&mut self, inputs: &[(u64, NewInput)]) -> Result<()> {
        self.write(async |writing| {
            rows::replace(writing.client, writing.batch, inputs).await?;
            Ok(((), Delta::default()))
        })
    }

    fn begin_run(&mut self, run: &RunRecord) -> Result<u64> {
        let RunRecord { endpoint_id, base_url, policy, ttl, started_at } = run;
        let (endpoint_id, base_url) = (clean(endpoint_id), clean(base_url));
        let policy = policy.as_deref().map(clean);
        let (ttl, started_at) = (ttl.map(int), int(*started_at));
        self.write(async |writing| {
            let (batch, process) = (writing.batch, writing.process);
            let row = match writing.is_done {
                true => {
                    let sql = "SELECT max(id) FROM podqueue.run WHERE batch = $1 AND process = $2";
                    writing.client.query_typed_one(sql, &[int8(&batch), int8(&process)]).await?
                }
                false => {
                    check_service(writing, &base_url).await?;
                    let sql = "INSERT INTO podqueue.run
                            (batch, process, endpoint_id, base_url, policy, ttl, started_at)
                        VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
                    let values = [
                        int8(&batch),
                        int8(&process),
                        value(&endpoint_id, Type::TEXT),
                        value(&base_url, Type::TEXT),
                        value(&policy, Type::TEXT),
                        value(&ttl, Type::INT8),
                        int8(&started_at),
                    ];
                    writing.client.query_typed_one(sql, &values).await?
                }
            };
            Ok((rows::number(&row, 0), Delta::default()))
        })
    }

    fn runs(&mut self) -> Result<Vec<(u64, RunRecord)>> {
        self.read(async |client, batch| {
            let sql = "SELECT id, endpoint_id, base_url, policy, ttl, started_at
                FROM podqueue.run WHERE batch = $1 ORDER BY id";
            Ok(client.query_typed(sql, &[int8(&batch)]).await?.iter().map(rows::run).collect())
        })
    }

    fn commit(&mut self, commit: &Commit) -> Result<Vec<Input>> {
        let (submitting, on_loss) = (self.submitting(), self.on_loss());
        let claims = commit.claim.is_some() && on_loss != OnLoss::Refuse;
        let (claimed, accepted) = self.write(async |writing| {
            let Writing { client, batch, results, is_done, .. } = writing;
            let mut delta = Delta::default();
            // Before the claim, which the acceptance permits.
            let accepted = match claims {
                true => Some(loss::accept(client, *batch, *results, *is_done, on_loss).await?),
                false => None,
            };
            if *is_done {
                let claimed = match commit.claim {
                    Some(_) => claimed(writing).await?,
                    None => Vec::new(),
                };
                let is_new = |input: &Input| !submitting.contains(&input.index);
                let claimed: Vec<_> = claimed.into_iter().filter(is_new).collect();
                return Ok(((claimed, accepted), delta));
            }
            apply_changes(writing, &commit.changes, &mut delta).await?;
            rows::set_notes(client, *batch, *results, &commit.notes).await?;
            let claimed = match commit.claim {
                Some(claim) => claim_next(writing, claim, &mut delta).await?,
                None => Vec::new(),
            };
            Ok(((claimed, accepted), delta))
        })?;
        if let Some(acceptance) = accepted {
            self.loss_accepted(acceptance);
        }
        self.note_submitting(&commit.changes, &claimed);
        Ok(claimed)
    }

    fn move_all(&mut self, from: &[State], to: State) -> Result<u64> {
        let from = from.to_vec();
        self.write_within(LONG, async |writing| {
            let (mut moved, mut delta) = (0, Delta::default());
            for state in &from {
                // Pending inputs have no error; other processes own what they submit.
                let sql = "UPDATE podqueue.input
                    SET state = $3, owner = NULL,
                        error = CASE WHEN $3 = 0 THEN NULL ELSE error END,
                        charged_ms = CASE WHEN $3 = 0 THEN 0 ELSE charged_ms END
                    WHERE batch = $1 AND state = $2 AND (owner IS NULL OR owner = $4)";
                let (is, becomes) = (i16::from(state.code()), i16::from(to.code()));
                let values = [
                    int8(&writing.batch),
                    value(&is, Type::INT2),
                    value(&becomes, Type::INT2),
                    int8(&writing.process),
                ];
                let inputs = writing.client.execute_typed(sql, &values).await?;
                delta.shift(*state, to, usize::try_from(inputs).unwrap_or(usize::MAX));
                moved += inputs;
            }
            Ok((moved, delta))
        })
    }

    fn tally(&mut self) -> Result<Tally> {
        self.read(async |client, batch| {
            let sql = format!(
                "SELECT batch.inputs, {SUMS}
                 FROM podqueue.batch LEFT JOIN podqueue.process ON process.batch = batch.id
                 WHERE batch.id = $1"
            );
            let found = client.query_typed(&sql, &[int8(&batch)]).await?;
            let mut sum = found.first().map_or(Delta::default(), |row| Delta::of_new(row.get(0)));
            found.iter().filter_map(|row| Delta::of(row, 1)).for_each(|delta| sum.add(&delta));
            Ok(sum.tally())
        })
    }

    fn inputs(&mut self, states: &[State], from: u64, limit: usize) -> Result<Vec<Input>> {
        let (from, limit) = (int(from), rows::limit(limit));
        // A caller that reads all states only compares.
        let is_locked = self.is_locked() && states.len() < State::ALL.len();
        let sql = format!(
            "SELECT {} FROM podqueue.input WHERE batch = $1 AND state IN ({}) AND idx >= $2
             ORDER BY idx LIMIT $3 {}",
            rows::INPUT,
            rows::codes(states),
            if is_locked { "FOR UPDATE" } else { "" },
        );
        self.read_in_transaction(async |client, batch| {
            let values = [int8(&batch), int8(&from), int8(&limit)];
            rows::inputs(&client.query_typed(&sql, &values).await?)
        })
    }

    fn holder(&mut self, job_id: &str, index: u64) -> Result<Option<u64>> {
        let (job_id, index) = (clean(job_id), int(index));
        self.read_in_transaction(async |client, batch| {
            let sql = "SELECT other.idx FROM podqueue.input AS other
                JOIN podqueue.run AS theirs ON theirs.id = other.run
                JOIN podqueue.input AS this ON this.batch = $1 AND this.idx = $3
                JOIN podqueue.run AS ours ON ours.id = this.run
                WHERE other.batch = $1 AND other.job_id = $2 AND other.idx <> $3
                  AND theirs.endpoint_id = ours.endpoint_id AND theirs.base_url = ours.base_url
                LIMIT 1";
            let values = [int8(&batch), value(&job_id, Type::TEXT), int8(&index)];
            let row = client.query_typed_opt(sql, &values).await?;
            Ok(row.map(|row| rows::number(&row, 0)))
        })
    }

    fn copies(&mut self, index: u64) -> Result<Vec<Input>> {
        let index = int(index);
        self.read_in_transaction(async |client, batch| {
            let sql = format!(
                "SELECT {} FROM podqueue.input WHERE batch = $1 AND same_as = $2 ORDER BY idx",
                rows::INPUT
            );
            rows::inputs(&client.query_typed(&sql, &[int8(&batch), int8(&index)]).await?)
        })
    }
}

impl PostgresStore {
    fn note_of(&mut self, results: i64, name: &str) -> Result<Option<String>> {
        self.read(async |client, batch| {
            let sql = "SELECT text FROM podqueue.note
                WHERE batch = $1 AND results = $2 AND name = $3";
            let values = [int8(&batch), int8(&results), text(&name)];
            Ok(client.query_typed_opt(sql, &values).await?.map(|row| row.get(0)))
        })
    }
}

/// Adds inputs after those that are there.
async fn add(writing: &Writing<'_>, inputs: &[NewInput]) -> Result<(), StoreFailure> {
    if inputs.is_empty() {
        return Ok(());
    }
    let Writing { client, batch, .. } = writing;
    let added = rows::limit(inputs.len());
    // Other processes that add inputs wait for this.
    let sql = "UPDATE podqueue.batch SET inputs = inputs + $2 WHERE id = $1
        RETURNING inputs - $2";
    let row = client.query_typed_one(sql, &[int8(batch), int8(&added)]).await?;
    rows::insert(client, *batch, rows::number(&row, 0), inputs).await
}

/// The charge of all attempts of the batch. Claims within a bound wait for each other until the
/// transaction ends: without that, each of two could take the room that is left.
async fn charged(writing: &Writing<'_>) -> Result<f64, StoreFailure> {
    let Writing { client, batch, .. } = writing;
    let sql = "SELECT 1 FROM podqueue.batch WHERE id = $1 FOR NO KEY UPDATE";
    client.query_typed(sql, &[int8(batch)]).await?;
    // A statement of its own, which sees what the others have committed.
    let sql = "SELECT coalesce(sum(charged_ms), 0) FROM podqueue.process WHERE batch = $1";
    Ok(client.query_typed_one(sql, &[int8(batch)]).await?.get(0))
}

/// Claims the first pending inputs that are no copies, except those that another process has
/// locked.
async fn claim_next(
    writing: &Writing<'_>,
    claim: Claim,
    delta: &mut Delta,
) -> Result<Vec<Input>, StoreFailure> {
    let limit = match claim.max_charged_ms {
        Some(_) => claim.limit_within(charged(writing).await? + delta.charged_ms()),
        None => claim.limit,
    };
    if limit == 0 {
        return Ok(Vec::new());
    }
    let sql = format!(
        "WITH next AS (
             SELECT idx, coalesce(length, octet_length(body)) AS bytes FROM podqueue.input
             WHERE batch = $1 AND state = 0 AND same_as IS NULL
             ORDER BY idx LIMIT $2 FOR UPDATE SKIP LOCKED),
         summed AS (
             SELECT idx, row_number() OVER before AS number, sum(bytes) OVER before - bytes AS sum
             FROM next WINDOW before AS (ORDER BY idx))
         UPDATE podqueue.input SET state = 1, attempt = attempt + 1, run = $3, owner = $4,
             reserve_ms = $6, charged_ms = $6
         WHERE batch = $1 AND idx = ANY (ARRAY(
             SELECT idx FROM summed WHERE number = 1 OR sum < $5))
         RETURNING {}",
        rows::INPUT
    );
    let (limit, run) = (rows::limit(limit), int(claim.run));
    let bytes = int(claim.bytes);
    let values = [
        int8(&writing.batch),
        int8(&limit),
        int8(&run),
        int8(&writing.process),
        int8(&bytes),
        value(&claim.reserve_ms, Type::FLOAT8),
    ];
    let mut taken = rows::inputs(&writing.client.query_typed(&sql, &values).await?)?;
    delta.shift(State::Pending, State::Intent, taken.len());
    delta.add_charge(claim.reserve_ms * taken.len() as f64);
    taken.sort_unstable_by_key(|input| input.index);
    Ok(taken)
}

/// The inputs that this process is submitting.
async fn claimed(writing: &Writing<'_>) -> Result<Vec<Input>, StoreFailure> {
    let sql = format!(
        "SELECT {} FROM podqueue.input WHERE batch = $1 AND owner = $2 AND state = 1 ORDER BY idx",
        rows::INPUT
    );
    let values = [int8(&writing.batch), int8(&writing.process)];
    rows::inputs(&writing.client.query_typed(&sql, &values).await?)
}

/// The columns that a change may affect.
struct ChangedRow<'a> {
    state: State,
    attempt: i64,
    owner: Option<i64>,
    results: Option<i64>,
    job_id: Option<Cow<'a, str>>,
    submitted_at: Option<i64>,
    seen_at: Option<i64>,
    error: Option<Cow<'a, str>>,
    charge: Charge,
}

/// Makes changes, in their order, or fails because a transition is invalid.
async fn apply_changes(
    writing: &Writing<'_>,
    changes: &[Change],
    delta: &mut Delta,
) -> Result<(), StoreFailure> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = read_changed(writing, changes).await?;
    for change in changes {
        let row = rows.get_mut(&int(change.index)).filter(|row| {
            let is_ours = row.owner.is_none_or(|owner| owner == writing.process);
            row.attempt == int(change.attempt) && can_happen(&change.event, row.state) && is_ours
        });
        let row = row.ok_or_else(|| conflict(change.index))?;
        let from = row.state;
        apply_event(row, &change.event, writing, delta);
        delta.shift(from, row.state, 1);
    }
    write_changed(writing, &rows).await
}

fn conflict(index: u64) -> Error {
    let message = format!(
        "input {index} is not in the state that this process left it in: something else has changed the database, or it has lost changes. Stop all processes of the batch, and put the newest database back"
    );
    Error::new(ErrorKind::Journal, message)
}

/// Locks and reads inputs, in the order of their index: all processes use it, so none deadlocks.
async fn read_changed<'a>(
    writing: &Writing<'_>,
    changes: &[Change],
) -> Result<BTreeMap<i64, ChangedRow<'a>>, StoreFailure> {
    let mut indexes: Vec<_> = changes.iter().map(|change| int(change.index)).collect();
    indexes.sort_unstable();
    indexes.dedup();
    // A lateral join reads them in order, without a sort.
    let sql = "SELECT found.* FROM unnest($2) AS wanted (idx) CROSS JOIN LATERAL (
            SELECT idx, state, attempt, owner, results, job_id, submitted_at, seen_at, error,
                reserve_ms, charged_ms
            FROM podqueue.input WHERE batch = $1 AND idx = wanted.idx FOR UPDATE) AS found";
    let found = writing.client.query_typed(sql, &[int8(&writing.batch), int8s(&indexes)]).await?;
    let row = |row: &tokio_postgres::Row| -> Result<_, StoreFailure> {
        let read = ChangedRow {
            state: rows::state(row.get(1))?,
            attempt: row.get(2),
            owner: row.get(3),
            results: row.get(4),
            job_id: row.get::<_, Option<String>>(5).map(Cow::from),
            submitted_at: row.get(6),
            seen_at: row.get(7),
            error: row.get::<_, Option<String>>(8).map(Cow::from),
            charge: Charge { reserve_ms: row.get(9), charged_ms: row.get(10) },
        };
        Ok((row.get(0), read))
    };
    found.iter().map(row).collect()
}

fn apply_event<'a>(
    row: &mut ChangedRow<'a>,
    event: &'a Event,
    writing: &Writing<'_>,
    delta: &mut Delta,
) {
    delta.add_charge(row.charge.apply(event, row.state));
    match event {
        Event::NotSent => {
            row.attempt -= 1;
            (row.state, row.owner, row.error) = (State::Pending, None, None);
        }
        Event::Resubmit => {
            (row.job_id, row.seen_at, row.error) = (None, None, None);
            (row.state, row.owner, row.results) = (State::Pending, None, None);
        }
        Event::Accepted { job_id, at } => {
            (row.job_id, row.submitted_at) = (Some(clean(job_id)), Some(int(*at)));
            (row.seen_at, row.error, row.results) = (None, None, None);
            (row.state, row.owner) = (State::Submitted, Some(writing.process));
        }
        Event::Unknown(why) => {
            row.error = Some(clean(why));
            (row.state, row.owner) = (State::Unknown, None);
        }
        Event::Seen { at } => row.seen_at = Some(int(*at)),
        Event::Ended(Ended { state, error, delay_ms, execution_ms }) => {
            row.error = error.as_deref().map(clean);
            (row.state, row.owner, row.results) = (*state, None, Some(writing.results));
            delta.add_times(*execution_ms, *delay_ms);
        }
    }
}

async fn write_changed(
    writing: &Writing<'_>,
    rows: &BTreeMap<i64, ChangedRow<'_>>,
) -> Result<(), StoreFailure> {
    let each = || rows.values();
    let indexes: Vec<_> = rows.keys().copied().collect();
    let states: Vec<_> = each().map(|row| i16::from(row.state.code())).collect();
    let attempts: Vec<_> = each().map(|row| row.attempt).collect();
    let owners: Vec<_> = each().map(|row| row.owner).collect();
    let results: Vec<_> = each().map(|row| row.results).collect();
    let jobs: Vec<_> = each().map(|row| row.job_id.as_deref()).collect();
    let submitted: Vec<_> = each().map(|row| row.submitted_at).collect();
    let seen: Vec<_> = each().map(|row| row.seen_at).collect();
    let errors: Vec<_> = each().map(|row| row.error.as_deref()).collect();
    let charges: Vec<_> = each().map(|row| row.charge.charged_ms).collect();
    let sql = format!(
        "UPDATE podqueue.input SET state = new.state, attempt = new.attempt,
            owner = new.owner, results = new.results, job_id = new.job_id,
            submitted_at = new.submitted_at, seen_at = new.seen_at, error = new.error,
            charged_ms = new.charged_ms
         FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS new
            (idx, state, attempt, owner, results, job_id, submitted_at, seen_at, error,
             charged_ms) {}",
        rows::JOIN_LISTED_INPUTS
    );
    let values = [
        int8(&writing.batch),
        int8s(&indexes),
        value(&states, Type::INT2_ARRAY),
        int8s(&attempts),
        value(&owners, Type::INT8_ARRAY),
        value(&results, Type::INT8_ARRAY),
        value(&jobs, Type::TEXT_ARRAY),
        value(&submitted, Type::INT8_ARRAY),
        value(&seen, Type::INT8_ARRAY),
        value(&errors, Type::TEXT_ARRAY),
        value(&charges, Type::FLOAT8_ARRAY),
    ];
    writing.client.query_typed(&sql, &values).await?;
    Ok(())
}
