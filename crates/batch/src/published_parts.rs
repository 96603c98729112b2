//! Published parts: the record of the parts of the results that are in object storage, and their
//! destination.
//!
//! The results file stays what it is; its committed lines, which never change, are published as
//! parts, objects of whole lines:
//!
//! 1. The cut of a part is recorded: its name, extent and digest.
//! 2. The part is written, unless an object of its name exists: that one must have its digest.
//! 3. It is recorded that the part is published.
//!
//! Invariant: the cut of a recorded part never changes. So whenever the process dies, the next
//! process writes the same parts again, or finds them: none is lost, and no line is in two of them.
//! Checked by `parts_of_killed_runs_are_the_results_of_a_run_without_kills`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{Error, ErrorKind, Result};
use crate::input_state::Counts;
use crate::storage::{Object, digest};
use crate::store::{Commit, Note, Store};

/// Name of the note of the parts.
const NOTE: &str = "parts";

/// Default size of a part. A whole part is in memory while it is written.
const PART: usize = 64 * 1024 * 1024;

/// Largest size of a part: what a single request may have with every provider.
const LARGEST_PART: usize = 1024 * 1024 * 1024;

/// Default time after which results are published although they fill no part.
const INTERVAL: Duration = Duration::from_secs(10 * 60);

/// The destination of published results: see [`Run::publish_to`](crate::Run::publish_to).
#[derive(Clone, Debug)]
#[must_use = "nothing is published until a run publishes to it"]
pub struct Publication {
    pub(crate) folder: Object,
    pub(crate) part_bytes: usize,
    pub(crate) interval: Duration,
}

impl Publication {
    /// Publishes to this folder.
    pub fn to(folder: Object) -> Self {
        Self { folder, part_bytes: PART, interval: INTERVAL }
    }

    /// The size of a part, at most 1 GiB: 64 MiB by default. A part has whole lines, and so at least
    /// one; it is in memory while it is written.
    pub fn part_bytes(mut self, bytes: usize) -> Self {
        self.part_bytes = bytes.clamp(1, LARGEST_PART);
        self
    }

    /// The time after which results are published although they do not fill a part: 10 minutes by
    /// default.
    pub fn interval(mut self, time: Duration) -> Self {
        self.interval = time;
        self
    }
}

impl From<Object> for Publication {
    fn from(folder: Object) -> Self {
        Self::to(folder)
    }
}

/// A published object of whole lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    pub(crate) blake3: String,
}

/// A part with its content.
pub(crate) struct Cut {
    pub(crate) part: Part,
    pub(crate) content: Bytes,
    /// The files of outputs that its lines name, relative to the folder of the results.
    pub(crate) output_files: Vec<String>,
}

/// The member of a result that names the file of its output.
#[derive(Deserialize)]
struct LargeOutput {
    output_file: Option<String>,
}

impl Cut {
    /// Cuts the next whole lines of a file within an extent: at most `most` bytes, or one line if it
    /// is longer.
    pub(crate) fn read(
        path: &Path,
        extent: Range<u64>,
        most: usize,
        name: String,
    ) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(extent.start))?;
        let mut file = file.take(extent.end - extent.start);
        let mut content = Vec::new();
        Read::by_ref(&mut file).take(most as u64).read_to_end(&mut content)?;
        match content.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => content.truncate(at + 1),
            None => drop(BufReader::new(file).read_until(b'\n', &mut content)?),
        }
        Ok(Self::of(name, content))
    }

    /// The cut of a content without lines, or of all of its lines.
    pub(crate) fn of(name: String, content: Vec<u8>) -> Self {
        let lines = content.iter().filter(|byte| **byte == b'\n').count() as u64;
        let bytes = content.len() as u64;
        let output_file = |line| serde_json::from_slice::<LargeOutput>(line).ok()?.output_file;
        let output_files = content.split(|byte| *byte == b'\n').filter_map(output_file).collect();
        let part = Part { name, lines, bytes, blake3: digest(&content) };
        Self { part, content: content.into(), output_files }
    }
}

/// The parts of a process's results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartList {
    /// The folder.
    url: String,
    /// In their order in the results, without gaps.
    pub(crate) parts: Vec<Part>,
    /// Number of the parts that are known to be published: the first of them.
    pub(crate) published: usize,
    /// The parts of the failures, as they were last published.
    pub(crate) failures: Vec<Part>,
    /// The digests of other objects of the batch, which may be replaced by a later end of it.
    pub(crate) replaceable: Vec<String>,
}

impl PartList {
    /// The list of this process, which begins anew in another folder.
    pub(crate) fn read(store: &mut dyn Store, folder: &Object) -> Result<Self> {
        let list = store.own_note(NOTE)?.map(|text| parse(&text)).transpose()?;
        let of_folder = list.filter(|list| list.url == folder.url());
        Ok(of_folder.unwrap_or_else(|| Self { url: folder.url().to_owned(), ..Self::default() }))
    }

    /// The lists of all processes that publish to the folder.
    pub(crate) fn all(store: &mut dyn Store, folder: &Object) -> Result<Vec<Self>> {
        let texts = match store.sharing() {
            Some(sharing) => sharing.own_notes(NOTE, false)?,
            None => store.own_note(NOTE)?.into_iter().collect(),
        };
        let mut lists = texts.iter().map(|text| parse(text)).collect::<Result<Vec<_>>>()?;
        lists.retain(|list| list.url == folder.url());
        Ok(lists)
    }

    /// Records the list.
    pub(crate) fn write(&self, store: &mut dyn Store) -> Result<()> {
        let note: Note = (NOTE, serde_json::to_string(self).unwrap_or_default());
        store.commit(&Commit { notes: vec![note], ..Commit::default() }).map(drop)
    }

    /// The end of the recorded parts in the results.
    pub(crate) fn end(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// The end of the published parts in the results.
    pub(crate) fn published_end(&self) -> u64 {
        self.parts.iter().take(self.published).map(|part| part.bytes).sum()
    }
}

fn parse(text: &str) -> Result<PartList> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("the journal's record of published parts is damaged: {error}");
        Error::new(ErrorKind::Journal, message)
    })
}

/// The manifest of a batch that has ended: all objects of its results.
pub(crate) fn manifest(batch: &str, counts: &Counts, lists: &[PartList]) -> Value {
    let all = |of: fn(&PartList) -> &[Part]| {
        let parts: Vec<_> = lists.iter().flat_map(of).filter(|part| part.bytes > 0).collect();
        json!(parts)
    };
    json!({
        "batch": batch,
        "counts": counts,
        "parts": all(|list| &list.parts),
        "failures": all(|list| &list.failures),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_whole_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results");
        std::fs::write(&path, "1\n22\n333\nbeyond").expect("results");
        for (start, most, expected) in [
            (0, 100, "1\n22\n333\n"),
            (0, 5, "1\n22\n"),
            (0, 4, "1\n"),
            (0, 1, "1\n"),
            (2, 1, "22\n"),
            (5, 2, "333\n"),
            (9, 2, ""),
        ] {
            let cut = Cut::read(&path, start..9, most, "part".to_owned()).expect("lines");
            assert_eq!(cut.content, expected, "{start}, {most}");
            assert_eq!(cut.part.lines, expected.lines().count() as u64);
            assert_eq!(cut.part.bytes, expected.len() as u64);
        }
        let lines = b"{\"output\":{\"output_file\":\"no\"}}\n{\"output_file\":\"yes\"}\n".to_vec();
        assert_eq!(Cut::of("part".to_owned(), lines).output_files, ["yes"]);
    }
}
