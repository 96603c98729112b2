//! Schemas that only give a name to something.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

use super::kind::drop_null_of_collections;
use super::references::{references, target};
use super::tree::remove;

/// A schema that only gives a name to a string, a number, a list or a map would become a type of
/// its own, with nothing to it but a wrapper. It is put in the place of its references.
pub(super) fn inline_aliases(schemas: &mut Map<String, Value>, paths: &mut Value) {
    // A name for itself is a name for anything.
    let endless: Vec<_> =
        schemas.keys().filter(|name| is_endless(name, schemas)).cloned().collect();
    for name in &endless {
        if target(&schemas[name]).is_some() {
            schemas.insert(name.clone(), json!({}));
        }
    }
    let mut aliases: BTreeMap<String, Value> = schemas
        .iter()
        .filter(|(name, schema)| is_alias(schema) && !is_endless(name, schemas))
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect();
    // An alias of an alias takes one round more.
    loop {
        let known = aliases.clone();
        aliases.values_mut().for_each(|schema| inline(schema, &known));
        if aliases == known {
            break;
        }
    }
    schemas.retain(|name, _| !aliases.contains_key(name));
    schemas.values_mut().for_each(|schema| inline(schema, &aliases));
    inline(paths, &aliases);
}

/// Whether an alias leads back to itself through nothing but aliases.
fn is_endless(name: &str, schemas: &Map<String, Value>) -> bool {
    let mut waiting = vec![name.to_owned()];
    let mut seen = HashSet::new();
    while let Some(next) = waiting.pop() {
        let Some(schema) = schemas.get(&next).filter(|schema| is_alias(schema)) else { continue };
        let mut found = Vec::new();
        references(schema, &mut found);
        if found.iter().any(|it| it == name) {
            return true;
        }
        waiting.extend(found.into_iter().filter(|it| seen.insert(it.clone())));
    }
    false
}

fn is_alias(schema: &Value) -> bool {
    ["properties", "enum", "allOf", "oneOf", "anyOf", "not"]
        .iter()
        .all(|key| schema.get(key).is_none())
}

/// Puts schemas in the place of references to them.
pub(in crate::rest) fn inline(value: &mut Value, aliases: &BTreeMap<String, Value>) {
    if let Some(schema) = target(value).and_then(|name| aliases.get(name)) {
        *value = schema.clone();
        return;
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(|value| inline(value, aliases)),
        Value::Array(items) => items.iter_mut().for_each(|value| inline(value, aliases)),
        _ => {}
    }
    flatten(value);
}

/// A reference with words beside it, after something was put in its place.
fn flatten(schema: &mut Value) {
    let Some(Value::Array(parts)) = schema.get_mut("allOf") else { return };
    if let [Value::Object(only)] = parts.as_mut_slice()
        && !only.contains_key("$ref")
    {
        let mut merged = std::mem::take(only);
        remove(schema, &["allOf"]);
        merged.extend(schema.as_object().cloned().unwrap_or_default());
        *schema = Value::Object(merged);
        drop_null_of_collections(schema);
    }
}
