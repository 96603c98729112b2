//! Objects and choices that stand within others get names, as if somebody had named them: the
//! type generator's own names for them can be ones that are taken.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::enums::NamedEnum;
use super::names;
use super::places::{self, operations_mut};
use super::tree::{remove, text_at};
use crate::naming;

/// Leaves no schema within another one that needs a type of its own.
pub(super) fn name_objects(
    schemas: &mut Map<String, Value>,
    paths: &mut Value,
    enums: &[NamedEnum],
) {
    let mut taken = names::taken(schemas);
    taken.extend(enums.iter().map(|it| it.name.clone()));
    let mut names = Names { taken, found: Map::new() };
    for (name, schema) in schemas.iter_mut() {
        names.within(schema, name);
    }
    for operation in operations_mut(paths) {
        let name = text_at(operation, "operationId");
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            let name = format!("{name}_{}", text_at(parameter, "name"));
            names.name(&mut parameter["schema"], &name);
        }
        for (path, suffix) in [
            ("/requestBody/content/application~1json/schema", "body"),
            ("/responses/2XX/content/application~1json/schema", "response"),
        ] {
            if let Some(schema) = operation.pointer_mut(path) {
                names.name(schema, &format!("{name}_{suffix}"));
            }
        }
    }
    schemas.extend(names.found);
}

struct Names {
    taken: HashSet<String>,
    found: Map<String, Value>,
}

impl Names {
    /// Names a schema if it needs a name, and those within it in any case.
    fn name(&mut self, schema: &mut Value, name: &str) {
        if schema.get("properties").is_none() && schema.get("oneOf").is_none() {
            self.within(schema, name);
            return;
        }
        let name = naming::unique_pascal(&mut self.taken, naming::pascal(name));
        self.within(schema, &name);
        let mut reference =
            json!({ "allOf": [{ "$ref": format!("#/components/schemas/{name}") }] });
        for key in ["description", "nullable"] {
            if let Some(value) = schema.get(key) {
                reference[key] = value.clone();
            }
        }
        let mut named = std::mem::replace(schema, reference);
        remove(&mut named, &["nullable"]);
        self.found.insert(name, named);
    }

    fn within(&mut self, schema: &mut Value, name: &str) {
        for (keys, schema) in places::within_mut(schema) {
            let name = match keys.as_slice() {
                [key, property] if key == "properties" => format!("{name}_{property}"),
                [key] if key == "items" => format!("{name}_item"),
                [key] if key == "additionalProperties" => format!("{name}_value"),
                // A shape of a choice is a variant, with fields of its own.
                _ => {
                    self.within(schema, name);
                    continue;
                }
            };
            self.name(schema, &name);
        }
    }
}
