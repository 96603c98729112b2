//! Names for schemas.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::references::PREFIX;
use super::warnings::Warnings;
use crate::naming;
use crate::rest::pointer::joined;

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

/// The names that no more types can have.
pub(super) fn taken(schemas: &Map<String, Value>) -> HashSet<String> {
    schemas.keys().map(|it| naming::cased(it)).chain(TAKEN.map(str::to_owned)).collect()
}

/// Flaw: names that come out the same in Rust, that Rust does not take, or that are the names of
/// its own types. Every schema gets the name that its type will have.
///
/// All references in the schemas and paths are made ones to those names. Flaw: references to no
/// place at all, which are any value.
pub(super) fn name_schemas(
    schemas: Map<String, Value>,
    paths: &mut Value,
    warnings: &mut Warnings<'_>,
) -> Map<String, Value> {
    let mut naming = Naming { names: BTreeMap::new(), lost: BTreeSet::new() };
    naming.name(schemas.keys());
    let mut named = Map::new();
    for (wire, mut schema) in schemas {
        naming.rewrite(&mut schema);
        let place = joined("#/components/schemas", &[wire]);
        named.insert(naming.names[&place].clone(), schema);
    }
    naming.rewrite(paths);
    for target in naming.lost {
        let message = format!("the reference {target} leads nowhere; it is read as any value");
        warnings.warn_of_reference(|it| it == target, message);
    }
    named
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
