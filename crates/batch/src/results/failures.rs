//! The failures: a file that is itself an inputs file.

use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue;

use super::beside;
use crate::error::{Error, ErrorKind, Result};
use crate::inputs::Texts;
use crate::state::State;
use crate::store::{Store, private, sync_folder};

/// How many inputs are read at a time.
const PAGE: usize = 1_000;

#[derive(Serialize)]
struct Line<'a> {
    index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a RawValue>,
    input: Option<&'a RawValue>,
    /// The line, where it could not be read as an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    status: &'a str,
    error: Option<&'a str>,
    job_id: Option<&'a str>,
}

/// Writes the failures next to the results, in place of those that are there; without failures there
/// is no such file.
pub(crate) fn write_failures(
    store: &mut dyn Store,
    texts: &mut Texts,
    results: &Path,
) -> Result<Option<PathBuf>> {
    let path = beside(results, ".failed.jsonl");
    let failed = |error| Error::file(ErrorKind::Results, "write the failures", &path, error);
    if store.tally()?.counts.failures() == 0 {
        return match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(None),
        };
    }
    let unfinished = beside(&path, ".new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    private(&mut options);
    let mut file = BufWriter::new(options.open(&unfinished).map_err(failed)?);
    let mut from = 0;
    loop {
        let page = store.inputs(&State::failures(), from, PAGE)?;
        let Some(last) = page.last() else { break };
        from = last.index + 1;
        for input in &page {
            let text = texts.of(input)?;
            let parsed = texts.shape.parse(&text).ok();
            let raw = String::from_utf8_lossy(&text);
            let line = Line {
                index: input.index,
                key: parsed.as_ref().and_then(|parsed| parsed.key.as_deref()),
                input: parsed.as_ref().map(|parsed| &*parsed.input),
                text: parsed.is_none().then_some(&*raw),
                status: input.state.as_str(),
                error: input.error.as_deref(),
                job_id: input.job_id.as_deref(),
            };
            let written = serde_json::to_writer(&mut file, &line).map_err(std::io::Error::from);
            written.and_then(|()| file.write_all(b"\n")).map_err(failed)?;
        }
    }
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all()
        .and_then(|()| fs::rename(&unfinished, &path))
        .and_then(|()| sync_folder(&path))
        .map_err(failed)?;
    Ok(Some(path))
}
