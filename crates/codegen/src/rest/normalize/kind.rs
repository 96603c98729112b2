//! What kind of value a schema describes.

use serde_json::{Map, Value, json};

use super::examples::LOOSE;
use super::tree::remove;

/// Marks an object that was put together from those of a choice.
pub(super) const CHOICE: &str = "choice";

/// A schema's keywords.
pub(super) type Keywords = Map<String, Value>;

/// What JSON calls the values of a schema.
pub(super) fn kind(schema: &Keywords) -> Option<&'static str> {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Some("string"),
        Some("integer") => Some("integer"),
        Some("number") => Some("number"),
        Some("boolean") => Some("boolean"),
        Some("array") => Some("array"),
        Some("object") => Some("object"),
        _ if schema.contains_key("properties") || schema.contains_key("additionalProperties") => {
            Some("object")
        }
        _ if schema.contains_key("items") => Some("array"),
        _ if is_text(&Value::Object(schema.clone())) => Some("string"),
        _ => None,
    }
}

/// Whether a schema says what a value is.
pub(super) fn says_type(schema: &Value) -> bool {
    schema.as_object().is_some_and(|it| it.keys().any(|key| !is_annotation(key)))
}

/// Keywords that leave open what a value is.
pub(super) fn is_annotation(key: &str) -> bool {
    ["description", "deprecated", "discriminator", "nullable", "readOnly", LOOSE].contains(&key)
}

/// Whether all that an enum lists is text.
pub(super) fn is_text(schema: &Value) -> bool {
    let values =
        schema.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    values.iter().any(Value::is_string) && values.iter().all(|it| it.is_string() || it.is_null())
}

/// A list or a map that is null is read as an empty one, so its type need not say that it can be.
pub(super) fn drop_null_of_collections(schema: &mut Value) {
    let is_collection = schema["type"] == json!("array")
        || (schema["type"] == json!("object") && schema.get("properties").is_none());
    if is_collection {
        remove(schema, &["nullable"]);
    }
}
