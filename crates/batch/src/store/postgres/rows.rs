//! Row mapping: rows as values, and values as parameters.

use std::borrow::Cow;

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use super::connection::StoreFailure;
use crate::error::{Error, ErrorKind};
use crate::input_state::State;
use crate::store::{Input, NewInput, Note, RunRecord, TextLocation};

/// Columns that [`input`] reads.
pub(super) const INPUT: &str = "idx, line, start, length, body, digest, state, attempt, run, job_id, submitted_at, seen_at, error, same_as, validation_error";

/// A parameter, with its type: a statement that must be prepared first would be one of the session.
pub(super) type Value<'a> = (&'a (dyn ToSql + Sync), Type);

pub(super) fn value<'a>(value: &'a (dyn ToSql + Sync), of: Type) -> Value<'a> {
    (value, of)
}

pub(super) fn int8(number: &i64) -> Value<'_> {
    (number, Type::INT8)
}

pub(super) fn int8s(numbers: &Vec<i64>) -> Value<'_> {
    (numbers, Type::INT8_ARRAY)
}

pub(super) fn text<'a>(text: &'a &str) -> Value<'a> {
    (text, Type::TEXT)
}

/// A number as the database has it.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A text without NUL, which the database cannot store.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => Cow::from(text.replace('\0', "\u{fffd}")),
        false => Cow::from(text),
    }
}

/// States, as a statement lists them.
pub(super) fn codes(states: &[State]) -> String {
    match states {
        // Of no input.
        [] => "-1".to_owned(),
        _ => states.iter().map(|it| it.code().to_string()).collect::<Vec<_>>().join(", "),
    }
}

/// The number in this column, which is not negative.
pub(super) fn number(row: &Row, column: usize) -> u64 {
    u64::try_from(row.get::<_, i64>(column)).unwrap_or_default()
}

fn number_if_any(row: &Row, column: usize) -> Option<u64> {
    row.get::<_, Option<i64>>(column).and_then(|number| u64::try_from(number).ok())
}

pub(super) fn inputs(rows: &[Row]) -> Result<Vec<Input>, StoreFailure> {
    rows.iter().map(input).collect()
}

fn input(row: &Row) -> Result<Input, StoreFailure> {
    let location = match row.get(4) {
        Some(body) => TextLocation::Stored(body),
        None => TextLocation::File {
            offset: number_if_any(row, 2).unwrap_or_default(),
            length: number_if_any(row, 3).unwrap_or_default(),
        },
    };
    Ok(Input {
        index: number(row, 0),
        line: number(row, 1),
        location,
        digest: row.get::<_, &[u8]>(5).try_into().map_err(|_| damaged("a digest"))?,
        state: state(row.get(6))?,
        attempt: number(row, 7),
        run: number_if_any(row, 8),
        job_id: row.get(9),
        submitted_at: number_if_any(row, 10),
        seen_at: number_if_any(row, 11),
        error: row.get(12),
        same_as: number_if_any(row, 13),
        rejection: row.get(14),
    })
}

pub(super) fn state(code: i16) -> Result<State, StoreFailure> {
    u8::try_from(code).ok().and_then(State::from_code).ok_or_else(|| damaged("a state"))
}

fn damaged(what: &str) -> StoreFailure {
    let message = format!("{what} in it is not one: something else has changed the tables");
    Error::new(ErrorKind::Journal, message).into()
}

pub(super) fn run(row: &Row) -> (u64, RunRecord) {
    let record = RunRecord {
        endpoint_id: row.get(1),
        base_url: row.get(2),
        policy: row.get(3),
        ttl: number_if_any(row, 4),
        started_at: number(row, 5),
    };
    (number(row, 0), record)
}

/// The columns of new inputs.
struct Columns<'a> {
    indexes: Vec<i64>,
    lines: Vec<i64>,
    starts: Vec<Option<i64>>,
    lengths: Vec<Option<i64>>,
    bodies: Vec<Option<&'a [u8]>>,
    digests: Vec<&'a [u8]>,
    same_as: Vec<Option<i64>>,
    rejections: Vec<Option<Cow<'a, str>>>,
}

impl<'a> Columns<'a> {
    fn of(inputs: impl Iterator<Item = (u64, &'a NewInput)> + Clone) -> Self {
        let location = |input: &'a NewInput| match &input.location {
            TextLocation::File { offset, length } => (Some(int(*offset)), Some(int(*length)), None),
            TextLocation::Stored(body) => (None, None, Some(body.as_slice())),
        };
        let each = || inputs.clone().map(|(_, input)| input);
        Self {
            indexes: inputs.clone().map(|(index, _)| int(index)).collect(),
            lines: each().map(|input| int(input.line)).collect(),
            starts: each().map(|input| location(input).0).collect(),
            lengths: each().map(|input| location(input).1).collect(),
            bodies: each().map(|input| location(input).2).collect(),
            digests: each().map(|input| input.digest.as_slice()).collect(),
            same_as: each().map(|input| input.same_as.map(int)).collect(),
            rejections: each().map(|input| input.rejection.as_deref().map(clean)).collect(),
        }
    }

    fn values<'b>(&'b self, batch: &'b i64) -> [Value<'b>; 9] {
        [
            int8(batch),
            value(&self.indexes, Type::INT8_ARRAY),
            value(&self.lines, Type::INT8_ARRAY),
            value(&self.starts, Type::INT8_ARRAY),
            value(&self.lengths, Type::INT8_ARRAY),
            value(&self.bodies, Type::BYTEA_ARRAY),
            value(&self.digests, Type::BYTEA_ARRAY),
            value(&self.same_as, Type::INT8_ARRAY),
            value(&self.rejections, Type::TEXT_ARRAY),
        ]
    }
}

/// The parameters of [`Columns`] as rows.
const ROWS: &str = "unnest($2, $3, $4, $5, $6, $7, $8, $9)
    AS new (idx, line, start, length, body, digest, same_as, validation_error)";

/// Inserts pending inputs from this index on.
pub(super) async fn insert(
    client: &Client,
    batch: i64,
    first: u64,
    inputs: &[NewInput],
) -> Result<(), StoreFailure> {
    let columns = Columns::of((first..).zip(inputs));
    let sql = format!(
        "INSERT INTO podqueue.input (batch, idx, line, start, length, body, digest, same_as, validation_error)
         SELECT $1, new.* FROM {ROWS}"
    );
    client.query_typed(&sql, &columns.values(&batch)).await?;
    Ok(())
}

/// The inputs to update that `new` lists, which are locked: an update by another process would move
/// them. A lateral join forces an index lookup for each input; with stale statistics the planner
/// may choose a nested loop over the batch.
pub(super) const JOIN_LISTED_INPUTS: &str = "CROSS JOIN LATERAL (
        SELECT ctid AS place FROM podqueue.input WHERE batch = $1 AND idx = new.idx OFFSET 0
    ) AS old WHERE input.ctid = old.place";

/// Replaces the texts of inputs.
pub(super) async fn replace(
    client: &Client,
    batch: i64,
    inputs: &[(u64, NewInput)],
) -> Result<(), StoreFailure> {
    let columns = Columns::of(inputs.iter().map(|(index, input)| (*index, input)));
    let sql = "SELECT FROM unnest($2) AS new (idx) CROSS JOIN LATERAL (
            SELECT FROM podqueue.input WHERE batch = $1 AND idx = new.idx FOR UPDATE) AS locked";
    client.query_typed(sql, &[int8(&batch), int8s(&columns.indexes)]).await?;
    let sql = format!(
        "UPDATE podqueue.input SET line = new.line, start = new.start, length = new.length,
             body = new.body, digest = new.digest, same_as = new.same_as, validation_error = new.validation_error
         FROM {ROWS} {JOIN_LISTED_INPUTS}"
    );
    client.query_typed(&sql, &columns.values(&batch)).await?;
    Ok(())
}

/// Sets notes: those of the batch, or of where a process writes its results.
pub(super) async fn set_notes(
    client: &Client,
    batch: i64,
    results: i64,
    notes: &[Note],
) -> Result<(), StoreFailure> {
    for (name, note) in notes {
        let note = clean(note);
        let sql = "INSERT INTO podqueue.note VALUES ($1, $2, $3, $4)
            ON CONFLICT (batch, results, name) DO UPDATE SET text = excluded.text";
        let values = [int8(&batch), int8(&results), text(name), value(&note, Type::TEXT)];
        client.query_typed(sql, &values).await?;
    }
    Ok(())
}

/// A random id.
pub(super) fn random() -> Result<i64, Error> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| {
        Error::new(ErrorKind::Journal, format!("the system has no random numbers: {error}"))
    })?;
    Ok((i64::from_ne_bytes(random) & i64::MAX).max(1))
}
