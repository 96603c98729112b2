//! Failures file: inputs that did not complete, in the format of an inputs file.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::companion_files::failures_of;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{private, sync_folder, with_suffix};
use crate::input_state::State;
use crate::inputs::{MAX_LINE_BYTES, Texts};
use crate::store::{Input, PAGE, Store};

/// Number of bytes that are shown of an input that is too long to be read.
const BEGINNING: usize = 1_000;

#[derive(Serialize)]
struct Line<'a> {
    index: u64,
    /// Without keys, the index.
    key: Key<'a>,
    /// `None` if it could not be read, or was removed.
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
    /// file. If an input cannot be read, its line keeps its previous text.
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
        let unfinished = with_suffix(path, ".new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        private(&mut options);
        let mut file = BufWriter::new(options.open(&unfinished).map_err(failed)?);
        let (mut previous, mut from) = (PreviousFailures::at(path.clone()), 0);
        loop {
            let page = page(store, from, PAGE)?;
            let Some(last) = page.last() else { break };
            from = last.index + 1;
            for input in &page {
                let text = match text_of(input, texts) {
                    Err(error) if error.is_of_inputs() => previous.of(input.index),
                    text => text?,
                };
                write_line(input, &text, texts, &mut file).map_err(failed)?;
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
                let text = text_of(&input, texts)?;
                write_line(&input, &text, texts, &mut lines).map_err(failed)?;
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

/// The text of an input.
fn text_of(input: &Input, texts: &mut Texts) -> Result<FailureText> {
    let text = texts.of(input)?;
    Ok(match texts.shape.parse(&text) {
        Ok(parsed) => FailureText { key: parsed.key, input: Some(parsed.input), text: None },
        Err(_) => {
            let shown = if text.len() < MAX_LINE_BYTES { text.len() } else { BEGINNING };
            let text = String::from_utf8_lossy(&text[..shown]).into_owned();
            FailureText { text: Some(text), ..FailureText::default() }
        }
    })
}

fn write_line(
    input: &Input,
    failure: &FailureText,
    texts: &Texts,
    to: &mut impl Write,
) -> std::io::Result<()> {
    let line = Line {
        index: input.index,
        key: match texts.shape.key_field {
            Some(_) => Key::Own(failure.key.as_deref()),
            None => Key::Index(input.index),
        },
        input: failure.input.as_deref(),
        text: failure.text.as_deref(),
        status: input.state.as_str(),
        error: input.error.as_deref(),
        job_id: input.job_id.as_deref(),
    };
    serde_json::to_writer(&mut *to, &line).map_err(std::io::Error::from)?;
    to.write_all(b"\n")
}

/// The text of an input, as a line of failures has it.
#[derive(Debug, Default, Deserialize)]
struct FailureText {
    key: Option<Box<RawValue>>,
    input: Option<Box<RawValue>>,
    /// The line, where it could not be read as an input.
    text: Option<String>,
}

/// The previous failures file, for inputs that cannot be read any more. Read when first needed.
struct PreviousFailures {
    path: PathBuf,
    read: Option<LineIndex>,
}

/// A file, and where the line of each input is.
struct LineIndex {
    file: File,
    lines: HashMap<u64, (u64, u64)>,
}

impl PreviousFailures {
    fn at(path: PathBuf) -> Self {
        Self { path, read: None }
    }

    /// The text of this input: empty, if it has no such line.
    fn of(&mut self, index: u64) -> FailureText {
        self.read(index).ok().flatten().unwrap_or_default()
    }

    fn read(&mut self, index: u64) -> io::Result<Option<FailureText>> {
        let places = match &mut self.read {
            Some(places) => places,
            none => none.insert(LineIndex::find(File::open(&self.path)?)?),
        };
        let Some((offset, length)) = places.lines.get(&index).copied() else { return Ok(None) };
        let mut line = Vec::new();
        places.file.seek(SeekFrom::Start(offset))?;
        Read::by_ref(&mut places.file).take(length).read_to_end(&mut line)?;
        Ok(serde_json::from_slice(&line).ok())
    }
}

impl LineIndex {
    fn find(file: File) -> io::Result<Self> {
        #[derive(Deserialize)]
        struct Line {
            index: u64,
        }
        let (mut lines, mut offset, mut text) = (HashMap::new(), 0, Vec::new());
        let mut reader = BufReader::new(&file);
        loop {
            text.clear();
            let length = reader.read_until(b'\n', &mut text)? as u64;
            if length == 0 {
                break;
            }
            if let Ok(Line { index }) = serde_json::from_slice(&text) {
                lines.insert(index, (offset, length));
            }
            offset += length;
        }
        Ok(Self { file, lines })
    }
}
