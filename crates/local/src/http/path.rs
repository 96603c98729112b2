//! What is escaped in a path.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::ErrorResponse;

/// A piece of a path without its escapes.
pub(crate) fn decoded(piece: &str) -> Result<Cow<'_, str>, ErrorResponse> {
    percent_decode_str(piece)
        .decode_utf8()
        .map_err(|_| ErrorResponse::not_found("the path is not valid UTF-8"))
}
