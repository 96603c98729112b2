//! Flattening: the references, `allOf`, and one branch of each `oneOf` and `anyOf` of a schema,
//! merged into one object of keywords.

use serde_json::{Map, Value, json};

use super::Sampler;
use crate::discriminator::Discriminator;

/// The largest number of schemas that are merged into one: a cycle of `allOf` has no end.
const MERGED: usize = 200;

/// The number of levels to which a branch is followed to find out how deep its values are.
const LOOKAHEAD: usize = 6;

impl Sampler<'_> {
    pub(super) fn flatten(&mut self, schema: &Value, depth: usize) -> Map<String, Value> {
        let own = schema.as_object();
        // A schema that extends a base is not one of the others that do.
        let is_alone = own.is_some_and(|it| {
            !it.contains_key("properties") && parts(it, "allOf").nth(1).is_none()
        });
        let mut flat = Flat {
            keywords: Map::new(),
            merged: 0,
            references: Vec::new(),
            entry: None,
            tags: Vec::new(),
            is_alone,
        };
        self.merge(&mut flat, schema, depth);
        flat.keywords
    }

    fn merge(&mut self, flat: &mut Flat, schema: &Value, depth: usize) {
        flat.merged += 1;
        let Some(schema) = schema.as_object().filter(|_| flat.merged < MERGED) else { return };
        let description = self.description;
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let is_first = flat.entry.is_none() && flat.is_alone;
            let branch = is_first.then(|| self.extending(reference, depth));
            let reference = branch.as_deref().unwrap_or(reference);
            flat.entry.get_or_insert_with(|| reference.to_owned());
            // A type may extend the union that it is a branch of.
            if !flat.references.iter().any(|it| it == reference) {
                flat.references.push(reference.to_owned());
                if let Some(target) = description.target(reference) {
                    self.merge(flat, target, depth);
                }
            }
        }
        for (key, value) in schema {
            flat.add(key, value);
        }
        let discriminator = schema.get("discriminator");
        let discriminator = discriminator.and_then(|it| Discriminator::of(description.tree(), it));
        let is_union = ["oneOf", "anyOf"].iter().any(|it| parts(schema, it).next().is_some());
        // The nearest base decides, so it comes before those that it extends itself.
        if let (Some(discriminator), false, Some(branch)) =
            (&discriminator, is_union, flat.entry.clone())
        {
            self.tag(flat, discriminator, &branch);
        }
        for part in parts(schema, "allOf") {
            self.merge(flat, part, depth);
        }
        for key in ["oneOf", "anyOf"] {
            let branches: Vec<&Value> = parts(schema, key).collect();
            // A type that extends the union of which it is a branch has the tag of this branch.
            let own = branches.iter().find(|it| discriminator.is_some() && flat.extends(it));
            let Some(branch) = own.copied().or_else(|| self.choose(&branches, depth)) else {
                continue;
            };
            let before = flat.entry.take();
            self.merge(flat, branch, depth);
            flat.entry = before;
        }
    }

    /// Sets the tag that stands for a type that is a branch by inheritance.
    fn tag(&mut self, flat: &mut Flat, discriminator: &Discriminator<'_>, reference: &str) {
        let tags = discriminator.tags(reference);
        let Some(value) = self.random.choice(&tags) else { return };
        if flat.tags.iter().any(|it| it == discriminator.property) {
            return;
        }
        flat.tags.push(discriminator.property.to_owned());
        flat.add("properties", &json!({ discriminator.property: { "const": value } }));
        flat.add("required", &json!([discriminator.property]));
    }

    /// The branch of a schema with a discriminator that others extend: one of these, or the schema
    /// itself if it is a branch, too. Any other schema is its own.
    fn extending(&mut self, reference: &str, depth: usize) -> String {
        let description = self.description;
        let discriminator = description.target(reference).and_then(|it| it.get("discriminator"));
        let discriminator = discriminator.and_then(|it| Discriminator::of(description.tree(), it));
        let mut branches = description.children(reference).to_vec();
        if discriminator.is_some_and(|it| it.maps_to(reference)) {
            branches.push(reference.to_owned());
        }
        if branches.len() < 2 {
            return reference.to_owned();
        }
        if self.is_minimal(depth) {
            let height = |it: &String| self.height(&json!({ "$ref": it }), 0);
            branches.sort_by_cached_key(height);
            branches.truncate(1);
        }
        self.random.choice(branches).unwrap_or_default()
    }

    /// A branch of a union: any, or the one with the shallowest values.
    fn choose<'b>(&mut self, branches: &[&'b Value], depth: usize) -> Option<&'b Value> {
        if !self.is_minimal(depth) {
            return self.random.choice(branches).copied();
        }
        branches.iter().min_by_key(|it| self.height(it, 0)).copied()
    }

    /// The approximate depth of the shallowest value of a schema.
    fn height(&self, schema: &Value, depth: usize) -> usize {
        let Some(schema) = schema.as_object().filter(|_| depth < LOOKAHEAD) else {
            return usize::from(depth >= LOOKAHEAD) * 4;
        };
        let below = |it: &Value| self.height(it, depth + 1);
        let target = schema.get("$ref").and_then(Value::as_str);
        let mut height = target.and_then(|it| self.description.target(it)).map_or(0, below);
        height = height.max(parts(schema, "allOf").map(below).max().unwrap_or(0));
        for key in ["oneOf", "anyOf"] {
            height = height.max(parts(schema, key).map(below).min().unwrap_or(0));
        }
        for name in parts(schema, "required").filter_map(Value::as_str) {
            let property = schema.get("properties").and_then(|it| it.get(name));
            height = height.max(1 + property.map_or(0, below));
        }
        if schema.get("minItems").and_then(Value::as_u64).is_some_and(|it| it > 0) {
            height = height.max(1 + schema.get("items").map_or(0, below));
        }
        height
    }
}

/// The keywords so far.
struct Flat {
    keywords: Map<String, Value>,
    merged: usize,
    /// The references that are merged.
    references: Vec<String>,
    /// The reference to the component that is flattened.
    entry: Option<String>,
    /// The properties that have a tag.
    tags: Vec<String>,
    /// True if the schema is flattened without others beside it.
    is_alone: bool,
}

impl Flat {
    /// Returns true if a branch of a union is a reference that is being merged.
    fn extends(&self, branch: &Value) -> bool {
        let part = branch.get("allOf").map_or(branch, |it| &it[0]);
        part.get("$ref").is_some_and(|target| self.references.iter().any(|it| target == it))
    }

    /// Merges a keyword, so that both the former and this one hold.
    fn add(&mut self, key: &str, value: &Value) {
        if ["$ref", "allOf", "oneOf", "anyOf", "discriminator", "description"].contains(&key) {
            return;
        }
        let Some(former) = self.keywords.get_mut(key) else {
            self.keywords.insert(key.to_owned(), value.clone());
            return;
        };
        match (key, &mut *former, value) {
            (_, former, value) if former == value => {}
            ("properties" | "patternProperties", Value::Object(former), Value::Object(value)) => {
                for (name, schema) in value {
                    match former.get_mut(name) {
                        Some(other) => *other = json!({ "allOf": [other, schema] }),
                        None => {
                            former.insert(name.clone(), schema.clone());
                        }
                    }
                }
            }
            ("required", Value::Array(former), Value::Array(value)) => {
                let new = value.iter().filter(|it| !former.contains(it)).cloned();
                let new: Vec<_> = new.collect();
                former.extend(new);
            }
            ("enum", Value::Array(former), Value::Array(value)) => {
                if former.iter().any(|it| value.contains(it)) {
                    former.retain(|it| value.contains(it));
                }
            }
            ("type", former, value) => *former = common(former, value),
            ("items" | "additionalProperties" | "propertyNames", former, value) => {
                *former = match (&*former, value) {
                    (Value::Bool(true), other) => other.clone(),
                    (_, Value::Bool(true)) => return,
                    (Value::Bool(false), _) | (_, Value::Bool(false)) => Value::Bool(false),
                    (former, value) => json!({ "allOf": [former, value] }),
                };
            }
            (_, former, value) => {
                let (Some(one), Some(other)) = (former.as_f64(), value.as_f64()) else {
                    // The outermost one counts, which comes first.
                    return;
                };
                let is_lower = key.starts_with("min") || key == "exclusiveMinimum";
                if is_lower == (other > one) {
                    *former = value.clone();
                }
            }
        }
    }
}

/// The types that two `type` keywords permit.
fn common(one: &Value, other: &Value) -> Value {
    let list = |it: &Value| it.as_array().cloned().unwrap_or_else(|| vec![it.clone()]);
    let (one, other) = (list(one), list(other));
    let both = one.iter().filter_map(|it| match it {
        it if other.contains(it) => Some(it.clone()),
        it if it == "integer" && other.iter().any(|it| it == "number") => Some(it.clone()),
        it if it == "number" && other.iter().any(|it| it == "integer") => Some(json!("integer")),
        _ => None,
    });
    Value::Array(both.collect())
}

fn parts<'a>(schema: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}
