//! The failures: a file that is itself an inputs file.

use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue;

use super::former::{Former, Said};
use super::places::{beside, failures_of};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, sync_folder};
use crate::inputs::{LONGEST, Texts};
use crate::state::State;
use crate::store::{Input, Store};

/// How many inputs are read at a time.
const PAGE: usize = 1_000;

/// How much is shown of an input that is too long to be read.
const BEGINNING: usize = 1_000;

#[derive(Serialize)]
struct Line<'a> {
    index: u64,
    /// Without keys, the index.
    key: Key<'a>,
    /// `None` if it could not be read, or is gone.
    input: Option<&'a RawValue>,
    /// The line, where it could not be read as an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    status: &'a str,
    error: Option<&'a str>,
    job_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Key<'a> {
    Own(Option<&'a RawValue>),
    Index(u64),
}

/// The file of failures, next to the results. It follows from the journal, and so is not synced
/// before a run ends.
pub(crate) struct Failures {
    path: PathBuf,
    /// A line could not be appended: the file is incomplete until it is written anew.
    is_broken: bool,
}

impl Failures {
    pub(crate) fn of(results: &Path) -> Self {
        Self { path: failures_of(results), is_broken: false }
    }

    /// Writes all failures in place of those that are there; without failures there is no such
    /// file. If an input cannot be read, its line keeps what it said of it.
    pub(crate) fn write(
        &mut self,
        store: &mut dyn Store,
        texts: &mut Texts,
    ) -> Result<Option<PathBuf>> {
        let path = &self.path;
        let failed = |error| Error::file(ErrorKind::Results, "write the failures", path, error);
        if page(store, 0, 1)?.is_empty() {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(error)),
                _ => Ok(None),
            };
        }
        let unfinished = beside(path, ".new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        private(&mut options);
        let mut file = BufWriter::new(options.open(&unfinished).map_err(failed)?);
        let (mut former, mut from) = (Former::at(path.clone()), 0);
        loop {
            let page = page(store, from, PAGE)?;
            let Some(last) = page.last() else { break };
            from = last.index + 1;
            for input in &page {
                let said = match said(input, texts) {
                    Err(error) if error.is_of_inputs() => former.of(input.index),
                    said => said?,
                };
                write_line(input, &said, texts, &mut file).map_err(failed)?;
            }
        }
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all()
            .and_then(|()| fs::rename(&unfinished, path))
            .and_then(|()| sync_folder(path))
            .map_err(failed)?;
        self.is_broken = false;
        Ok(Some(path.clone()))
    }

    /// Appends inputs that have just failed. If that is impossible, they are there when the file is
    /// next written, at the end of the run at the latest.
    pub(crate) fn append(&mut self, store: &mut dyn Store, texts: &mut Texts, indexes: &[u64]) {
        if !indexes.is_empty() && !self.is_broken {
            self.is_broken = self.try_append(store, texts, indexes).is_err();
        }
    }

    fn try_append(&self, store: &mut dyn Store, texts: &mut Texts, indexes: &[u64]) -> Result<()> {
        let path = &self.path;
        let failed = |error| Error::file(ErrorKind::Results, "write the failures", path, error);
        let mut lines = Vec::new();
        for index in indexes {
            for input in store.inputs(&State::failures(), *index, 1)? {
                let said = said(&input, texts)?;
                write_line(&input, &said, texts, &mut lines).map_err(failed)?;
            }
        }
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        private(&mut options);
        options.open(path).and_then(|mut file| file.write_all(&lines)).map_err(failed)
    }
}

/// The next failures: in a shared store, those that belong to these results.
fn page(store: &mut dyn Store, from: u64, limit: usize) -> Result<Vec<Input>> {
    match store.sharing() {
        Some(sharing) => sharing.failures(from, limit),
        None => store.inputs(&State::failures(), from, limit),
    }
}

/// What is said of an input.
fn said(input: &Input, texts: &mut Texts) -> Result<Said> {
    let text = texts.of(input)?;
    Ok(match texts.shape.parse(&text) {
        Ok(parsed) => Said { key: parsed.key, input: Some(parsed.input), text: None },
        Err(_) => {
            let shown = if text.len() < LONGEST { text.len() } else { BEGINNING };
            let text = String::from_utf8_lossy(&text[..shown]).into_owned();
            Said { text: Some(text), ..Said::default() }
        }
    })
}

fn write_line(
    input: &Input,
    said: &Said,
    texts: &Texts,
    to: &mut impl Write,
) -> std::io::Result<()> {
    let line = Line {
        index: input.index,
        key: match texts.shape.key_field {
            Some(_) => Key::Own(said.key.as_deref()),
            None => Key::Index(input.index),
        },
        input: said.input.as_deref(),
        text: said.text.as_deref(),
        status: input.state.as_str(),
        error: input.error.as_deref(),
        job_id: input.job_id.as_deref(),
    };
    serde_json::to_writer(&mut *to, &line).map_err(std::io::Error::from)?;
    to.write_all(b"\n")
}
