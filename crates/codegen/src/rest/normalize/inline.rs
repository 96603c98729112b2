//! Extraction of inline schemas: objects and unions within others become named schemas, because
//! the names that the type generator would choose may be taken.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::enums::NamedEnum;
use super::{names, union_marks};
use crate::naming;
use crate::rest::tree::{self, MERGED, operations_mut, remove, target, text_at};

/// Extracts every schema within another one that needs a type of its own. `items` are the names of the
/// operations that stand for the items of pages: these have the types that the pages give them.
///
/// A union of objects repeats the schemas within them, and the same union of strings and numbers
/// occurs in many places. Equal ones become one type.
pub(super) fn name_objects(
    schemas: &mut Map<String, Value>,
    paths: &mut Value,
    enums: &[NamedEnum],
    items: &BTreeSet<&str>,
) {
    let mut taken = names::taken(schemas);
    taken.extend(enums.iter().map(|it| naming::cased(&it.name)));
    let mut names = Names { taken, known: BTreeMap::new(), found: Map::new() };
    // Schemas that merged unions repeat are named after their origin.
    for merged in [false, true] {
        for (name, schema) in schemas.iter_mut().filter(|(_, it)| holds_merged(it) == merged) {
            let is_merged = schema.get(MERGED).is_some();
            names.within(schema, name, is_merged);
        }
    }
    let is_item = |operation: &Value| items.contains(text_at(operation, "operationId").as_str());
    let (last, first): (Vec<_>, Vec<_>) = operations_mut(paths).partition(|it| is_item(it));
    for operation in first.into_iter().chain(last) {
        let name = text_at(operation, "operationId");
        let is_known = is_item(operation);
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            let name = format!("{name}_{}", text_at(parameter, "name"));
            names.name(&mut parameter["schema"], &name, false);
        }
        for (path, suffix) in [
            ("/requestBody/content/application~1json/schema", "body"),
            ("/responses/2XX/content/application~1json/schema", "response"),
        ] {
            if let Some(schema) = operation.pointer_mut(path) {
                names.name(schema, &format!("{name}_{suffix}"), is_known);
            }
        }
    }
    schemas.extend(names.found);
    schemas.values_mut().for_each(|schema| remove(schema, &[MERGED]));
}

/// Returns true if a schema contains objects that were merged from a union.
fn holds_merged(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.contains_key(MERGED) || object.values().any(holds_merged),
        Value::Array(items) => items.iter().any(holds_merged),
        _ => false,
    }
}

struct Names {
    taken: HashSet<String>,
    /// The names of types, by their schemas.
    known: BTreeMap<String, String>,
    found: Map<String, Value>,
}

impl Names {
    /// Names a schema if it needs a name, and the schemas within it.
    ///
    /// In a union it gets the name of an equal schema, if there is one.
    fn name(&mut self, schema: &mut Value, name: &str, in_union: bool) {
        let is_union = schema.get("oneOf").is_some();
        let in_union = in_union || is_union || schema.get(MERGED).is_some();
        if schema.get("properties").is_none() && !is_union {
            self.within(schema, name, in_union);
            return;
        }
        let mut words = Map::new();
        for key in ["description", "nullable"] {
            words.extend(schema.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        remove(schema, &["nullable", MERGED]);
        let by_branches = union_by_branches(schema);
        if by_branches.is_some() {
            remove(schema, &["description"]);
        }
        let fresh = by_branches.unwrap_or_else(|| name.to_owned());
        let fresh = naming::unique_type(&mut self.taken, naming::pascal(&fresh));
        self.within(schema, &fresh, in_union);
        let content = schema.to_string();
        let name = match self.known.get(&content) {
            Some(known) if in_union => {
                self.taken.remove(&naming::cased(&fresh));
                known.clone()
            }
            _ => {
                self.known.entry(content).or_insert_with(|| fresh.clone());
                self.found.insert(fresh.clone(), schema.clone());
                fresh
            }
        };
        words.insert(
            "allOf".to_owned(),
            json!([{ "$ref": format!("#/components/schemas/{name}") }]),
        );
        *schema = Value::Object(words);
    }

    /// Names an object of a union, which is the type of a variant.
    fn branch(&mut self, schema: &mut Value, name: &str) {
        self.name(schema, name, true);
        if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            *schema = only.clone();
        }
    }

    fn within(&mut self, schema: &mut Value, name: &str, in_union: bool) {
        let branches = union_marks::names(schema);
        for (keys, schema) in tree::within_mut(schema) {
            let name = match keys.as_slice() {
                [key, property] if key == "properties" => format!("{name}_{property}"),
                [key] if key == "items" => format!("{name}_item"),
                [key] if key == "additionalProperties" => format!("{name}_value"),
                [_, index] if let Some(branches) = &branches => {
                    let branch = index.parse().ok().and_then(|it: usize| branches.get(it));
                    self.branch(schema, &format!("{name}_{}", branch.map_or("", |it| it)));
                    continue;
                }
                // An inline branch of a union is a variant with fields of its own.
                _ => {
                    self.within(schema, name, in_union);
                    continue;
                }
            };
            self.name(schema, &name, in_union);
        }
    }
}

/// The name of a union of a few scalars, named objects and lists of either, made of the names of
/// these: `StringOrInteger`, `StringOrPetList`.
fn union_by_branches(schema: &Value) -> Option<String> {
    const MAX_BRANCHES: usize = 4;
    let branches = schema.get("oneOf")?.as_array().filter(|it| it.len() <= MAX_BRANCHES)?;
    let mut words = Vec::new();
    for branch in branches {
        let is_list = text_at(branch, "type") == "array";
        let of = if is_list { branch.get("items")? } else { branch };
        let (rank, word) = match target(of) {
            Some(name) => (SCALARS.len(), name.to_owned()),
            None => {
                let kind = text_at(of, "type");
                let rank = SCALARS.iter().position(|it| *it == kind)?;
                (rank, kind)
            }
        };
        // The format of an enum is its name.
        if of.get("format").is_some() {
            return None;
        }
        words.push((is_list, rank, if is_list { format!("{word}_list") } else { word }));
    }
    words.sort();
    Some(words.into_iter().map(|(.., word)| word).collect::<Vec<_>>().join("_or_"))
}

/// The order of branches in the name of a union.
const SCALARS: [&str; 4] = ["string", "integer", "number", "boolean"];
