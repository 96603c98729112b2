//! Results: a JSONL file that can be read while the batch runs.
//!
//! The journal records the extent of the file that counts: its length, and a digest of its tail.
//! Lines are appended and synced before that. Text beyond the extent is either lines of a commit
//! that did not happen, which are recovered when the file is opened, or of another program, which
//! is refused and kept.

mod companion_files;
mod converted;
mod export;
mod failures;
mod large_outputs;
mod line;
mod ownership;
mod uncommitted;

pub(crate) use companion_files::{check_unoccupied, failures_of};
use companion_files::{occupied, of_another_journal, ownership_file_of};
pub use converted::Exported;
pub(crate) use converted::export_to;
#[cfg(feature = "serve")]
pub(crate) use export::ResultLines;
pub(crate) use export::export;
pub(crate) use failures::Failures;
pub(crate) use large_outputs::LargeOutputs;
pub(crate) use line::{Completed, each_line};
pub(crate) use ownership::OwnershipFile;

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::files::{is_in_place, private, sync_folder};
use crate::input_state::State;
use crate::store::{Commit, IMPORTED, Note, Store, lock as lock_store, unlock as unlock_store};

/// Name of the note of the committed length.
const NOTE: &str = "results";

/// Time to wait for other processes to collect a job, or to record it as not found.
const COLLECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// Time to wait for them in a process that rejoins, and has work to do meanwhile.
const REJOIN_COLLECTION_TIMEOUT: Duration = Duration::from_secs(15);

/// Interval at which that is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Number of bytes of the file's end that are remembered, to recognize the file.
const TAIL: usize = 4096;

/// Extent of the results file that counts: text beyond it was not committed.
#[derive(Debug, Serialize, Deserialize)]
struct Extent {
    path: PathBuf,
    length: u64,
    /// The digest of the last bytes.
    tail: String,
}

/// The results file, open for appending.
pub(crate) struct Results {
    path: PathBuf,
    /// The locked handle, for reading and truncating.
    file: File,
    /// The handle for writing, which can only append: text that another program appends at the same
    /// moment is never overwritten.
    appender: File,
    /// Length of the lines, in bytes, once they are committed.
    length: u64,
    /// Length of the file if only this process has written to it: beyond `length` are lines that do
    /// not count and could not be removed.
    written: u64,
    /// The last bytes, at most [`TAIL`].
    tail: Vec<u8>,
    /// True if lines without a record in the store are still accepted.
    accepts_unrecorded: bool,
    /// Number of results imported into a store that had lost their records.
    imported: u64,
}

/// Treatment of lines whose inputs other processes have not collected in time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PeerInputs {
    Refuse,
    Discard,
}

/// Rollback point of the results file.
pub(crate) struct RollbackPoint {
    length: u64,
    tail: Vec<u8>,
}

impl Results {
    /// Opens the file, recovers lines that were written and not committed, and removes the rest.
    pub(crate) fn open(
        store: &mut dyn Store,
        path: &Path,
        accepts_unrecorded: bool,
    ) -> Result<Self> {
        let failed = |error| Error::file(ErrorKind::Results, "open the results", path, error);
        let path = std::path::absolute(path).map_err(failed)?;
        let known = extent(store)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(known.is_none()).truncate(false);
        private(&mut options);
        let file = match options.open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && known.is_some() => {
                return Err(not_this_journal(&path, "is missing"));
            }
            opened => opened.map_err(failed)?,
        };
        lock(&file, &path)?;
        // A process that checks whether it can be created removes it under the lock.
        if !is_in_place(&path, &file).map_err(failed)? {
            return Err(in_use(&path));
        }
        let mut appending = OpenOptions::new();
        let appender = appending.append(true).open(&path).map_err(failed)?;
        let mut results = Self {
            path,
            file,
            appender,
            length: 0,
            written: 0,
            tail: Vec::new(),
            accepts_unrecorded,
            imported: 0,
        };
        results.recover(store, PeerInputs::Refuse)?;
        Ok(results)
    }

    /// Recovers the results of a process that rejoins: other processes have just begun to collect
    /// its jobs, and may find that the service has no results of them any more.
    pub(crate) fn restore(&mut self, store: &mut dyn Store) -> Result<()> {
        self.recover(store, PeerInputs::Discard)
    }

    fn recover(&mut self, store: &mut dyn Store, on_peer_inputs: PeerInputs) -> Result<()> {
        let is_shared = store.sharing().is_some();
        let Self { path, file, .. } = self;
        let path = path.as_path();
        let failed = |error| Error::file(ErrorKind::Results, "open the results", path, error);
        let found = file.metadata().map_err(failed)?.len();
        let known = extent(store)?;
        let is_known = known.is_some();
        let known = match known {
            // A database that was restored may be older than the process that wrote them.
            None if found > 0 && !(is_shared && ownership_file_of(path).exists()) => {
                return Err(occupied(path));
            }
            None => {
                sync_folder(path).map_err(failed)?;
                Extent { path: path.to_owned(), length: 0, tail: tail_digest(&[]) }
            }
            Some(known) if found < known.length => {
                return Err(not_this_journal(path, "is shorter than what was written to it"));
            }
            // The file does not identify its batch.
            Some(known) if known.length == 0 && found > 0 && known.path != path && !is_shared => {
                return Err(occupied(path));
            }
            Some(known) => known,
        };
        let tail = read_tail(file, known.length).map_err(failed)?;
        if tail_digest(&tail) != known.tail {
            return Err(not_this_journal(path, "is not the file that was written"));
        }
        if let Some(unknown) = uncommitted::find_unknown(store, path, known.length)? {
            if !is_known && !self.accepts_unrecorded {
                return Err(of_another_journal(path));
            }
            let accepts = match store.sharing() {
                Some(sharing) => {
                    // All processes must know of the loss before the lines that prove it are
                    // imported.
                    if unknown.is_proof {
                        sharing.report_loss()?;
                    }
                    sharing.accepts_loss()
                }
                None => false,
            };
            if !accepts {
                return Err(unknown.refused(path, is_shared));
            }
        }
        if let Some(at) = uncommitted::foreign_from(path, known.length)? {
            return Err(foreign_text(path, at));
        }
        (self.length, self.tail) = (known.length, tail);
        self.recover_uncommitted(store, on_peer_inputs)?;
        let Self { path, file, length, .. } = self;
        let failed = |error| Error::file(ErrorKind::Results, "open the results", path, error);
        file.set_len(*length).and_then(|()| file.sync_all()).map_err(failed)?;
        self.written = self.length;
        let mut notes = vec![self.note()?];
        if store.sharing().is_some_and(|sharing| sharing.accepts_loss()) {
            notes.push((IMPORTED, self.imported.to_string()));
        }
        store.commit(&Commit { notes, ..Commit::default() }).map(drop)
    }

    /// Commits the lines whose inputs have no result yet: the service may not have it any more.
    fn recover_uncommitted(
        &mut self,
        store: &mut dyn Store,
        on_peer_inputs: PeerInputs,
    ) -> Result<()> {
        let failed = |error| Error::file(ErrorKind::Results, "check", &self.path, error);
        if self.file.metadata().map_err(failed)?.len() == self.length {
            return Ok(());
        }
        let began = Instant::now();
        loop {
            lock_store(store)?;
            let (waited, discards) = (began.elapsed(), on_peer_inputs == PeerInputs::Discard);
            let taken = self.try_recover(store, discards && waited > REJOIN_COLLECTION_TIMEOUT);
            let of_peers = unlock_store(store, taken)?;
            if of_peers == 0 {
                return Ok(());
            }
            if !discards && waited > COLLECTION_TIMEOUT {
                return Err(collected_by_peers(&self.path, of_peers));
            }
            thread::sleep(CHECK_INTERVAL);
            if let Some(sharing) = store.sharing() {
                sharing.recover()?;
            }
        }
    }

    /// Recovers lines, or returns the number of lines to wait for: the process that has their
    /// inputs may not get these results. With `discards`, these lines are not waited for.
    fn try_recover(&mut self, store: &mut dyn Store, discards: bool) -> Result<usize> {
        let imports = store.sharing().is_some_and(|sharing| sharing.accepts_loss());
        let due = uncommitted::find_recoverable(store, &self.path, self.length, imports)?;
        if !discards && due.of_peers > 0 {
            return Ok(due.of_peers);
        }
        if due.changes.is_empty() {
            return Ok(0);
        }
        let path = &self.path;
        let failed = |error| Error::file(ErrorKind::Results, "recover the lines of", path, error);
        let end = due.move_up(&mut self.file, self.length).map_err(failed)?;
        (self.length, self.tail) = (end, read_tail(&mut self.file, end).map_err(failed)?);
        let imported = if imports { due.lines() } else { 0 };
        let commit = Commit { changes: due.changes, notes: vec![self.note()?], claim: None };
        store.commit(&commit)?;
        self.imported += imported;
        Ok(0)
    }

    /// Refuses files of other content, which would be lost, before a new journal indexes any
    /// inputs.
    pub(crate) fn check(store: &mut dyn Store, path: &Path) -> Result<()> {
        if extent(store)?.is_some() {
            return Ok(());
        }
        let has_begun = !store.inputs(&State::ALL, 0, 1)?.is_empty();
        // Lines of this batch are checked when the file is opened.
        if store.sharing().is_some() && has_begun && ownership_file_of(path).exists() {
            return Ok(());
        }
        check_unoccupied(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of results that a store that has lost changes did not know.
    pub(crate) fn imported(&self) -> u64 {
        self.imported
    }

    /// Length of the committed lines, in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends lines durably, or not at all.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<()> {
        self.check_in_place()?;
        let appended = self.try_append(lines).and_then(|()| self.appender.sync_data());
        if let Err(error) = appended {
            self.cut_to(self.end());
            return Err(Error::file(ErrorKind::Results, "write the results", &self.path, error));
        }
        // Another program may have appended at the same moment, before these lines or after them.
        self.check_in_place()?;
        self.length += lines.len() as u64;
        self.tail.extend_from_slice(&lines[lines.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        Ok(())
    }

    /// Appends lines, and counts the written bytes even if it fails in between.
    fn try_append(&mut self, mut lines: &[u8]) -> std::io::Result<()> {
        while !lines.is_empty() {
            match self.appender.write(lines) {
                Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.written += written as u64;
                    lines = &lines[written..];
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Refuses to continue if committed lines are missing, or another program has written to the
    /// file: it was moved, replaced or cut off, or text was appended to it.
    pub(crate) fn check_in_place(&self) -> Result<()> {
        let failed = |error| Error::file(ErrorKind::Results, "check", &self.path, error);
        let found = self.file.metadata().map_err(failed)?.len();
        let in_place = is_in_place(&self.path, &self.file).map_err(failed)?;
        if !in_place || found < self.written {
            return Err(not_this_journal(
                &self.path,
                "was moved, replaced or cut off while the batch ran",
            ));
        }
        if found > self.written {
            return Err(foreign_text(&self.path, self.written));
        }
        Ok(())
    }

    /// The note to commit together with the states of the inputs whose lines were appended.
    pub(crate) fn note(&self) -> Result<Note> {
        let extent =
            Extent { path: self.path.clone(), length: self.length, tail: tail_digest(&self.tail) };
        let text = serde_json::to_string(&extent).map_err(|error| {
            Error::new(
                ErrorKind::Results,
                format!("the path of the results cannot be recorded: {error}"),
            )
        })?;
        Ok((NOTE, text))
    }

    /// The current end of the lines, for [`cut_to`](Self::cut_to).
    pub(crate) fn end(&self) -> RollbackPoint {
        RollbackPoint { length: self.length, tail: self.tail.clone() }
    }

    /// Removes the lines that this process has written beyond the rollback point. If that fails,
    /// they are removed when the file is next opened. Changes by other programs are kept.
    pub(crate) fn cut_to(&mut self, end: RollbackPoint) {
        (self.length, self.tail) = (end.length, end.tail);
        let is_ours = self.file.metadata().is_ok_and(|found| found.len() == self.written);
        if is_ours && self.file.set_len(self.length).is_ok() {
            self.written = self.length;
        }
    }
}

/// Locks the file against processes with another journal, such as a copy. Where a lock would keep
/// readers away as well, there is none.
fn lock(file: &File, path: &Path) -> Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(in_use(path)),
        _ => Ok(()),
    }
}

fn in_use(path: &Path) -> Error {
    let message = format!(
        "the results {} are being written by another process, or with another journal: wait for that batch to end, or stop it",
        path.display()
    );
    Error::new(ErrorKind::InUse, message)
}

/// The paths of the results and their committed lengths: of a shared store, those of all processes,
/// each on its machine.
pub(crate) fn committed(store: &mut dyn Store) -> Result<Vec<(PathBuf, u64)>> {
    let texts = match store.sharing() {
        Some(sharing) => sharing.own_notes(NOTE, false)?,
        None => store.own_note(NOTE)?.into_iter().collect(),
    };
    let committed = |text: &String| parse(text).map(|extent| (extent.path, extent.length));
    texts.iter().map(committed).collect()
}

/// Returns the committed length of each of these files, which may have been moved here from other
/// machines. Each is listed once, and files of failures, which have similar names, are left out.
pub(crate) fn committed_of(
    store: &mut dyn Store,
    files: &[PathBuf],
) -> Result<Vec<(PathBuf, u64)>> {
    let texts = match store.sharing() {
        Some(sharing) => sharing.own_notes(NOTE, false)?,
        None => store.own_note(NOTE)?.into_iter().collect(),
    };
    let extents = texts.iter().map(|text| parse(text)).collect::<Result<Vec<_>>>()?;
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for path in files {
        if files.iter().any(|results| failures_of(results) == *path) {
            continue;
        }
        let failed = |error| Error::file(ErrorKind::Results, "read the results", path, error);
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut longest: Option<&Extent> = None;
        for extent in extents.iter().filter(|extent| extent.length <= length) {
            // An empty extent matches any file: it counts only for the file that it names, whose
            // lines are not committed yet.
            if extent.length == 0 && length > 0 && !is_at(extent, path) {
                continue;
            }
            let tail = read_tail(&mut file, extent.length).map_err(failed)?;
            if tail_digest(&tail) == extent.tail {
                longest = longest.filter(|it| it.length > extent.length).or(Some(extent));
            }
        }
        let extent = longest.ok_or_else(|| {
            let message = format!(
                "the file {} has none of the batch's results, or not all of those that were written to it: copy it again, or leave it out",
                path.display()
            );
            Error::new(ErrorKind::OtherResults, message)
        })?;
        if seen.insert((extent.length, &extent.tail)) {
            found.push((path.clone(), extent.length));
        }
    }
    Ok(found)
}

/// The committed length of this process's results.
#[cfg(feature = "object-storage")]
pub(crate) fn own_committed(store: &mut dyn Store) -> Result<u64> {
    Ok(extent(store)?.map_or(0, |extent| extent.length))
}

fn is_at(extent: &Extent, path: &Path) -> bool {
    std::path::absolute(path).is_ok_and(|path| path == extent.path)
}

fn extent(store: &mut dyn Store) -> Result<Option<Extent>> {
    store.own_note(NOTE)?.map(|text| parse(&text)).transpose()
}

fn parse(text: &str) -> Result<Extent> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("the journal's record of its results is damaged: {error}");
        Error::new(ErrorKind::Journal, message)
    })
}

fn read_tail(file: &mut File, length: u64) -> std::io::Result<Vec<u8>> {
    let from = length.saturating_sub(TAIL as u64);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    Read::by_ref(file).take(length - from).read_to_end(&mut tail)?;
    Ok(tail)
}

fn tail_digest(tail: &[u8]) -> String {
    blake3::hash(tail).to_hex().to_string()
}

/// The error for lines of inputs of another process: to remove them could lose the only results.
fn collected_by_peers(path: &Path, inputs: usize) -> Error {
    let message = format!(
        "the results {} have outputs of {inputs} inputs that were not recorded, and whose jobs another process collects: run this again once it has. Nothing was changed",
        path.display()
    );
    Error::new(ErrorKind::InUse, message)
}

/// The error for text of another program, which begins at this byte of the results.
fn foreign_text(path: &Path, at: u64) -> Error {
    let line = line_at(path, at).map(|line| format!("line {line}, ")).unwrap_or_default();
    let message = format!(
        "the results {} have text that this batch has not written, from {line}byte {at} on: another program has appended to the file. Nothing of it was changed or removed: move that text to another file, so that {at} bytes are left, and run the batch again",
        path.display()
    );
    Error::new(ErrorKind::OtherResults, message)
}

/// The number of the line that begins at this byte, from one.
fn line_at(path: &Path, at: u64) -> std::io::Result<u64> {
    let mut reader = std::io::BufReader::new(File::open(path)?).take(at);
    let mut line = 1;
    loop {
        let text = reader.fill_buf()?;
        if text.is_empty() {
            return Ok(line);
        }
        line += text.iter().filter(|byte| **byte == b'\n').count() as u64;
        let read = text.len();
        reader.consume(read);
    }
}

fn not_this_journal(path: &Path, what: &str) -> Error {
    let message = format!(
        "the results file {} {what}, so it does not belong to this journal: restore it, or choose another file and a new journal",
        path.display()
    );
    Error::new(ErrorKind::OtherResults, message)
}
