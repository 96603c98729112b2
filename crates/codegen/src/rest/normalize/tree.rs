//! Tree of a description: lookup and removal of keys, references, kinds, and the positions of schemas.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::rest::pointer::joined;

/// Keyword of a schema that responses need not keep to.
pub(super) const LOOSE: &str = "x-loose";

pub(in crate::rest) fn object_at(value: &Value, path: &[&str]) -> Map<String, Value> {
    path.iter()
        .try_fold(value, |value, key| value.get(key))
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

pub(in crate::rest) fn text_at(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

pub(super) fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

pub(super) fn remove(schema: &mut Value, keys: &[&str]) {
    if let Some(object) = schema.as_object_mut() {
        keys.iter().for_each(|key| {
            object.remove(*key);
        });
    }
}

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

/// Returns whether a schema says what a value is.
pub(super) fn says_type(schema: &Value) -> bool {
    schema.as_object().is_some_and(|it| it.keys().any(|key| !is_annotation(key)))
}

/// Keywords that leave open what a value is.
pub(super) fn is_annotation(key: &str) -> bool {
    ["description", "deprecated", "discriminator", "nullable", "readOnly", LOOSE].contains(&key)
}

/// Returns whether all that an enum lists is text.
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

/// Parts of a description whose keys are names instead of keywords.
pub(super) const NAMED: [&str; 9] = [
    "paths",
    "responses",
    "content",
    "headers",
    "requestBodies",
    "parameters",
    "pathItems",
    "callbacks",
    "links",
];

/// Calls a function with every schema that does not stand within another one, and with its place,
/// a JSON pointer such as `#/components/schemas/Pod`.
pub(super) fn each_schema(description: &mut Value, found: &mut dyn FnMut(&mut Value, &str)) {
    let Some(object) = description.as_object_mut() else { return };
    for (key, value) in object {
        match key.as_str() {
            "paths" => search(value, "#/paths", true, found),
            "components" => components(value, found),
            "$defs" | "definitions" => named(value, &format!("#/{key}"), found),
            _ => {}
        }
    }
}

fn components(components: &mut Value, found: &mut dyn FnMut(&mut Value, &str)) {
    for (key, value) in components.as_object_mut().into_iter().flatten() {
        let place = format!("#/components/{key}");
        if key == "schemas" {
            named(value, &place, found)
        } else {
            search(value, &place, true, found)
        }
    }
}

fn named(schemas: &mut Value, place: &str, found: &mut dyn FnMut(&mut Value, &str)) {
    for (name, schema) in schemas.as_object_mut().into_iter().flatten() {
        found(schema, &joined(place, &[name]));
    }
}

/// Looks for `schema:` in what is no schema itself.
fn search(value: &mut Value, place: &str, names: bool, found: &mut dyn FnMut(&mut Value, &str)) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let place = joined(place, &[key]);
                match key.as_str() {
                    _ if names => search(value, &place, false, found),
                    "schema" | "itemSchema" => found(value, &place),
                    "example" | "examples" => {}
                    key => search(value, &place, NAMED.contains(&key) && value.is_object(), found),
                }
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter_mut().enumerate() {
                search(value, &format!("{place}/{index}"), false, found);
            }
        }
        _ => {}
    }
}

/// The operations of the paths that the type generator reads.
pub(super) fn operations(paths: &Value) -> impl Iterator<Item = &Value> {
    paths
        .as_object()
        .into_iter()
        .flat_map(Map::values)
        .filter_map(Value::as_object)
        .flat_map(Map::values)
}

/// The same, to be changed.
pub(super) fn operations_mut(paths: &mut Value) -> impl Iterator<Item = &mut Value> {
    paths
        .as_object_mut()
        .into_iter()
        .flat_map(Map::values_mut)
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut)
}

/// The schemas right within a schema, and the keys that lead to each.
pub(super) fn within_mut(schema: &mut Value) -> Vec<(Vec<String>, &mut Value)> {
    let mut within = Vec::new();
    for (key, value) in schema.as_object_mut().into_iter().flatten() {
        match (key.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions",
                Value::Object(named),
            ) => {
                within.extend(
                    named.iter_mut().map(|(name, it)| (vec![key.clone(), name.clone()], it)),
                );
            }
            ("items" | "additionalProperties", value @ Value::Object(_)) => {
                within.push((vec![key.clone()], value));
            }
            ("allOf" | "oneOf" | "anyOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                let numbered = schemas.iter_mut().enumerate();
                within
                    .extend(numbered.map(|(index, it)| (vec![key.clone(), index.to_string()], it)));
            }
            _ => {}
        }
    }
    within
}

/// The object at a key, or an empty one.
pub(super) fn fields<'a>(
    schema: &'a Value,
    key: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema.get(key).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// What the references to named schemas begin with.
pub(super) const PREFIX: &str = "#/components/schemas/";

/// Follows `$ref`s to another place of the same document, a limited number of times because
/// two of them may point at each other.
pub(in crate::rest) fn resolve<'a>(
    description: &'a Value,
    mut value: &'a Value,
) -> Option<&'a Value> {
    for _ in 0..32 {
        match value.get("$ref") {
            Some(Value::String(target)) => {
                value = description.pointer(target.strip_prefix('#')?)?;
            }
            _ => return Some(value),
        }
    }
    None
}

/// The same for a value at a place, with the place that its references lead to.
pub(super) fn resolve_to<'a>(
    description: &'a Value,
    mut value: &'a Value,
    place: &str,
) -> Option<(&'a Value, String)> {
    let mut place = place.to_owned();
    for _ in 0..32 {
        match value.get("$ref") {
            Some(Value::String(target)) => {
                place = target.clone();
                value = description.pointer(place.strip_prefix('#')?)?;
            }
            _ => return Some((value, place)),
        }
    }
    None
}

/// The names of the schemas that a value refers to.
pub(super) fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(name) = target(value) {
                found.push(name.to_owned());
            }
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// The named schema that a value refers to.
pub(super) fn target(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix(PREFIX)
}

/// Which of the named schemas operations have under a key, directly or through others.
pub(super) fn under(key: &str, paths: &Value, schemas: &Map<String, Value>) -> BTreeSet<String> {
    let mut waiting = Vec::new();
    for value in operations(paths).filter_map(|operation| operation.get(key)) {
        references(value, &mut waiting);
    }
    through(waiting, schemas)
}

/// Leaves out what no call sends or answers with.
pub(super) fn keep_used(paths: &Value, schemas: &mut Map<String, Value>) {
    let mut waiting = Vec::new();
    references(paths, &mut waiting);
    let used = through(waiting, schemas);
    schemas.retain(|name, _| used.contains(name));
}

/// The schemas of these names, and all that these hold.
fn through(mut waiting: Vec<String>, schemas: &Map<String, Value>) -> BTreeSet<String> {
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
