//! Changes of inputs: read together, judged here, and written together.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tokio_postgres::types::Type;

use super::failure::Failure;
use super::rows::{self, clean, int, int8, int8s, value};
use super::store::Delta;
use super::transaction::Writing;
use crate::error::{Error, ErrorKind};
use crate::state::State;
use crate::store::rules::can_happen;
use crate::store::{Change, Ended, Event};

/// What changes of an input.
struct Row<'a> {
    state: State,
    attempt: i64,
    owner: Option<i64>,
    results: Option<i64>,
    job_id: Option<Cow<'a, str>>,
    submitted_at: Option<i64>,
    seen_at: Option<i64>,
    error: Option<Cow<'a, str>>,
}

/// Makes changes, in their order, or fails because one cannot happen.
pub(super) async fn apply(
    writing: &Writing<'_>,
    changes: &[Change],
    delta: &mut Delta,
) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut rows = read(writing, changes).await?;
    for change in changes {
        let row = rows.get_mut(&int(change.index)).filter(|row| {
            let is_ours = row.owner.is_none_or(|owner| owner == writing.process);
            row.attempt == int(change.attempt) && can_happen(&change.event, row.state) && is_ours
        });
        let row = row.ok_or_else(|| conflict(change.index))?;
        let from = row.state;
        happen(row, &change.event, writing, delta);
        delta.shift(from, row.state, 1);
    }
    write(writing, &rows).await
}

fn conflict(index: u64) -> Error {
    let message = format!(
        "input {index} is not in the state that this process left it in: something else has changed the database, or it has lost changes. Stop all processes of the batch, and put the newest database back"
    );
    Error::new(ErrorKind::Journal, message)
}

/// In the order of the inputs, in which all processes lock them.
async fn read<'a>(
    writing: &Writing<'_>,
    changes: &[Change],
) -> Result<BTreeMap<i64, Row<'a>>, Failure> {
    let mut indexes: Vec<_> = changes.iter().map(|change| int(change.index)).collect();
    indexes.sort_unstable();
    indexes.dedup();
    // One by one, so that there is nothing to sort.
    let sql = "SELECT found.* FROM unnest($2) AS wanted (idx) CROSS JOIN LATERAL (
            SELECT idx, state, attempt, owner, results, job_id, submitted_at, seen_at, error
            FROM podqueue.input WHERE batch = $1 AND idx = wanted.idx FOR UPDATE) AS found";
    let found = writing.client.query_typed(sql, &[int8(&writing.batch), int8s(&indexes)]).await?;
    let row = |row: &tokio_postgres::Row| -> Result<_, Failure> {
        let read = Row {
            state: rows::state(row.get(1))?,
            attempt: row.get(2),
            owner: row.get(3),
            results: row.get(4),
            job_id: row.get::<_, Option<String>>(5).map(Cow::from),
            submitted_at: row.get(6),
            seen_at: row.get(7),
            error: row.get::<_, Option<String>>(8).map(Cow::from),
        };
        Ok((row.get(0), read))
    };
    found.iter().map(row).collect()
}

fn happen<'a>(row: &mut Row<'a>, event: &'a Event, writing: &Writing<'_>, delta: &mut Delta) {
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
            delta.execution_ms += execution_ms.unwrap_or_default();
            delta.delay_ms += delay_ms.unwrap_or_default();
        }
    }
}

async fn write(writing: &Writing<'_>, rows: &BTreeMap<i64, Row<'_>>) -> Result<(), Failure> {
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
    let sql = format!(
        "UPDATE podqueue.input SET state = new.state, attempt = new.attempt,
            owner = new.owner, results = new.results, job_id = new.job_id,
            submitted_at = new.submitted_at, seen_at = new.seen_at, error = new.error
         FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10) AS new
            (idx, state, attempt, owner, results, job_id, submitted_at, seen_at, error) {}",
        rows::LISTED
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
    ];
    writing.client.query_typed(&sql, &values).await?;
    Ok(())
}
