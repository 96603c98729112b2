//! Statements of the store, and its row mapping.

use rusqlite::{
    CachedStatement, Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params,
};

use super::SqliteStore;
use super::errors::{displaced, failed};
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::State;
use crate::store::records::can_happen;
use crate::store::{
    Change, Charge, Claim, Commit, Ended, Event, Input, NewInput, Note, RunRecord, Store, Tally,
    TextLocation,
};

impl Store for SqliteStore {
    fn note(&mut self, name: &str) -> Result<Option<String>> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT text FROM note WHERE name = ?")?;
            select.query_row([name], |row| row.get(0)).optional()
        })
    }

    fn add(&mut self, inputs: &[NewInput], notes: &[Note]) -> Result<()> {
        self.write(|transaction| {
            let next = "SELECT coalesce(max(idx) + 1, 0) FROM input";
            let first = transaction.query_row(next, [], |row| row.get(0))?;
            insert_inputs(transaction, first, inputs)?;
            let added = i64::try_from(inputs.len()).unwrap_or(i64::MAX);
            shift(transaction, State::Pending, added)?;
            set_notes(transaction, notes)
        })
    }

    fn request(&mut self, notes: &[Note]) -> Result<()> {
        const QUERY_ONLY: &str = "query_only";
        let set = |store: &mut Self, is_on: bool| {
            store.read(|connection| connection.pragma_update(None, QUERY_ONLY, is_on))
        };
        let is_on = self
            .read(|connection| connection.pragma_query_value(None, QUERY_ONLY, |row| row.get(0)))?;
        set(self, false)?;
        let done = self.add(&[], notes);
        set(self, is_on)?;
        done
    }

    fn replace(&mut self, inputs: &[(u64, NewInput)]) -> Result<()> {
        self.write(|transaction| replace_texts(transaction, inputs))
    }

    fn begin_run(&mut self, run: &RunRecord) -> Result<u64> {
        self.full = None;
        self.reserve_space()?;
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO run (endpoint_id, base_url, policy, ttl, started_at)
                 VALUES (?, ?, ?, ?, ?) RETURNING id",
            )?;
            let RunRecord { endpoint_id, base_url, policy, ttl, started_at } = run;
            insert.query_row(params![endpoint_id, base_url, policy, ttl, started_at], |row| {
                row.get(0)
            })
        })
    }

    fn runs(&mut self) -> Result<Vec<(u64, RunRecord)>> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT id, endpoint_id, base_url, policy, ttl, started_at FROM run ORDER BY id",
            )?;
            select.query_map([], read_run)?.collect()
        })
    }

    /// On a full disk, nothing more is claimed in this run. The reserve, and the space of the log,
    /// is for recording the outcomes of the inputs in flight.
    fn commit(&mut self, commit: &Commit) -> Result<Vec<Input>> {
        if let (Some(full), Some(_)) = (&self.full, commit.claim) {
            return Err(full.again());
        }
        match self.try_commit(commit) {
            Err(error) if error.is_disk_full() => {
                self.full = Some(error.again());
                if commit.claim.is_some() {
                    return Err(error);
                }
                self.release_space();
                self.try_commit(commit)
            }
            done => done,
        }
    }

    fn move_all(&mut self, from: &[State], to: State) -> Result<u64> {
        self.write(|transaction| {
            let mut moved = 0;
            for state in from {
                // Pending inputs have no error, and no charge.
                let sql = match to {
                    State::Pending => {
                        "UPDATE input SET state = ?, error = NULL, charged_ms = 0 WHERE state = ?"
                    }
                    _ => "UPDATE input SET state = ? WHERE state = ?",
                };
                let inputs = transaction.prepare_cached(sql)?.execute([to.code(), state.code()])?;
                let inputs = i64::try_from(inputs).unwrap_or(i64::MAX);
                shift(transaction, *state, -inputs)?;
                shift(transaction, to, inputs)?;
                moved += inputs.unsigned_abs();
            }
            Ok(moved)
        })
    }

    fn tally(&mut self) -> Result<Tally> {
        self.read(|connection| {
            // In one transaction, so that a writer in between changes nothing.
            let connection = connection.unchecked_transaction()?;
            let mut tally = Tally::default();
            let mut select = connection.prepare_cached("SELECT state, inputs FROM tally")?;
            let mut found = select.query([])?;
            while let Some(row) = found.next()? {
                tally.counts.set(read_state(row.get(0)?)?, row.get(1)?);
            }
            let spent = "SELECT execution_ms, delay_ms, timed, squares_ms, charged_ms FROM spent";
            connection.query_row(spent, [], |row| {
                (tally.execution_ms, tally.delay_ms) = (row.get(0)?, row.get(1)?);
                (tally.timed, tally.squares_ms) = (row.get(2)?, row.get(3)?);
                tally.charged_ms = row.get(4)?;
                Ok(tally)
            })
        })
    }

    fn inputs(&mut self, states: &[State], from: u64, limit: usize) -> Result<Vec<Input>> {
        self.read(|connection| {
            let codes: Vec<_> = states.iter().map(|state| state.code().to_string()).collect();
            // There are few inputs in an open state, and possibly many in any other: those are read
            // in the table's order, so that reading all of them page by page reads each row once.
            let few = |state: &State| !state.is_final() && *state != State::Pending;
            let column = if states.iter().all(few) { "state" } else { "+state" };
            let sql = format!(
                "SELECT {} FROM input WHERE {column} IN ({}) AND idx >= ? ORDER BY idx LIMIT ?",
                INPUT,
                codes.join(", ")
            );
            let mut select = connection.prepare_cached(&sql)?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            select.query_map(params![from, limit], read_input)?.collect()
        })
    }

    fn holder(&mut self, job_id: &str, index: u64) -> Result<Option<u64>> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT other.idx FROM input AS other
                 JOIN run AS theirs ON theirs.id = other.run
                 JOIN input AS this ON this.idx = ?2
                 JOIN run AS ours ON ours.id = this.run
                 WHERE other.job_id = ?1 AND other.idx <> ?2
                   AND theirs.endpoint_id = ours.endpoint_id AND theirs.base_url = ours.base_url
                 LIMIT 1",
            )?;
            select.query_row(params![job_id, index], |row| row.get(0)).optional()
        })
    }

    fn copies(&mut self, index: u64) -> Result<Vec<Input>> {
        self.read(|connection| {
            let sql = format!("SELECT {} FROM input WHERE same_as = ?", INPUT);
            let mut select = connection.prepare_cached(&sql)?;
            select.query_map([index], read_input)?.collect()
        })
    }
}

impl SqliteStore {
    fn try_commit(&mut self, commit: &Commit) -> Result<Vec<Input>> {
        let mut conflict = None;
        let claimed = self.write(|transaction| {
            for change in &commit.changes {
                if !apply(transaction, change)? {
                    conflict = Some(change.index);
                    return Err(rusqlite::Error::StatementChangedRows(0));
                }
            }
            set_notes(transaction, &commit.notes)?;
            commit.claim.map_or(Ok(Vec::new()), |claim| claim_next(transaction, claim))
        });
        claimed.map_err(|error| match conflict {
            Some(index) => {
                let message = format!(
                    "input {index} is not in the state that this process left it in: something else has changed the journal"
                );
                Error::new(ErrorKind::Journal, message)
            }
            None => error,
        })
    }

    fn read<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&self.connection).map_err(|error| failed("read", &self.path, error))
    }

    fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        // Another process may write a request: a transaction that begins by reading could not wait
        // for that.
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let done = begun.and_then(|transaction| {
            let done = work(&transaction)?;
            let number = count_commit(&transaction)?;
            transaction.commit()?;
            Ok((done, number))
        });
        let (done, number) = done.map_err(|error| failed("write", &self.path, error))?;
        if let Some(lock) = &self.lock {
            lock.note_commit(number);
        }
        if self.opened.is_in_place(&self.path) {
            return Ok(done);
        }
        if let Some(lock) = &self.lock {
            lock.leave_number(true);
        }
        Err(displaced(&self.path))
    }
}

/// Counts a commit, and returns its number: the lock file has it, too.
fn count_commit(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let mut count = transaction.prepare_cached(
        "INSERT INTO note VALUES ('commits', '1')
         ON CONFLICT DO UPDATE SET text = CAST(text AS INTEGER) + 1
         RETURNING CAST(text AS INTEGER)",
    )?;
    count.query_row([], |row| row.get(0))
}

/// Makes a change. Returns true if the input was in a state that permits it.
fn apply(transaction: &Transaction<'_>, change: &Change) -> rusqlite::Result<bool> {
    let mut select = transaction.prepare_cached(
        "SELECT state, reserve_ms, charged_ms FROM input WHERE idx = ? AND attempt = ?",
    )?;
    let found = select.query_row(params![change.index, change.attempt], |row| {
        Ok((row.get(0)?, Charge { reserve_ms: row.get(1)?, charged_ms: row.get(2)? }))
    });
    let Some((state, mut charge)) = found.optional()? else { return Ok(false) };
    let state = read_state(state)?;
    if !can_happen(&change.event, state) {
        return Ok(false);
    }
    let index = change.index;
    let before = charge;
    let charged = charge.apply(&change.event, state);
    let prepare = |set: &str| -> rusqlite::Result<CachedStatement<'_>> {
        transaction.prepare_cached(&format!("UPDATE input SET {set} WHERE idx = ?"))
    };
    let to = match &change.event {
        Event::NotSent => {
            prepare("state = 0, attempt = attempt - 1, error = NULL")?.execute([index])?;
            State::Pending
        }
        Event::Resubmit => {
            prepare("state = 0, job_id = NULL, seen_at = NULL, error = NULL")?.execute([index])?;
            State::Pending
        }
        Event::Accepted { job_id, at } => {
            let set = "state = 2, job_id = ?, submitted_at = ?, seen_at = NULL, error = NULL";
            prepare(set)?.execute(params![job_id, at, index])?;
            State::Submitted
        }
        Event::Unknown(why) => {
            prepare("state = 9, error = ?")?.execute(params![why, index])?;
            State::Unknown
        }
        Event::Seen { at } => {
            prepare("seen_at = ?")?.execute(params![at, index])?;
            return Ok(true);
        }
        Event::Ended(ended) => {
            let Ended { state, error, delay_ms, execution_ms } = ended;
            prepare("state = ?, error = ?")?.execute(params![state.code(), error, index])?;
            let sql = "UPDATE spent SET execution_ms = execution_ms + ?1, delay_ms = delay_ms + ?2,
                timed = timed + ?3, squares_ms = squares_ms + ?1 * ?1";
            let (execution, timed) = (execution_ms.unwrap_or_default(), execution_ms.is_some());
            let spent = params![execution, delay_ms.unwrap_or_default(), timed];
            transaction.prepare_cached(sql)?.execute(spent)?;
            *state
        }
    };
    if charge != before {
        prepare("charged_ms = ?")?.execute(params![charge.charged_ms, index])?;
    }
    add_charge(transaction, charged)?;
    shift(transaction, state, -1)?;
    shift(transaction, to, 1)?;
    Ok(true)
}

/// Claims the first pending inputs that are not copies.
fn claim_next(transaction: &Transaction<'_>, claim: Claim) -> rusqlite::Result<Vec<Input>> {
    let sql = format!(
        "SELECT {} FROM input WHERE state = 0 AND same_as IS NULL ORDER BY idx LIMIT ?",
        INPUT
    );
    let charged = "SELECT charged_ms FROM spent";
    let charged = transaction.prepare_cached(charged)?.query_row([], |row| row.get(0))?;
    let limit = i64::try_from(claim.limit_within(charged)).unwrap_or(i64::MAX);
    let mut select = transaction.prepare_cached(&sql)?;
    let (mut inputs, mut bytes) = (Vec::new(), 0);
    for input in select.query_map([limit], read_input)? {
        let input = input?;
        bytes += input.location.length();
        inputs.push(input);
        if bytes >= claim.bytes {
            break;
        }
    }
    let sql = "UPDATE input SET state = 1, attempt = attempt + 1, run = ?1, reserve_ms = ?2,
        charged_ms = ?2 WHERE idx = ?3";
    let mut update = transaction.prepare_cached(sql)?;
    for input in &mut inputs {
        update.execute(params![claim.run, claim.reserve_ms, input.index])?;
        (input.state, input.run) = (State::Intent, Some(claim.run));
        input.attempt += 1;
    }
    let claimed = i64::try_from(inputs.len()).unwrap_or(i64::MAX);
    shift(transaction, State::Pending, -claimed)?;
    shift(transaction, State::Intent, claimed)?;
    add_charge(transaction, claim.reserve_ms * inputs.len() as f64)?;
    Ok(inputs)
}

/// Adds to the sum of all charges.
fn add_charge(transaction: &Transaction<'_>, charged_ms: f64) -> rusqlite::Result<()> {
    if charged_ms != 0.0 {
        let sql = "UPDATE spent SET charged_ms = charged_ms + ?";
        transaction.prepare_cached(sql)?.execute([charged_ms])?;
    }
    Ok(())
}

/// Adds a number of inputs to the count of a state.
fn shift(transaction: &Transaction<'_>, state: State, by: i64) -> rusqlite::Result<()> {
    if by == 0 {
        return Ok(());
    }
    let mut update = transaction.prepare_cached(
        "INSERT INTO tally VALUES (?1, ?2) ON CONFLICT DO UPDATE SET inputs = inputs + ?2",
    )?;
    update.execute(params![state.code(), by])?;
    Ok(())
}

fn set_notes(transaction: &Transaction<'_>, notes: &[Note]) -> rusqlite::Result<()> {
    let sql = "INSERT INTO note VALUES (?1, ?2) ON CONFLICT DO UPDATE SET text = ?2";
    let mut update = transaction.prepare_cached(sql)?;
    for (name, text) in notes {
        update.execute([*name, text.as_str()])?;
    }
    Ok(())
}

/// Columns that [`read_input`] reads.
const INPUT: &str = "idx, line, start, length, body, digest, state, attempt, run, job_id, submitted_at, seen_at, error, same_as, validation_error";

fn read_input(row: &Row<'_>) -> rusqlite::Result<Input> {
    let location = match row.get(4)? {
        Some(body) => TextLocation::Stored(body),
        None => TextLocation::File { offset: row.get(2)?, length: row.get(3)? },
    };
    Ok(Input {
        index: row.get(0)?,
        line: row.get(1)?,
        location,
        digest: row.get(5)?,
        state: read_state(row.get(6)?)?,
        attempt: row.get(7)?,
        run: row.get(8)?,
        job_id: row.get(9)?,
        submitted_at: row.get(10)?,
        seen_at: row.get(11)?,
        error: row.get(12)?,
        same_as: row.get(13)?,
        rejection: row.get(14)?,
    })
}

fn read_state(code: u8) -> rusqlite::Result<State> {
    State::from_code(code).ok_or(rusqlite::Error::IntegralValueOutOfRange(6, code.into()))
}

fn read_run(row: &Row<'_>) -> rusqlite::Result<(u64, RunRecord)> {
    let record = RunRecord {
        endpoint_id: row.get(1)?,
        base_url: row.get(2)?,
        policy: row.get(3)?,
        ttl: row.get(4)?,
        started_at: row.get(5)?,
    };
    Ok((row.get(0)?, record))
}

/// Inserts pending inputs from this index on.
fn insert_inputs(
    transaction: &Transaction<'_>,
    first: u64,
    inputs: &[NewInput],
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO input (idx, line, start, length, body, digest, state, attempt, same_as, validation_error)
         VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?)",
    )?;
    for (index, input) in (first..).zip(inputs) {
        let (start, length, body) = columns(&input.location);
        let NewInput { line, digest, same_as, rejection, .. } = input;
        insert.execute(params![index, line, start, length, body, digest, same_as, rejection])?;
    }
    Ok(())
}

/// Replaces the texts of inputs.
fn replace_texts(
    transaction: &Transaction<'_>,
    inputs: &[(u64, NewInput)],
) -> rusqlite::Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE input SET line = ?, start = ?, length = ?, body = ?, digest = ?, same_as = ?, validation_error = ? WHERE idx = ?",
    )?;
    for (index, input) in inputs {
        let (start, length, body) = columns(&input.location);
        let NewInput { line, digest, same_as, rejection, .. } = input;
        update.execute(params![line, start, length, body, digest, same_as, rejection, index])?;
    }
    Ok(())
}

/// The start of a text, its length, and the text itself if it is in the store.
fn columns(location: &TextLocation) -> (Option<u64>, Option<u64>, Option<&Vec<u8>>) {
    match location {
        TextLocation::File { offset, length } => (Some(*offset), Some(*length), None),
        TextLocation::Stored(body) => (None, None, Some(body)),
    }
}
