//! Node: the JSON of a value, as it is written.

use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;
#[cfg(feature = "client")]
use serde_json::json;

#[cfg(feature = "client")]
use crate::redact::secrets_in;
#[cfg(feature = "client")]
use crate::secret_string::SecretString;

/// JSON that borrows its texts.
pub enum Node<'a> {
    /// Null.
    Null,
    /// A boolean.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A whole number that may exceed an `i64`.
    Unsigned(u64),
    /// A number.
    Number(f64),
    /// A text.
    Text(&'a str),
    /// A list.
    List(Vec<Node<'a>>),
    /// An object, its fields in the order in which they are written.
    Object(Vec<(&'a str, Node<'a>)>),
    /// The value of a field that is secret: neither errors nor logs may have it.
    Secret(Box<Node<'a>>),
    /// JSON that the value holds.
    Json(&'a Json),
    /// JSON that was made of the value.
    Owned(Json),
    /// A value that cannot be written, and why.
    Failed(String),
}

#[cfg(feature = "client")]
impl Node<'_> {
    /// Returns true for an object that has a field of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        match self {
            Self::Object(fields) => fields.iter().any(|(it, _)| *it == name),
            Self::Json(json) => json.get(name).is_some(),
            Self::Owned(json) => json.get(name).is_some(),
            _ => false,
        }
    }

    /// Adds the secrets that the fields of this value have by their description, whatever their
    /// names.
    pub(crate) fn add_secrets(&self, secrets: &mut Vec<SecretString>) {
        match self {
            Self::Secret(node) => {
                // Of a field of that name, all texts but trivial ones are secrets: `1` occurs in errors
                // for other reasons.
                let value = serde_json::to_value(node).unwrap_or_default();
                secrets.extend(secrets_in(json!({ "environment": value })));
            }
            Self::List(items) => items.iter().for_each(|it| it.add_secrets(secrets)),
            Self::Object(fields) => fields.iter().for_each(|(_, it)| it.add_secrets(secrets)),
            _ => {}
        }
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Unsigned(number) => serializer.serialize_u64(*number),
            // serde_json would write null.
            Self::Number(number) if !number.is_finite() => {
                Err(S::Error::custom(format_args!("{number} is not a number of JSON")))
            }
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => items.serialize(serializer),
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
            Self::Secret(node) => node.serialize(serializer),
            Self::Json(json) => json.serialize(serializer),
            Self::Owned(json) => json.serialize(serializer),
            Self::Failed(reason) => Err(S::Error::custom(reason)),
        }
    }
}
