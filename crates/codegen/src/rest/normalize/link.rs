//! Linking of `$ref`s: descriptions in several files, and references to any place, become one tree.
//!
//! Afterwards every schema that is referred to is a named one, `#/components/schemas/Name`, and
//! nothing refers to another file. A `$ref` that leads nowhere is kept: the pass that follows it
//! reports it with the operation that needs it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::warnings::{Origin, Origins};
use crate::rest::pointer::{decoded, joined, keys};
use crate::rest::read;
use crate::rest::source_map::SourceMap;
use crate::rest::tree::{self, NAMED, TAG};
use crate::{Diagnostic, Source, naming};

/// The maximum number of references between files in a row.
const DEPTH: usize = 32;

const SCHEMAS: &str = "#/components/schemas";

/// The result of linking.
pub(in crate::rest) struct Linked {
    pub(super) origins: Origins,
    /// Further files that were read or are missing.
    pub(in crate::rest) files: Vec<PathBuf>,
    /// Errors of files that exist and cannot be read.
    pub(in crate::rest) unreadable: Vec<Diagnostic>,
    /// Warnings of references within another file that the description has in its place.
    pub(super) misplaced: Vec<Diagnostic>,
}

/// Links a description.
pub(in crate::rest) fn link(source: &Source, description: &mut Value) -> Linked {
    anchor_all(description);
    let whole = std::mem::take(description);
    let taken = tree::fields(&whole["components"], "schemas").map(|(name, _)| name.clone());
    let mut linker = Linker {
        taken: taken.collect(),
        files: Files::new(source, whole.clone()),
        names: BTreeMap::new(),
        made: Map::new(),
        origins: Origins::default(),
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
    let mut origins = linker.origins;
    origins.files = linker.files.files.iter().filter_map(|file| file.places.clone()).collect();
    let misplaced = linker.files.misplaced();
    let (files, unreadable) = linker.files.finish();
    Linked { origins, files, unreadable, misplaced }
}

struct Linker {
    files: Files,
    taken: HashSet<String>,
    /// The names of schemas that had none, by location.
    names: BTreeMap<(usize, String), String>,
    made: Map<String, Value>,
    origins: Origins,
}

impl Linker {
    fn root(&mut self, mut root: Value) -> Value {
        for (key, value) in root.as_object_mut().into_iter().flatten() {
            match key.as_str() {
                "paths" => self.part(value, 0, true, &mut vec![key.clone()], 0),
                "components" => {
                    for (key, value) in value.as_object_mut().into_iter().flatten() {
                        if key == "schemas" {
                            self.schemas(value, 0);
                        } else {
                            let mut place = vec!["components".to_owned(), key.clone()];
                            self.part(value, 0, true, &mut place, 0);
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

    /// Links nodes other than schemas: path items, operations, parameters, bodies, responses. A
    /// node of another file replaces its reference.
    fn part(
        &mut self,
        value: &mut Value,
        file: usize,
        names: bool,
        place: &mut Vec<String>,
        depth: usize,
    ) {
        if let (Some(Value::String(target)), false) = (value.get("$ref"), names) {
            match self.files.find(file, target) {
                Some((0, pointer, _)) => value["$ref"] = Value::String(format!("#{pointer}")),
                Some((other, pointer, found)) if depth < DEPTH => {
                    let mut found = found.clone();
                    let origin = Origin {
                        file: self.files.places(other),
                        keys: keys(&format!("#{pointer}")),
                    };
                    self.origins.parts.insert(place.clone(), origin);
                    self.part(&mut found, other, false, place, depth + 1);
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
        let mut within = |linker: &mut Self, value: &mut Value, key: String, names: bool| {
            place.push(key);
            linker.part(value, file, names, place, depth);
            place.pop();
        };
        match value {
            Value::Object(object) => {
                if !names {
                    // Callbacks are not generated, and may be cyclic.
                    object.remove("callbacks");
                }
                for (key, value) in object {
                    match key.as_str() {
                        _ if names => within(self, value, key.clone(), false),
                        "schema" | "itemSchema" => self.schema(value, file),
                        "example" | "examples" => {}
                        name => {
                            let names = NAMED.contains(&name) && value.is_object();
                            within(self, value, key.clone(), names);
                        }
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    within(self, item, index.to_string(), false);
                }
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
        for (_, schema) in tree::within_mut(schema) {
            self.schema(schema, file);
        }
        if let Some(discriminator) = schema.get_mut("discriminator") {
            self.mapping(discriminator, file);
        }
    }

    /// Links the targets of a discriminator: references, and names of schemas. In another file than
    /// the description's, a name is one of that file, if it has such a schema. A file that is not
    /// there is none to read: descriptions that were bundled still name the files from before.
    fn mapping(&mut self, discriminator: &mut Value, file: usize) {
        let default = discriminator.get("defaultMapping").cloned();
        let mapping = discriminator.get_mut("mapping").and_then(Value::as_object_mut);
        let mapping = mapping.into_iter().flat_map(Map::values_mut);
        let mut linked = |to: &str| match to.contains(['/', '#', '.']) {
            true if self.files.has(file, to) => self.named(file, to),
            _ if file > 0 => self.named(file, &joined(SCHEMAS, &[to])),
            _ => None,
        };
        for to in mapping {
            if let Some(linked) = to.as_str().and_then(&mut linked) {
                *to = Value::String(linked);
            }
        }
        if let Some(linked) = default.as_ref().and_then(Value::as_str).and_then(linked) {
            discriminator["defaultMapping"] = Value::String(linked);
        }
    }

    /// The reference to the named schema that a reference leads to, which gets a name if need be.
    fn named(&mut self, file: usize, target: &str) -> Option<String> {
        let (file, pointer, found) = self.files.find(file, target)?;
        let parts = keys(&format!("#{pointer}"));
        if let (0, [components, schemas, name]) = (file, parts.as_slice())
            && components == "components"
            && schemas == "schemas"
        {
            // Escaped as all others, however it was written.
            return Some(joined(SCHEMAS, &[name]));
        }
        if file == 0 && parts.is_empty() {
            return None;
        }
        let place = (file, pointer);
        if let Some(name) = self.names.get(&place) {
            return Some(joined(SCHEMAS, &[name]));
        }
        let mut found = found.clone();
        let name = title(&parts, self.files.tree(file), self.files.name(file));
        let name = naming::unique_pascal(&mut self.taken, name);
        self.names.insert(place, name.clone());
        self.schema(&mut found, file);
        keep_tag(&mut found, &parts, self.files.name(file), &name);
        self.made.insert(name.clone(), found);
        let origin = Origin { file: self.files.places(file), keys: parts };
        self.origins.schemas.insert(name.clone(), origin);
        Some(joined(SCHEMAS, &[name]))
    }
}

/// Rewrites references to a schema's own `$defs` as references from the document root.
pub(super) fn anchor_all(description: &mut Value) {
    tree::each_schema(description, &mut anchor_within);
}

fn anchor_within(schema: &mut Value, place: &str) {
    local_definitions(schema, place);
    for (keys, schema) in tree::within_mut(schema) {
        anchor_within(schema, &joined(place, &keys));
    }
}

/// Resolves `#/$defs/Name` within the schema that has such a `$defs`, if the document has none.
fn local_definitions(schema: &mut Value, place: &str) {
    for key in ["$defs", "definitions"] {
        if let Some(Value::Object(definitions)) = schema.get(key).cloned() {
            let names: Vec<_> = definitions.keys().cloned().collect();
            anchor(schema, &format!("#/{key}/"), &names, &format!("{place}/{key}/"));
        }
    }
}

fn anchor(value: &mut Value, from: &str, names: &[String], to: &str) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get_mut("$ref")
                && let Some(name) = target.strip_prefix(from)
                && names.iter().any(|known| known == name)
            {
                *target = format!("{to}{name}");
            }
            object.values_mut().for_each(|value| anchor(value, from, names, to));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| anchor(value, from, names, to)),
        _ => {}
    }
}

/// The description's file, and the files to which it refers, which are read at the first reference.
pub(super) struct Files {
    files: Vec<File>,
    missing: BTreeSet<PathBuf>,
    unreadable: Vec<Diagnostic>,
    /// The references within other files that only the description has, each with its file.
    misplaced: BTreeSet<(usize, String)>,
}

struct File {
    path: PathBuf,
    name: String,
    /// Null for a file that cannot be read.
    tree: Value,
    /// None for the description's file.
    places: Option<Rc<(String, SourceMap<'static>)>>,
}

impl Files {
    pub(super) fn new(source: &Source, tree: Value) -> Self {
        let path = PathBuf::from(&source.name);
        let file = File { path, name: source.name.clone(), tree, places: None };
        Self {
            files: vec![file],
            missing: BTreeSet::new(),
            unreadable: Vec::new(),
            misplaced: BTreeSet::new(),
        }
    }

    /// All files but the first, and the errors of those that exist and cannot be read.
    pub(super) fn finish(self) -> (Vec<PathBuf>, Vec<Diagnostic>) {
        let read = self.files.into_iter().skip(1).map(|file| file.path);
        (read.chain(self.missing).collect(), self.unreadable)
    }

    /// Warnings of the references within other files that only the description has.
    fn misplaced(&self) -> Vec<Diagnostic> {
        let warnings = self.misplaced.iter().filter_map(|(file, target)| {
            let (name, places) = self.files[*file].places.as_deref()?;
            let (line, column) = places.of_reference(&|it| it == target)?;
            let description = &self.files[0].name;
            let message = format!(
                "the reference {target} leads nowhere in this file, and is read as that of \
                 {description}: write the path of that file before the `#`"
            );
            Some(Diagnostic::new(name, line, column, message))
        });
        warnings.collect()
    }

    /// The target of a `$ref` in a file: the file, the JSON pointer within it (without `#`, not
    /// escaped for URLs), and the value. What another file does not have itself is that of the
    /// description: so it was in the one file that was taken apart.
    pub(super) fn find(&mut self, from: usize, target: &str) -> Option<(usize, String, &Value)> {
        let (path, pointer) = target.split_once('#').unwrap_or((target, ""));
        let mut file = match path {
            "" => from,
            path => self.file(from, path)?,
        };
        if path.is_empty() && file > 0 && self.within(file, pointer).is_none() {
            self.within(0, pointer)?;
            self.misplaced.insert((file, target.to_owned()));
            file = 0;
        }
        let (pointer, found) = self.within(file, pointer)?;
        Some((file, pointer, found))
    }

    /// The value to which a JSON pointer leads, which may be escaped for URLs.
    fn within(&self, file: usize, pointer: &str) -> Option<(String, &Value)> {
        let tree = &self.files[file].tree;
        // A `%` in a name need not be an escape.
        let plain = tree.pointer(pointer).map(|found| (pointer.to_owned(), found));
        plain.or_else(|| {
            let pointer = decoded(pointer);
            tree.pointer(&pointer).map(|found| (pointer, found))
        })
    }

    /// Returns true if the file of a `$ref` is there.
    fn has(&self, from: usize, target: &str) -> bool {
        let path = target.split('#').next().unwrap_or_default();
        path.is_empty() || (!path.contains("://") && self.path(from, path).is_file())
    }

    /// The file of a `$ref`, which is relative to the one that has it.
    fn path(&self, from: usize, path: &str) -> PathBuf {
        let folder = self.files[from].path.parent().unwrap_or(Path::new(""));
        normalized(&folder.join(decoded(path)))
    }

    pub(super) fn tree(&self, file: usize) -> &Value {
        &self.files[file].tree
    }

    pub(super) fn name(&self, file: usize) -> &str {
        &self.files[file].name
    }

    pub(super) fn places(&self, file: usize) -> Option<Rc<(String, SourceMap<'static>)>> {
        self.files[file].places.clone()
    }

    fn file(&mut self, from: usize, path: &str) -> Option<usize> {
        if path.contains("://") {
            return None;
        }
        let path = self.path(from, path);
        if let Some(known) = self.files.iter().position(|file| normalized(&file.path) == path) {
            return Some(known);
        }
        let source = match Source::read(&path) {
            Ok(source) => source,
            Err(error) => {
                if path.is_file() && !self.missing.contains(&path) {
                    self.unreadable.push(error);
                }
                self.missing.insert(path);
                return None;
            }
        };
        let (tree, places) = match read::read_with_places(&source) {
            Ok((tree, places)) => (tree, Some(Rc::new((source.name.clone(), places.detached())))),
            Err(error) => {
                self.unreadable.push(error);
                (Value::Null, None)
            }
        };
        self.files.push(File { path, name: source.name, tree, places });
        Some(self.files.len() - 1)
    }
}

/// Keeps the name by which a discriminator without a mapping selects a schema, where linking gives it
/// another one: that within its file, or the one of the file.
fn keep_tag(schema: &mut Value, keys: &[String], file: &str, name: &str) {
    let own = match keys {
        [] => stem(file),
        [own] => own,
        [.., around, own] if ["schemas", "$defs", "definitions"].contains(&around.as_str()) => own,
        _ => return,
    };
    if let Some(schema) =
        schema.as_object_mut().filter(|it| own != name && !it.contains_key("$ref"))
    {
        schema.entry(TAG).or_insert_with(|| Value::String(own.to_owned()));
    }
}

/// The name of a file without folders and endings.
fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split('.').next().unwrap_or(name)
}

/// A path without `.` and `..`.
fn normalized(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// A name for the schema to which keys lead: `PodImage` for the field `image` of `Pod`,
/// `ListPodsResponse` for the response of the operation `listPods`.
pub(super) fn title(keys: &[String], tree: &Value, file: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut value = tree;
    let mut before = "";
    for key in keys {
        let index = key.parse::<usize>();
        let within = index.as_ref().ok().and_then(|index| value.get(index));
        value = within.or_else(|| value.get(key)).unwrap_or(&Value::Null);
        match (before, key.as_str()) {
            ("properties", name) => words.push(name.to_owned()),
            ("schemas" | "$defs" | "definitions", name) => words = vec![name.to_owned()],
            ("content", _) => {}
            ("responses", status) if !status.starts_with(char::is_alphabetic) => {
                words.push("response".to_owned());
            }
            ("allOf" | "oneOf" | "anyOf", _) => {
                words.push(format!("part{}", index.map_or(1, |index| index + 1)));
            }
            (_, "items") => words.push("item".to_owned()),
            (_, "additionalProperties") => words.push("value".to_owned()),
            (_, "requestBody") => words.push("body".to_owned()),
            (_, key) if STRUCTURE.contains(&key) => {}
            (_, key) => words.push(key.to_owned()),
        }
        if let Some(id) = value.get("operationId").and_then(Value::as_str) {
            words = vec![id.to_owned()];
        }
        // A name that equals a keyword is not a keyword.
        before = if NAMES.contains(&before) { "" } else { key };
    }
    if words.is_empty() {
        words.push(stem(file).to_owned());
    }
    naming::pascal(&words.join("-"))
}

/// Keys whose own keys are names.
const NAMES: [&str; 5] = ["properties", "schemas", "$defs", "definitions", "content"];

/// Keys that do not become part of a name.
const STRUCTURE: [&str; 14] = [
    "components",
    "schemas",
    "$defs",
    "definitions",
    "properties",
    "schema",
    "paths",
    "parameters",
    "headers",
    "pathItems",
    "requestBodies",
    "responses",
    "content",
    "allOf",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized() {
        assert_eq!(normalized(Path::new("a/./b/../c.yaml")), Path::new("a/c.yaml"));
    }

    use serde_json::json;

    use crate::rest::pointer;

    #[test]
    fn schemas_are_named_after_their_place() {
        let tree = json!({"paths": {"/pods": {"get": {"operationId": "listPods"}}}});
        for (pointer, name) in [
            ("#/components/schemas/Pod/properties/image", "PodImage"),
            ("#/components/schemas/Pod/allOf/1", "PodPart2"),
            ("#/components/schemas/Pod/properties/items/items", "PodItemsItem"),
            (
                "#/paths/~1pods/get/responses/200/content/application~1json/schema",
                "ListPodsResponse",
            ),
            ("#/paths/~1a~1{b}/put/requestBody/content/text~1json/schema", "ABPutBody"),
            ("#/components/responses/Thing/content/application~1json/schema", "Thing"),
            ("#/components/parameters/Limit/schema", "Limit"),
            ("#", "Pet"),
        ] {
            assert_eq!(title(&pointer::keys(pointer), &tree, "schemas/pet.v1.yaml"), name);
        }
    }
}
