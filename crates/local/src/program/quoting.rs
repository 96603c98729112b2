//! Values for a shell.

use std::borrow::Cow;

/// A value as a shell reads it back, whatever it holds.
pub fn quoted(value: &str) -> Cow<'_, str> {
    // Only a NUL could not be quoted, and neither a key nor a path or URL has one.
    shlex::try_quote(value).unwrap_or(Cow::Borrowed(value))
}
