//! Decoding into a type, with errors that describe the failure.

use std::error::Error as _;
use std::fmt;

use serde::de::DeserializeOwned;

use super::parts::{finite, without_mark};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::redact::Redactor;

/// The note in errors about JSON whose numbers were replaced.
const READ_AS_NULL: &str = " (NaN, Infinity and numbers beyond a double were read as null)";

/// Reads the part of a reply that stands at `place` as JSON, the whole where that is empty. An error
/// names the path to the place. Numbers that JSON does not have are read as null.
pub fn decode_at<T: DeserializeOwned>(
    attempted: &Attempted,
    place: &str,
    json: &[u8],
) -> Result<T> {
    let json = without_mark(json);
    // To keep track of the path costs as much again, and is of use only where something is wrong.
    if let Ok(value) = serde_json::from_slice(json) {
        return Ok(value);
    }
    let finite = finite(json);
    let mut deserializer = serde_json::Deserializer::from_slice(finite.as_deref().unwrap_or(json));
    let decoded = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| (error.path().to_string(), error.into_inner()))
        .and_then(|value| match deserializer.end() {
            Ok(()) => Ok(value),
            Err(error) => Err((".".to_owned(), error)),
        });
    decoded.map_err(|(path, error)| {
        let path = match (place, path.as_str()) {
            ("", path) => path.to_owned(),
            (place, ".") => place.to_owned(),
            (place, path) if path.starts_with('[') => format!("{place}{path}"),
            (place, path) => format!("{place}.{path}"),
        };
        // A replaced number is mentioned only if the resulting null is the cause.
        let is_about_null = error.to_string().contains("null");
        let note = match finite {
            Some(_) if is_about_null => READ_AS_NULL,
            Some(_) => "",
            None => note_on(json),
        };
        undecodable(attempted, &path, &error, note)
    })
}

/// The error for JSON whose value at `path` does not have its type.
pub fn of_another_type(attempted: &Attempted, json: &[u8], path: &str, why: &str) -> Error {
    // A replaced number is mentioned only if the resulting null is the cause.
    let note = if why.contains("null") && finite(json).is_some() { READ_AS_NULL } else { "" };
    Undecodable { what: UNEXPECTED, why: without_values(why), note }
        .describe(Error::new(ErrorKind::Decode, attempted, ""), path)
}

const UNEXPECTED: &str = "has an unexpected shape";

/// A description of bytes that are recognizably no JSON.
fn note_on(bytes: &[u8]) -> &'static str {
    match bytes.trim_ascii_start() {
        [b'<', ..] => " (it looks like a web page)",
        [0x1f, 0x8b, ..] => " (it looks compressed, although no compression was accepted)",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => " (it looks like UTF-16 instead of UTF-8)",
        _ => "",
    }
}

/// The error for these bytes, which are not JSON of the expected shape at `path`.
pub(super) fn flawed(
    attempted: &Attempted,
    path: &str,
    bytes: &[u8],
    error: &serde_json::Error,
) -> Error {
    undecodable(attempted, path, error, note_on(bytes))
}

/// The error for JSON that is not of the expected shape at `path`.
pub fn not_decodable(attempted: &Attempted, path: &str, error: serde_json::Error) -> Error {
    undecodable(attempted, path, &error, "")
}

fn undecodable(
    attempted: &Attempted,
    path: &str,
    error: &serde_json::Error,
    note: &'static str,
) -> Error {
    let what = if error.is_data() { UNEXPECTED } else { "is not JSON" };
    let why = without_values(&error.to_string());
    Undecodable { what, why, note }.describe(Error::new(ErrorKind::Decode, attempted, ""), path)
}

/// The message of a serde error without the values it found, which may be secrets of the reply.
#[derive(Clone, Debug)]
struct Undecodable {
    what: &'static str,
    why: String,
    note: &'static str,
}

impl Undecodable {
    /// The error, attributed to the value at `path`.
    fn describe(self, error: Error, path: &str) -> Error {
        let Self { what, why, note } = &self;
        let message = match path {
            "." => format!("the response {what}: {why}{note}"),
            path => format!("`{path}` in the response {what}: {why}{note}"),
        };
        error.with_message(message).with_field(path).with_source(self)
    }
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Undecodable {}

/// A decoding error without secrets: the names in a path, and messages of the caller's types, may repeat
/// the response.
pub fn redacted(error: Error, redactor: &Redactor) -> Error {
    let found = error.source().and_then(|it| it.downcast_ref::<Undecodable>()).cloned();
    let Some(found) = found else { return error };
    let path = redactor.redact(error.field().unwrap_or("."));
    let why = redactor.redact(&found.why);
    Undecodable { why, ..found }.describe(error, &path)
}

/// The error for a value that serde could not write as JSON.
pub fn not_serializable(
    attempted: impl Into<String>,
    field: &str,
    source: serde_json::Error,
) -> Error {
    Error::refused(attempted, field, format_args!("cannot be serialized as JSON: {source}"))
        .with_source(source)
}

/// The message of a serde error without the values that it quotes: `invalid type: string …, expected f64`.
pub fn without_values(message: &str) -> String {
    for unknown in ["unknown variant `", "unknown field `"] {
        // The name is quoted as received, with any character in it.
        let rest = message.strip_prefix(unknown);
        let end = rest.and_then(|rest| rest.rfind("`, expected").or(rest.rfind("`, there are")));
        if let (Some(rest), Some(end)) = (rest, end) {
            return format!("{unknown}…{}", &rest[end..]);
        }
    }
    // The text after `expected`, and the names of missing fields, come from the type.
    let found_ends = if message.starts_with("invalid ") { usize::MAX } else { 0 };
    let mut shown = String::with_capacity(message.len());
    let (mut within, mut escaped, mut found) = (None, false, found_ends > 0);
    for (at, character) in message.char_indices() {
        found &= within.is_some() || !message[at..].starts_with(", expected");
        match (character, within) {
            _ if escaped => escaped = false,
            ('\\', Some('"')) => escaped = true,
            (_, Some(quote)) if character == quote => {
                within = None;
                shown.push('…');
            }
            (_, Some(_)) => {}
            ('"', None) => within = Some('"'),
            ('`', None) if found => within = Some('`'),
            _ => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{decode_at, without_values};
    use crate::error::Attempted;

    #[test]
    fn a_decoding_error_names_the_place_and_never_the_value() {
        let read = Attempted::new("read").on_interface("REST");
        let json = br#"{"env":{"A":"hun\"ter2"}}"#;
        let error = decode_at::<std::collections::HashMap<String, Vec<u8>>>(&read, "", json)
            .expect_err("a map is no list");
        assert_eq!(error.field(), Some("env"));
        let error =
            decode_at::<std::collections::HashMap<String, u8>>(&read, "", br#"{"A":"hun\"ter2"}"#)
                .expect_err("a string is no number");
        assert_eq!(error.field(), Some("A"));
        assert!(!format!("{error} {error:?}").contains("hun"), "{error:?}");
    }

    #[test]
    fn that_numbers_were_read_as_null_is_said_of_a_null_alone() {
        let read = Attempted::new("read").on_interface("REST");
        let error = |json: &str| {
            let error = decode_at::<Vec<u8>>(&read, "", json.as_bytes()).expect_err("no number");
            error.to_string()
        };
        for json in ["[NaN]", "[1e400]", "[-1e400]"] {
            assert!(error(json).contains("were read as null"), "{}", error(json));
        }
        for json in ["[true, NaN]", "[300, 1e400]"] {
            assert!(!error(json).contains("null"), "{}", error(json));
        }
        let rest = decode_at::<Vec<Option<f64>>>(&read, "", b"[1e400, -1e400, 1e300, 2]");
        assert_eq!(rest.ok(), Some(vec![None, None, Some(1e300), Some(2.0)]));
    }

    #[test]
    fn found_values_are_removed_and_expected_ones_stay() {
        for (message, shown) in [
            (
                r#"invalid type: string "a \" b, expected `c`", expected f64 at line 1"#,
                "invalid type: string …, expected f64 at line 1",
            ),
            (
                "invalid type: integer `1234`, expected a string",
                "invalid type: integer …, expected a string",
            ),
            (
                "invalid value: floating point `0.5`, expected `a` or `b`",
                "invalid value: floating point …, expected `a` or `b`",
            ),
            (
                "unknown variant `s`, expected`, expected one of `a`, `b`",
                "unknown variant `…`, expected one of `a`, `b`",
            ),
            (
                "unknown variant `s`, there are no variants",
                "unknown variant `…`, there are no variants",
            ),
            ("missing field `id` at line 1", "missing field `id` at line 1"),
            ("null where there must be a value", "null where there must be a value"),
        ] {
            assert_eq!(without_values(message), shown);
        }
    }
}
