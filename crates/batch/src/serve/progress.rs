//! Progress of a batch that has not ended: the numbers of requests with a successful response, and
//! of those that ended otherwise.
//!
//! The journal counts a job whose output is an error as completed. So the outputs in the results
//! are read as they are written.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::job_output::ResultLine;
use crate::input_state::{Counts, State};

/// Numbers of requests that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) completed: u64,
    pub(super) failed: u64,
}

/// Counter of the outputs that are errors, in the results of all servers.
#[derive(Default)]
pub(super) struct ErrorOutputs(HashMap<PathBuf, ReadPart>);

/// The part of a file that was read.
#[derive(Default)]
struct ReadPart {
    bytes: u64,
    lines: u64,
    /// Number of lines whose output is an error.
    errors: u64,
}

impl ErrorOutputs {
    /// The progress, by the counts of the journal and the results in this folder. Blocks.
    ///
    /// Lines beyond the counts may not be committed, and are left for later: so no request that was
    /// counted as completed fails.
    pub(super) fn progress(&mut self, counts: &Counts, folder: &Path) -> io::Result<Progress> {
        let completed = counts.of(State::Completed);
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if is_results(&entry.file_name().to_string_lossy()) {
                let read = self.0.values().map(|part| part.lines).sum();
                let part = self.0.entry(entry.path()).or_default();
                part.read_on(&entry.path(), completed.saturating_sub(read))?;
            }
        }
        let errors = self.0.values().map(|part| part.errors).sum::<u64>().min(completed);
        Ok(Progress { completed: completed - errors, failed: counts.failures() + errors })
    }
}

/// Returns true if this is the name of the results of a server.
fn is_results(name: &str) -> bool {
    let server = name.strip_prefix("results.").and_then(|rest| rest.strip_suffix(".jsonl"));
    server.is_some_and(|server| server.bytes().all(|byte| byte.is_ascii_digit()))
}

impl ReadPart {
    /// Reads at most this many more lines.
    fn read_on(&mut self, path: &Path, lines: u64) -> io::Result<()> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() < self.bytes {
            // Lines that were not committed were removed.
            *self = Self::default();
        }
        file.seek(SeekFrom::Start(self.bytes))?;
        let (mut reader, mut text) = (BufReader::new(file), Vec::new());
        for _ in 0..lines {
            text.clear();
            let length = reader.read_until(b'\n', &mut text)? as u64;
            if !text.ends_with(b"\n") {
                break;
            }
            self.bytes += length;
            self.lines += 1;
            let line: Result<ResultLine<'_>, _> = serde_json::from_slice(&text);
            self.errors += u64::from(line.is_ok_and(|line| !line.response().0.is_success()));
        }
        Ok(())
    }
}
