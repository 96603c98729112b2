//! Reader: read-only access to a batch and its status, also while another process runs it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::budget::Cost;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::columns::ColumnTypes;
use crate::input_state::{Counts, State};
use crate::inputs::{SourceRecord, Texts, source_files};
#[cfg(feature = "serve")]
use crate::results::ResultLines;
use crate::results::{Exported, committed, committed_of, export, export_to};
use crate::run_notes::{Ending, LiveProgress, price, request_cancel};
#[cfg(feature = "serve")]
use crate::store::PAGE;
use crate::store::{Input, JournalStore, RunRecord, Store};

/// Status of a batch.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// Number of inputs in each state.
    #[serde(flatten)]
    pub counts: Counts,
    /// The execution times of all jobs together.
    #[serde(skip)]
    pub execution: Duration,
    /// The times that all jobs waited for a worker.
    #[serde(skip)]
    pub delay: Duration,
    /// The cost of the batch, if a run of it had a [`Budget`](crate::Budget): at the price of the
    /// last one.
    #[serde(flatten)]
    pub cost: Option<Cost>,
}

/// An input of which it is not known whether the service accepted it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct UnknownInput {
    /// The index of the input.
    pub index: u64,
    /// The key, as JSON, if the batch has keys and its inputs can be read.
    pub key: Option<Box<RawValue>>,
    /// The attempt whose outcome is unknown, from one.
    pub attempt: u64,
    /// The line of the inputs file.
    #[serde(skip)]
    pub line: u64,
    /// The reason for which it is unknown.
    #[serde(skip)]
    pub reason: String,
}

/// An input that was not accepted: it is invalid, or the service refused it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RefusedInput {
    /// The index of the input.
    pub index: u64,
    /// The line of the inputs file.
    pub line: u64,
    /// The reason for which it was refused.
    pub reason: String,
}

impl RefusedInput {
    pub(crate) fn list(store: &mut dyn Store, most: usize) -> Result<Vec<Self>> {
        let refused = store.inputs(&[State::Refused], 0, most)?;
        let described = |input: Input| Self {
            index: input.index,
            line: input.line,
            reason: input.error.unwrap_or_default(),
        };
        Ok(refused.into_iter().map(described).collect())
    }
}

impl Status {
    pub(crate) fn read(store: &mut dyn Store) -> Result<Self> {
        let tally = store.tally()?;
        let (execution, delay) = (tally.execution(), tally.delay());
        let cost = price(store)?.map(|per_second| Cost::of(&tally, per_second));
        Ok(Self { counts: tally.counts, execution, delay, cost })
    }
}

impl UnknownInput {
    /// Without texts, there are no keys.
    pub(crate) fn list(store: &mut dyn Store, mut texts: Option<&mut Texts>) -> Result<Vec<Self>> {
        let mut unknown = Vec::new();
        for input in store.inputs(&[State::Unknown], 0, usize::MAX)? {
            let key = match &mut texts {
                // The list is complete although the inputs may be missing.
                Some(texts) => texts
                    .of(&input)
                    .ok()
                    .and_then(|text| texts.shape.parse(&text).ok().and_then(|parsed| parsed.key)),
                None => None,
            };
            unknown.push(Self {
                index: input.index,
                key,
                attempt: input.attempt,
                line: input.line,
                reason: input.error.unwrap_or_else(|| {
                    "the process ended before the response to the submission was recorded"
                        .to_owned()
                }),
            });
        }
        Ok(unknown)
    }
}

/// A batch that is only read, also while other processes run it.
pub struct Reader {
    store: Box<dyn Store>,
}

impl Reader {
    /// Opens the journal of a batch.
    ///
    /// # Errors
    ///
    /// If there is no such journal, it cannot be read, has another version, or its database is
    /// unreachable.
    pub fn open<S: JournalStore>(journal: &S) -> Result<Self> {
        Ok(Self { store: Box::new(journal.inspect()?) })
    }

    /// Returns the input counts by state, and the total execution and queue time.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub fn status(&mut self) -> Result<Status> {
        Status::read(&mut *self.store)
    }

    /// The inputs of which it is not known whether they were accepted. While the batch runs, those
    /// that are being submitted are not among them.
    ///
    /// # Errors
    ///
    /// If the journal or the inputs cannot be read.
    pub fn unknown(&mut self) -> Result<Vec<UnknownInput>> {
        let source = SourceRecord::read(&mut *self.store)?.ok_or_else(unfinished)?;
        // Only needed for the keys.
        let mut texts = source.shape.key_field.is_some().then(|| Texts::open(&source));
        UnknownInput::list(&mut *self.store, texts.as_mut())
    }

    /// Writes the results in the order of their inputs, and returns their number: of a shared
    /// journal, those of all processes, which must be on this machine, where they were written.
    /// Needs 16 MiB of memory.
    ///
    /// # Errors
    ///
    /// If the journal or the results cannot be read, or `to` cannot be written.
    pub fn export(&mut self, to: &mut dyn Write) -> Result<u64> {
        let results = committed(&mut *self.store)?;
        if results.is_empty() {
            return Err(unfinished());
        }
        export(&results, to)
    }

    /// Like [`export`](Self::export), from these files of results: those of a shared journal,
    /// copied from all machines. A file that is named twice, also as a copy, is read once. The
    /// files of failures next to them, which a pattern like `answers.*.jsonl` finds as well, are
    /// left out.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or is not of this batch.
    pub fn export_files(&mut self, files: &[PathBuf], to: &mut dyn Write) -> Result<u64> {
        export(&committed_of(&mut *self.store, files)?, to)
    }

    /// Writes the results in the order of their inputs to a file of the format of its name: see
    /// [`FileFormat::of`](crate::FileFormat::of). The file takes the place of another of its name once
    /// it is whole.
    ///
    /// In a table, each result is a row. The members of an output that is an object are columns of
    /// their own, such as `output.url`: in Parquet within the group `output`. The types are inferred
    /// from all results, unless `types` gives them; a list is JSON text, and so are values of several
    /// types in one column, and of integers beyond 64 bits. The results are read twice, and need no
    /// more memory if there are more of them.
    ///
    /// `files` are the files of results, as for [`export_files`](Self::export_files); if there are
    /// none, those that the journal knows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`](crate::ErrorKind::Settings) if the format is not supported, or the
    /// file is one of the inputs or results; [`ErrorKind::InUse`](crate::ErrorKind::InUse) while another process
    /// writes it; [`ErrorKind::Results`](crate::ErrorKind::Results) if it cannot be
    /// written, or a value is not of the given type; and the errors of [`export`](Self::export).
    pub fn export_to(
        &mut self,
        files: &[PathBuf],
        out: &Path,
        types: &ColumnTypes,
    ) -> Result<Exported> {
        let results = match files {
            [] => committed(&mut *self.store)?,
            files => committed_of(&mut *self.store, files)?,
        };
        if results.is_empty() {
            return Err(unfinished());
        }
        export_to(&results, &source_files(&mut *self.store)?, out, types)
    }

    /// Calls `take` for each input, by index, with its key, and the line of its result if it
    /// has one. An input without a line has the key that stands in its text.
    #[cfg(feature = "serve")]
    pub(crate) fn each_input(
        &mut self,
        mut take: impl FnMut(Input, Option<&RawValue>, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let source = SourceRecord::read(&mut *self.store)?.ok_or_else(unfinished)?;
        let mut texts = Texts::open(&source);
        let mut lines = ResultLines::find(&committed(&mut *self.store)?)?;
        let mut from = 0;
        loop {
            let page = self.store.inputs(&State::ALL, from, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            from = last.index + 1;
            for input in page {
                match lines.of(input.index)? {
                    Some(line) => take(input, None, Some(&line))?,
                    None => {
                        let text = texts.of(&input)?;
                        let key = texts.shape.parse(&text).ok().and_then(|parsed| parsed.key);
                        drop(text);
                        take(input, key.as_deref(), None)?;
                    }
                }
            }
        }
    }

    /// All runs so far, in their order.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub fn runs(&mut self) -> Result<Vec<RunRecord>> {
        let mut runs = self.store.runs()?;
        runs.sort_by_key(|(number, _)| *number);
        Ok(runs.into_iter().map(|(_, run)| run).collect())
    }

    /// The live progress of the batch, and its persistent errors, as last published: check
    /// [`Sqlite::is_open`](crate::Sqlite::is_open), too, since a process that crashes leaves its
    /// last live progress. `None` after the orderly end of a run. Of a shared journal, the live
    /// progress of all processes together.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub fn live_progress(&mut self) -> Result<Option<LiveProgress>> {
        LiveProgress::read(&mut *self.store)
    }

    /// Returns the reason of a last run that ended before all inputs did: `None` otherwise, while a
    /// run is in progress, and if its process crashed. Of a shared journal, the reason of any
    /// process.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub fn ending(&mut self) -> Result<Option<Ending>> {
        Ending::read(&mut *self.store)
    }

    /// Requests that the process that runs the batch cancels it, as
    /// [`Batch::cancel`](crate::Batch::cancel) does where none runs it. That process ends its run
    /// with [`Stopped::Cancelled`](crate::Stopped::Cancelled) once it has collected the
    /// results of the jobs. Without such a process, the request has no effect, and a run that is just
    /// beginning may miss it: repeat it until the run has ended.
    ///
    /// # Errors
    ///
    /// If the journal cannot be written.
    pub fn request_cancel(&mut self) -> Result<()> {
        request_cancel(&mut *self.store)
    }

    /// The path of the results, if the batch has been opened completely: of a shared journal, those
    /// that a process began to write first.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub fn results(&mut self) -> Result<Option<PathBuf>> {
        Ok(committed(&mut *self.store)?.into_iter().next().map(|(path, _)| path))
    }
}

fn unfinished() -> Error {
    let message = "the journal is not complete: the batch was not opened to its end yet";
    Error::new(ErrorKind::Journal, message)
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}
