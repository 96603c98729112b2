//! Discrimination between the objects of `oneOf` and `anyOf`: by a `discriminator`, a constant
//! property, or required fields.
//!
//! A union whose objects can be distinguished is *discriminated*. Each of its branches that is an
//! object has alternatives, each a condition by which a value is recognized as one of the branch:
//! - by a tag, a property that has other values in each branch: the one that the discriminator
//!   names, or one whose values every branch lists;
//! - otherwise by required fields. For each two branches, one must require a field that the other
//!   does not have; if several branches match, the one with the most known fields wins.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Value, json};

use super::{Composer, DEPTH, SCHEMAS};
use crate::rest::normalize::union_marks::{Alternative, Branch};
use crate::rest::normalize::warnings::Warnings;
use crate::rest::pointer::{keys, unescaped};
use crate::rest::tree::{self, Keywords, fields, kind, resolve};

/// One object of a branch: a branch that is a union itself has several.
struct Leaf {
    properties: Keywords,
    /// The required fields, and whether each may be null.
    required: BTreeMap<String, bool>,
}

impl Composer<'_> {
    /// The branches that distinguish values of these objects; `None` if there are no such branches.
    pub(super) fn discriminate(
        &self,
        objects: &[&Value],
        discriminator: Option<&Value>,
        depth: usize,
    ) -> Option<Vec<Branch>> {
        let leaves: Vec<_> = objects.iter().map(|it| self.leaves(it, depth)).collect();
        let tagged = discriminator.and_then(|it| self.by_discriminator(objects, it, depth));
        let tagged = tagged.or_else(|| self.by_tag(&leaves, true, depth));
        let alternatives = match tagged {
            Some(tagged) => Some(tagged),
            None => self.by_fields(&leaves, depth).or_else(|| self.by_tag(&leaves, false, depth)),
        };
        let branches = alternatives?.into_iter().zip(objects);
        Some(
            branches
                .map(|(it, branch)| Branch { name: name(branch, &it), alternatives: it })
                .collect(),
        )
    }

    /// The branches of a union, and its discriminator.
    pub(super) fn branch_schemas(&self, schema: &Value) -> Option<(Vec<Value>, Option<Value>)> {
        let whole = resolve(self.description, schema)?;
        let discriminator = whole.get("discriminator").cloned();
        let target = schema.get("$ref").and_then(Value::as_str);
        if let Some(children) = target.and_then(|it| self.bases.get(it)) {
            return Some((children.clone(), discriminator));
        }
        let parts = whole.get("oneOf").or_else(|| whole.get("anyOf"))?.as_array()?;
        Some((parts.clone(), discriminator))
    }

    fn leaves(&self, branch: &Value, depth: usize) -> Vec<Leaf> {
        let keywords = self.keywords(branch, depth + 1);
        if depth <= DEPTH
            && let Some((parts, _)) = self.branch_schemas(branch)
        {
            let parts =
                parts.iter().filter(|part| kind(&self.keywords(part, depth + 1)) == Some("object"));
            return parts.flat_map(|part| self.leaves(part, depth + 1)).collect();
        }
        let keywords = Value::Object(keywords);
        let required = keywords["required"].as_array().into_iter().flatten();
        let may_be_null = |name: &str| {
            let schema = keywords["properties"].get(name);
            schema.is_none_or(|it| self.keywords(it, depth + 1).contains_key("nullable"))
        };
        let required = required.filter_map(Value::as_str);
        vec![Leaf {
            required: required.map(|name| (name.to_owned(), may_be_null(name))).collect(),
            properties: keywords["properties"].as_object().cloned().unwrap_or_default(),
        }]
    }

    /// Tells branches apart by the property of a discriminator. A value selects a branch by the
    /// mapping, or else if only that branch lists it, or else if it is the name of the branch.
    fn by_discriminator(
        &self,
        objects: &[&Value],
        discriminator: &Value,
        depth: usize,
    ) -> Option<Vec<Vec<Alternative>>> {
        let tag = discriminator.get("propertyName")?.as_str()?;
        for by_list in [true, false] {
            let values =
                objects.iter().map(|it| self.values(it, tag, discriminator, by_list, depth));
            let values: Vec<_> = values.collect();
            if values.iter().all(|it| !it.is_empty()) && are_disjoint(&values) {
                let taken: Vec<_> = values.iter().flatten().cloned().collect();
                let alternatives = values.into_iter().zip(objects).map(|(values, branch)| {
                    let implied = self.implied(branch, tag, discriminator, depth);
                    let implied = implied.filter(|it| !taken.contains(&json!(it)));
                    vec![Alternative { implied, ..Alternative::tagged(tag, values) }]
                });
                return Some(alternatives.collect());
            }
        }
        None
    }

    /// The name of a mapped branch, which selects it, too, unless the branch lists other values.
    fn implied(
        &self,
        branch: &Value,
        tag: &str,
        discriminator: &Value,
        depth: usize,
    ) -> Option<String> {
        let name = last(target(branch)?);
        let is_key = fields(discriminator, "mapping").any(|(value, _)| *value == name);
        if is_key || self.branch_schemas(branch).is_some() {
            return None;
        }
        let permits = |leaf: &Leaf| {
            self.listed(leaf, tag, depth).is_none_or(|values| values.contains(&json!(name)))
        };
        self.leaves(branch, depth).iter().all(permits).then_some(name)
    }

    /// The values of a tag that select a branch.
    fn values(
        &self,
        branch: &Value,
        tag: &str,
        discriminator: &Value,
        by_list: bool,
        depth: usize,
    ) -> Vec<Value> {
        let target = target(branch);
        let mapped = fields(discriminator, "mapping").filter(|(_, to)| {
            let to = to.as_str().unwrap_or_default();
            target.is_some_and(|it| it == to || last(it) == last(to))
        });
        let mapped: Vec<_> = mapped.map(|(value, _)| json!(value)).collect();
        if !mapped.is_empty() {
            return mapped;
        }
        if depth <= DEPTH
            && let Some((parts, own)) = self.branch_schemas(branch)
        {
            let own = own.filter(|it| it.get("propertyName") == discriminator.get("propertyName"));
            let own = own.as_ref().unwrap_or(discriminator);
            let values = parts.iter().flat_map(|it| self.values(it, tag, own, by_list, depth + 1));
            return values.collect();
        }
        let listed = || {
            let leaves = self.leaves(branch, depth);
            leaves.iter().flat_map(|it| self.listed(it, tag, depth).unwrap_or_default()).collect()
        };
        let listed: Vec<_> = if by_list { listed() } else { Vec::new() };
        if listed.is_empty() {
            target.map(|it| json!(last(it))).into_iter().collect()
        } else {
            listed
        }
    }

    /// Tells branches apart by a property whose values every branch lists, and no two have in
    /// common.
    fn by_tag(
        &self,
        leaves: &[Vec<Leaf>],
        is_required: bool,
        depth: usize,
    ) -> Option<Vec<Vec<Alternative>>> {
        let first = leaves.first()?.first()?;
        first.properties.keys().find_map(|tag| {
            let values = leaves.iter().map(|leaves| {
                let values = leaves.iter().map(|leaf| {
                    let counts = !is_required || leaf.required.contains_key(tag);
                    self.listed(leaf, tag, depth).filter(|_| counts)
                });
                let values: Vec<_> =
                    values.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
                (!values.is_empty()).then_some(values)
            });
            let values = values.collect::<Option<Vec<_>>>().filter(|it| are_disjoint(it))?;
            Some(values.into_iter().map(|it| vec![Alternative::tagged(tag, it)]).collect())
        })
    }

    /// The listed values of a property.
    fn listed(&self, leaf: &Leaf, name: &str, depth: usize) -> Option<Vec<Value>> {
        let schema = leaf.properties.get(name)?;
        let keywords = self.keywords(schema, depth + 1);
        let values = keywords.get("enum")?.as_array()?.iter().filter(|it| !it.is_null());
        let is_scalar = |it: &&Value| it.is_string() || it.is_boolean() || it.is_i64();
        let values: Vec<_> = values.cloned().collect();
        (!values.is_empty() && values.iter().all(|it| is_scalar(&it))).then_some(values)
    }

    fn by_fields(&self, leaves: &[Vec<Leaf>], depth: usize) -> Option<Vec<Vec<Alternative>>> {
        let demands =
            |a: &Leaf, b: &Leaf| a.required.keys().any(|name| !b.properties.contains_key(name));
        let differ = |a: &Leaf, b: &Leaf| {
            let mut tags = a.required.keys().chain(b.required.keys());
            demands(a, b)
                || demands(b, a)
                || tags.any(|tag| match (self.listed(a, tag, depth), self.listed(b, tag, depth)) {
                    (Some(a), Some(b)) => are_disjoint(&[a, b]),
                    _ => false,
                })
        };
        for (index, branch) in leaves.iter().enumerate() {
            let others = leaves[index + 1..].iter().flatten();
            if !others.into_iter().all(|other| branch.iter().all(|leaf| differ(leaf, other))) {
                return None;
            }
        }
        let telling: BTreeSet<_> =
            leaves.iter().flatten().flat_map(|leaf| leaf.required.keys()).collect();
        let alternative = |leaf: &Leaf| {
            let known = leaf.properties.keys().filter(|it| telling.contains(it));
            let lists = leaf.required.keys().filter_map(|tag| {
                // A property with many values is likely to get more.
                let values = self.listed(leaf, tag, depth)?;
                (values.len() == 1).then(|| (tag.clone(), values))
            });
            Alternative {
                tags: lists.collect(),
                implied: None,
                required: leaf.required.clone(),
                known: known.cloned().collect(),
            }
        };
        Some(leaves.iter().map(|leaves| leaves.iter().map(alternative).collect()).collect())
    }

    /// Schemas with a `discriminator` and no `oneOf`, and the named schemas that extend each by
    /// `allOf`, directly or transitively.
    pub(super) fn bases_of(description: &Value) -> BTreeMap<String, Vec<Value>> {
        let components = &description["components"];
        let named =
            |name: &str| super::reference(name)["$ref"].as_str().unwrap_or_default().to_owned();
        let mut extending: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut bases = BTreeMap::new();
        for (name, schema) in fields(components, "schemas") {
            let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
            for part in parts.filter_map(|part| part.get("$ref")?.as_str()) {
                extending.entry(part).or_default().push(named(name));
            }
        }
        for (name, schema) in fields(components, "schemas") {
            let is_union = ["oneOf", "anyOf"].iter().any(|key| schema.get(key).is_some());
            if schema.get("discriminator").is_none() || is_union {
                continue;
            }
            let base = named(name);
            let mut found: BTreeSet<String> = BTreeSet::new();
            let mut waiting = vec![base.clone()];
            while let Some(next) = waiting.pop() {
                for child in extending.get(next.as_str()).into_iter().flatten() {
                    if *child != base && found.insert(child.clone()) {
                        waiting.push(child.clone());
                    }
                }
            }
            if found.len() > 1 {
                bases.insert(base, found.into_iter().map(|it| json!({ "$ref": it })).collect());
            }
        }
        bases
    }
}

/// Warns of the mappings that name no branch and no named schema: `further` has the names of those
/// that a selection has removed.
pub(in crate::rest::normalize) fn warn_of_lost(
    description: &mut Value,
    further: &BTreeSet<String>,
    warnings: &mut Warnings<'_>,
) {
    let schemas = fields(&description["components"], "schemas").map(|(name, _)| name.clone());
    let names: BTreeSet<_> = schemas.chain(further.iter().cloned()).collect();
    tree::each_schema(description, &mut |schema, place| {
        warn_of_lost_within(schema, keys(place), &names, warnings);
    });
}

fn warn_of_lost_within(
    schema: &mut Value,
    place: Vec<String>,
    names: &BTreeSet<String>,
    warnings: &mut Warnings<'_>,
) {
    let branches = ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(key)?.as_array());
    let branches: Vec<_> = branches.flatten().filter_map(|it| target(it).map(last)).collect();
    for (value, to) in schema.get("discriminator").into_iter().flat_map(|it| fields(it, "mapping"))
    {
        let text = to.as_str().unwrap_or_default();
        let name = last(text);
        // Linking has given the schemas of other files other names.
        let is_file = !text.starts_with('#') && text.contains(['.', '/']);
        if !is_file && !names.contains(&name) && !branches.contains(&name) {
            let mut keys = place.clone();
            keys.extend(["discriminator", "mapping", value].map(str::to_owned));
            let message = format!(
                "the discriminator maps {value:?} to {to}, which is no schema, so that it selects no \
                 type; map it to a branch"
            );
            warnings.warn(&keys, message);
        }
    }
    for (keys, schema) in tree::within_mut(schema) {
        warn_of_lost_within(schema, [place.clone(), keys].concat(), names, warnings);
    }
}

/// The name of a branch within its union, if its type is unnamed.
fn name(branch: &Value, alternatives: &[Alternative]) -> String {
    if let Some(target) = target(branch) {
        return last(target);
    }
    let [Alternative { tags, required, .. }] = alternatives else { return "object".to_owned() };
    match (tags.first(), required.keys().next()) {
        (Some((_, values)), _) => match &values[0] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        },
        (None, Some(field)) => format!("with_{field}"),
        (None, None) => "object".to_owned(),
    }
}

/// The reference of a branch; the last one of several that it extends.
fn target(branch: &Value) -> Option<&str> {
    let parts = branch.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let own = std::iter::once(branch);
    parts.rev().chain(own).find_map(|it| it.get("$ref")).and_then(Value::as_str)
}

/// The name in a reference, also in a mapping that names a file.
fn last(target: &str) -> String {
    let name = target.rsplit('/').next().unwrap_or_default();
    if target.starts_with(SCHEMAS) {
        return unescaped(name);
    }
    let name =
        [".yaml", ".yml", ".json"].iter().find_map(|it| name.strip_suffix(it)).unwrap_or(name);
    unescaped(name)
}

fn are_disjoint(values: &[Vec<Value>]) -> bool {
    let mut seen = HashSet::new();
    values.iter().all(|values| {
        let is_new = values.iter().all(|it| !seen.contains(it));
        seen.extend(values);
        is_new
    })
}
