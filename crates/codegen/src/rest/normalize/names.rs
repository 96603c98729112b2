//! Names of schemas, and aliases: schemas that only name another.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::warnings::Warnings;
use crate::naming;
use crate::rest::pointer::joined;
use crate::rest::tree::{PREFIX, references, remove, target};

/// Names that generated code uses for other things.
const TAKEN: [&str; 16] = [
    "Option",
    "String",
    "Vec",
    "Box",
    "HashMap",
    "Result",
    "Some",
    "None",
    "Ok",
    "Err",
    "From",
    "Into",
    "IntoIterator",
    "Iterator",
    "Self",
    "Map",
];

/// The names that types cannot have.
pub(super) fn taken(schemas: &Map<String, Value>) -> HashSet<String> {
    schemas.keys().map(|it| naming::cased(it)).chain(TAKEN.map(str::to_owned)).collect()
}

/// Normalizes names that are equal in Rust, that are not identifiers, or that are the
/// names of Rust's own types. Every schema gets the name that its type will have.
///
/// All references in the schemas and paths are rewritten to these names. A reference that leads
/// nowhere becomes any value. `all_names` has the schemas that a selection has removed, too: their
/// names are not given to others. Returns with the schemas the names by place.
pub(super) fn name_schemas(
    schemas: Map<String, Value>,
    all_names: &BTreeSet<String>,
    paths: &mut Value,
    warnings: &mut Warnings<'_>,
) -> (Map<String, Value>, BTreeMap<String, String>) {
    let mut naming = Naming { names: BTreeMap::new(), lost: BTreeSet::new() };
    let all: BTreeSet<_> = schemas.keys().chain(all_names).collect();
    naming.name(all.iter().copied());
    let mut named = Map::new();
    for (wire, mut schema) in schemas {
        naming.rewrite(&mut schema);
        let place = joined("#/components/schemas", &[wire]);
        named.insert(naming.names[&place].clone(), schema);
    }
    naming.rewrite(paths);
    for target in naming.lost {
        let reference = match target.as_str() {
            "" => "an empty reference".to_owned(),
            target => format!("the reference {target}"),
        };
        let message = format!("{reference} leads nowhere; it is read as any value");
        warnings.warn_of_reference(|it| it == target, message);
    }
    (named, naming.names)
}

struct Naming {
    /// Names by place.
    names: BTreeMap<String, String>,
    lost: BTreeSet<String>,
}

impl Naming {
    fn name<'a>(&mut self, wires: impl Iterator<Item = &'a String> + Clone) {
        let own = wires.clone().map(|wire| {
            let mut name = naming::pascal(wire);
            if TAKEN.contains(&name.as_str()) {
                name.push_str("Object");
            }
            (Some(wire.clone()), name)
        });
        let names = naming::distinct(&mut HashSet::new(), own.collect(), naming::unique_type);
        let places = wires.map(|wire| joined("#/components/schemas", &[wire]));
        self.names = places.zip(names).collect();
    }

    fn rewrite(&mut self, value: &mut Value) {
        if let Some(Value::String(target)) = value.get("$ref") {
            let target = target.clone();
            *value = match self.names.get(&target) {
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
}

/// Inlines aliases: a schema that only names a string, a number, a list or a map would become a
/// wrapper type around it.
pub(super) fn inline_aliases(schemas: &mut Map<String, Value>, paths: &mut Value) {
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
        .filter(|(name, schema)| is_alias(schema) && !is_endless(name, schemas))
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

/// Returns true if an alias leads back to itself through aliases only.
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
