//! Result lines: one JSON object per completed input, their reading, and their export in the order
//! of the inputs. There is no other format, because a results file stays append-only.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::paths::outputs_of;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, sync_folder};
use crate::state::State;
use crate::store::Ended;

/// A completed job, without the key of its input.
#[derive(Debug)]
pub(crate) struct Completed {
    pub(crate) job_id: String,
    /// JSON.
    pub(crate) output: Box<RawValue>,
    pub(crate) delay_ms: Option<f64>,
    pub(crate) execution_ms: Option<f64>,
}

/// A line of the results.
#[derive(Serialize, Deserialize)]
pub(crate) struct Line<'a> {
    pub(crate) index: u64,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    key: Option<&'a RawValue>,
    status: Cow<'a, str>,
    job_id: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    output: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_file: Option<Cow<'a, str>>,
    delay_ms: Option<f64>,
    execution_ms: Option<f64>,
}

/// Reads an output that is present, so that a null output differs from an absent one.
fn there<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

/// Folder of outputs that are too large for a line.
pub(crate) struct LargeOutputs {
    folder: PathBuf,
    /// The largest output in a line, in bytes.
    above: usize,
}

impl Completed {
    /// Stores an output that is too large for a line. Its path, if it is.
    pub(crate) fn store(&self, index: u64, large: &LargeOutputs) -> Result<Option<String>> {
        match self.output.get().len() > large.above {
            true => large.store(index, self.output.get()).map(Some),
            false => Ok(None),
        }
    }

    /// Appends the line of an input, whose output is in the line or in a file, to `lines`.
    pub(crate) fn write(
        &self,
        index: u64,
        key: Option<&RawValue>,
        file: Option<&str>,
        lines: &mut Vec<u8>,
    ) -> Result<()> {
        let line = Line {
            index,
            key,
            status: "COMPLETED".into(),
            job_id: self.job_id.as_str().into(),
            output: file.is_none().then_some(&self.output),
            output_file: file.map(Cow::from),
            delay_ms: self.delay_ms,
            execution_ms: self.execution_ms,
        };
        line.write(lines)
    }
}

impl Line<'_> {
    pub(super) fn job_id(&self) -> &str {
        &self.job_id
    }

    /// The end of the job, without times for a copy.
    pub(super) fn ended(&self, is_original: bool) -> Ended {
        let cost = |time: Option<f64>| time.filter(|_| is_original);
        let (delay_ms, execution_ms) = (cost(self.delay_ms), cost(self.execution_ms));
        Ended { state: State::Completed, error: None, delay_ms, execution_ms }
    }

    /// Returns the same result for another input.
    pub(crate) fn of_copy<'a>(&'a self, index: u64, key: Option<&'a RawValue>) -> Line<'a> {
        Line {
            index,
            key,
            status: Cow::from(&*self.status),
            job_id: Cow::from(&*self.job_id),
            output: self.output,
            output_file: self.output_file.as_deref().map(Cow::from),
            ..*self
        }
    }

    /// Appends it to `lines`.
    pub(crate) fn write(&self, lines: &mut Vec<u8>) -> Result<()> {
        let start = lines.len();
        serde_json::to_writer(&mut *lines, self).map_err(|error| {
            let message = format!("the result of input {} does not serialize: {error}", self.index);
            Error::new(ErrorKind::Results, message)
        })?;
        // Inside strings they are escaped: these are white space.
        for byte in &mut lines[start..] {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        lines.push(b'\n');
        Ok(())
    }
}

impl LargeOutputs {
    /// The default limit.
    pub(crate) const ABOVE: usize = 1024 * 1024;

    /// In a folder next to the results.
    pub(crate) fn of(results: &Path, above: usize) -> Self {
        Self { folder: outputs_of(results), above }
    }

    /// Stores an output durably. Its path, relative to the folder of the results.
    fn store(&self, index: u64, output: &str) -> Result<String> {
        let path = self.folder.join(format!("{index}.json"));
        let write = || {
            fs::create_dir_all(&self.folder)?;
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            private(&mut options);
            let mut file = options.open(&path)?;
            file.write_all(output.as_bytes())?;
            file.sync_all()?;
            sync_folder(&path)?;
            sync_folder(&self.folder)
        };
        write().map_err(|error| Error::file(ErrorKind::Results, "write", &path, error))?;
        let folder = self.folder.file_name().unwrap_or_default();
        Ok(format!("{}/{index}.json", folder.to_string_lossy()))
    }
}

/// Calls `take` for each line of the first `length` bytes of the results.
pub(crate) fn each_line(
    results: &Path,
    length: u64,
    mut take: impl FnMut(Line<'_>, &[u8]) -> Result<()>,
) -> Result<()> {
    let failed = |error| Error::file(ErrorKind::Results, "read the results", results, error);
    let mut reader = BufReader::new(File::open(results).map_err(failed)?).take(length);
    let mut text = Vec::new();
    loop {
        text.clear();
        if reader.read_until(b'\n', &mut text).map_err(failed)? == 0 {
            return Ok(());
        }
        let line = serde_json::from_slice(&text).map_err(|error| failed(io::Error::from(error)))?;
        take(line, &text)?;
    }
}

/// Merges the committed prefix of each file into `to`, in the order of the inputs; returns the
/// number of lines.
pub(crate) fn export(results: &[(PathBuf, u64)], to: &mut dyn Write) -> Result<u64> {
    let failed =
        |path: &Path, error| Error::file(ErrorKind::Results, "export the results", path, error);
    let (mut places, mut files) = (Vec::new(), Vec::new());
    // A process that collected nothing may have its file on another machine.
    let with_lines = results.iter().filter(|(_, length)| *length > 0);
    for (number, (path, length)) in with_lines.enumerate() {
        let mut offset = 0;
        each_line(path, *length, |line, text| {
            places.push((line.index, number, offset, text.len() as u64));
            offset += text.len() as u64;
            Ok(())
        })?;
        files.push((path, File::open(path).map_err(|error| failed(path, error))?));
    }
    places.sort_unstable();
    let mut to = BufWriter::new(to);
    for (_, number, offset, length) in &places {
        let (path, file) = &mut files[*number];
        file.seek(SeekFrom::Start(*offset))
            .and_then(|_| io::copy(&mut Read::by_ref(file).take(*length), &mut to))
            .map_err(|error| failed(path, error))?;
    }
    let to_the_end = to.flush();
    to_the_end.map_err(|error| {
        let message = format!("could not export the results: {error}");
        Error::new(ErrorKind::Results, message).with_source(error)
    })?;
    Ok(places.len() as u64)
}
