//! Text to generate from, with the name that diagnostics call it by.

/// A file's name and what it holds.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name for diagnostics, such as `queries/mine.graphql`. Its ending says what it holds.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Source {
    /// A source from its parts.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// What follows the last dot of the name.
    pub(crate) fn extension(&self) -> &str {
        self.name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

/// What a generator made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Rust source, formatted.
    pub code: String,
    /// What had to be left out.
    pub warnings: Vec<crate::Diagnostic>,
}
