//! Extraction of enums. They become open enums, because an enum of the type generator refuses a
//! whole response for one unknown value, and not every enum has values that it can name.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::aliases::inline;
use super::names;
use super::union_marks;
use crate::naming;
use crate::rest::tree::{operations_mut, text_at};

/// An enum of strings, with the name of its type.
pub(crate) struct NamedEnum {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) values: Vec<String>,
}

/// Replaces every enum by `{type: string, format: Name}`: the type generator maps that format to
/// the type of the enum.
pub(super) fn extract(schemas: &mut Map<String, Value>, paths: &mut Value) -> Vec<NamedEnum> {
    let mut taken =
        Extracted { names: names::taken(schemas), enums: Vec::new(), by_values: HashMap::new() };
    let mut stand_ins = BTreeMap::new();
    for (name, schema) in schemas.iter_mut() {
        if let Some(values) = values(schema) {
            taken.add(name.clone(), schema, values);
            stand_ins.insert(name.clone(), schema.clone());
        }
    }
    schemas.retain(|name, _| !stand_ins.contains_key(name));
    schemas.values_mut().for_each(|schema| inline(schema, &stand_ins));
    inline(paths, &stand_ins);

    // The enums of a union mostly occur elsewhere, too, and are named after that.
    for in_unions in [false, true] {
        let schemas = schemas.iter_mut();
        for (name, schema) in schemas.filter(|(_, it)| union_marks::has_union(it) == in_unions) {
            taken.within(schema, name);
        }
    }
    for operation in operations_mut(paths) {
        let name = text_at(operation, "operationId");
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            let name = format!("{name}_{}", text_at(parameter, "name"));
            taken.within(&mut parameter["schema"], &name);
        }
        for (path, suffix) in [
            ("/requestBody/content/application~1json/schema", "body"),
            ("/responses/2XX/content/application~1json/schema", "response"),
        ] {
            if let Some(schema) = operation.pointer_mut(path) {
                taken.within(schema, &format!("{name}_{suffix}"));
            }
        }
    }
    taken.enums
}

fn values(schema: &Value) -> Option<Vec<String>> {
    let values = schema.get("enum")?.as_array()?;
    Some(values.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

struct Extracted {
    names: HashSet<String>,
    enums: Vec<NamedEnum>,
    /// The name of the first enum with these values.
    by_values: HashMap<Vec<String>, String>,
}

impl Extracted {
    fn add(&mut self, name: String, schema: &mut Value, values: Vec<String>) {
        stand_in(schema, &name);
        let description = text_at(schema, "description");
        self.by_values.entry(values.clone()).or_insert_with(|| name.clone());
        self.enums.push(NamedEnum { name, description, values });
    }

    /// Extracts the enums of a schema and of the schemas within it. Enums with the same values are
    /// one type.
    fn within(&mut self, schema: &mut Value, name: &str) {
        if let Some(values) = values(schema) {
            match self.by_values.get(&values) {
                Some(known) => stand_in(schema, known),
                None => {
                    let name = naming::unique_type(&mut self.names, naming::pascal(name));
                    self.add(name, schema, values);
                }
            }
            return;
        }
        let Some(object) = schema.as_object_mut() else { return };
        for (key, value) in object {
            match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (key, schema) in properties {
                        self.within(schema, &format!("{name}_{key}"));
                    }
                }
                ("items", schema) => self.within(schema, &format!("{name}_item")),
                ("additionalProperties", schema) => self.within(schema, &format!("{name}_value")),
                ("allOf" | "oneOf" | "anyOf", Value::Array(schemas)) => {
                    schemas.iter_mut().for_each(|schema| self.within(schema, name));
                }
                _ => {}
            }
        }
    }
}

fn stand_in(schema: &mut Value, name: &str) {
    if let Some(object) = schema.as_object_mut() {
        object.remove("enum");
        object.insert("format".to_owned(), json!(name));
    }
}
