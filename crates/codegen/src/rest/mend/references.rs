//! Flaws of named schemas and of references to them.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

use super::Notes;
use crate::naming;

const PREFIX: &str = "#/components/schemas/";

/// Names that generated code uses for other things.
const TAKEN: [&str; 12] = [
    "Option", "String", "Vec", "Box", "Result", "Some", "None", "Ok", "Err", "From", "Self", "Map",
];

/// Flaw: names that come out the same in Rust, that Rust does not take, or that are the names of
/// its own types. Every schema gets the name that its type will have.
pub(super) fn name_schemas(
    schemas: Map<String, Value>,
) -> (Map<String, Value>, BTreeMap<String, String>) {
    let mut taken = HashSet::new();
    let names: BTreeMap<_, _> = schemas
        .keys()
        .map(|wire| {
            let mut name = naming::pascal(wire);
            if TAKEN.contains(&name.as_str()) {
                name.push_str("Object");
            }
            (wire.clone(), naming::unique_pascal(&mut taken, name))
        })
        .collect();
    let schemas =
        schemas.into_iter().map(|(wire, schema)| (names[&wire].clone(), schema)).collect();
    (schemas, names)
}

/// Makes every reference in a value one to a schema by its new name. Flaw: references to another
/// place of the document, which is copied in, or to no place at all, which is any value.
pub(super) fn rewrite(
    value: &mut Value,
    description: &Value,
    names: &BTreeMap<String, String>,
    notes: &mut Notes<'_>,
) {
    rewrite_within(value, description, names, notes, 0);
}

fn rewrite_within(
    value: &mut Value,
    description: &Value,
    names: &BTreeMap<String, String>,
    notes: &mut Notes<'_>,
    depth: usize,
) {
    if let Some(Value::String(target)) = value.get("$ref") {
        let target = target.clone();
        if let Some(name) = target.strip_prefix(PREFIX).and_then(|it| names.get(&decoded(it))) {
            *value = json!({ "$ref": format!("{PREFIX}{name}") });
            return;
        }
        let copied = target.strip_prefix('#').and_then(|it| description.pointer(it));
        match copied {
            Some(copied) if depth < 8 => {
                *value = copied.clone();
                rewrite_within(value, description, names, notes, depth + 1);
            }
            _ => {
                notes
                    .warn(format!("the reference {target} leads nowhere; it is read as any value"));
                *value = json!({});
            }
        }
        return;
    }
    match value {
        Value::Object(object) => object
            .values_mut()
            .for_each(|value| rewrite_within(value, description, names, notes, depth)),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|value| rewrite_within(value, description, names, notes, depth)),
        _ => {}
    }
}

/// A part of a JSON pointer as it was before it became one.
fn decoded(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~").replace("%20", " ")
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

fn target(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix(PREFIX)
}

/// A schema that only gives a name to a string, a number, a list or a map would become a type of
/// its own, with nothing to it but a wrapper. It is put in the place of its references.
pub(super) fn inline_aliases(schemas: &mut Map<String, Value>, paths: &mut Value) {
    let mut aliases: BTreeMap<String, Value> = schemas
        .iter()
        .filter(|(_, schema)| is_alias(schema))
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect();
    // An alias of an alias takes one round more; one that never ends is none.
    for _ in 0..aliases.len() {
        let known = aliases.clone();
        aliases.values_mut().for_each(|schema| inline(schema, &known));
    }
    aliases.retain(|name, schema| {
        let mut found = Vec::new();
        references(schema, &mut found);
        !found.contains(name) && target(schema).is_none_or(|it| it != name)
    });
    let endless: HashSet<_> =
        schemas.keys().filter(|name| !aliases.contains_key(*name)).cloned().collect();
    aliases.retain(|_, schema| {
        let mut found = Vec::new();
        references(schema, &mut found);
        found.iter().all(|name| endless.contains(name))
    });
    schemas.retain(|name, _| !aliases.contains_key(name));
    schemas.values_mut().for_each(|schema| inline(schema, &aliases));
    inline(paths, &aliases);
}

fn is_alias(schema: &Value) -> bool {
    ["properties", "enum", "allOf", "oneOf", "anyOf", "not"]
        .iter()
        .all(|key| schema.get(key).is_none())
}

/// Puts schemas in the place of references to them.
pub(super) fn inline(value: &mut Value, aliases: &BTreeMap<String, Value>) {
    if let Some(schema) = target(value).and_then(|name| aliases.get(name)) {
        *value = schema.clone();
        return;
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(|value| inline(value, aliases)),
        Value::Array(items) => items.iter_mut().for_each(|value| inline(value, aliases)),
        _ => {}
    }
}
