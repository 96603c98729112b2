//! JSON tree of a description: lookups, `$ref`s, kinds of schemas, and traversal.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::pointer::joined;

/// Keyword of a schema that responses need not conform to.
pub(super) const LOOSE: &str = "x-loose";

/// Keyword of a text that is a URL by its format.
pub(super) const URL: &str = "x-url";

/// Keyword of a text that is a secret by its format.
pub(super) const SECRET: &str = "x-secret";

/// Keyword of an integer that begins with 0 or 1 by its default or its minimum: with which.
pub(super) const FIRST: &str = "x-first";

/// Keyword of a schema with the tag that selects it as a branch: descriptions that were Swagger 2 have
/// it in place of a mapping.
pub(super) const TAG: &str = "x-ms-discriminator-value";

pub(super) fn object_at(value: &Value, path: &[&str]) -> Map<String, Value> {
    path.iter()
        .try_fold(value, |value, key| value.get(key))
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

/// The text at a key, without the white space around it; empty if there is none.
pub fn text_at(value: &Value, key: &str) -> String {
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

/// Keyword of an object that was merged from the objects of a union. No field has such a name.
pub(super) const MERGED: &str = "merged from a union";

/// A schema's keywords.
pub(super) type Keywords = Map<String, Value>;

/// The JSON type of a schema's values.
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

/// Returns true if a type is that of a text, a number or a boolean.
pub(super) fn is_scalar(kind: &str) -> bool {
    ["string", "integer", "number", "boolean"].contains(&kind)
}

/// Returns true if a schema restricts the type of a value.
pub(super) fn says_type(schema: &Value) -> bool {
    schema.as_object().is_some_and(|it| it.keys().any(|key| !is_annotation(key)))
}

/// Keywords that do not restrict the type of a value.
pub(super) fn is_annotation(key: &str) -> bool {
    [
        "description",
        "deprecated",
        "discriminator",
        "nullable",
        "readOnly",
        LOOSE,
        URL,
        FIRST,
        SECRET,
        TAG,
    ]
    .contains(&key)
}

/// Keywords of a field that hold if any of its schemas has them.
pub(super) const MARKS: [&str; 2] = ["readOnly", SECRET];

/// Returns true if a keyword says something of a field that is none of its schema's.
pub(super) fn is_word(key: &str) -> bool {
    key == "description" || MARKS.contains(&key)
}

/// Returns true if all values of an enum are strings.
pub(super) fn is_text(schema: &Value) -> bool {
    let values =
        schema.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    values.iter().any(Value::is_string) && values.iter().all(|it| it.is_string() || it.is_null())
}

/// Drops `nullable` of a list or a map that is a whole body: null is read as an empty one.
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

/// Calls a function with every schema that is not within another one, and with its place, a JSON
/// pointer such as `#/components/schemas/Pod`.
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

/// Finds `schema:` in parts of a description that are not schemas.
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

/// The operations of normalized paths.
pub(super) fn operations(paths: &Value) -> impl Iterator<Item = &Value> {
    paths
        .as_object()
        .into_iter()
        .flat_map(Map::values)
        .filter_map(Value::as_object)
        .flat_map(Map::values)
}

/// All operations, mutable.
pub(super) fn operations_mut(paths: &mut Value) -> impl Iterator<Item = &mut Value> {
    paths
        .as_object_mut()
        .into_iter()
        .flat_map(Map::values_mut)
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut)
}

/// The schemas directly within a schema, and the keys that lead to each.
pub(super) fn within_mut(schema: &mut Value) -> Vec<(Vec<String>, &mut Value)> {
    let mut within = Vec::new();
    for (key, value) in schema.as_object_mut().into_iter().flatten() {
        match (key.as_str(), value) {
            (
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
                Value::Object(named),
            ) => {
                within.extend(
                    named.iter_mut().map(|(name, it)| (vec![key.clone(), name.clone()], it)),
                );
            }
            (
                "items" | "additionalProperties" | "unevaluatedProperties" | "then" | "else",
                value @ Value::Object(_),
            ) => {
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

/// The entries of the object at a key; none if there is no object.
pub fn fields<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema.get(key).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// Prefix of references to named schemas.
pub(super) const PREFIX: &str = "#/components/schemas/";

/// A reference to the schema of this name.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": joined("#/components/schemas", &[name]) })
}

/// A reference with keywords beside it.
pub(super) fn described(mut words: Keywords, reference: &Value) -> Value {
    words.insert("allOf".to_owned(), json!([reference]));
    Value::Object(words)
}

/// Follows `$ref`s within the document; none if they lead nowhere. The number of steps is limited,
/// since references may be cyclic.
pub fn resolve<'a>(description: &'a Value, mut value: &'a Value) -> Option<&'a Value> {
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

/// Resolves a value at a place, with the place to which its references lead.
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

/// Adds the names of the schemas that a value refers to.
pub fn references(value: &Value, found: &mut Vec<String>) {
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

/// The name of the schema to which a value refers.
pub fn target(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix(PREFIX)
}

/// The named schemas that operations use under a key, directly or transitively.
pub(super) fn under(key: &str, paths: &Value, schemas: &Map<String, Value>) -> BTreeSet<String> {
    let mut waiting = Vec::new();
    for value in operations(paths).filter_map(|operation| operation.get(key)) {
        references(value, &mut waiting);
    }
    reachable(waiting, schemas)
}

/// Removes the schemas that no operation uses.
pub(super) fn keep_used(paths: &Value, schemas: &mut Map<String, Value>) {
    let mut waiting = Vec::new();
    references(paths, &mut waiting);
    let used = reachable(waiting, schemas);
    schemas.retain(|name, _| used.contains(name));
}

/// The names of these schemas, and of all schemas to which they refer, directly or transitively.
pub fn reachable(mut waiting: Vec<String>, schemas: &Map<String, Value>) -> BTreeSet<String> {
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
