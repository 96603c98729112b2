//! What is asked of the database.

use tokio_postgres::types::Type;

use super::changes;
use super::failure::Failure;
use super::loss::OnLoss;
use super::processes::accept_loss;
use super::rows::{self, clean, int, int8, text, value};
use super::store::{Delta, NOWHERE, PostgresStore};
use super::transaction::{LONG, Writing};
use crate::error::Result;
use crate::state::State;
use crate::store::{
    Change, Claim, Commit, Event, Input, NewInput, Note, RunRecord, Sharing, Store, Tally,
};

impl Store for PostgresStore {
    fn note(&mut self, name: &str) -> Result<Option<String>> {
        self.note_of(NOWHERE, name)
    }

    fn own_note(&mut self, name: &str) -> Result<Option<String>> {
        self.note_of(self.results, name)
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        Some(self)
    }

    fn add(&mut self, inputs: &[NewInput], notes: &[Note]) -> Result<()> {
        self.write(async |writing| {
            if !writing.is_done {
                add(writing, inputs).await?;
                let Writing { client, batch, .. } = writing;
                rows::set_notes(client, *batch, NOWHERE, notes).await?;
            }
            Ok(((), Delta::default()))
        })
    }

    fn request(&mut self, notes: &[Note]) -> Result<()> {
        let batch = self.batch;
        let set = self
            .connection
            .persist(async |client| rows::set_notes(client, batch, NOWHERE, notes).await);
        set.map_err(|failure| self.failed("write", failure))
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
        let submitting = match &self.process {
            Some(process) => process.submitting.clone(),
            None => Default::default(),
        };
        let claims = commit.claim.is_some() && self.on_loss != OnLoss::Refuse;
        let on_loss = self.on_loss;
        let (claimed, accepted) = self.write(async |writing| {
            let mut delta = Delta::default();
            // Before anything is claimed: what is permitted is so from then on.
            let accepted = match claims {
                true => Some(accept_loss(writing, on_loss).await?),
                false => None,
            };
            if writing.is_done {
                let claimed = match commit.claim {
                    Some(_) => claimed(writing).await?,
                    None => Vec::new(),
                };
                let is_new = |input: &Input| !submitting.contains(&input.index);
                let claimed: Vec<_> = claimed.into_iter().filter(is_new).collect();
                return Ok(((claimed, accepted), delta));
            }
            changes::apply(writing, &commit.changes, &mut delta).await?;
            let Writing { client, batch, results, .. } = writing;
            rows::set_notes(client, *batch, *results, &commit.notes).await?;
            let claimed = match commit.claim {
                Some(claim) => take(writing, claim).await?,
                None => Vec::new(),
            };
            delta.shift(State::Pending, State::Intent, claimed.len());
            Ok(((claimed, accepted), delta))
        })?;
        if let Some(acceptance) = accepted {
            self.loss_accepted(acceptance);
        }
        if let Some(process) = &mut self.process {
            for Change { index, event, .. } in &commit.changes {
                if !matches!(event, Event::Seen { .. }) {
                    process.submitting.remove(index);
                }
            }
            process.submitting.extend(claimed.iter().map(|input| input.index));
        }
        Ok(claimed)
    }

    fn move_all(&mut self, from: &[State], to: State) -> Result<u64> {
        let from = from.to_vec();
        self.write_within(LONG, async |writing| {
            let (mut moved, mut delta) = (0, Delta::default());
            for state in &from {
                // What is pending has not failed; what others submit is theirs.
                let sql = "UPDATE podqueue.input
                    SET state = $3, owner = NULL, error = CASE WHEN $3 = 0 THEN NULL ELSE error END
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
            let sql = "SELECT batch.inputs, process.moved, process.execution_ms, process.delay_ms
                FROM podqueue.batch LEFT JOIN podqueue.process ON process.batch = batch.id
                WHERE batch.id = $1";
            let found = client.query_typed(sql, &[int8(&batch)]).await?;
            let mut sum = Delta::default();
            for row in &found {
                sum.moved[usize::from(State::Pending.code())] = row.get(0);
            }
            for row in &found {
                let Some(moved) = row.get::<_, Option<Vec<i64>>>(1) else { continue };
                sum.moved.iter_mut().zip(moved).for_each(|(sum, moved)| *sum += moved);
                sum.execution_ms += row.get::<_, f64>(2);
                sum.delay_ms += row.get::<_, f64>(3);
            }
            let Delta { moved, execution_ms, delay_ms } = sum;
            let mut tally = Tally { execution_ms, delay_ms, ..Tally::default() };
            for (state, inputs) in State::ALL.into_iter().zip(moved) {
                tally.counts.set(state, u64::try_from(inputs).unwrap_or_default());
            }
            Ok(tally)
        })
    }

    fn inputs(&mut self, states: &[State], from: u64, limit: usize) -> Result<Vec<Input>> {
        let (from, limit) = (int(from), rows::limit(limit));
        // Whoever compares all of them changes none.
        let is_locked = self.locked.is_some() && states.len() < State::ALL.len();
        let sql = format!(
            "SELECT {} FROM podqueue.input WHERE batch = $1 AND state IN ({}) AND idx >= $2
             ORDER BY idx LIMIT $3 {}",
            rows::INPUT,
            rows::codes(states),
            if is_locked { "FOR UPDATE" } else { "" },
        );
        self.find(async |client, batch| {
            let values = [int8(&batch), int8(&from), int8(&limit)];
            rows::inputs(&client.query_typed(&sql, &values).await?)
        })
    }

    fn holder(&mut self, job_id: &str, index: u64) -> Result<Option<u64>> {
        let (job_id, index) = (clean(job_id), int(index));
        self.find(async |client, batch| {
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
        self.find(async |client, batch| {
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
async fn add(writing: &Writing<'_>, inputs: &[NewInput]) -> Result<(), Failure> {
    if inputs.is_empty() {
        return Ok(());
    }
    let Writing { client, batch, .. } = writing;
    let added = rows::limit(inputs.len());
    // Whoever else adds inputs waits for this.
    let sql = "UPDATE podqueue.batch SET inputs = inputs + $2 WHERE id = $1
        RETURNING inputs - $2";
    let row = client.query_typed_one(sql, &[int8(batch), int8(&added)]).await?;
    rows::insert(client, *batch, rows::number(&row, 0), inputs).await
}

/// Claims the first pending inputs that are no copies of others. What somebody else is about to
/// change is left to them.
async fn take(writing: &Writing<'_>, claim: Claim) -> Result<Vec<Input>, Failure> {
    let sql = format!(
        "WITH next AS (
             SELECT idx, coalesce(length, octet_length(body)) AS bytes FROM podqueue.input
             WHERE batch = $1 AND state = 0 AND same_as IS NULL
             ORDER BY idx LIMIT $2 FOR UPDATE SKIP LOCKED),
         summed AS (
             SELECT idx, row_number() OVER before AS number, sum(bytes) OVER before - bytes AS sum
             FROM next WINDOW before AS (ORDER BY idx))
         UPDATE podqueue.input SET state = 1, attempt = attempt + 1, run = $3, owner = $4
         WHERE batch = $1 AND idx = ANY (ARRAY(
             SELECT idx FROM summed WHERE number = 1 OR sum < $5))
         RETURNING {}",
        rows::INPUT
    );
    let (limit, run) = (rows::limit(claim.limit), int(claim.run));
    let bytes = int(claim.bytes);
    let values =
        [int8(&writing.batch), int8(&limit), int8(&run), int8(&writing.process), int8(&bytes)];
    let mut taken = rows::inputs(&writing.client.query_typed(&sql, &values).await?)?;
    taken.sort_unstable_by_key(|input| input.index);
    Ok(taken)
}

/// The inputs that this process is submitting.
async fn claimed(writing: &Writing<'_>) -> Result<Vec<Input>, Failure> {
    let sql = format!(
        "SELECT {} FROM podqueue.input WHERE batch = $1 AND owner = $2 AND state = 1 ORDER BY idx",
        rows::INPUT
    );
    let values = [int8(&writing.batch), int8(&writing.process)];
    rows::inputs(&writing.client.query_typed(&sql, &values).await?)
}
