//! Where schemas stand in a description.

use serde_json::{Map, Value};

use crate::rest::pointer::joined;

/// Parts of a description that name things: their keys are anybody's.
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
