//! Outline of a REST description: OpenAPI 3.0 to 3.2, with the constructs that the generator does
//! not support.
//!
//! Operations, parameters, bodies, responses, servers and security schemes, and the chosen media
//! type of several, come from the generator's `description` module, not from its model, which has
//! only what a call can express: a cookie or an `allOf` that changes is reported even if no
//! generated code depends on it.

use std::collections::BTreeSet;
use std::rc::Rc;

use podqueue_codegen::__private::openapi::{
    self, DescribedOperation, Media, fields, location, name_of, offered, operations, reachable,
    references, resolve, server, target,
};
use podqueue_codegen::__private::sent_media;
use serde_json::{Map, Value};

use super::openapi_text::{
    encoding, encodings, essence, kind_of_type, list, only_alternative, security, type_text, values,
};
use super::rules::{NULL, rules};
use super::{Item, Kind, OR_NOTHING, Outline};
use crate::canonical::collapse_whitespace;

/// The outline of a description.
pub(crate) fn outline(description: &Value) -> Outline {
    let mut writer = Writer { description, outline: Outline::default() };
    let mut usage = TypeUsage::default();
    if let Some(url) = server(description) {
        writer.outline.add("server", Kind::Server, url);
    }
    let default_security = security(description, description).unwrap_or_else(|| "none".to_owned());
    writer.outline.add("security", Kind::Security, default_security.as_str());
    for operation in operations(description) {
        let name = operation.name();
        writer.operation(&name, &operation, &mut usage);
        let own = security(description, operation.operation);
        if let Some(own) = own.filter(|it| *it != default_security) {
            let item = writer.outline.add(format!("{name} security"), Kind::Security, own);
            item.part_of = Some(name);
        }
    }
    let none = Map::new();
    let schemas = description["components"]["schemas"].as_object().unwrap_or(&none);
    let read = reachable(usage.read, schemas);
    let written = reachable(usage.written, schemas);
    for (name, schema) in schemas {
        let side = Side { is_read: read.contains(name), is_written: written.contains(name) };
        let kind = match writer.is_composed_object(schema) {
            true => "object".to_owned(),
            false => kind_of_type(schema),
        };
        let default = writer.default(schema, 0);
        let item = writer.outline.add(name, Kind::Type, kind);
        describe(item, schema, side);
        item.default = default;
        item.rules = rules(description, schema);
        writer.within(name, schema, side);
    }
    writer.outline
}

/// The schemas in responses and in requests of operations.
#[derive(Default)]
struct TypeUsage {
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

/// The maximum depth of composition by `allOf`.
const MAX_DEPTH: usize = 16;

/// The position in the outline at which parts are added.
struct Position<'p> {
    /// The container of the parts.
    of: &'p str,
    path: String,
    side: Side,
    /// The type from which they are inherited.
    base: Option<Rc<Base>>,
}

/// A type that another type includes by `allOf`.
struct Base {
    name: String,
    /// The length of the path of the including type.
    at: usize,
    /// The base through which this one is included.
    within: Option<Rc<Base>>,
}

impl Position<'_> {
    fn at(&self, path: String) -> Position<'_> {
        Position { of: self.of, path, side: self.side, base: self.base.clone() }
    }

    fn below<'p>(&self, path: &'p str) -> Position<'p> {
        Position { of: path, path: path.to_owned(), side: self.side, base: self.base.clone() }
    }

    /// Returns true if the position is within this base already: a type may include itself.
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
    fn operation(&mut self, name: &str, described: &DescribedOperation<'a>, usage: &mut TypeUsage) {
        let (path_item, operation) = (described.item, described.operation);
        let id = operation["operationId"].as_str().unwrap_or_default();
        let item = self.outline.add(name, Kind::Operation, id);
        describe(item, operation, WRITTEN);
        if item.description.is_empty() {
            item.description =
                collapse_whitespace(operation["summary"].as_str().unwrap_or_default());
        }
        if let Some(url) = server(operation).or_else(|| server(path_item)) {
            let item = self.outline.add(format!("{name} server"), Kind::Server, url);
            item.part_of = Some(name.to_owned());
        }
        // The generator warns of those that it leaves out.
        let rejected = &mut Vec::new();
        for parameter in openapi::parameters(self.description, path_item, operation, rejected) {
            let location = location(parameter);
            // Header names are case-insensitive.
            let parameter_name = match location {
                "header" => name_of(parameter).to_ascii_lowercase(),
                _ => name_of(parameter).to_owned(),
            };
            let schema = match parameter.get("schema") {
                Some(schema) => schema,
                None => {
                    let media = Media::chosen(&offered(self.description, parameter));
                    self.content(parameter, media.map(|it| it.name)).1
                }
            };
            references(schema, &mut usage.written);
            let path = format!("{name} ({location} {parameter_name})");
            if let Some(encoding) = encoding(parameter, self.resolved(schema)) {
                self.encoding(&path, "encoding", encoding);
            }
            // A parameter is never null: it is given or not.
            self.argument(path, name, schema, parameter).rules.remove(NULL);
        }
        if let Some(body) = operation.get("requestBody") {
            let body = self.resolved(body);
            let (media, schema) = self.content(body, sent_media(self.description, body));
            references(schema, &mut usage.written);
            let path = format!("{name} (body)");
            if let Some(media) = media {
                self.encoding(&path, "media type", essence(&media));
            }
            for (part, encoding) in encodings(body) {
                self.encoding(&path, &format!("encoding of {part}"), encoding);
            }
            self.argument(path, name, schema, body);
        }
        self.response(name, described, usage);
    }

    /// Adds what a call returns.
    fn response(&mut self, name: &str, of: &DescribedOperation<'a>, usage: &mut TypeUsage) {
        let successes = openapi::successes(self.description, &of.method, of.operation);
        let read = openapi::deciding_success(&successes).map(|(it, media)| (it, Some(media.name)));
        // One that the generator does not read whole.
        let read =
            read.or_else(|| Some((successes.iter().find(|it| !it.offered.is_empty())?, None)));
        let Some((success, media)) = read else { return };
        let may_be_empty =
            successes.iter().any(|it| it.offered.is_empty() || it.status == "default");
        let Some(response) = success.response else { return };
        let (media, schema) = self.content(response, media);
        references(schema, &mut usage.read);
        let path = format!("{name} (response)");
        if let Some(media) = media {
            self.encoding(&path, "media type", essence(&media)).is_read = true;
        }
        let item = self.outline.add(&path, Kind::Field, type_text(schema));
        item.part_of = Some(name.to_owned());
        if may_be_empty {
            item.of.push_str(OR_NOTHING);
        }
        describe(item, schema, READ);
        item.rules = rules(self.description, schema);
        self.within(&path, schema, READ);
    }

    /// The media type of a body, a response or a parameter, and its schema; the first media type if
    /// none is used.
    fn content(&self, of: &'a Value, used: Option<String>) -> (Option<String>, &'a Value) {
        let media = used.or_else(|| fields(of, "content").next().map(|(name, _)| name.clone()));
        let schema = media.as_ref().and_then(|it| openapi::schema(self.description, of, it));
        (media, schema.unwrap_or(&Value::Null))
    }

    fn encoding(&mut self, of: &str, name: &str, text: String) -> &mut Item {
        let item = self.outline.add(format!("{of} {name}"), Kind::Encoding, text);
        item.part_of = Some(of.to_owned());
        item
    }

    fn argument(
        &mut self,
        path: String,
        of: &str,
        schema: &'a Value,
        definition: &Value,
    ) -> &mut Item {
        self.within(&path, schema, WRITTEN);
        let default = self.default(schema, 0);
        let item = self.outline.add(&path, Kind::Argument, type_text(schema));
        item.part_of = Some(of.to_owned());
        describe(item, definition, WRITTEN);
        item.required = definition["required"] == Value::Bool(true) || definition["in"] == "path";
        item.default = default;
        item.rules = rules(self.description, schema);
        item
    }

    /// Adds the parts of an item.
    fn within(&mut self, path: &str, schema: &'a Value, side: Side) {
        self.parts(&Position { of: path, path: path.to_owned(), side, base: None }, schema);
    }

    /// Adds the parts of an inline schema.
    fn parts(&mut self, at: &Position<'_>, schema: &'a Value) {
        for value in self.own_values(schema) {
            self.part(at, &format!("{}.{value}", at.path), Kind::EnumValue, String::new());
        }
        let required = self.required(schema, 0);
        self.parts_with(at, schema, &required);
    }

    /// Adds the parts of a schema, of which these are required.
    fn parts_with(&mut self, at: &Position<'_>, schema: &'a Value, required: &BTreeSet<&str>) {
        let path = &at.path;
        for (name, field) in fields(schema, "properties") {
            let path_of_field = format!("{path}.{name}");
            let is = |keyword: &str| {
                [field, self.resolved(field)].iter().any(|it| it[keyword] == Value::Bool(true))
            };
            let (is_read_only, is_write_only) = (is("readOnly"), is("writeOnly"));
            let side = Side {
                is_read: at.side.is_read && !is_write_only,
                is_written: at.side.is_written && !is_read_only,
            };
            let default = self.default(field, 0);
            let rules = rules(self.description, field);
            let Some(item) = self.part(at, &path_of_field, Kind::Field, type_text(field)) else {
                continue;
            };
            describe(item, field, side);
            // A read-only field is never given in a request.
            item.required = required.contains(name.as_str()) && !is_read_only;
            item.default = default;
            item.rules = rules;
            self.parts(&Position { side, ..at.below(&path_of_field) }, field);
        }
        let is_object = self.is_composed_object(schema);
        let only = only_alternative(schema);
        if let Some(only) = only {
            self.parts(at, only);
        }
        for key in ["allOf", "oneOf", "anyOf"] {
            let is_only = key != "allOf" && only.is_some();
            for (index, part) in list(schema, key).iter().enumerate().filter(|_| !is_only) {
                if key == "allOf" && is_object {
                    let base = self.base_of(at, part);
                    if base.as_ref().is_none_or(|it| !at.is_in(it)) {
                        let at = Position {
                            base: base.or_else(|| at.base.clone()),
                            path: path.clone(),
                            ..*at
                        };
                        self.parts_with(&at, self.resolved(part), required);
                    }
                } else if let Some(name) = target(part) {
                    let how = if key == "allOf" { "includes" } else { "|" };
                    self.part(at, &format!("{path} {how} {name}"), Kind::Member, String::new());
                } else if key == "allOf" {
                    self.parts_with(at, part, required);
                } else {
                    self.parts(&at.at(format!("{path}|{}", index + 1)), part);
                }
            }
        }
        if let Some(items) = schema.get("items") {
            self.parts(&at.at(format!("{path}[]")), items);
        }
        for (index, item) in list(schema, "prefixItems").iter().enumerate() {
            self.parts(&at.at(format!("{path}[{index}]")), item);
        }
        if let Some(values) = schema.get("additionalProperties").filter(|it| it.is_object()) {
            self.parts(&at.at(format!("{path}{{}}")), values);
        }
        for (pattern, values) in fields(schema, "patternProperties") {
            self.parts(&at.at(format!("{path}{{{pattern}}}")), values);
        }
    }

    /// Adds a part, unless it exists: the definition of a type overrides those of its bases.
    fn part(&mut self, at: &Position<'_>, path: &str, kind: Kind, of: String) -> Option<&mut Item> {
        if self.outline.items.contains_key(path) {
            return None;
        }
        let item = self.outline.add(path, kind, of);
        item.part_of = Some(at.of.to_owned());
        item.origin = at.base.as_ref().map(|base| format!("{}{}", base.name, &path[base.at..]));
        (item.is_read, item.is_written) = (at.side.is_read, at.side.is_written);
        Some(item)
    }

    /// The values of an enum that is written here, at least in part; those of a named one are listed
    /// at its name.
    fn own_values(&self, schema: &'a Value) -> Vec<String> {
        let mut parts = list(schema, "allOf").iter().filter(|part| target(part).is_none());
        let is_own = target(schema).is_none()
            && (!values(schema).is_empty() || parts.any(|it| !self.own_values(it).is_empty()));
        if is_own { self.values(schema, 0).unwrap_or_default() } else { Vec::new() }
    }

    /// The values of an enum, which all of its parts must have.
    fn values(&self, schema: &'a Value, depth: usize) -> Option<Vec<String>> {
        let own = Some(values(schema)).filter(|it| !it.is_empty());
        let parts = list(schema, "allOf").iter().filter(|_| depth < MAX_DEPTH);
        let parts = parts.filter_map(|part| self.values(self.resolved(part), depth + 1));
        own.into_iter().chain(parts).reduce(|mut all, part| {
            all.retain(|value| part.contains(value));
            all
        })
    }

    /// The default of a schema, which the schema that it refers to, or a part of it, may have.
    fn default(&self, schema: &'a Value, depth: usize) -> Option<String> {
        let referred = resolve(self.description, schema).filter(|_| target(schema).is_some());
        let parts = list(schema, "allOf").iter().chain(only_alternative(schema));
        let mut further = referred.into_iter().chain(parts);
        match schema.get("default") {
            Some(default) => Some(default.to_string()),
            None if depth < MAX_DEPTH => further.find_map(|it| self.default(it, depth + 1)),
            None => None,
        }
    }

    /// The required fields of an object and of its bases.
    fn required(&self, schema: &'a Value, depth: usize) -> BTreeSet<&'a str> {
        let mut required: BTreeSet<&str> =
            list(schema, "required").iter().filter_map(Value::as_str).collect();
        if depth < MAX_DEPTH {
            for part in list(schema, "allOf") {
                required.extend(self.required(self.resolved(part), depth + 1));
            }
        }
        required
    }

    /// Returns true if a schema is an object composed of several, and not a reference with a
    /// description.
    fn is_composed_object(&self, schema: &'a Value) -> bool {
        let parts = list(schema, "allOf");
        let is_reference = parts.len() == 1 && schema.get("properties").is_none();
        !parts.is_empty() && !is_reference && self.is_object(schema, 0)
    }

    fn is_object(&self, schema: &'a Value, depth: usize) -> bool {
        let mut parts = list(schema, "allOf").iter();
        schema["type"] == "object"
            || schema.get("properties").is_some()
            || (depth < MAX_DEPTH && parts.any(|it| self.is_object(self.resolved(it), depth + 1)))
    }

    /// The base that a part of a composed object refers to.
    fn base_of(&self, at: &Position<'_>, part: &Value) -> Option<Rc<Base>> {
        let name = target(part)?;
        Some(Rc::new(Base { name: name.to_owned(), at: at.path.len(), within: at.base.clone() }))
    }

    /// Target of a `$ref`; the reference itself if unresolved.
    fn resolved(&self, value: &'a Value) -> &'a Value {
        resolve(self.description, value).unwrap_or(value)
    }
}

fn describe(item: &mut Item, definition: &Value, side: Side) {
    item.description = collapse_whitespace(definition["description"].as_str().unwrap_or_default());
    item.deprecated = (definition["deprecated"] == Value::Bool(true)).then(String::new);
    (item.is_read, item.is_written) = (side.is_read, side.is_written);
}
