//! JSON objects whose fields are kept as the bytes that were received.

use std::fmt;

use bytes::Bytes;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
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
