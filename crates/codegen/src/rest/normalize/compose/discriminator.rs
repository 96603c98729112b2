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

use super::{Composer, DEPTH, SCHEMAS, listed};
use crate::naming;
use crate::rest::normalize::union_marks::{Alternative, Branch};
use crate::rest::normalize::warnings::Warnings;
use crate::rest::pointer::{keys, unescaped};
use crate::rest::tree::{self, Keywords, TAG, fields, kind, resolve};

/// Keyword of a schema that is added for a base that is a branch of its own: the name of the base.
const ITSELF: &str = "x-itself";

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

    /// Warns of the mappings that name no branch, of those that contradict their branch, and of tags
    /// that several branches have: `further` has the names of the schemas that a selection has removed.
    pub(super) fn warn_of_mappings(
        &self,
        description: &mut Value,
        further: &BTreeSet<String>,
        warnings: &mut Warnings<'_>,
    ) {
        let schemas = fields(&description["components"], "schemas").map(|(name, _)| name.clone());
        let names = Names { of_description: schemas.collect(), further };
        tree::each_schema(description, &mut |schema, place| {
            warn_of_mappings_within(self, schema, keys(place), &names, warnings);
        });
    }

    /// The branches of a union, and its discriminator.
    pub(super) fn branch_schemas(&self, schema: &Value) -> Option<(Vec<Value>, Option<Value>)> {
        let whole = self.resolved(schema)?;
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

    /// Adds the names of the branches of branches that are unions themselves.
    fn add_members(&self, branches: &[&Value], names: &mut BTreeSet<String>, depth: usize) {
        for branch in branches.iter().filter(|_| depth <= DEPTH) {
            let parts = self.branch_schemas(branch).map(|(parts, _)| parts).unwrap_or_default();
            names.extend(parts.iter().filter_map(target).map(|it| self.end(it)));
            self.add_members(&parts.iter().collect::<Vec<_>>(), names, depth + 1);
        }
    }

    /// The first value of a tag that several branches list and that selects none, and the names of
    /// these branches. Of a list that all branches share, as they inherit it, one value has to select a
    /// branch.
    fn ambiguous(
        &self,
        branches: &[&Value],
        discriminator: &Value,
        tag: &str,
    ) -> Option<(Value, String)> {
        let alternatives = self.by_discriminator(branches, discriminator, 0)?;
        let lists: Vec<_> = branches.iter().map(|it| self.lists(it, tag, 0)).collect();
        let is_free = |value: &&Value| !alternatives.iter().flatten().any(|it| it.selects(value));
        let is_inherited =
            || lists.iter().all(|it| *it == lists[0]) && !lists[0].iter().all(|it| is_free(&it));
        let value = lists.iter().flatten().find(is_free).filter(|_| !is_inherited())?;
        let several = branches.iter().zip(&lists).filter(|(_, list)| list.contains(value));
        let several: Vec<_> = several.map(|(it, _)| (*it).clone()).collect();
        Some((value.clone(), listed(&several)))
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
                let is_shared = lists
                    .first()
                    .is_some_and(|first| first.len() > 1 && lists.iter().all(|it| it == first));
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
                    let implied: Vec<_> = name.into_iter().chain(further).collect();
                    let tagged = Alternative { implied, ..Alternative::tagged(tag, values) };
                    let default =
                        self.is_default(discriminator, branch).then(Alternative::otherwise);
                    std::iter::once(tagged).chain(default).collect::<Vec<_>>()
                });
                let alternatives: Vec<_> = alternatives.collect();
                // Names that no branch permits tell nothing apart; what they do where a base lists
                // the values of all, the description leaves open.
                let mut all = alternatives.iter().map(|it| &it[0]).zip(&lists);
                let has_valid = all.any(|(it, lists)| {
                    lists.is_empty() || lists.iter().any(|value| it.selects(value))
                });
                let is_mapped = fields(discriminator, "mapping").next().is_some();
                if by_list || is_shared || has_valid || is_mapped {
                    return Some(alternatives);
                }
            }
        }
        None
    }

    /// The name of the schema that a mapping or a branch leads to, also by other names of it.
    fn end(&self, target: &str) -> String {
        let mut name = last(target);
        for _ in 0..DEPTH {
            let schema = &self.description["components"]["schemas"][&name];
            let keys = schema.as_object().into_iter().flat_map(Keywords::keys);
            match schema.get("$ref").and_then(Value::as_str) {
                Some(next) if keys.filter(|it| !tree::is_annotation(it)).count() == 1 => {
                    name = last(next);
                }
                _ => break,
            }
        }
        name
    }

    /// Returns true if the target of a mapping is a branch.
    fn leads_to(&self, to: &Value, branch: &Value) -> bool {
        let (to, branch) = (to.as_str(), target(branch));
        to.zip(branch).is_some_and(|(to, it)| it == to || self.end(it) == self.end(to))
    }

    /// The entries of a mapping that lead to a branch.
    fn mapped<'a>(
        &'a self,
        discriminator: &'a Value,
        branch: &'a Value,
    ) -> impl Iterator<Item = (&'a String, &'a Value)> {
        fields(discriminator, "mapping").filter(|(_, to)| self.leads_to(to, branch))
    }

    /// Returns true if a branch is the one of `defaultMapping`, for objects whose tag is missing or
    /// selects no other.
    fn is_default(&self, discriminator: &Value, branch: &Value) -> bool {
        let default = discriminator.get("defaultMapping");
        default.is_some_and(|it| self.leads_to(it, branch))
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
        let written: Option<Value> = serde_json::from_str(key).ok();
        let Some(written) = written.map(whole).filter(|it| !it.is_string()) else {
            return json!(key);
        };
        if lists.contains(&written) {
            return written;
        }
        let leaves = self.leaves(branch, depth);
        let mut kinds = leaves.iter().map(|leaf| {
            let schema = leaf.properties.get(tag)?;
            kind(&self.keywords(schema, depth + 1))
        });
        let has_type = |value: &Value, kind: Option<&str>| match kind {
            Some("integer") => is_whole(value),
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            _ => false,
        };
        match !leaves.is_empty() && kinds.all(|kind| has_type(&written, kind)) {
            true => written,
            false => json!(key),
        }
    }

    /// The name of a mapped branch, which selects it, too, unless the branch lists other values.
    fn implied(
        &self,
        branch: &Value,
        tag: &str,
        discriminator: &Value,
        depth: usize,
    ) -> Option<String> {
        let base = resolve(self.description, branch).and_then(|it| it.get(ITSELF)?.as_str());
        let name = base.map_or_else(|| target(branch).map(last), |it| Some(it.to_owned()))?;
        let is_key = fields(discriminator, "mapping").any(|(value, _)| *value == name);
        if is_key || self.branch_schemas(branch).is_some() {
            return None;
        }
        let permits = |leaf: &Leaf| {
            self.listed(leaf, tag, depth).is_none_or(|values| values.contains(&json!(name)))
        };
        self.leaves(branch, depth).iter().all(permits).then_some(name)
    }

    /// The values of a tag that select a branch: those of the mapping, or else the one that its schema
    /// states, or else those that it lists, or else its name.
    fn values(
        &self,
        branch: &Value,
        tag: &str,
        discriminator: &Value,
        by_list: bool,
        depth: usize,
    ) -> Vec<Value> {
        let target = target(branch);
        let own = || resolve(self.description, branch)?.get(TAG)?.as_str();
        let keys = self.mapped(discriminator, branch).map(|(key, _)| key.as_str());
        let mut keys: Vec<_> = keys.collect();
        if keys.is_empty() {
            keys.extend(own());
        }
        let mapped: Vec<_> =
            keys.into_iter().map(|key| self.on_the_wire(key, branch, tag, depth)).collect();
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
        let is_scalar = |it: &&Value| it.is_string() || it.is_boolean() || it.is_number();
        let values: Vec<_> = values.cloned().map(whole).collect();
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

    /// Gives a schema that its own discriminator maps to itself a schema that extends it and has no
    /// more fields: the branch of the values that are of no other one.
    pub(super) fn add_bases_of_themselves(description: &mut Value) {
        let schemas = description.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
        let Some(schemas) = schemas else { return };
        let mut taken: HashSet<String> = schemas.keys().map(|it| naming::cased(it)).collect();
        let mut added = Vec::new();
        for (name, schema) in schemas.iter_mut() {
            let is_union = ["oneOf", "anyOf"].iter().any(|key| schema.get(key).is_some());
            let Some(discriminator) = schema.get_mut("discriminator").filter(|_| !is_union) else {
                continue;
            };
            let mapping = discriminator.get_mut("mapping").and_then(Value::as_object_mut);
            let mut targets: Vec<_> = mapping.into_iter().flat_map(|it| it.values_mut()).collect();
            targets.retain(|it| it.as_str().is_some_and(|it| last(it) == *name));
            if targets.is_empty() {
                continue;
            }
            let own = naming::unique_type(&mut taken, format!("{name}_base"));
            targets.into_iter().for_each(|it| *it = super::reference(&own)["$ref"].clone());
            added.push((own, json!({ "allOf": [super::reference(name)], ITSELF: name })));
        }
        schemas.extend(added);
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
            // One that is added for another base is a branch of that base.
            let is_own = |child: &str| {
                let schema = description.pointer(child.strip_prefix('#').unwrap_or_default());
                schema.and_then(|it| it.get(ITSELF)).is_none_or(|it| it == name)
            };
            found.retain(|it| is_own(it));
            if found.len() > 1 {
                bases.insert(base, found.into_iter().map(|it| json!({ "$ref": it })).collect());
            }
        }
        bases
    }
}

/// The names of the named schemas.
struct Names<'a> {
    of_description: BTreeSet<String>,
    /// Those that a selection has removed, among others.
    further: &'a BTreeSet<String>,
}

fn warn_of_mappings_within(
    composer: &Composer<'_>,
    schema: &mut Value,
    place: Vec<String>,
    names: &Names<'_>,
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
        let branch_of = |to: &Value| branches.iter().copied().find(|it| composer.leads_to(to, it));
        let mut warn = |further: &[&str], message: String| {
            let further = further.iter().map(|it| (*it).to_owned());
            let keys: Vec<_> = place.iter().cloned().chain(["discriminator".to_owned()]).collect();
            warnings.warn(&keys.into_iter().chain(further).collect::<Vec<_>>(), message);
        };
        let mut members = BTreeSet::new();
        composer.add_members(&branches, &mut members, 0);
        let stray = |to: &Value| match to.as_str().unwrap_or_default() {
            text if branch_of(to).is_some() || members.contains(&composer.end(text)) => None,
            text if names.of_description.contains(&last(text)) => {
                (!branches.is_empty()).then_some("no branch of its union")
            }
            text => (!names.further.contains(&last(text))).then_some("no schema"),
        };
        let tag = discriminator.get("propertyName").and_then(Value::as_str).unwrap_or_default();
        for (value, to) in fields(discriminator, "mapping") {
            if let Some(what) = stray(to) {
                let message = format!(
                    "the discriminator maps {value:?} to {to}, which is {what}, so that it \
                     selects no type; map it to a branch"
                );
                warn(&["mapping", value], message);
            } else if let Some(branch) = branch_of(to)
                && let Some(why) = composer.contradiction(value, branch, tag)
            {
                let message = format!(
                    "the discriminator maps {value:?} to {}, but its `{tag}` {why}; correct one of \
                     them",
                    last(to.as_str().unwrap_or_default())
                );
                warn(&["mapping", value], message);
            }
        }
        let default = discriminator.get("defaultMapping");
        if let Some((to, what)) = default.and_then(|it| Some((it, stray(it)?))) {
            let message = format!(
                "the default of the discriminator is {to}, which is {what}, so that it selects no \
                 type; name a branch"
            );
            warn(&["defaultMapping"], message);
        }
        if let Some((value, several)) = composer.ambiguous(&branches, discriminator, tag) {
            let message = format!(
                "{several} list {value} for `{tag}`, so that it selects none of them; list it in \
                 one, or map it"
            );
            warn(&[], message);
        }
    }
    for (keys, schema) in tree::within_mut(schema) {
        let place = [place.clone(), keys].concat();
        warn_of_mappings_within(composer, schema, place, names, warnings);
    }
}

/// A number without a fraction as an integer: `1.0` is `1`.
fn whole(value: Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value.as_f64().filter(|it| value.is_f64() && it.fract() == 0.0 && it.abs() < EXACT) {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and exact")]
        Some(number) => json!(number as i64),
        None => value,
    }
}

fn is_whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
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
