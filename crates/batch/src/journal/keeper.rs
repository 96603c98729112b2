//! What the journal's thread works with.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::value::RawValue;

use super::exchange::{Claimed, Settled};
use crate::error::{Error, Result};
use crate::inputs::{SourceRecord, Texts, grow};
use crate::results::{Failures, LargeOutputs, Results, Writer};
use crate::state::State;
use crate::store::{Change, Claim, Commit, Ended, Event, Input, Store, lock, unlock};

/// How many bytes of lines are written at a time.
pub(super) const LINES: usize = 8 * 1024 * 1024;

/// The store of an open batch, its inputs and its results.
pub(crate) struct Keeper {
    pub(crate) store: Box<dyn Store>,
    pub(crate) source: SourceRecord,
    pub(crate) texts: Texts,
    pub(crate) results: Results,
    pub(crate) failures: Failures,
    pub(crate) large: LargeOutputs,
    /// Keeps other processes off the results, where the store is shared, and tells the next one which
    /// change was durable.
    pub(crate) writer: Option<Writer>,
    /// A commit failed, and may or may not be durable: opening the journal again tells.
    pub(crate) broken: Option<Error>,
}

impl Keeper {
    /// Appends the lines of completed inputs durably, or none of them. They count once they are
    /// committed.
    pub(super) fn write_results<'a>(
        &mut self,
        settled: impl Iterator<Item = &'a Settled>,
    ) -> Result<()> {
        let before = self.results.end();
        let written = self.try_write_results(settled);
        written.inspect_err(|_| self.results.cut_to(before))
    }

    fn try_write_results<'a>(&mut self, settled: impl Iterator<Item = &'a Settled>) -> Result<()> {
        let mut lines = Vec::new();
        for Settled { change, completed } in settled {
            let Some(completed) = completed else { continue };
            let file = completed.store(change.index, &self.large)?;
            let copies = self.copies(change.index)?.into_iter().map(|copy| copy.index);
            for index in std::iter::once(change.index).chain(copies) {
                let key = self.key_at(index)?;
                completed.write(index, key.as_deref(), file.as_deref(), &mut lines)?;
                // Of an output that many inputs share, there are many lines.
                if lines.len() > LINES {
                    self.results.append(&lines)?;
                    lines.clear();
                }
            }
        }
        if lines.is_empty() { Ok(()) } else { self.results.append(&lines) }
    }

    /// Commits changes, and the results that have been written.
    pub(crate) fn commit<'a>(
        &mut self,
        settled: impl Iterator<Item = &'a Settled>,
        claim: Option<Claim>,
    ) -> Result<Vec<Claimed>> {
        self.check()?;
        let settled: Vec<_> = settled.map(|settled| &settled.change).collect();
        let changed: HashSet<_> = settled.iter().map(|change| change.index).collect();
        let mut changes = Vec::new();
        for change in settled {
            changes.push(change.clone());
            if let Event::Ended(ended) = &change.event {
                let copies = self.copies(change.index)?;
                let copies = copies.iter().filter(|copy| !changed.contains(&copy.index));
                changes.extend(copies.map(|copy| ended_as_well(copy, ended)));
            }
        }
        let claimed = self.make(changes, claim)?;
        Ok(claimed.into_iter().map(|input| self.with_text(input)).collect())
    }

    /// Commits changes, and lists the failures among them.
    pub(super) fn make(
        &mut self,
        changes: Vec<Change>,
        claim: Option<Claim>,
    ) -> Result<Vec<Input>> {
        let failed = changes.iter().filter(|change| is_failure(&change.event));
        let failed: Vec<_> = failed.map(|change| change.index).collect();
        let commit = Commit { changes, notes: vec![self.results.note()?], claim };
        let claimed = self.store.commit(&commit);
        let claimed = claimed.inspect_err(|error| {
            // Where there is no room for a claim, there may be for what becomes of earlier ones.
            if claim.is_none() || !error.has_no_room() {
                self.broken = Some(error.again());
            }
        })?;
        self.keep_position();
        self.failures.append(&mut *self.store, &mut self.texts, &failed);
        Ok(claimed)
    }

    /// Keeps the number of the last durable change next to the results, before a request leaves that
    /// depends on it.
    fn keep_position(&mut self) {
        let position = self.store.sharing().and_then(|sharing| sharing.position());
        if let (Some(writer), Some(position)) = (&mut self.writer, position) {
            writer.keep_position(&position);
        }
    }

    /// Ends the next inputs that are pending from index `from` on, as told. Where to go on, if there
    /// were any.
    pub(crate) fn end_pending(
        &mut self,
        from: u64,
        limit: usize,
        event: &Event,
    ) -> Result<Option<u64>> {
        lock(&mut *self.store)?;
        let ended = self.try_end_pending(from, limit, event);
        unlock(&mut *self.store, ended)
    }

    fn try_end_pending(&mut self, from: u64, limit: usize, event: &Event) -> Result<Option<u64>> {
        let page = self.store.inputs(&[State::Pending], from, limit)?;
        let ended = |input: &Input| {
            let change =
                Change { index: input.index, attempt: input.attempt, event: event.clone() };
            Settled { change, completed: None }
        };
        let settled: Vec<_> = page.iter().map(ended).collect();
        self.commit(settled.iter(), None)?;
        Ok(page.last().map(|last| last.index + 1))
    }

    /// Goes on as a new process, after this one was taken over: what it has is what the journal says.
    pub(crate) fn begin_anew(&mut self) -> Result<()> {
        if let Some(sharing) = self.store.sharing() {
            sharing.begin_anew()?;
        }
        self.results.restore(&mut *self.store)?;
        self.rewrite_failures()?;
        self.broken = None;
        Ok(())
    }

    /// Accepts that a shared store has lost changes, if this process is to.
    pub(crate) fn accept_loss(&mut self) -> Result<()> {
        self.store.sharing().map_or(Ok(()), |sharing| sharing.accept_loss())
    }

    /// Renews the lease of a shared store. If that fails, so does what is written next.
    pub(super) fn renew(&mut self) {
        if let Some(sharing) = self.store.sharing() {
            let _ = sharing.renew();
        }
    }

    /// Fails once nothing more can be committed.
    pub(crate) fn check(&self) -> Result<()> {
        self.broken.as_ref().map_or(Ok(()), |error| Err(error.again()))
    }

    /// Writes the failures anew, durably. Their path, if there are any.
    pub(crate) fn rewrite_failures(&mut self) -> Result<Option<PathBuf>> {
        self.failures.write(&mut *self.store, &mut self.texts)
    }

    /// Takes up inputs that were appended to their file. Whether there are any.
    pub(crate) fn grow(&mut self) -> Result<bool> {
        let mut grown = self.source.refreshed(&mut *self.store)?;
        if !grown.is_untouched() {
            lock(&mut *self.store)?;
            let read = self.source.refreshed(&mut *self.store);
            let read = read.and_then(|known| grow(&mut *self.store, &known));
            grown = unlock(&mut *self.store, read)?;
        }
        let length = |source: &SourceRecord| source.file.as_ref().map(|file| file.length);
        // The last line may have grown, too.
        let has_more = grown.inputs > self.source.inputs || length(&grown) > length(&self.source);
        if grown != self.source {
            // The file may have been replaced by a longer one.
            self.texts = Texts::open(&grown);
            self.source = grown;
        }
        Ok(has_more)
    }

    fn with_text(&mut self, input: Input) -> Claimed {
        let text = self.texts.of(&input).map(|text| text.into_owned());
        Claimed { input, text }
    }

    /// The key of the input with this index, if the batch has keys.
    fn key_at(&mut self, index: u64) -> Result<Option<Box<RawValue>>> {
        if self.texts.shape.key_field.is_none() {
            return Ok(None);
        }
        let input = self.store.inputs(&State::ALL, index, 1)?.pop();
        input.map_or(Ok(None), |input| self.key_of(&input))
    }

    /// The key of an input, if the batch has keys.
    pub(super) fn key_of(&mut self, input: &Input) -> Result<Option<Box<RawValue>>> {
        if self.texts.shape.key_field.is_none() {
            return Ok(None);
        }
        let text = self.texts.of(input)?;
        Ok(self.texts.shape.parse(&text).ok().and_then(|parsed| parsed.key))
    }

    /// The copies of an input that wait for its result.
    fn copies(&mut self, index: u64) -> Result<Vec<Input>> {
        if !self.texts.shape.dedupe {
            return Ok(Vec::new());
        }
        let mut copies = self.store.copies(index)?;
        copies.retain(|copy| copy.state == State::Pending);
        Ok(copies)
    }
}

fn is_failure(event: &Event) -> bool {
    matches!(event, Event::Ended(ended) if ended.state.is_failure())
}

/// A copy ends as its original does, and costs nothing.
pub(super) fn ended_as_well(copy: &Input, ended: &Ended) -> Change {
    let event = Event::Ended(Ended { delay_ms: None, execution_ms: None, ..ended.clone() });
    Change { index: copy.index, attempt: copy.attempt, event }
}
