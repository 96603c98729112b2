//! Names for schemas.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::notes::Notes;
use super::references::{PREFIX, decoded};
use crate::naming;
use crate::rest::pointer::{joined, unescaped};

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
        naming.name(joined("#/components/schemas", &[wire]), wire);
    }
    naming.waiting.clear();
    let mut named = Map::new();
    for (wire, mut schema) in schemas {
        naming.rewrite(&mut schema);
        let place = joined("#/components/schemas", &[wire]);
        named.insert(naming.names[&place].clone(), schema);
    }
    naming.rewrite(paths);
    while let Some((name, mut schema)) = naming.waiting.pop() {
        naming.rewrite(&mut schema);
        named.insert(name, schema);
    }
    for target in naming.lost {
        let message = format!("the reference {target} leads nowhere; it is read as any value");
        notes.warn_of_reference(|it| decoded(it) == target, message);
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
            let target = decoded(target);
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
        let name = self.name(target.to_owned(), &unescaped(&wire));
        self.waiting.push((name.clone(), schema));
        Some(name)
    }
}

/// Parts of a pointer that name a keyword, not a schema.
const KEYWORDS: [&str; 7] =
    ["#", "components", "schemas", "properties", "items", "$defs", "definitions"];
