//! What a schema of a REST description says, in words.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

pub(super) fn kind_of_type(schema: &Value) -> String {
    if values(schema).is_empty() {
        type_text(schema)
    } else {
        format!("enum of {}", type_text(schema))
    }
}

/// Whether a schema says of itself that it may be null, in either version's words.
pub(super) fn may_be_null(schema: &Value) -> bool {
    let is_null = |it: &Value| it == "null" || it["type"] == "null";
    schema["nullable"] == Value::Bool(true)
        || ["type", "oneOf", "anyOf"].iter().any(|key| list(schema, key).iter().any(is_null))
        || list(schema, "enum").contains(&Value::Null)
}

/// A type in words: `string`, `[Gpu]`, `map of string`. Null is left out: in answers
/// everything may be null, in requests nothing has to be given but what is required, and of that
/// it is said apart.
pub(super) fn type_text(schema: &Value) -> String {
    if let Some(name) = referenced(schema) {
        return name.to_owned();
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds: BTreeSet<_> =
                kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            kinds.into_iter().collect::<Vec<_>>().join(" | ")
        }
        _ => String::new(),
    };
    let values = schema.get("additionalProperties").filter(|it| it.is_object());
    match (kind.as_str(), schema.get("items"), values) {
        ("array" | "", Some(items), _) => format!("[{}]", type_text(items)),
        ("object" | "", _, Some(values)) if schema.get("properties").is_none() => {
            format!("map of {}", type_text(values))
        }
        ("", ..) if schema.get("properties").is_some() => "object".to_owned(),
        ("", ..) => composed(schema),
        ("string", ..) if is_file(schema) => "file".to_owned(),
        (kind, ..) => kind.to_owned(),
    }
}

/// Whether a string is one of bytes, in either version's words.
fn is_file(schema: &Value) -> bool {
    let media = schema["contentMediaType"].as_str();
    let is_text = |it: &str| it.starts_with("text/") || it.contains("json") || it.contains("xml");
    let is_encoded = schema["contentEncoding"].as_str().is_some_and(|it| it != "binary");
    schema["format"] == "binary" || (media.is_some_and(|it| !is_text(it)) && !is_encoded)
}

fn composed(schema: &Value) -> String {
    for (key, join) in [("allOf", " & "), ("oneOf", " | "), ("anyOf", " | ")] {
        let parts: BTreeSet<_> =
            list(schema, key).iter().filter(|part| part["type"] != "null").map(type_text).collect();
        if !parts.is_empty() {
            return parts.into_iter().collect::<Vec<_>>().join(join);
        }
    }
    let is_text = values(schema).is_empty();
    if is_text { "any" } else { "string" }.to_owned()
}

/// The values of an enum or of a constant.
pub(super) fn values(schema: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut values: Vec<_> =
        list(schema, "enum").iter().filter(|value| !value.is_null()).map(text).collect();
    values.extend(schema.get("const").map(text));
    values
}

/// The name that a `$ref` ends in.
pub(super) fn referenced(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|target| target.rsplit('/').next())
}

/// The names of all schemas that a schema mentions.
pub(super) fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            found.extend(referenced(value).map(str::to_owned));
            entries.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

pub(super) fn reachable(mut waiting: Vec<String>, schemas: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if let Some(schema) = schemas.get(&name)
            && found.insert(name)
        {
            references(schema, &mut waiting);
        }
    }
    found
}

pub(super) fn entries<'a>(
    of: &'a Value,
    key: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    of[key].as_object().into_iter().flat_map(Map::iter)
}

pub(super) fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}
