//! The outline of a REST description, read as it came: OpenAPI 3.0 or 3.1, flaws and all.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use super::json_schema::{
    entries, kind_of_type, list, may_be_null, reachable, referenced, references, type_text, values,
};
use super::wire;
use super::{Item, Kind, OR_NOTHING, OR_NULL, Outline};
use crate::words::words;

const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// Statuses of responses that cannot have content.
const NO_CONTENT: [&str; 2] = ["204", "205"];

/// The outline of a description.
pub(crate) fn outline(description: &Value) -> Outline {
    let mut writer = Writer { description, outline: Outline::default() };
    let mut sides = Sides::default();
    if let Some(url) = wire::server(description) {
        writer.outline.add("server", Kind::Server, url);
    }
    let security = wire::security(description, description).unwrap_or_else(|| "none".to_owned());
    writer.outline.add("security", Kind::Security, security.as_str());
    for (path, item) in entries(description, "paths") {
        let item = writer.resolved(item);
        let known = METHODS.iter().filter_map(|it| Some((it.to_uppercase(), item.get(it)?)));
        let others = entries(item, "additionalOperations").map(|(it, of)| (it.clone(), of));
        for (method, operation) in known.chain(others) {
            let operation = writer.resolved(operation);
            let name = format!("{method} {path}");
            writer.operation(&name, operation, item, &mut sides);
            if let Some(own) = wire::security(description, operation).filter(|it| *it != security) {
                let item = writer.outline.add(format!("{name} security"), Kind::Security, own);
                item.part_of = Some(name);
            }
        }
    }
    let schemas = entries(&description["components"], "schemas");
    let read = reachable(sides.read, &description["components"]["schemas"]);
    let written = reachable(sides.written, &description["components"]["schemas"]);
    for (name, schema) in schemas {
        let side = Side { is_read: read.contains(name), is_written: written.contains(name) };
        let kind = match writer.is_composed_object(schema) {
            true => "object".to_owned(),
            false => kind_of_type(schema),
        };
        let item = writer.outline.add(name, Kind::Type, kind);
        describe(item, schema, side);
        writer.within(name, schema, side);
    }
    writer.outline
}

/// The schemas that operations name.
#[derive(Default)]
struct Sides {
    read: Vec<String>,
    written: Vec<String>,
}

#[derive(Clone, Copy)]
struct Side {
    is_read: bool,
    is_written: bool,
}

const READ: Side = Side { is_read: true, is_written: false };
const WRITTEN: Side = Side { is_read: false, is_written: true };

/// How many types may be composed of each other.
const DEPTH: usize = 16;

/// Where parts are written down.
struct At<'p> {
    /// The item that they are parts of.
    of: &'p str,
    path: String,
    side: Side,
    /// The type that they come from, if that is another one.
    base: Option<Rc<Base>>,
}

/// A type that another one includes.
struct Base {
    name: String,
    /// How long the path is of what includes it.
    at: usize,
    /// What this type is itself included by.
    within: Option<Rc<Base>>,
}

impl At<'_> {
    fn at(&self, path: String) -> At<'_> {
        At { of: self.of, path, side: self.side, base: self.base.clone() }
    }

    fn below<'p>(&self, path: &'p str) -> At<'p> {
        At { of: path, path: path.to_owned(), side: self.side, base: self.base.clone() }
    }

    /// Whether this is within a type that includes itself.
    fn is_in(&self, base: &Base) -> bool {
        let mut within = std::iter::successors(self.base.as_deref(), |it| it.within.as_deref());
        within.any(|it| it.name == base.name && it.at == base.at)
    }
}

struct Writer<'a> {
    description: &'a Value,
    outline: Outline,
}

impl<'a> Writer<'a> {
    fn operation(&mut self, name: &str, operation: &'a Value, path: &'a Value, sides: &mut Sides) {
        let id = operation["operationId"].as_str().unwrap_or_default();
        let item = self.outline.add(name, Kind::Operation, id);
        describe(item, operation, WRITTEN);
        if item.description.is_empty() {
            item.description = words(operation["summary"].as_str().unwrap_or_default());
        }
        if let Some(url) = wire::server(operation).or_else(|| wire::server(path)) {
            let item = self.outline.add(format!("{name} server"), Kind::Server, url);
            item.part_of = Some(name.to_owned());
        }
        // Those of the operation go before those of its path.
        let mut seen = BTreeSet::new();
        for parameter in list(operation, "parameters").iter().chain(list(path, "parameters")) {
            let parameter = self.resolved(parameter);
            let (Some(place), Some(parameter_name)) =
                (parameter["in"].as_str(), parameter["name"].as_str())
            else {
                continue;
            };
            // Names of headers are the same in upper and in lower case.
            let parameter_name = match place {
                "header" => parameter_name.to_ascii_lowercase(),
                _ => parameter_name.to_owned(),
            };
            if !seen.insert((place, parameter_name.clone())) {
                continue;
            }
            let schema = match parameter.get("schema") {
                Some(schema) => schema,
                None => content(parameter),
            };
            references(schema, &mut sides.written);
            let path = format!("{name} ({place} {parameter_name})");
            if let Some(encoding) = wire::encoding(parameter, self.resolved(schema)) {
                self.encoding(&path, "encoding", encoding);
            }
            self.argument(path, name, schema, parameter);
        }
        if let Some(body) = operation.get("requestBody") {
            let body = self.resolved(body);
            let schema = content(body);
            references(schema, &mut sides.written);
            let path = format!("{name} (body)");
            if let Some(media) = wire::media(body) {
                self.encoding(&path, "media type", media);
            }
            for (part, encoding) in wire::encodings(body) {
                self.encoding(&path, &format!("encoding of {part}"), encoding);
            }
            self.argument(path, name, schema, body);
        }
        let responses = entries(operation, "responses").collect::<Vec<_>>();
        let mut successes: Vec<_> =
            responses.iter().filter(|(status, _)| status.starts_with('2')).collect();
        let is_default = successes.is_empty();
        if is_default {
            // Otherwise it is what an error looks like. It may be both.
            successes = responses.iter().filter(|(status, _)| *status == "default").collect();
        }
        let contents = successes.iter().map(|(status, response)| {
            let response = self.resolved(response);
            (!NO_CONTENT.contains(&status.as_str()) && !content(response).is_null())
                .then_some(response)
        });
        let contents: Vec<_> = contents.collect();
        let may_be_empty = is_default || contents.contains(&None);
        let answer = contents.into_iter().flatten().next();
        if let Some(response) = answer {
            let schema = content(response);
            references(schema, &mut sides.read);
            let path = format!("{name} (answer)");
            if let Some(media) = wire::media(response) {
                self.encoding(&path, "media type", media).is_read = true;
            }
            let item = self.outline.add(&path, Kind::Field, type_text(schema));
            item.part_of = Some(name.to_owned());
            if may_be_empty {
                item.of.push_str(OR_NOTHING);
            }
            describe(item, schema, READ);
            self.within(&path, schema, READ);
        }
    }

    fn encoding(&mut self, of: &str, name: &str, text: String) -> &mut Item {
        let item = self.outline.add(format!("{of} {name}"), Kind::Encoding, text);
        item.part_of = Some(of.to_owned());
        item
    }

    fn argument(&mut self, path: String, of: &str, schema: &'a Value, said: &Value) {
        let item = self.outline.add(&path, Kind::Argument, type_text(schema));
        item.part_of = Some(of.to_owned());
        describe(item, said, WRITTEN);
        item.required = said["required"] == Value::Bool(true) || said["in"] == "path";
        item.default = schema.get("default").map(ToString::to_string);
        self.within(&path, schema, WRITTEN);
    }

    /// The parts of what an item is.
    fn within(&mut self, path: &str, schema: &'a Value, side: Side) {
        self.parts(&At { of: path, path: path.to_owned(), side, base: None }, schema);
    }

    /// The parts of a schema that has no name of its own.
    fn parts(&mut self, at: &At<'_>, schema: &'a Value) {
        let required = self.required(schema, 0);
        self.parts_with(at, schema, &required);
    }

    /// The same, where this is required in all.
    fn parts_with(&mut self, at: &At<'_>, schema: &'a Value, required: &BTreeSet<&str>) {
        let path = &at.path;
        for value in values(schema) {
            self.part(at, &format!("{path}.{value}"), Kind::EnumValue, String::new());
        }
        for (name, field) in entries(schema, "properties") {
            let path_of_field = format!("{path}.{name}");
            let says_so = |it: &Value| it["readOnly"] == Value::Bool(true);
            let is_read_only = says_so(field) || says_so(self.resolved(field));
            let Some(item) = self.part(at, &path_of_field, Kind::Field, type_text(field)) else {
                continue;
            };
            describe(item, field, at.side);
            // What only the service writes is not given to it.
            item.required = required.contains(name.as_str()) && !is_read_only;
            if item.required && at.side.is_written && may_be_null(field) {
                item.of.push_str(OR_NULL);
            }
            item.default = field.get("default").map(ToString::to_string);
            self.parts(&at.below(&path_of_field), field);
        }
        let is_object = self.is_composed_object(schema);
        for key in ["allOf", "oneOf", "anyOf"] {
            for (place, part) in list(schema, key).iter().enumerate() {
                if key == "allOf" && is_object {
                    let base = self.base_of(at, part);
                    if base.as_ref().is_none_or(|it| !at.is_in(it)) {
                        let at = At {
                            base: base.or_else(|| at.base.clone()),
                            path: path.clone(),
                            ..*at
                        };
                        self.parts_with(&at, self.resolved(part), required);
                    }
                } else if let Some(name) = referenced(part) {
                    let how = if key == "allOf" { "includes" } else { "|" };
                    self.part(at, &format!("{path} {how} {name}"), Kind::Member, String::new());
                } else if key == "allOf" {
                    self.parts_with(at, part, required);
                } else {
                    self.parts(&at.at(format!("{path}|{}", place + 1)), part);
                }
            }
        }
        if let Some(items) = schema.get("items") {
            self.parts(&at.at(format!("{path}[]")), items);
        }
        for (place, item) in list(schema, "prefixItems").iter().enumerate() {
            self.parts(&at.at(format!("{path}[{place}]")), item);
        }
        if let Some(values) = schema.get("additionalProperties").filter(|it| it.is_object()) {
            self.parts(&at.at(format!("{path}{{}}")), values);
        }
        for (pattern, values) in entries(schema, "patternProperties") {
            self.parts(&at.at(format!("{path}{{{pattern}}}")), values);
        }
    }

    /// Adds a part, unless it is there: what a type says itself goes before what its bases say.
    fn part(&mut self, at: &At<'_>, path: &str, kind: Kind, of: String) -> Option<&mut Item> {
        if self.outline.items.contains_key(path) {
            return None;
        }
        let item = self.outline.add(path, kind, of);
        item.part_of = Some(at.of.to_owned());
        item.origin = at.base.as_ref().map(|base| format!("{}{}", base.name, &path[base.at..]));
        (item.is_read, item.is_written) = (at.side.is_read, at.side.is_written);
        Some(item)
    }

    /// What must be given of an object and of all that it is composed of.
    fn required(&self, schema: &'a Value, depth: usize) -> BTreeSet<&'a str> {
        let mut required: BTreeSet<&str> =
            list(schema, "required").iter().filter_map(Value::as_str).collect();
        if depth < DEPTH {
            for part in list(schema, "allOf") {
                required.extend(self.required(self.resolved(part), depth + 1));
            }
        }
        required
    }

    /// Whether a schema is one object made of several: not just a reference with words beside it.
    fn is_composed_object(&self, schema: &'a Value) -> bool {
        let parts = list(schema, "allOf");
        let is_reference = parts.len() == 1 && schema.get("properties").is_none();
        !parts.is_empty() && !is_reference && self.is_object(schema, 0)
    }

    fn is_object(&self, schema: &'a Value, depth: usize) -> bool {
        let mut parts = list(schema, "allOf").iter();
        schema["type"] == "object"
            || schema.get("properties").is_some()
            || (depth < DEPTH && parts.any(|it| self.is_object(self.resolved(it), depth + 1)))
    }

    /// The named type that a part of a composed object is.
    fn base_of(&self, at: &At<'_>, part: &Value) -> Option<Rc<Base>> {
        let name = part["$ref"].as_str()?.strip_prefix("#/components/schemas/")?;
        Some(Rc::new(Base { name: name.to_owned(), at: at.path.len(), within: at.base.clone() }))
    }

    /// What a `$ref` leads to; a few steps only, as two of them may lead to each other.
    fn resolved(&self, mut value: &'a Value) -> &'a Value {
        for _ in 0..32 {
            let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
            match target.and_then(|target| self.description.pointer(target)) {
                Some(target) => value = target,
                None => break,
            }
        }
        value
    }
}

fn describe(item: &mut Item, said: &Value, side: Side) {
    item.description = words(said["description"].as_str().unwrap_or_default());
    item.deprecated = (said["deprecated"] == Value::Bool(true)).then(String::new);
    (item.is_read, item.is_written) = (side.is_read, side.is_written);
}

/// The schema of what a body, an answer or a parameter holds, that of JSON first.
fn content(of: &Value) -> &Value {
    let mut kinds: Vec<_> = entries(of, "content").collect();
    kinds.sort_by_key(|(kind, _)| !kind.contains("json"));
    kinds.first().map_or(&Value::Null, |(_, content)| &content["schema"])
}
