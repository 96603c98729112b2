//! Brings inputs into the journal, and compares them with those that are there.

mod file;
mod given;
mod unfinished;

pub(crate) use file::{grow, index};
pub(crate) use given::copy;

use std::collections::HashMap;

use self::unfinished::Unfinished;
use super::SourceRecord;
use super::digests::digest;
use super::lines::LONGEST;
use super::parsed::canonical;
use super::source::FileRecord;
use crate::error::Result;
use crate::state::State;
use crate::store::{Digest, Input, NewInput, Place, Store};

/// Inputs that have changed since the batch began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedInputs {
    /// How many were pending, and are submitted with their new content.
    pub pending: u64,
    /// How many had been submitted, or had ended, and keep what became of them.
    pub kept: u64,
}

/// How many inputs are added in one transaction, and read in one page.
const PAGE: usize = 5_000;

/// Takes inputs in order: compares those that the journal has, and adds those that it lacks.
struct Index<'a> {
    store: &'a mut dyn Store,
    record: SourceRecord,
    /// The index of the next input.
    next: u64,
    /// Those of the journal that come next.
    known: std::vec::IntoIter<Input>,
    added: Vec<NewInput>,
    /// Those that replace others of the journal; `None` if they may not change.
    replaced: Option<Vec<(u64, NewInput)>>,
    changed: ChangedInputs,
    /// The last one of the journal, if its line may have grown.
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

    /// Takes the next input. Whether it is the one that the journal has in its place, if it has one,
    /// or may replace it.
    fn take(&mut self, line: u64, text: &[u8], place: Place) -> Result<bool> {
        let digest = digest(text);
        let (same_as, flaw) = self.inspect(line, text);
        self.next += 1;
        if self.next > self.record.inputs {
            self.added.push(NewInput { line, place, digest, same_as, flaw });
            return Ok(true);
        }
        let Some(known) = self.next_known()? else { return Ok(false) };
        // What is in the journal stays there, whatever its place in it.
        let is_there = known.place == place || matches!(known.place, Place::Stored(_));
        if known.digest != digest
            && let Some(unfinished) = self.unfinished.take_if(|it| it.index == known.index)
            && unfinished.has_become(text)
        {
            let input = NewInput { line, place, digest, same_as, flaw };
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
        if known.digest != digest || !is_there || known.flaw != flaw {
            replaced.push((known.index, NewInput { line, place, digest, same_as, flaw }));
        }
        Ok(true)
    }

    fn next_known(&mut self) -> Result<Option<Input>> {
        if self.known.len() == 0 {
            let from = self.next - 1;
            self.known = self.store.inputs(&State::ALL, from, PAGE)?.into_iter();
        }
        Ok(self.known.next())
    }

    /// The earlier input that it is a copy of, and what is wrong with it.
    fn inspect(&mut self, line: u64, text: &[u8]) -> (Option<u64>, Option<String>) {
        if text.len() >= LONGEST {
            return (None, Some(format!("is longer than {} MiB", LONGEST >> 20)));
        }
        let shape = &self.record.shape;
        if !shape.compares() {
            return (None, None);
        }
        // What cannot be read is refused when its turn comes.
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

    /// Adds what has been taken, once it is enough for a transaction.
    fn flush_if_full(&mut self, file: impl FnOnce() -> Option<FileRecord>) -> Result<()> {
        let replaced = self.replaced.as_ref().map_or(0, Vec::len);
        if self.added.len() + replaced < PAGE {
            return Ok(());
        }
        self.flush(file())
    }

    /// Adds what has been taken; `file` says how far the file is indexed then.
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

    /// Whether the journal has inputs that have not been taken.
    fn lacks_some(&self) -> bool {
        self.next < self.record.inputs
    }
}
