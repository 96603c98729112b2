//! Flaws of named schemas and of references to them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::{Notes, places};
use crate::naming;

const PREFIX: &str = "#/components/schemas/";

/// Names that generated code uses for other things.
const TAKEN: [&str; 12] = [
    "Option", "String", "Vec", "Box", "Result", "Some", "None", "Ok", "Err", "From", "Self", "Map",
];

/// Flaw: names that come out the same in Rust, that Rust does not take, or that are the names of
/// its own types. Every schema gets the name that its type will have, and so does one that stands
/// elsewhere in the document and is referred to there.
///
/// All references in the schemas and paths are made ones to those names. Flaw: references to no
/// place at all, which are any value.
pub(super) fn name_schemas(
    description: &Value,
    schemas: Map<String, Value>,
    paths: &mut Value,
    notes: &mut Notes<'_>,
) -> Map<String, Value> {
    let mut naming = Naming {
        description,
        names: BTreeMap::new(),
        taken: HashSet::new(),
        lost: BTreeSet::new(),
        waiting: Vec::new(),
    };
    for wire in schemas.keys() {
        naming.name(places::joined("#/components/schemas", &[wire]), wire);
    }
    naming.waiting.clear();
    let mut named = Map::new();
    for (wire, mut schema) in schemas {
        naming.rewrite(&mut schema);
        let place = places::joined("#/components/schemas", &[wire]);
        named.insert(naming.names[&place].clone(), schema);
    }
    naming.rewrite(paths);
    while let Some((name, mut schema)) = naming.waiting.pop() {
        naming.rewrite(&mut schema);
        named.insert(name, schema);
    }
    for target in naming.lost {
        let message = format!("the reference {target} leads nowhere; it is read as any value");
        notes.warn_of_reference(&target, message);
    }
    named
}

struct Naming<'a> {
    description: &'a Value,
    /// Names by place.
    names: BTreeMap<String, String>,
    taken: HashSet<String>,
    lost: BTreeSet<String>,
    /// Schemas from elsewhere that have a name and are still to be rewritten.
    waiting: Vec<(String, Value)>,
}

impl Naming<'_> {
    fn name(&mut self, place: String, wire: &str) -> String {
        let mut name = naming::pascal(wire);
        if TAKEN.contains(&name.as_str()) {
            name.push_str("Object");
        }
        let name = naming::unique_pascal(&mut self.taken, name);
        self.names.insert(place, name.clone());
        name
    }

    fn rewrite(&mut self, value: &mut Value) {
        if let Some(Value::String(target)) = value.get("$ref") {
            let target = target.replace("%20", " ").replace("%24", "$");
            *value = match self.names.get(&target).cloned().or_else(|| self.elsewhere(&target)) {
                Some(name) => json!({ "$ref": format!("{PREFIX}{name}") }),
                None => {
                    self.lost.insert(target);
                    json!({})
                }
            };
            return;
        }
        match value {
            Value::Object(object) => {
                object.values_mut().for_each(|value| self.rewrite(value));
            }
            Value::Array(items) => items.iter_mut().for_each(|value| self.rewrite(value)),
            _ => {}
        }
    }

    /// A schema that is no named one of the description: `#/components/schemas/Pod/properties/id`.
    fn elsewhere(&mut self, target: &str) -> Option<String> {
        let pointer = target.strip_prefix('#').filter(|it| it.len() > 1)?;
        let schema = self.description.pointer(pointer)?.clone();
        let parts: Vec<_> = target.split('/').collect();
        let (last, before) = parts.split_last()?;
        let owner = before.iter().rev().find(|part| !KEYWORDS.contains(part));
        let wire = match owner {
            Some(owner) if before.contains(&"properties") => format!("{owner}_{last}"),
            _ => (*last).to_owned(),
        };
        let name = self.name(target.to_owned(), &decoded(&wire));
        self.waiting.push((name.clone(), schema));
        Some(name)
    }
}

/// Parts of a pointer that name a keyword, not a schema.
const KEYWORDS: [&str; 7] =
    ["#", "components", "schemas", "properties", "items", "$defs", "definitions"];

/// A part of a JSON pointer as it was before it became one.
fn decoded(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
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
        super::schemas::remove(schema, &["allOf"]);
        merged.extend(schema.as_object().cloned().unwrap_or_default());
        *schema = Value::Object(merged);
        super::schemas::drop_null_of_collections(schema);
    }
}
