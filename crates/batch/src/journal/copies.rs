//! Copies of inputs that have ended already: appended late, or retried alone.

use std::collections::HashMap;

use super::keeper::{Keeper, LINES, ended_as_well};
use crate::error::Result;
use crate::results::each_line;
use crate::state::State;
use crate::store::{Change, Ended, Input, lock, unlock};

/// How many pending inputs are read at a time.
const PAGE: usize = 1_000;

impl Keeper {
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
                self.make(failed, None)?;
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
            if lines.len() > LINES { self.write_copies(&mut lines, &mut changes) } else { Ok(()) }
        })?;
        self.write_copies(&mut lines, &mut changes)
    }

    fn write_copies(&mut self, lines: &mut Vec<u8>, changes: &mut Vec<Change>) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        self.results.append(lines)?;
        lines.clear();
        self.make(std::mem::take(changes), None).map(drop)
    }

    /// The input with this index.
    fn input(&mut self, index: u64) -> Result<Option<Input>> {
        Ok(self.store.inputs(&State::ALL, index, 1)?.pop())
    }
}

fn ended(state: State, error: Option<String>) -> Ended {
    Ended { state, error, delay_ms: None, execution_ms: None }
}
