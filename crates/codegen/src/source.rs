//! Source text, with the name of its file for diagnostics.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::Diagnostic;

/// The name and the text of a file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name for diagnostics, such as `queries/mine.graphql`. Its extension decides how the
    /// text is read.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Source {
    /// Creates a source.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not UTF-8; then the position is that of the first invalid
    /// byte.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let name = Self::name_of(path);
        let bytes = fs::read(path)
            .map_err(|error| Diagnostic::of_file(&name, format!("cannot be read: {error}")))?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => {
                let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
                let start = valid.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let column = String::from_utf8_lossy(&valid[start..]).chars().count() + 1;
                Err(Diagnostic::new(name, line, column, "this file is not UTF-8"))
            }
        }
    }

    /// Finds the files of a folder and its subfolders that have one of these extensions, sorted by
    /// path. Hidden files are skipped: editors create such files.
    ///
    /// # Errors
    ///
    /// The folder does not exist, or cannot be read.
    pub fn find(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Diagnostic> {
        let mut found = Vec::new();
        let mut waiting = vec![folder.to_owned()];
        // A link may lead to a folder that contains it.
        let mut seen = HashSet::new();
        while let Some(folder) = waiting.pop() {
            let fault = |error: std::io::Error| {
                let message = match error.kind() {
                    ErrorKind::NotFound => {
                        let extension = extensions.first().unwrap_or(&"*");
                        format!(
                            "this folder does not exist; put files that end in .{extension} there"
                        )
                    }
                    _ => format!("this folder cannot be read: {error}"),
                };
                Diagnostic::of_file(Self::name_of(&folder), message)
            };
            if !seen.insert(folder.canonicalize().map_err(fault)?) {
                continue;
            }
            for entry in fs::read_dir(&folder).map_err(fault)? {
                let entry = entry.map_err(fault)?;
                let path = entry.path();
                if entry.file_name().to_string_lossy().starts_with('.') {
                    continue;
                }
                if path.is_dir() {
                    waiting.push(path);
                } else if path.extension().is_some_and(|it| extensions.iter().any(|one| it == *one))
                {
                    found.push(path);
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// The name of a file in diagnostics: its path, with `/` on every platform.
    pub fn name_of(path: &Path) -> String {
        path.display().to_string().replace('\\', "/")
    }

    /// The part of the name after the last dot.
    pub(crate) fn extension(&self) -> &str {
        self.name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

/// Generated code.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// Rust source, formatted.
    pub code: String,
    /// The part of a REST description's code that needs no client: the module `types`.
    pub types: String,
    /// The unsupported constructs that were left out, with the reason.
    pub warnings: Vec<Diagnostic>,
    /// Further files that were read or are missing: a change of them requires a new run.
    pub files: Vec<PathBuf>,
}
