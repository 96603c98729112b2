//! Names of schemas: the Rust type name of each.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::warnings::Warnings;
use crate::naming;
use crate::rest::pointer::joined;
use crate::rest::tree::PREFIX;

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
