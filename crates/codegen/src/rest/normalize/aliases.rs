//! Aliases: named schemas that are a reference to another one and nothing else, which are shortened,
//! and type aliases: named schemas of a string, a number, a list or a map, which are inlined.
//!
//! A chain of aliases is shortened, so that each leads to its end in one step: following it again and
//! again would take time that is quadratic in its length. A chain without an end has no type.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::warnings::Warnings;
use crate::rest::pointer::joined;
use crate::rest::tree::{PREFIX, fields, is_annotation, references, remove, target};

/// Makes each alias refer to the end of its chain, and warns of chains that have none.
pub(super) fn shorten(description: &mut Value, warnings: &mut Warnings<'_>) {
    let aliases: BTreeMap<String, String> = fields(&description["components"], "schemas")
        .filter_map(|(name, schema)| Some((place(name), alias_target(schema)?.to_owned())))
        .collect();
    let mut ends: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut cycles = Vec::new();
    for start in aliases.keys() {
        let (mut chain, mut met) = (Vec::new(), BTreeSet::new());
        let mut at = start.as_str();
        let end = loop {
            if let Some(end) = ends.get(at) {
                break *end;
            }
            if !met.insert(at) {
                let cycle = chain.iter().position(|it| *it == at).unwrap_or_default();
                cycles.push(chain[cycle..].to_vec());
                break None;
            }
            match aliases.get(at) {
                Some(next) => {
                    chain.push(at);
                    at = next;
                }
                None => break Some(at),
            }
        };
        ends.extend(chain.into_iter().map(|it| (it, end)));
    }
    for cycle in cycles {
        const SHOWN: usize = 3;
        let names: Vec<_> = cycle.iter().map(|it| it.trim_start_matches(PREFIX)).collect();
        let (shown, of) = (names[..names.len().min(SHOWN)].join(", "), names.len());
        let what = match of {
            1 => format!("{shown} refers to itself only"),
            ..=SHOWN => format!("{shown} refer to each other only"),
            _ => format!("{shown} and {} more refer to each other only", of - SHOWN),
        };
        let keys = ["components", "schemas", names[0]].map(str::to_owned);
        warnings.warn(&keys, format!("{what}, which is no type; a value of it may be any JSON"));
    }
    let Some(schemas) = description.pointer_mut("/components/schemas") else { return };
    for (name, schema) in schemas.as_object_mut().into_iter().flatten() {
        match ends.get(place(name).as_str()) {
            Some(Some(end)) => point_at(schema, end),
            Some(None) => *schema = json!({}),
            None => {}
        }
    }
}

fn place(name: &str) -> String {
    joined("#/components/schemas", &[name])
}

/// The target of an alias: of a reference, or of an `allOf` of one.
fn alias_target(schema: &Value) -> Option<&str> {
    let keywords = schema.as_object()?;
    let mut says = keywords.keys().filter(|key| !is_annotation(key));
    match (says.next()?.as_str(), says.next()) {
        ("$ref", None) => schema.get("$ref")?.as_str(),
        ("allOf", None) => match schema.get("allOf")?.as_array()?.as_slice() {
            [only] => alias_target(only),
            _ => None,
        },
        _ => None,
    }
}

fn point_at(schema: &mut Value, end: &str) {
    if schema.get("$ref").is_some() {
        schema["$ref"] = json!(end);
    } else if let Some(only) = schema.get_mut("allOf").and_then(|it| it.get_mut(0)) {
        point_at(only, end);
    }
}

/// Inlines type aliases: a schema that only names a string, a number, a list or a map would become a
/// wrapper type around it.
pub(super) fn inline_type_aliases(schemas: &mut Map<String, Value>, paths: &mut Value) {
    // An alias of itself is any value.
    let endless: Vec<_> =
        schemas.keys().filter(|name| is_endless(name, schemas)).cloned().collect();
    for name in &endless {
        if target(&schemas[name]).is_some() {
            schemas.insert(name.clone(), json!({}));
        }
    }
    let mut aliases: BTreeMap<String, Value> = schemas
        .iter()
        .filter(|(name, schema)| is_type_alias(schema) && !is_endless(name, schemas))
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect();
    // An alias of an alias takes one more round.
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

/// Returns true if a type alias leads back to itself through aliases only.
fn is_endless(name: &str, schemas: &Map<String, Value>) -> bool {
    let mut waiting = vec![name.to_owned()];
    let mut seen = HashSet::new();
    while let Some(next) = waiting.pop() {
        let Some(schema) = schemas.get(&next).filter(|schema| is_type_alias(schema)) else {
            continue;
        };
        let mut found = Vec::new();
        references(schema, &mut found);
        if found.iter().any(|it| it == name) {
            return true;
        }
        waiting.extend(found.into_iter().filter(|it| seen.insert(it.clone())));
    }
    false
}

/// Returns true if a schema has no type of its own in generated code: it is neither an object with
/// described fields nor an enum, and composes nothing.
fn is_type_alias(schema: &Value) -> bool {
    ["properties", "enum", "allOf", "oneOf", "anyOf", "not"]
        .iter()
        .all(|key| schema.get(key).is_none())
}

/// Replaces references by the schemas that they lead to.
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

/// A reference with keywords beside it, after the reference was replaced.
fn flatten(schema: &mut Value) {
    let Some(Value::Array(parts)) = schema.get_mut("allOf") else { return };
    if let [Value::Object(only)] = parts.as_mut_slice()
        && !only.contains_key("$ref")
    {
        let mut merged = std::mem::take(only);
        remove(schema, &["allOf"]);
        merged.extend(schema.as_object().cloned().unwrap_or_default());
        *schema = Value::Object(merged);
    }
}
