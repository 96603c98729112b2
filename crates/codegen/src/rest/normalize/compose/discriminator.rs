//! Discrimination between the objects of `oneOf` and `anyOf`: by a `discriminator`, a constant
//! property, or required fields.
//!
//! A union whose objects can be distinguished is *discriminated*. Each of its branches that is an
//! object has alternatives, each a condition by which a value is recognized as one of the branch:
//! - by a tag, a property that has other values in each branch: the one that the discriminator
//!   names, or one whose values every branch lists. A mapping has texts for keys; the value on the
//!   wire has the type of the property, such as a number;
//! - otherwise by required fields. For each two branches, one must require a field that the other
//!   does not have; if several branches match, the one with the most known fields wins.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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

    /// Warns of the mappings that name no branch and no named schema, and of those that contradict
    /// their branch: `further` has the names of the schemas that a selection has removed.
    pub(super) fn warn_of_mappings(
        &self,
        description: &mut Value,
        further: &BTreeSet<String>,
        warnings: &mut Warnings<'_>,
    ) {
        let schemas = fields(&description["components"], "schemas").map(|(name, _)| name.clone());
        let names: BTreeSet<_> = schemas.chain(further.iter().cloned()).collect();
        tree::each_schema(description, &mut |schema, place| {
            warn_of_mappings_within(self, schema, keys(place), &names, warnings);
        });
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

    /// The contradiction between a branch and the value that a mapping has for it, if there is one.
    fn contradiction(&self, key: &str, branch: &Value, tag: &str) -> Option<String> {
        let value = self.on_the_wire(key, branch, tag, 0);
        let lists = self.lists(branch, tag, 0);
        if !lists.is_empty() {
            let is_listed = lists.contains(&value);
            let listed: Vec<_> = lists.iter().take(4).map(Value::to_string).collect();
            return (!is_listed).then(|| format!("is {}", listed.join(" or ")));
        }
        let leaves = self.leaves(branch, 0);
        let mut kinds = leaves.iter().filter_map(|leaf| {
            let schema = leaf.properties.get(tag)?;
            kind(&self.keywords(schema, 1)).filter(|it| *it != "string")
        });
        let kind = kinds.next().filter(|_| value.is_string())?;
        Some(format!("is of the type {kind}"))
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
                let lists = objects.iter().map(|it| self.lists(it, tag, depth));
                let lists: Vec<HashSet<Value>> = lists.map(HashSet::from_iter).collect();
                let taken: HashSet<_> = values.iter().flatten().cloned().collect();
                let mut counts: HashMap<&Value, usize> = HashMap::new();
                lists.iter().flatten().for_each(|it| *counts.entry(it).or_default() += 1);
                let branches = values.into_iter().zip(objects).zip(&lists);
                let alternatives = branches.map(|((values, branch), lists)| {
                    let name = self.implied(branch, tag, discriminator, depth).map(Value::String);
                    let others = |it: &Value| counts.get(it).copied().unwrap_or_default();
                    let is_free = |it: &Value| {
                        !taken.contains(it) && others(it) == usize::from(lists.contains(it))
                    };
                    let own: BTreeMap<_, _> = lists
                        .iter()
                        .filter(|it| is_free(it))
                        .map(|it| (it.to_string(), it))
                        .collect();
                    let own: Vec<_> = own.into_values().cloned().collect();
                    let name = name.filter(|it| is_free(it) && !own.contains(it));
                    let is_mapped = values.iter().any(|it| lists.contains(it));
                    // The schema decides which values are valid, and what is written.
                    let (values, further) =
                        if is_mapped || own.is_empty() { (values, own) } else { (own, values) };
                    let implied = name.into_iter().chain(further).collect();
                    let tagged = Alternative { implied, ..Alternative::tagged(tag, values) };
                    let default = is_default(discriminator, branch).then(Alternative::otherwise);
                    std::iter::once(tagged).chain(default).collect()
                });
                return Some(alternatives.collect());
            }
        }
        None
    }

    /// The values that a branch itself lists for a tag.
    fn lists(&self, branch: &Value, tag: &str, depth: usize) -> Vec<Value> {
        let leaves = self.leaves(branch, depth);
        leaves.iter().flat_map(|it| self.listed(it, tag, depth).unwrap_or_default()).collect()
    }

    /// A key of a mapping as the value on the wire: a number or a boolean where the property of the
    /// branch is one.
    fn on_the_wire(&self, key: &str, branch: &Value, tag: &str, depth: usize) -> Value {
        let lists = self.lists(branch, tag, depth);
        let is_written = |value: &Value| {
            let json = value.to_string();
            !value.is_string() && json == key
        };
        if let Some(value) = lists.iter().find(|it| is_written(it)) {
            return value.clone();
        }
        let leaves = self.leaves(branch, depth);
        let kinds = leaves.iter().map(|leaf| {
            let schema = leaf.properties.get(tag)?;
            kind(&self.keywords(schema, depth + 1))
        });
        let kinds: BTreeSet<_> = kinds.collect();
        let parsed: Option<Value> = match kinds.into_iter().collect::<Vec<_>>().as_slice() {
            [Some("integer" | "number")] => key.parse::<i64>().ok().map(Value::from),
            [Some("boolean")] => key.parse::<bool>().ok().map(Value::from),
            _ => None,
        };
        parsed.unwrap_or_else(|| json!(key))
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
        let mapped: Vec<_> =
            mapped.map(|(key, _)| self.on_the_wire(key, branch, tag, depth)).collect();
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
        let listed = if by_list { self.lists(branch, tag, depth) } else { Vec::new() };
        if listed.is_empty() {
            let named = target.map(|it| self.on_the_wire(&last(it), branch, tag, depth));
            named.into_iter().collect()
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
                implied: Vec::new(),
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

fn warn_of_mappings_within(
    composer: &Composer<'_>,
    schema: &mut Value,
    place: Vec<String>,
    names: &BTreeSet<String>,
    warnings: &mut Warnings<'_>,
) {
    if let Some(discriminator) = schema.get("discriminator") {
        let listed = ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(key)?.as_array());
        let mut branches: Vec<&Value> = listed.flatten().collect();
        let own = match place.as_slice() {
            [_, _, name] => super::reference(name)["$ref"].as_str().map(str::to_owned),
            _ => None,
        };
        branches.extend(own.iter().filter_map(|it| composer.bases.get(it)).flatten());
        let named = |name: &str| {
            branches.iter().copied().find(|it| target(it).is_some_and(|it| last(it) == name))
        };
        let mut warn = |further: &[&str], message: String| {
            let further = further.iter().map(|it| (*it).to_owned());
            let keys: Vec<_> = place.iter().cloned().chain(["discriminator".to_owned()]).collect();
            warnings.warn(&keys.into_iter().chain(further).collect::<Vec<_>>(), message);
        };
        // Linking has given the schemas of other files other names.
        let is_lost = |text: &str| {
            let is_file = !text.starts_with('#') && text.contains(['.', '/']);
            let name = last(text);
            !is_file && !names.contains(&name) && named(&name).is_none()
        };
        let tag = discriminator.get("propertyName").and_then(Value::as_str).unwrap_or_default();
        for (value, to) in fields(discriminator, "mapping") {
            let text = to.as_str().unwrap_or_default();
            if is_lost(text) {
                let message = format!(
                    "the discriminator maps {value:?} to {to}, which is no schema, so that it \
                     selects no type; map it to a branch"
                );
                warn(&["mapping", value], message);
            } else if let Some(branch) = named(&last(text))
                && let Some(why) = composer.contradiction(value, branch, tag)
            {
                let message = format!(
                    "the discriminator maps {value:?} to {}, but its `{tag}` {why}; correct one of \
                     them",
                    last(text)
                );
                warn(&["mapping", value], message);
            }
        }
        let default = discriminator.get("defaultMapping");
        if let Some(to) = default.filter(|it| is_lost(it.as_str().unwrap_or_default())) {
            let message = format!(
                "the default of the discriminator is {to}, which is no schema, so that it selects \
                 no type; name a branch"
            );
            warn(&["defaultMapping"], message);
        }
    }
    for (keys, schema) in tree::within_mut(schema) {
        let place = [place.clone(), keys].concat();
        warn_of_mappings_within(composer, schema, place, names, warnings);
    }
}

/// Returns true if a branch is the one of `defaultMapping`, for objects whose tag is missing or
/// selects no other.
fn is_default(discriminator: &Value, branch: &Value) -> bool {
    let default = discriminator.get("defaultMapping").and_then(Value::as_str);
    default.is_some_and(|it| target(branch).is_some_and(|own| own == it || last(own) == last(it)))
}

/// The name of a branch within its union, if its type is unnamed.
fn name(branch: &Value, alternatives: &[Alternative]) -> String {
    if let Some(target) = target(branch) {
        return last(target);
    }
    let conditions = alternatives.iter().filter(|it| !it.is_otherwise()).collect::<Vec<_>>();
    let [Alternative { tags, required, .. }] = conditions[..] else { return "object".to_owned() };
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
