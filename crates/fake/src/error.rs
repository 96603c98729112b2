//! Error of a refused description, setting or value.

use std::fmt;

/// The reason why a description, a setting or a value is refused, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// A violation of a schema by the part of a value at a JSON pointer.
    pub(crate) fn violation(pointer: &str, rule: impl fmt::Display) -> Self {
        match pointer.trim_start_matches('/') {
            "" => Self(rule.to_string()),
            place => Self(format!("`{}`: {rule}", place.replace('/', "."))),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
