//! What is escaped in a path.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::Refusal;

/// A piece of a path without its escapes.
pub(crate) fn decoded(piece: &str) -> Result<Cow<'_, str>, Refusal> {
    percent_decode_str(piece)
        .decode_utf8()
        .map_err(|_| Refusal::not_found("the path does not decode to valid UTF-8"))
}
