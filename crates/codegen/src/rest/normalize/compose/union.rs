//! Composition of `oneOf` and `anyOf`: one schema for a value that has one of several branches. The
//! form that a union takes is decided in `compose.rs`; its Rust type is emitted by `types/union.rs`
//! and read by the runtime's `lenient::union`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::targets_of;
use super::{Composer, DEPTH, Form, without};
use crate::rest::normalize::union_marks::{self, BRANCHES, Branch};
use crate::rest::tree::{
    Keywords, MERGED, SECRET, described, fields, is_annotation, is_scalar, kind, reference,
};

/// The properties of a union besides its branches.
#[derive(Clone, Copy)]
struct Union<'a> {
    discriminator: Option<&'a Value>,
    form: Form,
}

impl Union<'_> {
    const PLAIN: Self = Self { discriminator: None, form: Form::Discriminated };
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
        if schema.get(BRANCHES).is_some() {
            return;
        }
        let Some(listed) = schema.get(keyword).and_then(Value::as_array).cloned() else { return };
        let mut own = without(schema, keyword);
        let mut branches: Vec<Value> = Vec::new();
        let mut required_only = Vec::new();
        for branch in listed {
            let keywords = self.keywords(&branch, depth + 1);
            let is_null = keywords.contains_key("nullable");
            if is_null {
                own.insert("nullable".to_owned(), json!(true));
            }
            let says = keywords.keys().any(|key| !is_annotation(key) && key != "required");
            // Null alone is not a branch, nor is a list of required fields alone.
            let is_branch = says || !(is_null || keywords.contains_key("required"));
            if !says {
                required_only.extend(keywords.get("required").cloned());
            }
            if is_branch && !branches.contains(&branch) {
                branches.push(branch);
            }
        }
        // Drops a type beside the union that is also that of a branch, and rules out the
        // other branches.
        let kinds: Vec<_> =
            branches.iter().filter_map(|it| kind(&self.keywords(it, depth + 1))).collect();
        let of_own = own.get("type").and_then(Value::as_str).filter(|it| is_scalar(it));
        if of_own.is_some_and(|own| kinds.contains(&own) && kinds.iter().any(|kind| *kind != own)) {
            own.retain(|key, _| is_annotation(key));
        }
        let is_only = branches.len() == 1;
        let discriminator = own.remove("discriminator");
        if form == Form::Discriminated && !own.keys().all(|key| is_annotation(key)) {
            self.distribute(&mut own, &mut branches, discriminator.as_ref(), depth);
        }
        let is_alone = own.keys().all(|key| is_annotation(key));
        let form = if is_alone { form } else { Form::Merged };
        let union = Union { discriminator: discriminator.as_ref(), form };
        // A union that is merged into the schema around it needs no name.
        let Some(merged) = self.merge_branches(branches, union, is_named || !is_alone, depth)
        else {
            keep_required(&mut own, &required_only);
            *schema = Value::Object(own);
            return;
        };
        *schema = if own.keys().all(|key| is_annotation(key)) {
            match merged {
                merged if own.is_empty() => merged,
                Value::Object(mut keywords) if !keywords.contains_key("$ref") => {
                    keywords.extend(own);
                    Value::Object(keywords)
                }
                reference => described(own, &reference),
            }
        } else {
            // The fields of a union are optional in the merged object.
            let mut keywords = self.keywords(&merged, depth + 1);
            keywords.remove("required");
            self.merge(&mut own, keywords, depth);
            Value::Object(own)
        };
        // A single branch may be a union itself.
        if is_only {
            self.compose_here(schema, None, is_named, form, depth);
        }
    }

    /// Adds the fields beside a union to each of its objects.
    fn distribute(
        &self,
        own: &mut Keywords,
        branches: &mut [Value],
        discriminator: Option<&Value>,
        depth: usize,
    ) {
        let is_object = |it: &Value| kind(&self.keywords(it, depth + 1)) == Some("object");
        let is_field = |key: &str| ["properties", "required", "type"].contains(&key);
        let is_plain = own.keys().all(|key| is_annotation(key) || is_field(key));
        let objects: Vec<_> = branches.iter().filter(|it| is_object(it)).collect();
        let is_mixed = objects.len() < branches.len();
        if depth > DEPTH
            || branches.len() < 2
            || !is_plain
            || objects.is_empty()
            // A type rules out the other branches.
            || (is_mixed && own.contains_key("type"))
            || (objects.len() > 1 && self.discriminate(&objects, discriminator, depth).is_none())
        {
            return;
        }
        let beside = own.iter().filter(|(key, _)| is_field(key));
        let beside: Keywords = beside.map(|(key, it)| (key.clone(), it.clone())).collect();
        own.retain(|key, _| !is_field(key));
        let beside = Value::Object(beside);
        for branch in branches.iter_mut().filter(|it| is_object(it)) {
            let keywords = Value::Object(self.keywords(branch, depth + 1));
            let has = |name: &String| keywords["properties"].get(name).is_some();
            if !fields(&beside, "properties").all(|(name, _)| has(name)) {
                *branch = json!({ "allOf": [beside, branch] });
            }
        }
    }

    /// Records the unions of objects that are named schemas themselves.
    pub(super) fn record_named(&self) {
        for (name, schema) in fields(&self.description["components"], "schemas") {
            let listed = schema.get("oneOf").or_else(|| schema.get("anyOf"));
            let keys = schema.as_object().into_iter().flat_map(Keywords::keys);
            if let Some(Value::Array(listed)) = listed
                && keys.filter(|key| !is_annotation(key)).count() == 1
                && let Some(targets) = self.targets(listed, schema.get("discriminator"), 0)
            {
                self.unions.borrow_mut().names.entry(targets).or_insert_with(|| name.clone());
            }
        }
    }

    /// The identity of a union of named schemas. A discriminator is part of it only if the
    /// schemas alone do not imply it.
    fn targets(
        &self,
        branches: &[Value],
        discriminator: Option<&Value>,
        depth: usize,
    ) -> Option<Vec<String>> {
        let targets = targets_of(branches, discriminator)?;
        let objects: Vec<_> = branches.iter().collect();
        let marked = |discriminator: Option<&Value>| {
            self.discriminate(&objects, discriminator, depth).map(|it| union_marks::encode(&it))
        };
        match discriminator {
            Some(_) if marked(discriminator) == marked(None) => targets_of(branches, None),
            _ => Some(targets),
        }
    }

    /// One schema for a value that has one of several branches; none without a branch.
    fn merge_branches(
        &self,
        mut branches: Vec<Value>,
        union: Union<'_>,
        is_named: bool,
        depth: usize,
    ) -> Option<Value> {
        if branches.len() < 2 {
            return branches.pop();
        }
        if depth > DEPTH {
            self.cut.set(true);
            return Some(json!({}));
        }
        let targets =
            if is_named { None } else { self.targets(&branches, union.discriminator, depth) };
        let Some(targets) = targets else { return self.merge_by_kind(branches, union, depth) };
        if let Some(name) = self.unions.borrow().names.get(&targets) {
            return Some(reference(name));
        }
        let are_objects = branches.iter().all(|it| {
            let keywords = self.keywords(it, depth + 1);
            keywords.contains_key("properties")
        });
        if !are_objects {
            return self.merge_by_kind(branches, union, depth);
        }
        let name = self.unions.borrow_mut().name(targets, &mut self.taken.borrow_mut());
        let mut source = json!({ "oneOf": branches });
        if let Some(discriminator) = union.discriminator {
            source["discriminator"] = discriminator.clone();
        }
        self.unions.borrow_mut().sources.insert(name.clone(), source);
        let mut merged = self.merge_by_kind(branches, union, depth)?;
        self.compose(&mut merged, Some(&name), depth + 1);
        self.unions.borrow_mut().made.insert(name.clone(), merged);
        Some(reference(&name))
    }

    fn merge_by_kind(&self, branches: Vec<Value>, union: Union<'_>, depth: usize) -> Option<Value> {
        let mut by_kind: BTreeMap<&'static str, Vec<(Value, Keywords)>> = BTreeMap::new();
        for branch in branches {
            let mut keywords = self.keywords(&branch, depth + 1);
            match kind(&keywords) {
                Some(kind) => {
                    let kind = if kind == "integer" { "number" } else { kind };
                    keywords.remove("nullable");
                    by_kind.entry(kind).or_default().push((branch, keywords));
                }
                // A branch without a type is any value.
                None => return Some(json!({})),
            }
        }
        let (mut merged, mut marks) = (Vec::new(), Vec::new());
        let mut is_discriminated = false;
        for (kind, branches) in by_kind {
            if let [(only, _)] = branches.as_slice() {
                // Nullable is the union, not one of its types.
                merged.push(without(only, "nullable").into());
            } else if kind == "object"
                && union.form == Form::Discriminated
                && let Some(objects) = self.discriminate_or_record(&branches, union, depth)
            {
                is_discriminated = true;
                merged.extend(
                    branches.into_iter().map(|(branch, _)| without(&branch, "nullable").into()),
                );
                marks.extend(objects);
                continue;
            } else {
                let branches: Vec<_> = branches.into_iter().map(|(_, keywords)| keywords).collect();
                merged.push(match kind {
                    "object" => self.merge_objects(&branches, depth),
                    "array" => self.merge_lists(&branches, depth),
                    "string" => merge_strings(&branches),
                    "number" if branches.iter().all(|it| it["type"] == "integer") => match branches
                        .iter()
                        .any(|it| it.get("format").is_some_and(|it| it == "uint64"))
                    {
                        true => json!({ "type": "integer", "format": "uint64" }),
                        false => json!({ "type": "integer" }),
                    },
                    kind => json!({ "type": kind }),
                });
            }
            marks.push(Branch { name: kind.to_owned(), alternatives: Vec::new() });
        }
        match merged.len() {
            1 => merged.pop(),
            _ if is_discriminated => {
                Some(json!({ "oneOf": merged, BRANCHES: union_marks::encode(&marks) }))
            }
            _ => Some(json!({ "oneOf": merged })),
        }
    }

    fn discriminate_or_record(
        &self,
        branches: &[(Value, Keywords)],
        union: Union<'_>,
        depth: usize,
    ) -> Option<Vec<Branch>> {
        let objects: Vec<_> = branches.iter().map(|(branch, _)| branch).collect();
        let marks = self.discriminate(&objects, union.discriminator, depth);
        if marks.is_none() {
            let objects: Vec<_> = objects.into_iter().cloned().collect();
            self.record_merged(&objects);
        }
        marks
    }

    fn merge_lists(&self, branches: &[Keywords], depth: usize) -> Value {
        let mut items: Vec<_> = Vec::new();
        for branch in branches {
            let item = branch.get("items").cloned().unwrap_or_else(|| json!({}));
            if !items.contains(&item) {
                items.push(item);
            }
        }
        let items = self.merge_branches(items, Union::PLAIN, false, depth + 1);
        json!({ "type": "array", "items": items })
    }

    fn merge_objects(&self, branches: &[Keywords], depth: usize) -> Value {
        let mut properties: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut values = Vec::new();
        for branch in branches {
            let branch = Value::Object(branch.clone());
            for (name, schema) in fields(&branch, "properties") {
                let known = properties.entry(name.clone()).or_default();
                if !known.contains(schema) {
                    known.push(schema.clone());
                }
            }
            let value = branch.get("additionalProperties").filter(|it| it.is_object());
            values.extend(value.cloned());
        }
        if properties.is_empty() {
            return match self.merge_branches(values, Union::PLAIN, false, depth + 1) {
                Some(value) => json!({ "type": "object", "additionalProperties": value }),
                None => json!({ "type": "object" }),
            };
        }
        let required: Vec<_> = properties
            .keys()
            .filter(|name| branches.iter().all(|it| requires(it, name)))
            .cloned()
            .collect();
        let properties: Keywords = properties
            .into_iter()
            .filter_map(|(name, schemas)| {
                let words = schemas.iter().find_map(|it| it.get("description").cloned());
                let mut schema = self.merge_branches(schemas, Union::PLAIN, false, depth + 1)?;
                if let (Some(words), None, None) =
                    (words, schema.get("$ref"), schema.get("description"))
                {
                    schema["description"] = words;
                }
                Some((name, schema))
            })
            .collect();
        let mut merged =
            json!({ "type": "object", "properties": properties, "required": required });
        merged[MERGED] = json!(true);
        if !values.is_empty() {
            merged["additionalProperties"] = json!(true);
        }
        merged
    }
}

/// Keeps the further fields of an object: those that lists of required fields name, and it does not
/// describe.
fn keep_required(object: &mut Keywords, required_only: &[Value]) {
    let Some(Value::Object(fields)) = object.get("properties") else { return };
    let mut names =
        required_only.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    if !names.all(|it| fields.contains_key(it)) {
        object.entry("additionalProperties").or_insert(json!(true));
    }
}

/// A free string beside an enum adds nothing, since every enum is open.
fn merge_strings(branches: &[Keywords]) -> Value {
    let mut values: Vec<Value> = Vec::new();
    for value in branches.iter().filter_map(|it| it.get("enum")?.as_array()).flatten() {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    let mut merged = json!({ "type": "string" });
    if !values.is_empty() {
        merged["enum"] = Value::Array(values);
    }
    if branches.iter().any(|it| it.contains_key(SECRET)) {
        merged[SECRET] = json!(true);
    }
    merged
}

fn requires(schema: &Keywords, name: &str) -> bool {
    schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|it| it.iter().any(|it| it == name))
}
