//! JSON objects whose fields are kept as the bytes that were received.

use std::fmt;

use bytes::Bytes;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
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
    /// The fields of the JSON object in `body`, in the order in which they came. They share its
    /// memory.
    pub(crate) fn all(attempted: &Attempted, body: &Bytes) -> Result<Vec<Self>> {
        let object: Borrowed<'_> =
            serde_json::from_slice(body).map_err(|error| not_decodable(attempted, ".", error))?;
        let own = |(name, json): (String, &RawValue)| Self {
            name,
            json: body.slice_ref(json.get().as_bytes()),
        };
        Ok(object.0.into_iter().map(own).collect())
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
