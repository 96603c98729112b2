//! Raw JSON objects and lists, whose parts are kept as the bytes received.

mod decode;
mod parts;

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use bytes::Bytes;
use serde::Deserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};

pub use self::decode::{
    decode_at, not_decodable, not_serializable, of_another_type, redacted, without_values,
};
pub use self::parts::without_mark;
use crate::error::{Attempted, Error, Result};

/// A field of an object: its name, and its value as the JSON text that was received, which may be
/// malformed if the object was.
#[derive(Clone)]
pub struct RawField<'n> {
    pub name: &'n str,
    pub json: Bytes,
}

impl<'n> RawField<'n> {
    /// The fields of the JSON object in `body` that have these names, in the order in which they
    /// came; the last value if a name is repeated. The fields share the memory of `body`; unlisted fields
    /// allocate nothing. A malformed value is an error only when it is read.
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

/// The fields of a JSON object except the known fields. They are looked up on request: an object can
/// have very many.
pub struct OtherFields {
    object: Bytes,
    known: Cow<'static, [&'static str]>,
    names: OnceLock<Vec<Box<str>>>,
}

impl OtherFields {
    pub fn of(object: Bytes, known: &'static [&'static str]) -> Self {
        Self { object, known: known.into(), names: OnceLock::new() }
    }

    /// Removes a field from the known fields, so that it counts as an other field.
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

/// Visits the fields of a JSON object, in the order in which they came. Returns true if the object is complete;
/// its values may be malformed nevertheless.
pub fn for_each_field<'a>(json: &'a [u8], mut visit: impl FnMut(Cow<'a, str>, &'a [u8])) -> bool {
    let text = without_mark(json);
    parts::members(text, |name, place| {
        visit(name, &text[place]);
        ControlFlow::Continue(())
    })
}

/// The elements of the JSON list in `body`, none if it is null, as [`RawField::named`] returns the fields of
/// an object; `place` names the list in the error.
pub fn elements(attempted: &Attempted, place: &str, body: &Bytes) -> Result<Vec<Bytes>> {
    let text = without_mark(body);
    if text.trim_ascii() == b"null" {
        return Ok(Vec::new());
    }
    let mut elements = Vec::new();
    let is_whole = parts::elements(text, |place| elements.push(body.slice_ref(&text[place])));
    if is_whole { Ok(elements) } else { Err(shape_error(attempted, place, body, Container::List)) }
}

/// The last string of that name in malformed or truncated JSON.
pub fn text_in_flawed(json: &[u8], field: &str) -> Option<String> {
    last_text(json, field).0
}

/// The last string of that name in an object, whose values may be malformed; `None` if it is truncated.
pub fn text_in_whole(json: &[u8], field: &str) -> Option<String> {
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
    decode::flawed(attempted, place, json, &error)
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
            assert_eq!(text_in_flawed(json.as_bytes(), "id").as_deref(), found, "{json}");
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
}
