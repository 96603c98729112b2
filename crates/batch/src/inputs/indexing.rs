//! Input index: the position, digest and validation error of each input, in the journal.
//!
//! A file is not copied: the journal has the offset and the digest of each line, so that a changed
//! line is refused wherever it is read again. When a batch is opened again, known inputs are
//! compared, and appended inputs are added. The last line may lack its line break, and grow while
//! another program writes it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::lines::{Lines, MAX_LINE_BYTES};
use super::parsed::{Shape, canonical, digest};
use super::source::{FileRecord, SourceRecord, changed, missing, modified};
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::State;
use crate::store::{Change, Commit, Digest, Event, Input, NewInput, Store, TextLocation};

/// Inputs that have changed since the batch began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedInputs {
    /// Number of inputs that were pending, and are submitted with their new content.
    pub pending: u64,
    /// Number of inputs that had been submitted, or had ended, and keep their state.
    pub kept: u64,
}

/// Number of inputs that are added in one transaction, and read in one page.
const TRANSACTION_INPUTS: usize = 5_000;

/// Index under construction: takes inputs in order, compares those that the journal has, and adds
/// those that it lacks.
struct Index<'a> {
    store: &'a mut dyn Store,
    record: SourceRecord,
    /// The index of the next input.
    next: u64,
    /// The next inputs of the journal.
    known: std::vec::IntoIter<Input>,
    added: Vec<NewInput>,
    /// Replacements of inputs of the journal; `None` if inputs may not change.
    replaced: Option<Vec<(u64, NewInput)>>,
    changed: ChangedInputs,
    /// The last input of the journal, if its line may have grown.
    unfinished: Option<Unfinished>,
    /// The first input with each content, and the line of each key.
    contents: HashMap<Digest, u64>,
    keys: HashMap<Digest, u64>,
}

impl<'a> Index<'a> {
    /// Takes inputs from index `next` on.
    fn new(store: &'a mut dyn Store, record: SourceRecord, next: u64, may_change: bool) -> Self {
        let known = Vec::new().into_iter();
        let (contents, keys) = (HashMap::new(), HashMap::new());
        let replaced = may_change.then(Vec::new);
        let changed = ChangedInputs::default();
        let (added, unfinished) = (Vec::new(), None);
        Self { store, record, next, known, added, replaced, changed, unfinished, contents, keys }
    }

    /// Takes the next input. Returns true if it equals the known input of this index, if there is
    /// one, or may replace it.
    fn take(&mut self, line: u64, text: &[u8], location: TextLocation) -> Result<bool> {
        let digest = digest(text);
        let (same_as, rejection) = self.inspect(line, text);
        self.next += 1;
        if self.next > self.record.inputs {
            self.added.push(NewInput { line, location, digest, same_as, rejection });
            return Ok(true);
        }
        let Some(known) = self.next_known()? else { return Ok(false) };
        // A text that is stored in the journal stays there.
        let is_there =
            known.location == location || matches!(known.location, TextLocation::Stored(_));
        if known.digest != digest
            && let Some(unfinished) = self.unfinished.take_if(|it| it.index == known.index)
            && unfinished.has_become(text)
        {
            let input = NewInput { line, location, digest, same_as, rejection };
            unfinished.replace(self.store, input)?;
            return Ok(true);
        }
        let Some(replaced) = &mut self.replaced else {
            return Ok(known.digest == digest && is_there);
        };
        if known.digest != digest {
            let changed = &mut self.changed;
            let count = match known.state {
                State::Pending => &mut changed.pending,
                _ => &mut changed.kept,
            };
            *count += 1;
        }
        if known.digest != digest || !is_there || known.rejection != rejection {
            replaced.push((known.index, NewInput { line, location, digest, same_as, rejection }));
        }
        Ok(true)
    }

    fn next_known(&mut self) -> Result<Option<Input>> {
        if self.known.len() == 0 {
            let from = self.next - 1;
            self.known = self.store.inputs(&State::ALL, from, TRANSACTION_INPUTS)?.into_iter();
        }
        Ok(self.known.next())
    }

    /// The earlier input that this input is a copy of, and its validation error.
    fn inspect(&mut self, line: u64, text: &[u8]) -> (Option<u64>, Option<String>) {
        if text.len() >= MAX_LINE_BYTES {
            return (None, Some(format!("is longer than {} MiB", MAX_LINE_BYTES >> 20)));
        }
        let shape = &self.record.shape;
        if !shape.compares() {
            return (None, None);
        }
        // A line that cannot be parsed is refused when it is claimed.
        let Ok(parsed) = shape.parse(text) else { return (None, None) };
        if let Some(key) = &parsed.key {
            let key_digest = canonical(key).unwrap_or_else(|| digest(key.get().as_bytes()));
            let first = *self.keys.entry(key_digest).or_insert(line);
            if first != line {
                return (None, Some(format!("has the same key {} as line {first}", key.get())));
            }
        }
        let content = if shape.dedupe { canonical(&parsed.input) } else { None };
        let first = content.map(|content| *self.contents.entry(content).or_insert(self.next));
        (first.filter(|first| *first != self.next), None)
    }

    /// Inserts the buffered inputs, once they fill a transaction.
    fn flush_if_full(&mut self, file: impl FnOnce() -> Option<FileRecord>) -> Result<()> {
        let replaced = self.replaced.as_ref().map_or(0, Vec::len);
        if self.added.len() + replaced < TRANSACTION_INPUTS {
            return Ok(());
        }
        self.flush(file())
    }

    /// Inserts the buffered inputs; `file` records the indexed part of the file.
    fn flush(&mut self, file: Option<FileRecord>) -> Result<()> {
        self.record.inputs = self.record.inputs.max(self.next);
        self.record.file = file;
        if let Some(replaced) = self.replaced.as_mut().filter(|replaced| !replaced.is_empty()) {
            self.store.replace(replaced)?;
            replaced.clear();
        }
        let note = self.record.note()?;
        self.store.add(&self.added, &[note])?;
        self.added.clear();
        Ok(())
    }

    /// Returns true if the journal has inputs that have not been taken.
    fn lacks_some(&self) -> bool {
        self.next < self.record.inputs
    }
}

/// Number of bytes of the file that are read at a time.
const BUFFER: usize = 256 * 1024;

/// Indexes a file. Where the journal knows it, the lines that it knows must be the same.
pub(crate) fn index(
    store: &mut dyn Store,
    path: &Path,
    shape: Shape,
    known: Option<SourceRecord>,
    may_change: bool,
) -> Result<(SourceRecord, ChangedInputs)> {
    let path = std::path::absolute(path)
        .map_err(|error| Error::file(ErrorKind::Inputs, "find", path, error))?;
    let record = known.unwrap_or(SourceRecord::new(shape));
    read(store, &path, record, Purpose::Compare { may_change })
}

/// Indexes the complete lines that have been appended to the file since.
pub(crate) fn grow(store: &mut dyn Store, known: &SourceRecord) -> Result<SourceRecord> {
    match &known.file {
        Some(file) => {
            read(store, &file.path, known.clone(), Purpose::Grow).map(|(record, _)| record)
        }
        None if known.is_partial => Err(Error::new(
            ErrorKind::Inputs,
            "the inputs were not copied to their end, because the process that did so ended before: pass them again when the batch is opened",
        )),
        None => Ok(known.clone()),
    }
}

/// Purpose of reading a file.
enum Purpose {
    /// To index all of it, and to compare it with what is indexed.
    Compare { may_change: bool },
    /// To index what was appended.
    Grow,
}

/// Indexes a whole file, or only the lines appended to it.
fn read(
    store: &mut dyn Store,
    path: &Path,
    record: SourceRecord,
    purpose: Purpose,
) -> Result<(SourceRecord, ChangedInputs)> {
    let (to_the_end, may_change) = match purpose {
        Purpose::Compare { may_change } => (true, may_change),
        Purpose::Grow => (false, false),
    };
    let failed = |error| Error::file(ErrorKind::Inputs, "read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    let was = record.file.as_ref();
    if was.is_some_and(|was| was.is_untouched(&found) && was.path == *path) {
        return Ok((record, ChangedInputs::default()));
    }
    let unfinished = match was {
        Some(was) => Unfinished::find(store, &mut file, was, record.inputs, path)?,
        None => None,
    };
    if !to_the_end && unfinished.as_ref().is_some_and(|it| it.is_intent) {
        // The outcome of the last input is recorded before the next attempt.
        return Ok((record, ChangedInputs::default()));
    }
    // Lines are checked again when they are read, so that appended lines can be added without
    // reading the rest; unless these have to be compared with them.
    let mut rest_of = None;
    let (offset, lines, next) = match was {
        Some(was) if !to_the_end && !record.shape.compares() => match &unfinished {
            Some(last) => (last.offset, last.line - 1, last.index),
            None if was.ends_in_line(&mut file).map_err(failed)? => {
                rest_of = Some(was.lines);
                (was.length, was.lines - 1, record.inputs)
            }
            None => (was.length, was.lines, record.inputs),
        },
        _ => (0, 0, 0),
    };
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut lines = Lines::new(BufReader::with_capacity(BUFFER, file), offset, lines);
    let mut index = Index::new(store, record, next, may_change);
    let finished = index.record.inputs - u64::from(unfinished.is_some());
    index.unfinished = unfinished;
    let indexed = |(length, lines), modified| {
        Some(FileRecord { path: path.to_owned(), length, lines, modified })
    };
    loop {
        let before = (lines.offset, lines.number);
        index.flush_if_full(|| indexed(before, None))?;
        let Some(line) = lines.next().map_err(failed)? else { break };
        if rest_of == Some(line.number) {
            // The line was submitted with its earlier content.
            return Err(changed(path, line.number));
        }
        if !to_the_end && !line.is_complete && index.next >= finished {
            // Another program is still writing it.
            if !index.lacks_some() {
                index.flush(indexed(before, None))?;
            }
            return Ok((index.record, index.changed));
        }
        let location = TextLocation::File { offset: line.offset, length: line.text.len() as u64 };
        let number = line.number;
        if !index.take(number, line.text, location)? {
            return Err(changed(path, number));
        }
    }
    if index.lacks_some() {
        return Err(missing(path, index.next, index.record.inputs));
    }
    index.flush(indexed((lines.offset, lines.number), modified(&found)))?;
    Ok((index.record, index.changed))
}

/// Number of bytes of texts that are added in one transaction.
const TRANSACTION_BYTES: usize = 8 * 1024 * 1024;

/// Copies inputs, as they come. Those that the journal knows must be the same.
pub(crate) fn copy(
    store: &mut dyn Store,
    inputs: impl Iterator<Item = serde_json::Result<Vec<u8>>>,
    shape: Shape,
    known: Option<SourceRecord>,
    may_change: bool,
) -> Result<(SourceRecord, ChangedInputs)> {
    let record = known.unwrap_or(SourceRecord::new(shape));
    let mut index = Index::new(store, record, 0, may_change);
    index.record.is_partial = true;
    let mut bytes = 0;
    for (number, text) in inputs.enumerate() {
        let text = text.map_err(|error| {
            let message = format!("input {number} does not serialize as JSON: {error}");
            Error::new(ErrorKind::Inputs, message).with_source(error)
        })?;
        bytes += text.len();
        if !index.take(number as u64 + 1, &text, TextLocation::Stored(text.clone()))? {
            return Err(other_inputs(&format!("input {number} is not the one")));
        }
        index.flush_if_full(|| None)?;
        if bytes > TRANSACTION_BYTES {
            index.flush(None)?;
            bytes = 0;
        }
    }
    if index.lacks_some() {
        return Err(other_inputs(&format!("there are {} inputs instead of those", index.next)));
    }
    index.record.is_partial = false;
    index.flush(None)?;
    Ok((index.record, index.changed))
}

fn other_inputs(what: &str) -> Error {
    let message = format!(
        "{what} that the journal was made for: pass the same inputs in the same order, or none, or use new results and a new journal"
    );
    Error::new(ErrorKind::InputsChanged, message)
}

/// Largest amount of white space after the last line.
const MAX_TRAILING_WHITESPACE: u64 = 4 * 1024;

/// The last input, whose line had no break when it was indexed, and which was not submitted since.
struct Unfinished {
    index: u64,
    line: u64,
    offset: u64,
    /// True if the outcome of the input is about to be recorded.
    is_intent: bool,
    length: u64,
    digest: Digest,
    attempt: u64,
    is_refused: bool,
}

impl Unfinished {
    /// Finds the unfinished line of an indexed file.
    fn find(
        store: &mut dyn Store,
        file: &mut File,
        was: &FileRecord,
        inputs: u64,
        path: &Path,
    ) -> Result<Option<Self>> {
        let Some(last) = inputs.checked_sub(1) else { return Ok(None) };
        let states = [State::Pending, State::Intent, State::Refused];
        let Some(Input { index, line, location, digest, state, attempt, .. }) =
            store.inputs(&states, last, 1)?.pop()
        else {
            return Ok(None);
        };
        let TextLocation::File { offset, length } = location else { return Ok(None) };
        let mut after = Vec::new();
        let end = offset + length;
        file.seek(SeekFrom::Start(end))
            .and_then(|_| {
                file.take(was.length.saturating_sub(end).min(MAX_TRAILING_WHITESPACE))
                    .read_to_end(&mut after)
            })
            .map_err(|error| Error::file(ErrorKind::Inputs, "read", path, error))?;
        if after.contains(&b'\n') {
            return Ok(None);
        }
        let (is_intent, is_refused) = (state == State::Intent, state == State::Refused);
        Ok(Some(Self { index, line, offset, is_intent, length, digest, attempt, is_refused }))
    }

    /// Returns true if this text begins with the recorded text.
    fn has_become(&self, text: &[u8]) -> bool {
        let was = usize::try_from(self.length).ok().and_then(|length| text.get(..length));
        was.is_some_and(|was| digest(was) == self.digest)
    }

    /// Replaces it with the line as it is now.
    fn replace(self, store: &mut dyn Store, input: NewInput) -> Result<()> {
        if self.is_refused {
            let change =
                Change { index: self.index, attempt: self.attempt, event: Event::Resubmit };
            store.commit(&Commit { changes: vec![change], ..Commit::default() })?;
        }
        store.replace(&[(self.index, input)])
    }
}
