//! Descriptions in several files, and references to anywhere, made into one description.
//!
//! Afterwards every schema that is referred to is a named one, `#/components/schemas/Name`, and
//! nothing refers to another file. What leads nowhere is left as it is, for those to report who
//! meet it.

mod definitions;
mod files;
mod title;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use serde_json::{Map, Value};

use self::files::Files;
use self::title::title;
use super::places::{self, NAMED};
use super::warnings::Origin;
use crate::naming;
use crate::rest::pointer::{joined, keys};
use crate::{Diagnostic, Source};

/// How many references may lead from one to the next.
const DEPTH: usize = 32;

const SCHEMAS: &str = "#/components/schemas";

/// What linking found out.
pub(super) struct Linked {
    /// Where the schemas come from that had no name in the description.
    pub(super) origins: BTreeMap<String, Origin>,
    /// Further files that were read, or should have been.
    pub(super) files: Vec<PathBuf>,
    /// What is wrong with those that are there and cannot be read.
    pub(super) unreadable: Vec<Diagnostic>,
}

/// Links a description.
pub(super) fn link(source: &Source, description: &mut Value) -> Linked {
    definitions::anchor_all(description);
    let whole = std::mem::take(description);
    let taken = places::fields(&whole["components"], "schemas").map(|(name, _)| name.clone());
    let mut linker = Linker {
        taken: taken.collect(),
        files: Files::new(source, whole.clone()),
        names: BTreeMap::new(),
        made: Map::new(),
        origins: BTreeMap::new(),
    };
    *description = linker.root(whole);
    if let (Some(object), false) = (description.as_object_mut(), linker.made.is_empty()) {
        let components = object.entry("components").or_insert_with(|| Value::Object(Map::new()));
        if let Some(components) = components.as_object_mut()
            && let Value::Object(schemas) =
                components.entry("schemas").or_insert_with(|| Value::Object(Map::new()))
        {
            schemas.extend(linker.made);
        }
    }
    let (files, unreadable) = linker.files.finish();
    Linked { origins: linker.origins, files, unreadable }
}

struct Linker {
    files: Files,
    taken: HashSet<String>,
    /// The names of schemas that had none, by where they stand.
    names: BTreeMap<(usize, String), String>,
    made: Map<String, Value>,
    origins: BTreeMap<String, Origin>,
}

impl Linker {
    fn root(&mut self, mut root: Value) -> Value {
        for (key, value) in root.as_object_mut().into_iter().flatten() {
            match key.as_str() {
                "paths" => self.part(value, 0, true, 0),
                "components" => {
                    for (key, value) in value.as_object_mut().into_iter().flatten() {
                        if key == "schemas" {
                            self.schemas(value, 0);
                        } else {
                            self.part(value, 0, true, 0);
                        }
                    }
                }
                "$defs" | "definitions" => self.schemas(value, 0),
                _ => {}
            }
        }
        root
    }

    fn schemas(&mut self, schemas: &mut Value, file: usize) {
        let schemas = schemas.as_object_mut().into_iter().flatten();
        schemas.for_each(|(_, schema)| self.schema(schema, file));
    }

    /// Links what is no schema: path items, operations, parameters, bodies, responses. What stands
    /// in another file is put in the place of the reference.
    fn part(&mut self, value: &mut Value, file: usize, names: bool, depth: usize) {
        if let (Some(Value::String(target)), false) = (value.get("$ref"), names) {
            match self.files.find(file, target) {
                Some((0, pointer, _)) => value["$ref"] = Value::String(format!("#{pointer}")),
                Some((other, _, found)) if depth < DEPTH => {
                    let mut found = found.clone();
                    self.part(&mut found, other, false, depth + 1);
                    if let (Some(beside), Some(found)) = (value.as_object(), found.as_object_mut())
                    {
                        let beside = beside.iter().filter(|(key, _)| *key != "$ref");
                        found.extend(beside.map(|(key, value)| (key.clone(), value.clone())));
                    }
                    *value = found;
                }
                _ => {}
            }
            return;
        }
        match value {
            Value::Object(object) => {
                if !names {
                    // Nobody calls them here, and they may lead back to what they are in.
                    object.remove("callbacks");
                }
                for (key, value) in object {
                    match key.as_str() {
                        _ if names => self.part(value, file, false, depth),
                        "schema" | "itemSchema" => self.schema(value, file),
                        "example" | "examples" => {}
                        key => {
                            let names = NAMED.contains(&key) && value.is_object();
                            self.part(value, file, names, depth);
                        }
                    }
                }
            }
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.part(item, file, false, depth));
            }
            _ => {}
        }
    }

    /// Links a schema, which names what it refers to.
    fn schema(&mut self, schema: &mut Value, file: usize) {
        if let Some(Value::String(target)) = schema.get("$ref")
            && let Some(target) = self.named(file, target)
        {
            schema["$ref"] = Value::String(target);
        }
        for (_, schema) in places::within_mut(schema) {
            self.schema(schema, file);
        }
    }

    /// The reference to the named schema that a reference leads to, which gets a name if need be.
    fn named(&mut self, file: usize, target: &str) -> Option<String> {
        let (file, pointer, found) = self.files.find(file, target)?;
        let mut found = found.clone();
        let parts = keys(&format!("#{pointer}"));
        if let (0, [components, schemas, _]) = (file, parts.as_slice())
            && components == "components"
            && schemas == "schemas"
        {
            return Some(format!("#{pointer}"));
        }
        if file == 0 && parts.is_empty() {
            return None;
        }
        let place = (file, pointer);
        if let Some(name) = self.names.get(&place) {
            return Some(joined(SCHEMAS, &[name]));
        }
        let name = title(&parts, self.files.tree(file), self.files.name(file));
        let name = naming::unique_pascal(&mut self.taken, name);
        self.names.insert(place, name.clone());
        self.schema(&mut found, file);
        self.made.insert(name.clone(), found);
        let origin = Origin { file: self.files.places(file), keys: parts };
        self.origins.insert(name.clone(), origin);
        Some(joined(SCHEMAS, &[name]))
    }
}
