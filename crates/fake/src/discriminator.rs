//! Discriminators: the tags by which a value belongs to a branch of a union.
//!
//! The branches of a union are those of its `oneOf` or `anyOf`, or else the schemas that extend it by
//! `allOf`. A branch has the tags that the mapping has for it, as the branch lists them or as the type
//! of its property has them; without a mapping the one that its schema states, or else those that it
//! lists, or else its name.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::pointer::{escaped, pointer_of, step};

/// Keyword of a schema with the tag that selects it as a branch: descriptions that were Swagger 2 have
/// it in place of a mapping.
const TAG: &str = "x-ms-discriminator-value";

/// Limit of references followed within each other: they may be cyclic.
const DEPTH: usize = 8;

/// A discriminator of a description.
pub(crate) struct Discriminator<'a> {
    whole: &'a Value,
    /// The property that has the tag.
    pub(crate) property: &'a str,
    mapping: Option<&'a Map<String, Value>>,
    default: Option<&'a str>,
}

impl<'a> Discriminator<'a> {
    /// A discriminator, if it names a property.
    pub(crate) fn of(whole: &'a Value, discriminator: &'a Value) -> Option<Self> {
        Some(Self {
            whole,
            property: discriminator.get("propertyName")?.as_str()?,
            mapping: discriminator.get("mapping").and_then(Value::as_object),
            default: discriminator.get("defaultMapping").and_then(Value::as_str),
        })
    }

    /// The values of the tag that select the branch of a reference.
    pub(crate) fn tags(&self, reference: &str) -> Vec<Value> {
        let branch = json!({ "$ref": reference });
        let mut listed: Vec<Value> = Vec::new();
        self.each_property(&branch, &mut |schema| {
            let values = schema["enum"].as_array().into_iter().flatten();
            let values = values.chain(schema.get("const")).filter(|it| !it.is_null());
            let values: Vec<_> = values.cloned().collect();
            let common = listed.iter().filter(|it| values.contains(it)).cloned();
            let common: Vec<_> = common.collect();
            if listed.is_empty() || !common.is_empty() {
                listed = if listed.is_empty() { values } else { common };
            }
            false
        });
        let mapped = self.mapping.into_iter().flatten();
        let mapped =
            mapped.filter(|(_, to)| to.as_str().is_some_and(|it| self.is_same(it, reference)));
        let mut texts: Vec<&str> = mapped.map(|(text, _)| text.as_str()).collect();
        let schema = pointer_of(reference).and_then(|it| self.whole.pointer(&it));
        if texts.is_empty() {
            texts.extend(schema.and_then(|it| it.get(TAG)?.as_str()));
        }
        let mapped: Vec<_> = texts.iter().map(|text| self.tag(&branch, text, &listed)).collect();
        let valid: Vec<_> =
            mapped.iter().filter(|it| listed.is_empty() || listed.contains(it)).cloned().collect();
        match (valid.is_empty(), listed.is_empty()) {
            (false, _) => valid,
            // A mapping that contradicts the values of the branch has no valid value.
            (_, false) => listed,
            _ => vec![name_of(reference).into()],
        }
    }

    /// Returns true if a value whose tag is missing, or is one of no branch, is of this one.
    pub(crate) fn is_default(&self, reference: &str) -> bool {
        self.default.is_some_and(|it| self.is_same(it, reference))
    }

    /// Returns true if the mapping leads to a branch.
    pub(crate) fn maps_to(&self, reference: &str) -> bool {
        let mut targets = self.mapping.into_iter().flatten().filter_map(|(_, it)| it.as_str());
        targets.any(|it| self.is_same(it, reference))
    }

    /// Returns true if a target of a mapping, a reference or a name, is a reference's schema, also by
    /// other names of it.
    fn is_same(&self, target: &str, reference: &str) -> bool {
        target == reference || self.end(target) == self.end(reference)
    }

    fn end(&self, reference: &str) -> String {
        let mut name = name_of(reference);
        for _ in 0..DEPTH {
            let schema = self.whole.pointer(&place(&name));
            match schema.and_then(|it| it.get("$ref")?.as_str()) {
                Some(next) => name = name_of(next),
                None => break,
            }
        }
        name
    }

    /// A tag as a branch has it. The names of a mapping are texts, also of numbers and booleans.
    fn tag(&self, branch: &Value, text: &str, listed: &[Value]) -> Value {
        let Ok(value @ (Value::Number(_) | Value::Bool(_))) = serde_json::from_str(text) else {
            return text.into();
        };
        if listed.contains(&value) {
            return value;
        }
        let types: &[&str] = match value {
            Value::Bool(_) => &["boolean"],
            _ if value.is_f64() => &["number"],
            _ => &["integer", "number"],
        };
        let has_type = &mut |it: &Value| match &it["type"] {
            Value::Array(kinds) => kinds.iter().any(|it| types.iter().any(|kind| it == kind)),
            kind => types.iter().any(|it| kind == it),
        };
        if self.each_property(branch, has_type) { value } else { text.into() }
    }

    /// Calls a function with the schemas of the property of an object, until it returns true.
    fn each_property(&self, object: &Value, found: &mut dyn FnMut(&Value) -> bool) -> bool {
        self.each_part(object, DEPTH, &mut |part| {
            let schema = part.get("properties").and_then(|it| it.get(self.property));
            schema.is_some_and(|it| self.each_part(it, DEPTH, found))
        })
    }

    /// Calls a function with a schema, and those that it refers to or extends, until it returns true.
    fn each_part(
        &self,
        schema: &Value,
        depth: usize,
        found: &mut dyn FnMut(&Value) -> bool,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let target = schema.get("$ref").and_then(Value::as_str).and_then(pointer_of);
        let target = target.and_then(|it| self.whole.pointer(&it));
        let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        found(schema) || target.into_iter().chain(parts).any(|it| self.each_part(it, depth, found))
    }
}

/// The named schemas that extend each schema with a discriminator and without branches of its own,
/// directly or transitively, by references.
pub(crate) fn children(whole: &Value) -> BTreeMap<String, Vec<String>> {
    let schemas = whole.pointer("/components/schemas").and_then(Value::as_object);
    let all = || schemas.into_iter().flatten();
    let mut extending: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, schema) in all() {
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            let base = part.get("$ref").and_then(Value::as_str).and_then(pointer_of);
            base.into_iter().for_each(|base| extending.entry(base).or_default().push(place(name)));
        }
    }
    let is_base = |schema: &Value| {
        let is_union = ["oneOf", "anyOf"].iter().any(|it| schema.get(it).is_some());
        let is_closed = ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|it| schema.get(it) == Some(&json!(false)));
        schema.get("discriminator").is_some() && !is_union && !is_closed
    };
    let mut children = BTreeMap::new();
    for (name, _) in all().filter(|(_, schema)| is_base(schema)) {
        let (mut found, mut waiting) = (Vec::new(), vec![place(name)]);
        while let Some(next) = waiting.pop() {
            for child in extending.get(&next).into_iter().flatten() {
                if *child != place(name) && !found.contains(child) {
                    found.push(child.clone());
                    waiting.push(child.clone());
                }
            }
        }
        let found = found.iter().map(|it| format!("#{}", escaped(it)));
        children.insert(place(name), found.collect());
    }
    children
}

fn place(name: &str) -> String {
    format!("/components/schemas/{}", step(name))
}

/// The name of a reference's schema, which may be in a file of its own.
fn name_of(reference: &str) -> String {
    let pointer = pointer_of(reference).unwrap_or_else(|| reference.to_owned());
    let name = pointer.rsplit('/').next().unwrap_or_default();
    let endings = [".yaml", ".yml", ".json"].iter().filter(|_| !reference.starts_with('#'));
    let name = endings.filter_map(|it| name.strip_suffix(it)).next().unwrap_or(name);
    name.replace("~1", "/").replace("~0", "~")
}
