//! Recovery of uncommitted lines: the process ended between their sync and the commit, or the
//! journal was restored from a backup.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::line::Line;
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::State;
use crate::store::{Change, Event, Input, Store};

/// Position of a line, in bytes.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    length: u64,
}

/// Beginning of the last line, whose writing was interrupted.
const BEGINNING: &[u8] = b"{\"index\":";

/// A result whose job the journal does not know: evidence that the journal was rolled back, and
/// submits inputs again that have results.
#[derive(Clone, Copy)]
pub(super) struct UnknownResult {
    index: u64,
    /// True if only a rollback explains the result: of an input that was submitted again, the
    /// journal only knows the last job.
    pub(super) is_proof: bool,
}

/// Finds a result after the first `length` bytes whose job the journal does not know, preferably a
/// proof of a rollback.
pub(super) fn find_unknown(
    store: &mut dyn Store,
    path: &Path,
    length: u64,
) -> Result<Option<UnknownResult>> {
    let mut unknown: Option<UnknownResult> = None;
    each(path, length, |line, _| {
        if unknown.is_some_and(|unknown| unknown.is_proof) {
            return Ok(());
        }
        let mut found = find(store, &State::ALL, line.index)?;
        if let Some(original) = found.as_ref().and_then(|copy| copy.same_as) {
            found = find(store, &State::ALL, original)?;
        }
        let found = found.as_ref();
        if !found.is_some_and(|input| is_of_its_job(input, &line)) {
            let is_proof = found.is_none_or(|input| input.attempt < 2);
            unknown = Some(UnknownResult { index: line.index, is_proof });
        }
        Ok(())
    })?;
    Ok(unknown)
}

impl UnknownResult {
    /// The error for a journal or database that is older than the results.
    pub(super) fn refused(self, path: &Path, is_shared: bool) -> Error {
        let path = path.display();
        let what = format!("the results {path} have an output of input {} that", self.index);
        let message = match is_shared {
            true => format!(
                "{what} the database does not know: it is an older copy, and would submit that input again, so no process of the batch submits anything more. Nothing was imported: put the newest database back; or import what the results of each machine know, and accept that the rest is submitted again (Postgres::accept_loss)"
            ),
            false => format!(
                "{what} the journal does not know: the journal is an older copy, or damaged. Nothing was changed: restore the journal that belongs to the results; or keep copies of both, and run the inputs that are not in the results with new results and a new journal"
            ),
        };
        Error::new(ErrorKind::OtherResults, message)
    }
}

/// The offset of text of another program after the first `length` bytes, if there is such text.
pub(super) fn foreign_from(path: &Path, length: u64) -> Result<Option<u64>> {
    let end = each(path, length, |_, _| Ok(()))?;
    Ok(is_foreign(path, end)?.then_some(end))
}

/// Returns true if another program wrote the text from `end` on. A batch leaves there only the
/// beginning of one line; or, after a loss of power, blocks that were never written, which are
/// zeros.
fn is_foreign(path: &Path, end: u64) -> Result<bool> {
    let failed = |error| Error::file(ErrorKind::Results, "read the results", path, error);
    let mut file = File::open(path).map_err(failed)?;
    file.seek(SeekFrom::Start(end)).map_err(failed)?;
    let (mut reader, mut first, mut has_ended) = (BufReader::new(file), Vec::new(), false);
    loop {
        let text = reader.fill_buf().map_err(failed)?;
        if text.contains(&0) {
            return Ok(false);
        }
        if text.is_empty() {
            return Ok(has_ended || !BEGINNING.starts_with(&first));
        }
        first.extend(text.iter().take(BEGINNING.len() - first.len()));
        has_ended |= text.contains(&b'\n');
        let read = text.len();
        reader.consume(read);
    }
}

/// Lines whose inputs have no result yet.
#[derive(Default)]
pub(super) struct RecoverableLines {
    spans: Vec<Span>,
    pub(super) changes: Vec<Change>,
    /// Number of inputs without a result that belong to another process.
    pub(super) of_peers: usize,
}

/// Finds the recoverable lines after the first `length` bytes. With `imported`, their jobs need not
/// be known to the store.
pub(super) fn due(
    store: &mut dyn Store,
    path: &Path,
    length: u64,
    imported: bool,
) -> Result<RecoverableLines> {
    let (mut due, mut taken) = (RecoverableLines::default(), HashSet::new());
    each(path, length, |line, span| {
        let is_due = |input: &Input| {
            if imported {
                return input.state != State::Completed && !taken.contains(&input.index);
            }
            let is_of_it = match input.same_as {
                Some(original) => taken.contains(&original),
                None => is_of_its_job(input, &line),
            };
            is_of_it && has_no_result(input) && !taken.contains(&input.index)
        };
        let seen = find(store, &State::ALL, line.index)?.filter(is_due);
        let Some(seen) = seen else { return Ok(()) };
        let is_in_hand = matches!(seen.state, State::Intent | State::Submitted);
        if let (true, Some(sharing)) = (is_in_hand, store.sharing())
            && !sharing.owns(seen.index)?
        {
            due.of_peers += 1;
            return Ok(());
        }
        // Read again under the lock, so that no other process changes it now.
        let input = find(store, &[seen.state], line.index)?.filter(is_due);
        let Some(input) = input else { return Ok(()) };
        taken.insert(input.index);
        let change = |event| Change { index: input.index, attempt: input.attempt, event };
        if input.state.is_failure() && !has_no_result(&input) {
            due.changes.push(change(Event::Resubmit));
        }
        due.changes.push(change(Event::Ended(line.ended(input.same_as.is_none()))));
        due.spans.push(span);
        Ok(())
    })?;
    Ok(due)
}

impl RecoverableLines {
    /// Returns the number of lines.
    pub(super) fn lines(&self) -> u64 {
        self.spans.len() as u64
    }

    /// Moves the lines together after the first `length` bytes, makes them durable, and returns the
    /// new end of the file.
    pub(super) fn move_up(&self, file: &mut File, length: u64) -> io::Result<u64> {
        let mut end = length;
        for span in &self.spans {
            if span.start != end {
                let mut line = Vec::new();
                file.seek(SeekFrom::Start(span.start))?;
                Read::by_ref(file).take(span.length).read_to_end(&mut line)?;
                file.seek(SeekFrom::Start(end))?;
                file.write_all(&line)?;
            }
            end += span.length;
        }
        file.sync_all()?;
        Ok(end)
    }
}

/// Passes each line after the first `length` bytes of the results, and its span, to `take`. Returns
/// the offset of the first line that cannot be parsed.
fn each(
    results: &Path,
    length: u64,
    mut take: impl FnMut(Line<'_>, Span) -> Result<()>,
) -> Result<u64> {
    let failed = |error| Error::file(ErrorKind::Results, "read the results", results, error);
    let mut file = File::open(results).map_err(failed)?;
    file.seek(SeekFrom::Start(length)).map_err(failed)?;
    let (mut reader, mut text, mut start) = (BufReader::new(file), Vec::new(), length);
    while reader.read_until(b'\n', &mut text).map_err(failed)? > 0 {
        let Ok(line) = serde_json::from_slice(&text) else { break };
        if !text.ends_with(b"\n") {
            break;
        }
        let span = Span { start, length: text.len() as u64 };
        take(line, span)?;
        start += span.length;
        text.clear();
    }
    Ok(start)
}

/// The input with this index, if it is in one of these states.
fn find(store: &mut dyn Store, states: &[State], index: u64) -> Result<Option<Input>> {
    let found = store.inputs(states, index, 1)?.pop();
    Ok(found.filter(|input| input.index == index))
}

/// Returns true if the input has no result. Expired and lost jobs have none: another process may
/// have recorded them as not found in the meantime.
fn has_no_result(input: &Input) -> bool {
    use State::{Expired, Intent, Lost, Pending, Submitted, Unknown};
    matches!(input.state, Pending | Intent | Submitted | Unknown | Expired | Lost)
}

/// Returns true if the input was submitted, and not as another job.
fn is_of_its_job(input: &Input, line: &Line<'_>) -> bool {
    input.attempt > 0 && input.job_id.as_deref().is_none_or(|job_id| job_id == line.job_id())
}
