//! State owned by the journal thread: the store of an open batch, its inputs and its results.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::input_state::State;
use crate::inputs::{Shape, SourceRecord, Texts, grow};
use crate::results::{Completed, Failures, LargeOutputs, OwnershipFile, Results, each_line};
use crate::store::{Change, Claim, Commit, Ended, Event, Input, PAGE, Store, lock, unlock};
use crate::webhook::Ticket;

/// Number of bytes of lines that are written at a time.
const WRITE_BYTES: usize = 8 * 1024 * 1024;

/// The store of an open batch, its inputs and its results.
pub(crate) struct JournalState {
    store: Box<dyn Store>,
    source: SourceRecord,
    texts: Texts,
    results: Results,
    failures: Failures,
    large: LargeOutputs,
    /// Ownership of the results, where the store is shared.
    ownership: Option<OwnershipFile>,
    /// A commit failed, and may be durable all the same: opening the journal again shows it.
    broken: Option<Error>,
}

impl JournalState {
    pub(crate) fn new(
        store: Box<dyn Store>,
        source: SourceRecord,
        texts: Texts,
        results: Results,
        failures: Failures,
        large: LargeOutputs,
        ownership: Option<OwnershipFile>,
    ) -> Self {
        Self { store, source, texts, results, failures, large, ownership, broken: None }
    }

    /// The store. Changes of inputs are committed with [`commit`](Self::commit), which records with
    /// them how far the results are written.
    pub(crate) fn store(&mut self) -> &mut dyn Store {
        &mut *self.store
    }

    pub(crate) fn store_and_texts(&mut self) -> (&mut dyn Store, &mut Texts) {
        (&mut *self.store, &mut self.texts)
    }

    /// Returns the text of an input, as it was when it was recorded.
    pub(crate) fn text<'a>(&mut self, input: &'a Input) -> Result<Cow<'a, [u8]>> {
        self.texts.of(input)
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.texts.shape
    }

    pub(crate) fn results_path(&self) -> PathBuf {
        self.results.path().to_owned()
    }

    /// The token of the results, where several processes share the journal.
    #[cfg(feature = "object-storage")]
    pub(crate) fn results_token(&self) -> Option<&str> {
        self.ownership.as_ref().map(OwnershipFile::token)
    }

    /// Refuses results that were moved or replaced.
    pub(crate) fn check_results_in_place(&self) -> Result<()> {
        self.results.check_in_place()
    }

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
                // An output that many inputs share has many lines.
                if lines.len() > WRITE_BYTES {
                    self.results.append(&lines)?;
                    lines.clear();
                }
            }
        }
        if lines.is_empty() { Ok(()) } else { self.results.append(&lines) }
    }

    /// Commits changes, and the results that have been written.
    pub(crate) fn commit(&mut self, changes: Vec<Change>) -> Result<()> {
        self.commit_and_claim(changes, None).map(drop)
    }

    /// Commits changes, and the results that have been written, and claims inputs. If the disk is
    /// too full for the claim, there may be space for the changes: the outer result is that of the
    /// changes, the inner result that of the claim.
    pub(super) fn commit_and_claim(
        &mut self,
        mut changes: Vec<Change>,
        claim: Option<Claim>,
    ) -> Result<Result<Vec<Claimed>>> {
        self.check()?;
        self.end_copies(&mut changes)?;
        let mut commit = Commit { changes, notes: vec![self.results.note()?], claim };
        match self.make(&commit) {
            Ok(claimed) => Ok(Ok(claimed.into_iter().map(|it| self.with_text(it)).collect())),
            Err(error) if claim.is_some() && error.is_disk_full() => {
                commit.claim = None;
                if !commit.changes.is_empty() {
                    self.make(&commit)?;
                }
                Ok(Err(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns true if the budget of this claim has no room for an input.
    pub(super) fn is_out_of_budget(&mut self, claim: Claim) -> Result<bool> {
        let is_bounded = claim.max_charged_ms.is_some();
        Ok(is_bounded && claim.limit_within(self.store.tally()?.charged_ms) == 0)
    }

    /// Adds that the copies of inputs end, too, that end with these changes.
    fn end_copies(&mut self, changes: &mut Vec<Change>) -> Result<()> {
        if !self.texts.shape.dedupe {
            return Ok(());
        }
        let changed: HashSet<_> = changes.iter().map(|change| change.index).collect();
        let mut ended = Vec::new();
        for change in &*changes {
            if let Event::Ended(end) = &change.event {
                let copies = self.copies(change.index)?;
                let copies = copies.iter().filter(|copy| !changed.contains(&copy.index));
                ended.extend(copies.map(|copy| ended_as_well(copy, end)));
            }
        }
        changes.append(&mut ended);
        Ok(())
    }

    /// Makes a commit, and lists the failures among its changes.
    fn make(&mut self, commit: &Commit) -> Result<Vec<Input>> {
        let claimed = self.store.commit(commit);
        let claimed = claimed.inspect_err(|error| {
            if commit.claim.is_none() || !error.is_disk_full() {
                self.broken = Some(error.again());
            }
        })?;
        self.keep_position();
        let failed = commit.changes.iter().filter(|change| is_failure(&change.event));
        let failed: Vec<_> = failed.map(|change| change.index).collect();
        self.failures.append(&mut *self.store, &mut self.texts, &failed);
        Ok(claimed)
    }

    /// Writes the number of the last durable change next to the results, before a request that
    /// depends on it is sent.
    fn keep_position(&mut self) {
        let position = self.store.sharing().and_then(|sharing| sharing.position());
        if let (Some(ownership), Some(position)) = (&mut self.ownership, position) {
            ownership.keep_position(&position);
        }
    }

    /// Ends the next pending inputs from index `from` on with this event. Returns the index to
    /// continue from, if there were any.
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
        let ended = |input: &Input| Change {
            index: input.index,
            attempt: input.attempt,
            event: event.clone(),
        };
        self.commit(page.iter().map(ended).collect())?;
        Ok(page.last().map(|last| last.index + 1))
    }

    /// Rejoins under a new lease: state is reloaded from the journal.
    pub(crate) fn rejoin(&mut self) -> Result<()> {
        if let Some(sharing) = self.store.sharing() {
            sharing.rejoin()?;
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

    /// Renews the lease of a shared store. If that fails, so does the next write.
    pub(super) fn renew(&mut self) {
        if let Some(sharing) = self.store.sharing() {
            let _ = sharing.renew();
        }
    }

    /// Fails once nothing more can be committed.
    pub(crate) fn check(&self) -> Result<()> {
        self.broken.as_ref().map_or(Ok(()), |error| Err(error.again()))
    }

    /// Rewrites the failures durably. Returns their path, if there are any.
    pub(crate) fn rewrite_failures(&mut self) -> Result<Option<PathBuf>> {
        self.failures.write(&mut *self.store, &mut self.texts)
    }

    /// Indexes inputs that were appended to their file. Returns true if there are any.
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
            // The file may have been replaced by a longer file.
            self.texts = Texts::open(&grown);
            self.source = grown;
        }
        Ok(has_more)
    }

    /// Takes the text of a claimed input, which travels once: to its submission.
    fn with_text(&mut self, mut input: Input) -> Claimed {
        let text = self.texts.take(&mut input);
        let Input { index, attempt, line, rejection, .. } = input;
        Claimed { ticket: Ticket { index, attempt }, line, rejection, text }
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
    fn key_of(&mut self, input: &Input) -> Result<Option<Box<RawValue>>> {
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
fn ended_as_well(copy: &Input, ended: &Ended) -> Change {
    let event = Event::Ended(Ended { delay_ms: None, execution_ms: None, ..ended.clone() });
    Change { index: copy.index, attempt: copy.attempt, event }
}

/// A change, and the result that is written before it.
pub(crate) struct Settled {
    pub(crate) change: Change,
    pub(crate) completed: Option<Completed>,
}

/// An input that is about to be submitted: all that its submission needs.
pub(crate) struct Claimed {
    pub(crate) ticket: Ticket,
    /// The line of the inputs file.
    pub(crate) line: u64,
    /// The validation error for which the input is refused.
    pub(crate) rejection: Option<String>,
    pub(crate) text: Result<Vec<u8>>,
}

impl Claimed {
    /// Returns the number of bytes of the text.
    pub(crate) fn bytes(&self) -> u64 {
        self.text.as_ref().map_or(0, |text| text.len() as u64)
    }
}

impl JournalState {
    /// Ends the pending copies whose originals have ended, as these did.
    pub(crate) fn end_late_copies(&mut self) -> Result<()> {
        if !self.texts.shape.dedupe {
            return Ok(());
        }
        lock(&mut *self.store)?;
        let ended = self.try_end_late_copies();
        unlock(&mut *self.store, ended)
    }

    fn try_end_late_copies(&mut self) -> Result<()> {
        let mut from = 0;
        loop {
            let page = self.store.inputs(&[State::Pending], from, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            from = last.index + 1;
            let mut completed: HashMap<u64, Vec<Input>> = HashMap::new();
            let mut failed = Vec::new();
            for copy in page {
                let Some(original) = copy.same_as else { continue };
                match self.input(original)? {
                    Some(it) if it.state == State::Completed => {
                        completed.entry(it.index).or_default().push(copy);
                    }
                    Some(it) if it.state.is_final() => {
                        failed.push(ended_as_well(&copy, &ended(it.state, it.error)));
                    }
                    _ => {}
                }
            }
            if !failed.is_empty() {
                self.end_as_originals(failed)?;
            }
            self.complete(completed)?;
        }
    }

    /// Writes the results of copies, after those of their originals.
    fn complete(&mut self, mut copies: HashMap<u64, Vec<Input>>) -> Result<()> {
        if copies.is_empty() {
            return Ok(());
        }
        let (mut lines, mut changes) = (Vec::new(), Vec::new());
        let (path, length) = (self.results.path().to_owned(), self.results.length());
        each_line(&path, length, |line, _| {
            for copy in copies.remove(&line.index).unwrap_or_default() {
                let key = self.key_of(&copy)?;
                line.of_copy(copy.index, key.as_deref()).write(&mut lines)?;
                changes.push(ended_as_well(&copy, &ended(State::Completed, None)));
            }
            if lines.len() > WRITE_BYTES {
                self.write_copies(&mut lines, &mut changes)
            } else {
                Ok(())
            }
        })?;
        self.write_copies(&mut lines, &mut changes)
    }

    fn write_copies(&mut self, lines: &mut Vec<u8>, changes: &mut Vec<Change>) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        self.results.append(lines)?;
        lines.clear();
        self.end_as_originals(std::mem::take(changes))
    }

    /// Commits that copies have ended.
    fn end_as_originals(&mut self, changes: Vec<Change>) -> Result<()> {
        let commit = Commit { changes, notes: vec![self.results.note()?], claim: None };
        self.make(&commit).map(drop)
    }

    /// Returns the input with this index.
    fn input(&mut self, index: u64) -> Result<Option<Input>> {
        Ok(self.store.inputs(&State::ALL, index, 1)?.pop())
    }
}

fn ended(state: State, error: Option<String>) -> Ended {
    Ended { state, error, delay_ms: None, execution_ms: None }
}
