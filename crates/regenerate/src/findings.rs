//! Findings of a comparison: the changes of each document, invalid queries and warnings, as a
//! report and as the files to write.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use podqueue_codegen::{Diagnostic, Source};

use crate::Error;
use crate::change::{Change, Interface};

/// The result of a comparison. Its `Display` is the report that the program prints.
#[derive(Clone, Debug)]
pub struct Findings {
    pub(crate) documents: Vec<Document>,
    pub(crate) queries: PathBuf,
    pub(crate) invalid_queries: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A REST description or a GraphQL schema, compared with its current version.
#[derive(Clone, Debug)]
pub struct Document {
    /// The interface that it describes.
    pub interface: Interface,
    /// The file that stores it.
    pub file: PathBuf,
    /// All differences that affect generated code, by path. The report lists those first that
    /// affect running programs.
    pub changes: Vec<Change>,
    /// The new content of the file.
    pub(crate) text: String,
    /// Further files of a description, with their new content.
    pub(crate) parts: Vec<(PathBuf, String)>,
    pub(crate) drift: Drift,
    /// A file in another notation, which the new file replaces.
    pub(crate) replaces: Option<PathBuf>,
}

/// Comparison of a document with the stored file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drift {
    /// No file is stored.
    New,
    Unchanged,
    Changed,
}

impl Drift {
    /// `is_same` is `None` without a stored file.
    pub(crate) fn of(is_same: Option<bool>) -> Self {
        match is_same {
            None => Self::New,
            Some(true) => Self::Unchanged,
            Some(false) => Self::Changed,
        }
    }
}

impl Findings {
    /// Returns true if any document differs from the stored file.
    pub fn has_drift(&self) -> bool {
        self.documents.iter().any(|document| document.drift != Drift::Unchanged)
    }

    /// The compared documents.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Validation errors of the queries against the current schema.
    pub fn invalid_queries(&self) -> &[Diagnostic] {
        &self.invalid_queries
    }

    /// New warnings of the generator: constructs of the description that it leaves out or ignores.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Writes the changed documents. A file whose content has not changed is not rewritten.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write(&self) -> Result<(), Error> {
        let failed = |participle: &str, path: &Path, error: io::Error| {
            Error::new(format!("{}: cannot be {participle}: {error}", Source::name_of(path)))
        };
        for document in self.documents.iter().filter(|document| document.drift != Drift::Unchanged)
        {
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

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for document in &self.documents {
            write!(f, "{document}")?;
        }
        if !self.warnings.is_empty() {
            writeln!(f, "\nwarnings of the generator:")?;
            self.warnings.iter().try_for_each(|warning| writeln!(f, "  {warning}"))?;
        }
        if !self.invalid_queries.is_empty() {
            writeln!(f, "\nqueries that do not validate:")?;
            self.invalid_queries.iter().try_for_each(|error| writeln!(f, "  {error}"))?;
        } else if self.documents.iter().any(|it| it.interface == Interface::GraphQl) {
            let queries = Source::name_of(&self.queries);
            writeln!(f, "\nall queries of {queries} validate")?;
        }
        Ok(())
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = match self.interface {
            Interface::Rest => "REST description",
            Interface::GraphQl => "GraphQL schema",
        };
        write!(f, "{title}, {}: ", Source::name_of(&self.file))?;
        match self.drift {
            Drift::New => writeln!(f, "new"),
            Drift::Unchanged => writeln!(f, "no drift"),
            Drift::Changed if self.changes.is_empty() => {
                writeln!(f, "changed, but not in anything that affects generated code")
            }
            Drift::Changed => {
                let breaking = self.changes.iter().filter(|change| change.is_breaking()).count();
                let many = if self.changes.len() == 1 { "change" } else { "changes" };
                writeln!(f, "{} {many}, {breaking} of them breaking", self.changes.len())?;
                let affects = |it: &&Change| it.affects_running_programs();
                let (first, others): (Vec<_>, Vec<_>) = self.changes.iter().partition(affects);
                first.iter().try_for_each(|change| writeln!(f, "  {change}"))?;
                if !first.is_empty() && !others.is_empty() {
                    writeln!(f, "  these affect no running program:")?;
                }
                others.iter().try_for_each(|change| writeln!(f, "  {change}"))
            }
        }?;
        match &self.replaces {
            Some(replaced) => writeln!(f, "  replaces {}", Source::name_of(replaced)),
            None => Ok(()),
        }
    }
}
