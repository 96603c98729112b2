//! Rows as values.

use rusqlite::{Row, Transaction, params};

use crate::state::State;
use crate::store::{Input, NewInput, Place, RunRecord};

/// What [`input`] reads.
pub(super) const INPUT: &str = "idx, line, start, length, body, digest, state, attempt, run, job_id, submitted_at, seen_at, error, same_as, flaw";

pub(super) fn input(row: &Row<'_>) -> rusqlite::Result<Input> {
    let place = match row.get(4)? {
        Some(body) => Place::Stored(body),
        None => Place::File { offset: row.get(2)?, length: row.get(3)? },
    };
    Ok(Input {
        index: row.get(0)?,
        line: row.get(1)?,
        place,
        digest: row.get(5)?,
        state: state(row.get(6)?)?,
        attempt: row.get(7)?,
        run: row.get(8)?,
        job_id: row.get(9)?,
        submitted_at: row.get(10)?,
        seen_at: row.get(11)?,
        error: row.get(12)?,
        same_as: row.get(13)?,
        flaw: row.get(14)?,
    })
}

pub(super) fn state(code: u8) -> rusqlite::Result<State> {
    State::from_code(code).ok_or(rusqlite::Error::IntegralValueOutOfRange(6, code.into()))
}

pub(super) fn run(row: &Row<'_>) -> rusqlite::Result<(u64, RunRecord)> {
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
pub(super) fn insert(
    transaction: &Transaction<'_>,
    first: u64,
    inputs: &[NewInput],
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO input (idx, line, start, length, body, digest, state, attempt, same_as, flaw)
         VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?)",
    )?;
    for (index, input) in (first..).zip(inputs) {
        let (start, length, body) = columns(&input.place);
        let NewInput { line, digest, same_as, flaw, .. } = input;
        insert.execute(params![index, line, start, length, body, digest, same_as, flaw])?;
    }
    Ok(())
}

/// Replaces the texts of inputs.
pub(super) fn replace(
    transaction: &Transaction<'_>,
    inputs: &[(u64, NewInput)],
) -> rusqlite::Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE input SET line = ?, start = ?, length = ?, body = ?, digest = ?, same_as = ?, flaw = ? WHERE idx = ?",
    )?;
    for (index, input) in inputs {
        let (start, length, body) = columns(&input.place);
        let NewInput { line, digest, same_as, flaw, .. } = input;
        update.execute(params![line, start, length, body, digest, same_as, flaw, index])?;
    }
    Ok(())
}

/// Where a text starts, its length, and the text itself if it is in the store.
fn columns(place: &Place) -> (Option<u64>, Option<u64>, Option<&Vec<u8>>) {
    match place {
        Place::File { offset, length } => (Some(*offset), Some(*length), None),
        Place::Stored(body) => (None, None, Some(body)),
    }
}
