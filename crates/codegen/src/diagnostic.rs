//! Diagnostic: an error or an unsupported construct of a source file, with its position.

use std::fmt;

/// An error in a source file, or a part of the file that could not be expressed.
///
/// Its `Display` has the form that editors and terminals turn into a link:
/// `queries/mine.graphql:4:5: Cannot query field "nope" on type "Secret".`
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The file, as the build script named it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// The message, in one line.
    pub message: String,
}

impl Diagnostic {
    /// A diagnostic at a line and a column of a file. Values below 1 become 1, for tools that
    /// report 0 when they don't know the position.
    pub fn new(
        file: impl Into<String>,
        line: usize,
        column: usize,
        message: impl AsRef<str>,
    ) -> Self {
        Self {
            file: file.into(),
            line: line.max(1),
            column: column.max(1),
            message: one_line(message.as_ref()),
        }
    }

    /// A diagnostic about a file as a whole.
    pub fn of_file(file: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self::new(file, 1, 1, message)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// Cargo takes a directive's text to the end of the line and no further.
fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
