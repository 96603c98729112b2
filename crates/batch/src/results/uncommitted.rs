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
pub(super) fn find_recoverable(
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
    loop {
        reader.read_until(b'\n', &mut text).map_err(failed)?;
        // At the end of the file, the text is empty, which is not a line either.
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

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::store::{
        Claim, Commit, Ended, NewInput, OpenStore, RunRecord, Sqlite, TextLocation,
    };

    const COMMITTED: &str =
        "{\"index\":8,\"status\":\"COMPLETED\",\"job_id\":\"j8\",\"output\":1}\n";

    fn line(index: u64, job_id: &str) -> String {
        format!(
            "{{\"index\":{index},\"status\":\"COMPLETED\",\"job_id\":\"{job_id}\",\"output\":1}}\n"
        )
    }

    /// Results with these lines after those that are committed.
    fn results(folder: &TempDir, lines: &str) -> std::path::PathBuf {
        let path = folder.path().join("results.jsonl");
        fs::write(&path, format!("{COMMITTED}{lines}")).expect("results");
        path
    }

    const LENGTH: u64 = COMMITTED.len() as u64;

    fn ended(state: State) -> Event {
        Event::Ended(Ended { state, error: None, delay_ms: None, execution_ms: None })
    }

    /// A journal whose input 0 is submitted, 1 completed, 2 pending, 3 a copy of 0, 4 an intent,
    /// 5 expired, 6 failed, and 7 submitted for the second time.
    fn journal(folder: &TempDir) -> impl Store + use<> {
        let mut store = Sqlite::file(folder.path().join("journal")).open().expect("a journal");
        let input = |same_as| NewInput {
            line: 1,
            location: TextLocation::Stored(b"text".to_vec()),
            digest: [0; 16],
            same_as,
            rejection: None,
        };
        let inputs: Vec<_> = (0..8).map(|index| input((index == 3).then_some(0))).collect();
        store.add(&inputs, &[]).expect("inputs");
        let run = RunRecord {
            endpoint_id: "e".to_owned(),
            base_url: "http://127.0.0.1:1/v2".to_owned(),
            policy: None,
            ttl: None,
            started_at: 1,
        };
        let run = store.begin_run(&run).expect("a run");
        let claim = Some(Claim { limit: 9, bytes: u64::MAX, run, ..Claim::default() });
        let commit = |store: &mut dyn Store, attempt, changes: Vec<(u64, Event)>, claim| {
            let change = |(index, event)| Change { index, attempt, event };
            let changes = changes.into_iter().map(change).collect();
            store.commit(&Commit { changes, claim, ..Commit::default() }).expect("a commit");
        };
        let accepted = |job_id: &str| Event::Accepted { job_id: job_id.to_owned(), at: 1 };
        commit(&mut store, 1, Vec::new(), claim);
        let changes = vec![
            (0, accepted("j0")),
            (1, accepted("j1")),
            (1, ended(State::Completed)),
            (5, accepted("j5")),
            (5, ended(State::Expired)),
            (6, accepted("j6")),
            (6, ended(State::Failed)),
            (7, accepted("j7")),
            (7, ended(State::Failed)),
            (7, Event::Resubmit),
        ];
        commit(&mut store, 1, changes, claim);
        commit(&mut store, 1, vec![(2, Event::NotSent)], None);
        commit(&mut store, 2, vec![(7, accepted("j7b"))], None);
        store
    }

    #[test]
    fn a_result_of_another_job_than_the_journal_knows_is_unknown() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = journal(&folder);
        let both = |one: &str, other: &str| format!("{one}{other}");
        for (lines, expected) in [
            (String::new(), None),
            (line(0, "j0"), None),
            (line(3, "j0"), None),
            (line(4, "any"), None),
            (line(7, "j7b"), None),
            (line(0, "j1"), Some((0, true))),
            (line(2, "j2"), Some((2, true))),
            (line(3, "j3"), Some((3, true))),
            (line(99, "j99"), Some((99, true))),
            // The job of the first attempt may have completed.
            (line(7, "j7"), Some((7, false))),
            (both(&line(7, "j7"), &line(0, "j1")), Some((0, true))),
            (both(&line(0, "j1"), &line(7, "j7")), Some((0, true))),
        ] {
            let path = results(&folder, &lines);
            let found = find_unknown(&mut store, &path, LENGTH).expect("results");
            assert_eq!(found.map(|it| (it.index, it.is_proof)), expected, "{lines}");
        }
        let path = results(&folder, "");
        let unknown = find_unknown(&mut store, &path, 0).expect("results").expect("input 8");
        for (is_shared, older) in [(false, "the journal is an older copy"), (true, "the database")]
        {
            let error = unknown.refused(&path, is_shared);
            assert_eq!(error.kind(), ErrorKind::OtherResults);
            let message = error.to_string();
            assert!(message.contains("an output of input 8") && message.contains(older), "{error}");
        }
    }

    #[test]
    fn text_of_another_program_is_told_from_an_interrupted_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let after_one = LENGTH + line(0, "j0").len() as u64;
        // Longer than what is read at a time.
        let long = format!("{{\"index\":5,\"output\":\"{}", "x".repeat(20_000));
        for (rest, expected) in [
            ("", None),
            ("{\"ind", None),
            ("{\"index\":5,\"status\":\"COMPL", None),
            (long.as_str(), None),
            (line(5, "j5").trim_end(), None),
            ("\0\0\0", None),
            ("text\n\0\0", None),
            ("text", Some(after_one)),
            ("{\"index\":oops}\n", Some(after_one)),
            ("text\n", Some(after_one)),
        ] {
            let path = results(&folder, &(line(0, "j0") + rest));
            assert_eq!(foreign_from(&path, LENGTH).expect("results"), expected, "{rest:?}");
        }
    }

    #[test]
    fn a_line_is_recovered_once_if_its_input_has_no_result() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = journal(&folder);
        let has_ended = |index| (index, "ended");
        for (lines, recovered, imported) in [
            (vec![(0, "j0")], vec![has_ended(0)], vec![has_ended(0)]),
            (vec![(0, "j0"), (0, "j0")], vec![has_ended(0)], vec![has_ended(0)]),
            (vec![(0, "other")], vec![], vec![has_ended(0)]),
            (vec![(1, "j1")], vec![], vec![]),
            (vec![(2, "j2"), (2, "j2")], vec![], vec![has_ended(2)]),
            (vec![(3, "j0")], vec![], vec![has_ended(3)]),
            (
                vec![(0, "j0"), (3, "j0")],
                vec![has_ended(0), has_ended(3)],
                vec![has_ended(0), has_ended(3)],
            ),
            (vec![(4, "j4")], vec![has_ended(4)], vec![has_ended(4)]),
            (vec![(5, "j5")], vec![has_ended(5)], vec![has_ended(5)]),
            (vec![(6, "j6")], vec![], vec![(6, "resubmit"), has_ended(6)]),
            (vec![(99, "j99")], vec![], vec![]),
        ] {
            let text: String = lines.iter().map(|(index, job_id)| line(*index, job_id)).collect();
            let path = results(&folder, &text);
            for (is_import, expected) in [(false, recovered), (true, imported)] {
                let due = find_recoverable(&mut store, &path, LENGTH, is_import).expect("results");
                let changes = due.changes.iter().map(|it| match it.event {
                    Event::Resubmit => (it.index, "resubmit"),
                    _ => (it.index, "ended"),
                });
                assert_eq!(changes.collect::<Vec<_>>(), expected, "{lines:?}, {is_import}");
                let ends = expected.iter().filter(|(_, event)| *event == "ended").count();
                assert_eq!((due.lines(), due.of_peers), (ends as u64, 0));
            }
        }
        let path = results(&folder, line(0, "j0").trim_end());
        assert_eq!(find_recoverable(&mut store, &path, LENGTH, false).expect("results").lines(), 0);
    }

    #[test]
    fn recovered_lines_are_moved_together() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = journal(&folder);
        for before in [String::new(), line(1, "j1")] {
            let text = before + &line(0, "j0") + &line(6, "j6") + &line(4, "a-longer-job");
            let path = results(&folder, &text);
            let due = find_recoverable(&mut store, &path, LENGTH, false).expect("results");
            assert_eq!(due.lines(), 2);
            let mut file = File::options().read(true).write(true).open(&path).expect("results");
            let end = due.move_up(&mut file, LENGTH).expect("results");
            let moved = fs::read_to_string(&path).expect("results");
            let expected = COMMITTED.to_owned() + &line(0, "j0") + &line(4, "a-longer-job");
            assert_eq!(end, expected.len() as u64);
            assert_eq!(moved[..expected.len()], expected);
        }
    }
}
