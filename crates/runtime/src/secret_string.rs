//! Secret string: text that `Debug` never shows.

use std::fmt;
use std::sync::Arc;

use serde::Serializer;

/// A string that never appears in `Debug` output, errors or logs: a key, a secret's value, a
/// storage credential.
///
/// The type does not implement [`Serialize`](serde::Serialize), so that a configuration that
/// contains a secret cannot leak it into a log or file. [`expose`](Self::expose) is the only way to
/// get the text.
///
/// ```
/// use podqueue_runtime::SecretString;
///
/// let key = SecretString::from("s3cret");
/// assert_eq!(format!("{key:?}"), "[redacted]");
/// assert_eq!(key.expose(), "s3cret");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(Arc<str>);

impl SecretString {
    /// Returns the plain text. Do not log it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Writes the plain text into what is sent, for `#[serde(serialize_with = …)]` on a field.
    pub fn serialize_exposed<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<T: Into<String>> From<T> for SecretString {
    fn from(text: T) -> Self {
        Self(text.into().into())
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}
