//! A last line without a line break, which somebody may still be writing.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::super::FileRecord;
use super::super::digests::digest;
use crate::error::{Error, ErrorKind, Result};
use crate::state::State;
use crate::store::{Change, Commit, Digest, Event, Input, NewInput, Place, Store};

/// How much white space may follow the last line.
const BLANK: u64 = 4 * 1024;

/// The last input, whose line had no break when it was taken up, and which was not submitted since.
pub(super) struct Unfinished {
    pub(super) index: u64,
    pub(super) line: u64,
    pub(super) offset: u64,
    /// What becomes of it is about to be recorded.
    pub(super) is_intent: bool,
    length: u64,
    digest: Digest,
    attempt: u64,
    is_refused: bool,
}

impl Unfinished {
    /// That of a file which is indexed so far.
    pub(super) fn find(
        store: &mut dyn Store,
        file: &mut File,
        was: &FileRecord,
        inputs: u64,
        path: &Path,
    ) -> Result<Option<Self>> {
        let Some(last) = inputs.checked_sub(1) else { return Ok(None) };
        let states = [State::Pending, State::Intent, State::Refused];
        let Some(Input { index, line, place, digest, state, attempt, .. }) =
            store.inputs(&states, last, 1)?.pop()
        else {
            return Ok(None);
        };
        let Place::File { offset, length } = place else { return Ok(None) };
        let mut after = Vec::new();
        let end = offset + length;
        file.seek(SeekFrom::Start(end))
            .and_then(|_| {
                file.take(was.length.saturating_sub(end).min(BLANK)).read_to_end(&mut after)
            })
            .map_err(|error| Error::file(ErrorKind::Inputs, "read", path, error))?;
        if after.contains(&b'\n') {
            return Ok(None);
        }
        let (is_intent, is_refused) = (state == State::Intent, state == State::Refused);
        Ok(Some(Self { index, line, offset, is_intent, length, digest, attempt, is_refused }))
    }

    /// Whether this is what it was, and more.
    pub(super) fn has_become(&self, text: &[u8]) -> bool {
        let was = usize::try_from(self.length).ok().and_then(|length| text.get(..length));
        was.is_some_and(|was| digest(was) == self.digest)
    }

    /// Replaces it by what it has become.
    pub(super) fn replace(self, store: &mut dyn Store, input: NewInput) -> Result<()> {
        if self.is_refused {
            let change =
                Change { index: self.index, attempt: self.attempt, event: Event::Resubmit };
            store.commit(&Commit { changes: vec![change], ..Commit::default() })?;
        }
        store.replace(&[(self.index, input)])
    }
}
