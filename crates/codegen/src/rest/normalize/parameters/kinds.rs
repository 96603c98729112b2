//! What kinds of values parameters take.

use serde_json::{Value, json};

use crate::rest::model::Content;
use crate::rest::normalize::kind::kind;
use crate::rest::normalize::media::{self, Media};
use crate::rest::normalize::references::resolve;

/// The schema of what is given as text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// The schema of what is given as a list of texts.
pub(super) fn texts() -> Value {
    json!({ "type": "array", "items": text() })
}

/// The schema of a parameter that is JSON, if that says what it is.
pub(super) fn of_json(description: &Value, parameter: &Value) -> Option<Value> {
    let offered = media::offered(description, parameter);
    let schema = Media::of(&offered, Content::Json)?.schema;
    Some(schema).filter(|it| !is_text(description, it))
}

/// Whether a value is a scalar or a list of scalars, as the caller likes.
pub(super) fn is_one_or_more(description: &Value, schema: &Value) -> bool {
    let schema = followed(description, schema);
    let shapes = schema.and_then(|it| it.get("oneOf")).and_then(Value::as_array);
    let is_one = |it: &Value| is_list_of_scalars(description, it) || is_scalar(description, it);
    shapes.is_some_and(|shapes| shapes.iter().all(is_one))
}

/// Whether a value is best given as text: it says nothing about itself, or is any of several scalars.
pub(super) fn is_text(description: &Value, schema: &Value) -> bool {
    let Some(schema) = followed(description, schema) else { return true };
    if schema.get("oneOf").is_some_and(Value::is_array) {
        return is_choice_of_scalars(description, schema);
    }
    !["type", "properties", "items", "additionalProperties"]
        .iter()
        .any(|it| schema.get(it).is_some())
}

pub(super) fn is_list_of_scalars(description: &Value, schema: &Value) -> bool {
    let Some(schema) = followed(description, schema) else { return false };
    schema.get("type").and_then(Value::as_str) == Some("array")
        && schema.get("items").is_some_and(|item| {
            is_scalar(description, item) || is_choice_of_scalars(description, item)
        })
}

fn is_choice_of_scalars(description: &Value, schema: &Value) -> bool {
    let shapes = followed(description, schema).and_then(|it| it.get("oneOf")?.as_array());
    shapes.is_some_and(|shapes| shapes.iter().all(|it| is_scalar(description, it)))
}

pub(super) fn is_scalar(description: &Value, schema: &Value) -> bool {
    let Some(schema) = followed(description, schema) else {
        return false;
    };
    let kind = schema.as_object().and_then(kind);
    kind.is_some_and(|it| ["string", "integer", "number", "boolean"].contains(&it))
}

/// The schema that a reference leads to, also of one with words beside it.
pub(in crate::rest::normalize) fn followed<'a>(
    description: &'a Value,
    schema: &'a Value,
) -> Option<&'a Value> {
    let schema = resolve(description, schema)?;
    match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => resolve(description, only),
        _ => Some(schema),
    }
}
