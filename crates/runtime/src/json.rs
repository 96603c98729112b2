//! JSON of responses: objects and lists whose parts are kept as the bytes received, and their
//! decoding into a type, with errors that describe the failure and show no value.

mod split;

use std::borrow::Cow;
use std::error::Error as _;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use bytes::Bytes;
use serde::Deserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};

pub use self::split::without_mark;
use self::split::{finite, split_list, split_object};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::lenient::without_values;
use crate::redact::Redactor;

/// A field of an object: its name, and its value as the JSON text that was received, which may be
/// malformed if the object was.
#[derive(Clone)]
pub struct RawField<'n> {
    pub name: &'n str,
    pub json: Bytes,
}

impl<'n> RawField<'n> {
    /// The fields of the JSON object in `body` that have these names, in the order in which they
    /// came; the last value if a name is repeated. The fields share the memory of `body`; unlisted
    /// fields allocate nothing. A malformed value is an error only when it is read.
    pub fn named(attempted: &Attempted, body: &Bytes, names: &[&'n str]) -> Result<Vec<Self>> {
        let mut fields: Vec<Self> = Vec::with_capacity(names.len());
        let is_whole = for_each_field(body, |name, value| {
            if let Some(name) = names.iter().find(|it| **it == name) {
                fields.retain(|field| field.name != *name);
                fields.push(Self { name, json: body.slice_ref(value) });
            }
        });
        if is_whole {
            Ok(fields)
        } else {
            Err(shape_error(attempted, ".", body, Container::Object))
        }
    }

    /// The value as a `T`.
    pub fn read<T: DeserializeOwned>(&self, attempted: &Attempted) -> Result<T> {
        decode_at(attempted, self.name, &self.json)
    }

    /// The value, unless it is null.
    pub fn present(self) -> Option<Bytes> {
        (self.json != "null").then_some(self.json)
    }
}

/// The additional fields of a JSON object. They are looked up on request: an object can have very
/// many.
pub struct AdditionalFields {
    object: Bytes,
    known: Cow<'static, [&'static str]>,
    names: OnceLock<Vec<Box<str>>>,
}

impl AdditionalFields {
    pub fn of(object: Bytes, known: &'static [&'static str]) -> Self {
        Self { object, known: known.into(), names: OnceLock::new() }
    }

    /// Removes a field from the known fields, so that it counts as an additional field.
    pub fn add(&mut self, name: &str) {
        self.known.to_mut().retain(|known| *known != name);
    }

    /// Returns the value of any field of the object, the last value if the name is repeated.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let mut found = None;
        for_each_field(&self.object, |other, value| {
            if other == name {
                found = Some(value);
            }
        });
        found
    }

    /// The whole object, with the known fields.
    pub fn object(&self) -> &[u8] {
        &self.object
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.names.get_or_init(|| {
            let mut names = Vec::new();
            self.for_each(|name, _| names.push(name.into()));
            names
        });
        names.iter().map(|name| &**name)
    }

    pub fn for_each<'a>(&'a self, mut visit: impl FnMut(Cow<'a, str>, &'a [u8])) {
        for_each_field(&self.object, |name, value| {
            if !self.known.contains(&&*name) {
                visit(name, value);
            }
        });
    }
}

/// Visits the fields of a JSON object, in the order in which they came. Returns true if the object
/// is complete; its values may be malformed nevertheless.
pub fn for_each_field<'a>(json: &'a [u8], mut visit: impl FnMut(Cow<'a, str>, &'a [u8])) -> bool {
    let text = without_mark(json);
    split_object(text, |name, place| {
        visit(name, &text[place]);
        ControlFlow::Continue(())
    })
}

/// The elements of the JSON list in `body`, where null is an empty list, as [`RawField::named`]
/// returns the fields of an object; `place` names the list in the error.
pub fn elements(attempted: &Attempted, place: &str, body: &Bytes) -> Result<Vec<Bytes>> {
    let text = without_mark(body);
    if text.trim_ascii() == b"null" {
        return Ok(Vec::new());
    }
    let mut elements = Vec::new();
    let is_whole = split_list(text, |place| elements.push(body.slice_ref(&text[place])));
    if is_whole { Ok(elements) } else { Err(shape_error(attempted, place, body, Container::List)) }
}

/// The last string of that name in malformed or truncated JSON.
pub fn text_in_truncated(json: &[u8], field: &str) -> Option<String> {
    last_text(json, field).0
}

/// The last string of that name in an object, whose values may be malformed; `None` if it is
/// truncated.
pub fn text_in_complete(json: &[u8], field: &str) -> Option<String> {
    let (text, is_whole) = last_text(json, field);
    text.filter(|_| is_whole)
}

fn last_text(json: &[u8], field: &str) -> (Option<String>, bool) {
    let mut last = None;
    let is_whole = for_each_field(json, |name, value| {
        if name == field {
            last = Some(value);
        }
    });
    let text: Option<String> = last.and_then(|value| serde_json::from_slice(value).ok());
    (text.filter(|text| !text.is_empty()), is_whole)
}

/// Returns true if the text is JSON of any shape.
pub fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(without_mark(text)).is_ok()
}

/// The expected kind of a text.
#[derive(Clone, Copy)]
enum Container {
    Object,
    List,
}

impl<'de> Visitor<'de> for Container {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "an object",
            Self::List => "an array",
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if matches!(self, Self::List) {
            return Err(serde::de::Error::invalid_type(serde::de::Unexpected::Map, &self));
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if matches!(self, Self::Object) {
            return Err(serde::de::Error::invalid_type(serde::de::Unexpected::Seq, &self));
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// The error for a text that is not such a container, with the message of the parser.
fn shape_error(attempted: &Attempted, place: &str, json: &[u8], expected: Container) -> Error {
    let mut deserializer = serde_json::Deserializer::from_slice(without_mark(json));
    let read = deserializer.deserialize_any(expected).and_then(|()| deserializer.end());
    let error = read.err().unwrap_or_else(|| serde::de::Error::custom("a name is not UTF-8"));
    undecodable(attempted, place, &error, note_on(json))
}

/// The note in errors about JSON whose numbers were replaced.
const READ_AS_NULL: &str = " (NaN, Infinity and numbers beyond a double were read as null)";

/// Decodes the part of a response at the path `place`; the whole response if that is empty. An
/// error names the path to the value. Numbers that JSON does not have are read as null.
pub fn decode_at<T: DeserializeOwned>(
    attempted: &Attempted,
    place: &str,
    json: &[u8],
) -> Result<T> {
    let json = without_mark(json);
    // Tracking the path doubles the cost, so it is done only after a failure.
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

/// The note in errors about bytes that are recognizably not JSON.
fn note_on(bytes: &[u8]) -> &'static str {
    match bytes.trim_ascii_start() {
        [b'<', ..] => " (it looks like a web page)",
        [0x1f, 0x8b, ..] => " (it looks compressed, although no compression was accepted)",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => " (it looks like UTF-16 instead of UTF-8)",
        _ => "",
    }
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

/// The message of a serde error without the values it found, which may be secrets of the response.
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

/// A decoding error without secrets: the names in a path, and messages of the caller's types, may
/// repeat the response.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_malformed_and_truncated_json() {
        for (json, found) in [
            (r#"{"id":"j","status":"IN_QUEUE"}"#, Some("j")),
            (r#"{"status":{"a":[1]},"id":"j","sta"#, Some("j")),
            (r#"{"id":"j""#, Some("j")),
            (r#"{"id":"j"#, None),
            (r#"{"id": oops"#, None),
            (r#"{"status": oops,"id":"j"}"#, Some("j")),
            (r#"{"output":[NaN],"id":"j","sta"#, Some("j")),
            (r#"{"id":"i","id":"j"}"#, Some("j")),
            ("\u{feff}{\"id\":\"j\"}", Some("j")),
            (r#"{"id":""}"#, None),
            (r#"{"id":null}"#, None),
            (r#"{"id":7}"#, None),
            (r#"["id","j"]"#, None),
            ("<html>", None),
            ("", None),
        ] {
            assert_eq!(text_in_truncated(json.as_bytes(), "id").as_deref(), found, "{json}");
        }
    }

    #[test]
    fn a_malformed_value_is_an_error_only_when_it_is_read() {
        let read = Attempted::new("read");
        let body = Bytes::from("\u{feff}{\"id\":\"j\",\"output\":[NaN],\"worse\":oops}");
        let fields = RawField::named(&read, &body, &["id", "output", "worse"]).expect("an object");
        let names: Vec<_> = fields.iter().map(|field| field.name).collect();
        assert_eq!(names, ["id", "output", "worse"]);
        assert_eq!(fields[0].read::<String>(&read).expect("a text"), "j");
        assert_eq!(fields[1].json, "[NaN]");
        assert_eq!(fields[1].read::<Vec<Option<f64>>>(&read).expect("a list"), [None]);
        fields[2].read::<IgnoredAny>(&read).expect_err("it is not JSON");

        let all = elements(&read, "stream", &Bytes::from("[1,NaN,{\"a\":oops}]")).expect("a list");
        assert_eq!(all, ["1", "NaN", "{\"a\":oops}"]);
        for body in ["{\"a\":NaN", "[1,NaN", "{\"a\":1}", "7", "", "<html>"] {
            assert!(elements(&read, "stream", &Bytes::from(body)).is_err(), "{body}");
        }
    }

    #[test]
    fn only_json_is_recognized_as_json() {
        for (text, is) in
            [("{}", true), ("\u{feff}7", true), ("", false), ("<html>", false), ("[NaN]", false)]
        {
            assert_eq!(is_json(text.as_bytes()), is, "{text}");
        }
    }

    #[test]
    fn a_decoding_error_names_the_place_and_never_the_value() {
        let read = Attempted::new("read").on_interface("REST");
        let json = br#"{"env":{"A":"hun\"ter2"}}"#;
        let error = decode_at::<std::collections::HashMap<String, Vec<u8>>>(&read, "", json)
            .expect_err("a map is not a list");
        assert_eq!(error.field(), Some("env"));
        let error =
            decode_at::<std::collections::HashMap<String, u8>>(&read, "", br#"{"A":"hun\"ter2"}"#)
                .expect_err("a string is not a number");
        assert_eq!(error.field(), Some("A"));
        assert!(!format!("{error} {error:?}").contains("hun"), "{error:?}");
    }

    #[test]
    fn only_an_error_at_a_null_says_that_numbers_were_read_as_null() {
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
