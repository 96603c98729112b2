//! The outline of a REST description, read as it came: OpenAPI 3.0 or 3.1, flaws and all.

use std::collections::BTreeSet;

use serde_json::Value;

use super::json_schema::{
    entries, kind_of_type, list, may_be_null, reachable, referenced, references, type_text, values,
};
use super::{Item, Kind, OR_NULL, Outline};
use crate::words::words;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The outline of a description.
pub(crate) fn outline(description: &Value) -> Outline {
    let mut writer = Writer { description, outline: Outline::default() };
    let mut sides = Sides::default();
    for (path, item) in entries(description, "paths") {
        let item = writer.resolved(item);
        for (method, operation) in METHODS.iter().filter_map(|it| Some((it, item.get(it)?))) {
            let name = format!("{} {path}", method.to_uppercase());
            writer.operation(&name, operation, item, &mut sides);
        }
    }
    let schemas = entries(&description["components"], "schemas");
    let read = reachable(sides.read, &description["components"]["schemas"]);
    let written = reachable(sides.written, &description["components"]["schemas"]);
    for (name, schema) in schemas {
        let side = Side { is_read: read.contains(name), is_written: written.contains(name) };
        let item = writer.outline.add(name, Kind::Type, kind_of_type(schema));
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
        for parameter in list(path, "parameters").iter().chain(list(operation, "parameters")) {
            let parameter = self.resolved(parameter);
            let (Some(place), Some(parameter_name)) =
                (parameter["in"].as_str(), parameter["name"].as_str())
            else {
                continue;
            };
            let schema = match parameter.get("schema") {
                Some(schema) => schema,
                None => content(parameter),
            };
            references(schema, &mut sides.written);
            let path = format!("{name} ({place} {parameter_name})");
            self.argument(path, name, schema, parameter);
        }
        if let Some(body) = operation.get("requestBody") {
            let body = self.resolved(body);
            let schema = content(body);
            references(schema, &mut sides.written);
            self.argument(format!("{name} (body)"), name, schema, body);
        }
        let responses = || entries(operation, "responses");
        let answer = responses()
            .filter(|(status, _)| status.starts_with('2'))
            .chain(responses().filter(|(status, _)| *status == "default"))
            .map(|(_, response)| content(self.resolved(response)))
            .find(|schema| !schema.is_null());
        if let Some(schema) = answer {
            references(schema, &mut sides.read);
            let path = format!("{name} (answer)");
            let item = self.outline.add(&path, Kind::Field, type_text(schema));
            item.part_of = Some(name.to_owned());
            describe(item, schema, READ);
            self.within(&path, schema, READ);
        }
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
        self.parts(path, path, schema, side);
    }

    /// The parts of a schema that has no name of its own, at a path within the item `of`.
    fn parts(&mut self, of: &str, path: &str, schema: &'a Value, side: Side) {
        for key in ["$defs", "definitions"] {
            for (name, definition) in entries(schema, key) {
                let path_of_type = format!("{path} {key} {name}");
                let item = self.outline.add(&path_of_type, Kind::Type, kind_of_type(definition));
                item.part_of = Some(of.to_owned());
                describe(item, definition, side);
                self.within(&path_of_type, definition, side);
            }
        }
        for value in values(schema) {
            let item = self.outline.add(format!("{path}.{value}"), Kind::EnumValue, "");
            item.part_of = Some(of.to_owned());
            (item.is_read, item.is_written) = (side.is_read, side.is_written);
        }
        let required: BTreeSet<&str> =
            list(schema, "required").iter().filter_map(Value::as_str).collect();
        for (name, field) in entries(schema, "properties") {
            let path_of_field = format!("{path}.{name}");
            let item = self.outline.add(&path_of_field, Kind::Field, type_text(field));
            item.part_of = Some(of.to_owned());
            describe(item, field, side);
            item.required = required.contains(name.as_str());
            if item.required && side.is_written && may_be_null(field) {
                item.of.push_str(OR_NULL);
            }
            item.default = field.get("default").map(ToString::to_string);
            self.within(&path_of_field, field, side);
        }
        for key in ["allOf", "oneOf", "anyOf"] {
            for (place, part) in list(schema, key).iter().enumerate() {
                if let Some(name) = referenced(part) {
                    let how = if key == "allOf" { "includes" } else { "|" };
                    let item = self.outline.add(format!("{path} {how} {name}"), Kind::Member, "");
                    item.part_of = Some(of.to_owned());
                    (item.is_read, item.is_written) = (side.is_read, side.is_written);
                } else if key == "allOf" {
                    self.parts(of, path, part, side);
                } else {
                    self.parts(of, &format!("{path}|{}", place + 1), part, side);
                }
            }
        }
        if let Some(items) = schema.get("items") {
            self.parts(of, &format!("{path}[]"), items, side);
        }
        for (place, item) in list(schema, "prefixItems").iter().enumerate() {
            self.parts(of, &format!("{path}[{place}]"), item, side);
        }
        if let Some(values) = schema.get("additionalProperties").filter(|it| it.is_object()) {
            self.parts(of, &format!("{path}{{}}"), values, side);
        }
        for (pattern, values) in entries(schema, "patternProperties") {
            self.parts(of, &format!("{path}{{{pattern}}}"), values, side);
        }
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
