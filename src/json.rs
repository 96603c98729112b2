//! JSON objects and lists whose parts are kept as the bytes that were received.

mod flawed;

use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use self::flawed::Parts;
pub(crate) use self::flawed::finite;
use crate::error::{Attempted, Result};
use crate::transport::{decode_at, not_decodable};

/// The mark that some writers put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A field of an object: its name, and its value as the JSON text that was received, which may be
/// flawed where the object was.
#[derive(Clone)]
pub(crate) struct RawField {
    pub(crate) name: String,
    pub(crate) json: Bytes,
}

impl RawField {
    /// The fields of the JSON object in `body`, in the order in which they came. They share its
    /// memory. A flaw within a value is left to whoever reads that value.
    pub(crate) fn all(attempted: &Attempted, body: &Bytes) -> Result<Vec<Self>> {
        let text = without_mark(body);
        let error = match serde_json::from_slice::<Borrowed<'_>>(text) {
            Ok(object) => {
                let own = |(name, json): (String, &RawValue)| Self {
                    name,
                    json: body.slice_ref(json.get().as_bytes()),
                };
                return Ok(object.0.into_iter().map(own).collect());
            }
            Err(error) => error,
        };
        let parts = Parts::of_object(text);
        if !parts.are_whole {
            return Err(not_decodable(attempted, ".", error));
        }
        let own = |(name, place): (String, Range<usize>)| Self {
            name,
            json: body.slice_ref(&text[place]),
        };
        Ok(parts.all.into_iter().map(own).collect())
    }

    /// The value as a `T`.
    pub(crate) fn read<T: DeserializeOwned>(&self, attempted: &Attempted) -> Result<T> {
        decode_at(attempted, &self.name, &self.json)
    }

    /// The value, where it is not null.
    pub(crate) fn present(self) -> Option<Bytes> {
        (self.json != "null").then_some(self.json)
    }
}

/// The elements of the JSON list in `body`, none where it is null, as [`RawField::all`] has the fields
/// of an object; `place` names it where it is no list.
pub(crate) fn elements(attempted: &Attempted, place: &str, body: &Bytes) -> Result<Vec<Bytes>> {
    let text = without_mark(body);
    let error = match serde_json::from_slice::<Option<Vec<&RawValue>>>(text) {
        Ok(elements) => {
            let own = |element: &RawValue| body.slice_ref(element.get().as_bytes());
            return Ok(elements.unwrap_or_default().into_iter().map(own).collect());
        }
        Err(error) => error,
    };
    let parts = Parts::of_list(text);
    if !parts.are_whole {
        return Err(not_decodable(attempted, place, error));
    }
    Ok(parts.all.into_iter().map(|(_, place)| body.slice_ref(&text[place])).collect())
}

/// The text without the mark that may stand before it.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// The last text of that name in an object, wherever it is flawed or cut off.
pub(crate) fn text_in_flawed(json: &[u8], field: &str) -> Option<String> {
    let json = without_mark(json);
    last_text(json, &Parts::of_object(json), field)
}

/// The last text of that name in an object, which may be flawed and not cut off.
#[cfg(feature = "webhook")]
pub(crate) fn text_in_whole(json: &[u8], field: &str) -> Option<String> {
    let json = without_mark(json);
    let parts = Parts::of_object(json);
    parts.are_whole.then(|| last_text(json, &parts, field)).flatten()
}

fn last_text(json: &[u8], parts: &Parts, field: &str) -> Option<String> {
    let (_, place) = parts.all.iter().rev().find(|(name, _)| name == field)?;
    let text: String = serde_json::from_slice(&json[place.clone()]).ok()?;
    (!text.is_empty()).then_some(text)
}

/// Whether it is an object, flawed or not, with one of these fields.
pub(crate) fn has_any_field(json: &[u8], fields: &[&str]) -> bool {
    let parts = Parts::of_object(without_mark(json));
    parts.are_whole && parts.all.iter().any(|(name, _)| fields.contains(&name.as_str()))
}

/// Whether it is JSON at all, whatever its shape.
pub(crate) fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(without_mark(text)).is_ok()
}

struct Borrowed<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Borrowed<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Borrowed<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(8);
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Borrowed(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_what_is_flawed_and_before_it_is_cut_off() {
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
    fn a_flaw_is_left_to_whoever_reads_the_value_that_has_it() {
        let read = Attempted::on_interface("read", "queue");
        let body = Bytes::from("\u{feff}{\"id\":\"j\",\"output\":[NaN],\"worse\":oops}");
        let fields = RawField::all(&read, &body).expect("an object");
        let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
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
    fn json_is_told_from_what_is_not() {
        for (text, is) in
            [("{}", true), ("\u{feff}7", true), ("", false), ("<html>", false), ("[NaN]", false)]
        {
            assert_eq!(is_json(text.as_bytes()), is, "{text}");
        }
        assert!(has_any_field(b"{\"status\":NaN}", &["id", "status"]));
        assert!(!has_any_field(b"{\"jobs\":{}}", &["id", "status"]));
    }
}
