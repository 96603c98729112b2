//! Composition of `oneOf` and `anyOf`: one schema for a value that has one of several shapes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::targets_of;
use super::{Composer, DEPTH, Form, described, reference, without};
use crate::rest::normalize::union_marks::{self, Branch, UNION};
use crate::rest::tree::{CHOICE, Keywords, fields, is_annotation, kind};

/// The properties of a choice besides its shapes.
#[derive(Clone, Copy)]
struct Choice<'a> {
    discriminator: Option<&'a Value>,
    form: Form,
}

impl Choice<'_> {
    const PLAIN: Self = Self { discriminator: None, form: Form::Union };
}

fn is_scalar(kind: &str) -> bool {
    ["string", "integer", "number", "boolean"].contains(&kind)
}

impl Composer<'_> {
    pub(super) fn compose_union(
        &self,
        schema: &mut Value,
        keyword: &str,
        is_named: bool,
        form: Form,
        depth: usize,
    ) {
        if schema.get(UNION).is_some() {
            return;
        }
        let Some(parts) = schema.get(keyword).and_then(Value::as_array).cloned() else { return };
        let mut own = without(schema, keyword);
        let mut shapes: Vec<Value> = Vec::new();
        for part in parts {
            let keywords = self.keywords(&part, depth + 1);
            let is_null = keywords.contains_key("nullable");
            if is_null {
                own.insert("nullable".to_owned(), json!(true));
            }
            let says = keywords.keys().any(|key| !is_annotation(key) && key != "required");
            // Null alone is not a shape, nor is a list of required fields alone.
            let is_shape = says || !(is_null || keywords.contains_key("required"));
            if is_shape && !shapes.contains(&part) {
                shapes.push(part);
            }
        }
        // Drops a type beside the choice that is also that of a shape, and rules out the
        // other shapes.
        let kinds: Vec<_> =
            shapes.iter().filter_map(|it| kind(&self.keywords(it, depth + 1))).collect();
        let of_own = own.get("type").and_then(Value::as_str).filter(|it| is_scalar(it));
        if of_own.is_some_and(|own| kinds.contains(&own) && kinds.iter().any(|kind| *kind != own)) {
            own.retain(|key, _| is_annotation(key));
        }
        let is_only = shapes.len() == 1;
        let discriminator = own.remove("discriminator");
        if form == Form::Union && !own.keys().all(|key| is_annotation(key)) {
            self.distribute(&mut own, &mut shapes, discriminator.as_ref(), depth);
        }
        let is_alone = own.keys().all(|key| is_annotation(key));
        let form = if is_alone { form } else { Form::Merged };
        let choice = Choice { discriminator: discriminator.as_ref(), form };
        let Some(chosen) = self.merge_variants(shapes, choice, is_named && is_alone, depth) else {
            *schema = Value::Object(own);
            return;
        };
        *schema = if own.keys().all(|key| is_annotation(key)) {
            match chosen {
                chosen if own.is_empty() => chosen,
                Value::Object(mut keywords) if !keywords.contains_key("$ref") => {
                    keywords.extend(own);
                    Value::Object(keywords)
                }
                reference => described(own, &reference),
            }
        } else {
            // The fields of a choice are optional in the merged object.
            let mut keywords = self.keywords(&chosen, depth + 1);
            keywords.remove("required");
            self.merge(&mut own, keywords, depth);
            Value::Object(own)
        };
        // A single shape may be a choice itself.
        if is_only {
            self.compose_here(schema, None, is_named, form, depth);
        }
    }

    /// Adds the fields beside a choice to each of its objects.
    fn distribute(
        &self,
        own: &mut Keywords,
        shapes: &mut [Value],
        discriminator: Option<&Value>,
        depth: usize,
    ) {
        let is_object = |it: &Value| kind(&self.keywords(it, depth + 1)) == Some("object");
        let is_field = |key: &str| ["properties", "required", "type"].contains(&key);
        let is_plain = own.keys().all(|key| is_annotation(key) || is_field(key));
        if depth > DEPTH || shapes.len() < 2 || !is_plain || !shapes.iter().all(is_object) {
            return;
        }
        let objects: Vec<_> = shapes.iter().collect();
        if self.branches(&objects, discriminator, depth).is_none() {
            return;
        }
        let beside = own.iter().filter(|(key, _)| is_field(key));
        let beside: Keywords = beside.map(|(key, it)| (key.clone(), it.clone())).collect();
        own.retain(|key, _| !is_field(key));
        let beside = Value::Object(beside);
        for shape in shapes {
            let keywords = Value::Object(self.keywords(shape, depth + 1));
            let has = |name: &String| keywords["properties"].get(name).is_some();
            if !fields(&beside, "properties").all(|(name, _)| has(name)) {
                *shape = json!({ "allOf": [beside, shape] });
            }
        }
    }

    /// Records the choices between objects that are named schemas themselves.
    pub(super) fn record_named(&self) {
        for (name, schema) in fields(&self.description["components"], "schemas") {
            let parts = schema.get("oneOf").or_else(|| schema.get("anyOf"));
            let keys = schema.as_object().into_iter().flat_map(Keywords::keys);
            if let Some(Value::Array(parts)) = parts
                && keys.filter(|key| !is_annotation(key)).count() == 1
                && let Some(targets) = self.targets(parts, schema.get("discriminator"), 0)
            {
                self.choices.borrow_mut().names.entry(targets).or_insert_with(|| name.clone());
            }
        }
    }

    /// The identity of a choice between named schemas. A discriminator is part of it only if the
    /// schemas alone do not imply it.
    fn targets(
        &self,
        shapes: &[Value],
        discriminator: Option<&Value>,
        depth: usize,
    ) -> Option<Vec<String>> {
        let targets = targets_of(shapes, discriminator)?;
        let objects: Vec<_> = shapes.iter().collect();
        let marked = |discriminator: Option<&Value>| {
            self.branches(&objects, discriminator, depth).map(|it| union_marks::encode(&it))
        };
        match discriminator {
            Some(_) if marked(discriminator) == marked(None) => targets_of(shapes, None),
            _ => Some(targets),
        }
    }

    /// One schema for a value that has one of several shapes; none without a shape.
    fn merge_variants(
        &self,
        mut shapes: Vec<Value>,
        choice: Choice<'_>,
        is_named: bool,
        depth: usize,
    ) -> Option<Value> {
        if shapes.len() < 2 {
            return shapes.pop();
        }
        if depth > DEPTH {
            self.cut.set(true);
            return Some(json!({}));
        }
        let targets =
            if is_named { None } else { self.targets(&shapes, choice.discriminator, depth) };
        let Some(targets) = targets else { return self.unite(shapes, choice, depth) };
        if let Some(name) = self.choices.borrow().names.get(&targets) {
            return Some(reference(name));
        }
        let are_objects = shapes.iter().all(|it| {
            let keywords = self.keywords(it, depth + 1);
            keywords.contains_key("properties")
        });
        if !are_objects {
            return self.unite(shapes, choice, depth);
        }
        let name = self.choices.borrow_mut().name(targets, &mut self.taken.borrow_mut());
        let mut united = self.unite(shapes, choice, depth)?;
        self.compose(&mut united, Some(&name), depth + 1);
        self.choices.borrow_mut().made.insert(name.clone(), united);
        Some(reference(&name))
    }

    fn unite(&self, shapes: Vec<Value>, choice: Choice<'_>, depth: usize) -> Option<Value> {
        let mut by_kind: BTreeMap<&'static str, Vec<(Value, Keywords)>> = BTreeMap::new();
        for shape in shapes {
            let mut keywords = self.keywords(&shape, depth + 1);
            match kind(&keywords) {
                Some(kind) => {
                    let kind = if kind == "integer" { "number" } else { kind };
                    keywords.remove("nullable");
                    by_kind.entry(kind).or_default().push((shape, keywords));
                }
                // A shape without a type is any value.
                None => return Some(json!({})),
            }
        }
        let (mut united, mut branches) = (Vec::new(), Vec::new());
        let mut is_union = false;
        for (kind, shapes) in by_kind {
            if let [(only, _)] = shapes.as_slice() {
                // Nullable is the choice, not one of its types.
                united.push(without(only, "nullable").into());
            } else if kind == "object"
                && choice.form == Form::Union
                && let Some(objects) = self.distinguished(&shapes, choice, depth)
            {
                is_union = true;
                united.extend(
                    shapes.into_iter().map(|(shape, _)| without(&shape, "nullable").into()),
                );
                branches.extend(objects);
                continue;
            } else {
                let shapes: Vec<_> = shapes.into_iter().map(|(_, keywords)| keywords).collect();
                united.push(match kind {
                    "object" => self.united_objects(&shapes, depth),
                    "array" => self.united_lists(&shapes, depth),
                    "string" => united_strings(&shapes),
                    "number" if shapes.iter().all(|it| it["type"] == "integer") => {
                        json!({ "type": "integer" })
                    }
                    kind => json!({ "type": kind }),
                });
            }
            branches.push(Branch { name: kind.to_owned(), alternatives: Vec::new() });
        }
        match united.len() {
            1 => united.pop(),
            _ if is_union => {
                Some(json!({ "oneOf": united, UNION: union_marks::encode(&branches) }))
            }
            _ => Some(json!({ "oneOf": united })),
        }
    }

    fn distinguished(
        &self,
        shapes: &[(Value, Keywords)],
        choice: Choice<'_>,
        depth: usize,
    ) -> Option<Vec<Branch>> {
        let objects: Vec<_> = shapes.iter().map(|(shape, _)| shape).collect();
        let branches = self.branches(&objects, choice.discriminator, depth);
        if branches.is_none() {
            let objects: Vec<_> = objects.into_iter().cloned().collect();
            self.record_merged(&objects);
        }
        branches
    }

    fn united_lists(&self, shapes: &[Keywords], depth: usize) -> Value {
        let mut items: Vec<_> = Vec::new();
        for shape in shapes {
            let item = shape.get("items").cloned().unwrap_or_else(|| json!({}));
            if !items.contains(&item) {
                items.push(item);
            }
        }
        let items = self.merge_variants(items, Choice::PLAIN, false, depth + 1);
        json!({ "type": "array", "items": items })
    }

    fn united_objects(&self, shapes: &[Keywords], depth: usize) -> Value {
        let mut properties: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut values = Vec::new();
        for shape in shapes {
            let shape = Value::Object(shape.clone());
            for (name, schema) in fields(&shape, "properties") {
                let known = properties.entry(name.clone()).or_default();
                if !known.contains(schema) {
                    known.push(schema.clone());
                }
            }
            let value = shape.get("additionalProperties").filter(|it| it.is_object());
            values.extend(value.cloned());
        }
        if properties.is_empty() {
            return match self.merge_variants(values, Choice::PLAIN, false, depth + 1) {
                Some(value) => json!({ "type": "object", "additionalProperties": value }),
                None => json!({ "type": "object" }),
            };
        }
        let required: Vec<_> = properties
            .keys()
            .filter(|name| shapes.iter().all(|it| requires(it, name)))
            .cloned()
            .collect();
        let properties: Keywords = properties
            .into_iter()
            .filter_map(|(name, schemas)| {
                let words = schemas.iter().find_map(|it| it.get("description").cloned());
                let mut schema = self.merge_variants(schemas, Choice::PLAIN, false, depth + 1)?;
                if let (Some(words), None, None) =
                    (words, schema.get("$ref"), schema.get("description"))
                {
                    schema["description"] = words;
                }
                Some((name, schema))
            })
            .collect();
        let mut united =
            json!({ "type": "object", "properties": properties, "required": required });
        united[CHOICE] = json!(true);
        if !values.is_empty() {
            united["additionalProperties"] = json!(true);
        }
        united
    }
}

/// A free string beside an enum adds nothing, since every enum is open.
fn united_strings(shapes: &[Keywords]) -> Value {
    let mut values: Vec<Value> = Vec::new();
    for value in shapes.iter().filter_map(|it| it.get("enum")?.as_array()).flatten() {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    if values.is_empty() {
        json!({ "type": "string" })
    } else {
        json!({ "type": "string", "enum": values })
    }
}

fn requires(schema: &Keywords, name: &str) -> bool {
    schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|it| it.iter().any(|it| it == name))
}
