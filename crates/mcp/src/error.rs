//! Error of a server: what was attempted, and what came back.

use std::error;
use std::fmt;

/// An error that ends a server or prevents its start. Errors of tools are answers to the assistant
/// instead.
#[derive(Debug)]
pub struct Error {
    message: String,
    source: Option<Box<dyn error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(
        attempt: impl fmt::Display,
        source: impl Into<Box<dyn error::Error + Send + Sync>>,
    ) -> Self {
        let source = source.into();
        Self { message: format!("failed to {attempt}: {source}"), source: Some(source) }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        // The message contains the source's.
        self.source.as_ref().and_then(|source| source.source())
    }
}
