//! JSON objects whose fields are kept as the bytes that were received.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use bytes::Bytes;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use crate::error::{Attempted, Result};
use crate::transport::{decode_at, not_decodable};

/// A field of an object: its name, and its value as the JSON text that was received.
#[derive(Clone)]
pub(crate) struct RawField {
    pub(crate) name: String,
    pub(crate) json: Bytes,
}

impl RawField {
    /// The fields of the JSON object in `body` that have these names, in the order in which they
    /// came; the last one where a name is repeated. They share the memory of `body`, and take none
    /// for what has another name.
    pub(crate) fn named(attempted: &Attempted, body: &Bytes, names: &[&str]) -> Result<Vec<Self>> {
        let mut fields: Vec<Self> = Vec::with_capacity(names.len());
        for_each_field(body, |name, value| {
            if names.contains(&&*name) {
                fields.retain(|field| field.name != name);
                let json = body.slice_ref(value.get().as_bytes());
                fields.push(Self { name: name.into_owned(), json });
            }
        })
        .map_err(|error| not_decodable(attempted, ".", error))?;
        Ok(fields)
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

/// The text in a field of an object, also where the JSON behind it is cut off or flawed.
pub(crate) fn text_before_a_flaw(json: &[u8], field: &str) -> Option<String> {
    struct Search<'a> {
        field: &'a str,
        found: &'a mut Option<String>,
    }

    impl<'de> Visitor<'de> for Search<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(name) = map.next_key::<String>()? {
                if name == self.field {
                    *self.found = map.next_value()?;
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }

    let mut found = None;
    // What was found before a flaw is found.
    let _ = serde_json::Deserializer::from_slice(json)
        .deserialize_map(Search { field, found: &mut found });
    found.filter(|text| !text.is_empty())
}

/// Whether it is JSON at all, whatever its shape.
pub(crate) fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// The fields of a JSON object but for those that are known. They are looked up when they are asked
/// for: an object can have very many.
pub(crate) struct OtherFields {
    object: Bytes,
    known: &'static [&'static str],
    names: OnceLock<Vec<Box<str>>>,
}

impl OtherFields {
    /// Of an object that is valid JSON.
    pub(crate) fn of(object: Bytes, known: &'static [&'static str]) -> Self {
        Self { object, known, names: OnceLock::new() }
    }

    /// The value of a field, the last one where the name is repeated.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let mut found = None;
        self.for_each(|other, value| {
            if other == name {
                found = Some(value.get().as_bytes());
            }
        });
        found
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.names.get_or_init(|| {
            let mut names = Vec::new();
            self.for_each(|name, _| names.push(name.into()));
            names
        });
        names.iter().map(|name| &**name)
    }

    pub(crate) fn for_each<'a>(&'a self, mut visit: impl FnMut(Cow<'a, str>, &'a RawValue)) {
        // The whole was read before.
        let _ = for_each_field(&self.object, |name, value| {
            if !self.known.contains(&&*name) {
                visit(name, value);
            }
        });
    }
}

/// Visits the fields of a JSON object, in the order in which they came.
pub(crate) fn for_each_field<'a>(
    json: &'a [u8],
    visit: impl FnMut(Cow<'a, str>, &'a RawValue),
) -> Result<(), serde_json::Error> {
    struct Fields<F>(F);

    impl<'de, F: FnMut(Cow<'de, str>, &'de RawValue)> Visitor<'de> for Fields<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some(name) = map.next_key_seed(Name)? {
                (self.0)(name, map.next_value()?);
            }
            Ok(())
        }
    }

    let mut deserializer = serde_json::Deserializer::from_slice(json);
    deserializer.deserialize_map(Fields(visit))?;
    deserializer.end()
}

/// A field's name, borrowed unless it has escapes.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

/// The elements of a JSON array, or none for null, which share the memory of `json`.
pub(crate) fn elements(json: &Bytes) -> Result<Vec<Bytes>, serde_json::Error> {
    struct Elements<'a>(&'a Bytes);

    impl<'de> Visitor<'de> for Elements<'de> {
        type Value = Vec<Bytes>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<Bytes>, A::Error> {
            let mut elements = Vec::new();
            while let Some(element) = sequence.next_element::<&RawValue>()? {
                elements.push(self.0.slice_ref(element.get().as_bytes()));
            }
            Ok(elements)
        }

        fn visit_unit<E>(self) -> Result<Vec<Bytes>, E> {
            Ok(Vec::new())
        }
    }

    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let elements = deserializer.deserialize_any(Elements(json))?;
    deserializer.end()?;
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::{is_json, text_before_a_flaw};

    #[test]
    fn a_text_is_found_before_a_flaw_and_not_behind_it() {
        for (json, found) in [
            (r#"{"id":"j","status":"IN_QUEUE"}"#, Some("j")),
            (r#"{"status":{"a":[1]},"id":"j","sta"#, Some("j")),
            (r#"{"id":"j""#, Some("j")),
            (r#"{"id":"j"#, None),
            (r#"{"id": oops"#, None),
            (r#"{"status": oops,"id":"j"}"#, None),
            (r#"{"id":""}"#, None),
            (r#"{"id":null}"#, None),
            (r#"{"id":7}"#, None),
            (r#"["id","j"]"#, None),
            ("<html>", None),
            ("", None),
        ] {
            assert_eq!(text_before_a_flaw(json.as_bytes(), "id").as_deref(), found, "{json}");
            let whole = json.ends_with(['}', ']']) && !json.contains("oops");
            assert_eq!(is_json(json.as_bytes()), whole, "{json}");
        }
    }
}
