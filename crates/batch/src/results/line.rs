//! Result lines: one JSON object per completed input. There is no other format, because a results
//! file stays append-only.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::large_outputs::LargeOutputs;
use crate::error::{Error, ErrorKind, Result};
use crate::input_state::State;
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
    #[serde(
        borrow,
        default,
        deserialize_with = "deserialize_present",
        skip_serializing_if = "Option::is_none"
    )]
    output: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_file: Option<Cow<'a, str>>,
    delay_ms: Option<f64>,
    execution_ms: Option<f64>,
}

/// Reads an output that is present, so that a null output differs from an absent one.
fn deserialize_present<'de, D: Deserializer<'de>>(
    value: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

impl Completed {
    /// Stores an output that is too large for a line. Its path, if it is.
    pub(crate) fn store(&self, index: u64, large: &LargeOutputs) -> Result<Option<String>> {
        large.store(index, self.output.get())
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
