//! What a comparison found, and how it is written.

use std::path::{Path, PathBuf};
use std::{fs, io};

use podqueue_codegen::{Diagnostic, Source};

use crate::Failure;
use crate::changes::{Change, Interface};

/// The result of a comparison. Its `Display` is the report that the program prints.
#[derive(Clone, Debug)]
pub struct Findings {
    pub(crate) documents: Vec<Document>,
    pub(crate) queries: PathBuf,
    pub(crate) mistakes: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A description or a schema: what it was, and what it is now.
#[derive(Clone, Debug)]
pub struct Document {
    /// Which interface it describes.
    pub interface: Interface,
    /// The file it is kept in.
    pub file: PathBuf,
    /// All differences that affect generated code.
    pub changes: Vec<Change>,
    /// What its file shall hold.
    pub(crate) text: String,
    /// Further files of a description, and what they shall hold.
    pub(crate) parts: Vec<(PathBuf, String)>,
    pub(crate) state: State,
    /// A file in another notation that this one takes the place of.
    pub(crate) replaces: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// There was no file.
    New,
    Same,
    Different,
}

impl State {
    /// Whether a file is as it was, where there was one.
    pub(crate) fn of(is_same: Option<bool>) -> Self {
        match is_same {
            None => Self::New,
            Some(true) => Self::Same,
            Some(false) => Self::Different,
        }
    }
}

impl Findings {
    /// Whether anything is different from what is there.
    pub fn has_drift(&self) -> bool {
        self.documents.iter().any(|document| document.state != State::Same)
    }

    /// The description and the schema, as far as they were compared.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// What does not validate in the queries against the current schema.
    pub fn mistakes(&self) -> &[Diagnostic] {
        &self.mistakes
    }

    /// What the generator newly leaves out of the description, or ignores.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Writes what is different. A file whose content has not changed keeps its form.
    ///
    /// # Errors
    ///
    /// The first file that cannot be written.
    pub fn write(&self) -> Result<(), Failure> {
        let failed = |what: &str, path: &Path, error: io::Error| {
            Failure::new(format!("{}: cannot be {what}: {error}", Source::name_of(path)))
        };
        for document in self.documents.iter().filter(|document| document.state != State::Same) {
            let parts = document.parts.iter().map(|(file, text)| (file, text));
            for (file, text) in parts.chain([(&document.file, &document.text)]) {
                let folder = file.parent().unwrap_or(Path::new("."));
                fs::create_dir_all(folder).map_err(|error| failed("created", folder, error))?;
                fs::write(file, text).map_err(|error| failed("written", file, error))?;
            }
            if let Some(replaced) = &document.replaces {
                fs::remove_file(replaced).map_err(|error| failed("removed", replaced, error))?;
            }
        }
        Ok(())
    }
}
