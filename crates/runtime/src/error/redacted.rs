//! Redacted sources of an error.

use std::error::Error as StdError;
use std::fmt;

use crate::redact::Redactor;

/// The redacted message of a cause.
struct Redacted {
    words: String,
    source: Option<Box<Self>>,
}

/// The cause unchanged; or as redacted text, if it or one of its own causes contains a secret.
pub(super) fn source(
    source: Box<dyn StdError + Send + Sync>,
    redactor: &Redactor,
) -> Box<dyn StdError + Send + Sync> {
    let (mut causes, mut next) = (Vec::new(), Some(&*source as &(dyn StdError + 'static)));
    while let Some(cause) = next {
        causes.push(cause);
        next = cause.source();
    }
    let shows = |text: String| redactor.redact(&text) != text;
    if !causes.iter().any(|cause| shows(cause.to_string()) || shows(format!("{cause:?}"))) {
        return source;
    }
    let mut beneath = None;
    for cause in causes.into_iter().rev() {
        let words = redactor.redact(&cause.to_string());
        beneath = Some(Box::new(Redacted { words, source: beneath }));
    }
    match beneath {
        Some(redacted) => redacted,
        None => source,
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redacted")
            .field("words", &self.words)
            .field("source", &self.source)
            .finish()
    }
}

impl StdError for Redacted {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
