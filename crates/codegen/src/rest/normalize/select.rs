//! Selection of operations: a linked description is reduced to the selected operations and to the
//! parts of it that these refer to.
//!
//! It precedes all other passes, so what is left out costs nothing and has no warnings. Names are
//! those that the whole description gives: the names of operations and of named schemas are decided
//! before anything is removed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::operations::NamedOperation;
use super::warnings::Warnings;
use crate::naming;
use crate::rest::description::{METHODS, operations_of};
use crate::rest::model::{Piece, pieces};
use crate::rest::pointer;
use crate::rest::tree::{fields, resolve};

/// The prefix of a selector of all operations that have a tag.
const TAG: &str = "tag:";

/// A selector that selects no operation of a description, with a warning that says so.
pub(crate) struct Unmatched {
    /// The selector's index.
    pub(crate) index: usize,
    /// The position of the most similar operation, or else of the paths, and the message.
    pub(crate) diagnostic: crate::Diagnostic,
    /// True if the message suggests another selector.
    pub(crate) has_suggestion: bool,
}

/// The operations that the selectors select, by their keys, and the selectors that select none.
pub(super) fn select(
    operations: &[NamedOperation],
    selectors: &[String],
    warnings: &Warnings<'_>,
) -> (BTreeSet<Vec<String>>, Vec<Unmatched>) {
    let mut selected = BTreeSet::new();
    let mut unmatched = Vec::new();
    for (index, selector) in selectors.iter().enumerate() {
        let found: Vec<_> = operations.iter().filter(|it| is_selected(it, selector)).collect();
        if found.is_empty() {
            let similar = suggest(operations, selector);
            let advice = match &similar {
                Some((suggestion, _)) => format!(". Did you mean {suggestion:?}?"),
                None => "; write an operationId, \"METHOD /path\" or \"tag:NAME\"".to_owned(),
            };
            let message = format!("the selector {selector:?} selects no operation{advice}");
            let paths = vec!["paths".to_owned()];
            let keys = similar.as_ref().map_or(&paths, |(_, operation)| &operation.keys);
            let diagnostic = warnings.diagnostic(keys, &message);
            unmatched.push(Unmatched { index, diagnostic, has_suggestion: similar.is_some() });
        }
        selected.extend(found.into_iter().map(|it| it.keys.clone()));
    }
    (selected, unmatched)
}

fn is_selected(operation: &NamedOperation, selector: &str) -> bool {
    let selector = selector.trim();
    let is_named = operation.id.as_deref() == Some(selector) || operation.name == selector;
    let tag = selector.strip_prefix(TAG).map(str::trim);
    is_named
        || tag.is_some_and(|tag| operation.tags.iter().any(|it| it == tag))
        || method_and_path(selector).is_some_and(|(method, path)| {
            operation.path == path && operation.method.eq_ignore_ascii_case(method)
        })
}

/// The parts of `GET /pods/{podId}`.
fn method_and_path(selector: &str) -> Option<(&str, &str)> {
    let (method, path) = selector.split_once(char::is_whitespace)?;
    Some((method, path.trim_start()))
}

/// The most similar selector that selects an operation, and such an operation.
fn suggest<'a>(
    operations: &'a [NamedOperation],
    selector: &str,
) -> Option<(String, &'a NamedOperation)> {
    let selector = selector.trim();
    let selector = selector.strip_prefix("operationId:").map_or(selector, str::trim);
    let (method, path) = method_and_path(selector).unwrap_or(("", selector));
    let path = without_names(path);
    let alike = |it: &&NamedOperation| without_names(&it.path) == path;
    // With the URL of the service before it.
    let ends = |it: &&NamedOperation| it.path.len() > 1 && path.ends_with(&without_names(&it.path));
    let same_method = |it: &&NamedOperation| it.method.eq_ignore_ascii_case(method);
    let by_path = operations.iter().filter(alike).find(same_method);
    let by_path = by_path.or_else(|| operations.iter().find(alike));
    let ending =
        || operations.iter().filter(ends).max_by_key(|it| (it.path.len(), same_method(it)));
    if let Some(found) = by_path.or_else(ending) {
        return Some((found.call(), found));
    }
    let mut candidates: BTreeMap<String, &NamedOperation> = BTreeMap::new();
    for operation in operations.iter().rev() {
        let tags = operation.tags.iter().map(|tag| format!("{TAG}{tag}"));
        let named = operation.id.iter().cloned().chain([operation.name.clone()]);
        for candidate in tags.chain(named).chain([operation.call()]) {
            candidates.insert(candidate, operation);
        }
    }
    let tag = format!("{TAG}{selector}");
    let folded = tag.to_lowercase();
    let names: Vec<_> = candidates.keys().map(String::as_str).collect();
    let nearest = names.iter().find(|it| it.to_lowercase() == folded).copied();
    let nearest = nearest.or_else(|| naming::nearest(selector, &names))?;
    Some((nearest.to_owned(), candidates[nearest]))
}

/// A path without query and fragment, whose parameters have no names.
fn without_names(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Literal(text) => (*text).to_owned(),
        Piece::Parameter(_) => "{}".to_owned(),
    };
    pieces(path).iter().map(piece).collect()
}

/// Removes all operations but the selected ones, and the components that nothing refers to any
/// more. Servers and security schemes stay.
pub(super) fn prune(description: &mut Value, selected: &BTreeSet<Vec<String>>) {
    let kept = selected_paths(description, selected);
    let reached = Reached::from(description, &kept);
    let Some(object) = description.as_object_mut() else { return };
    let paths = object.insert("paths".to_owned(), Value::Object(kept)).unwrap_or_default();
    // References to a definition lead to a named schema by now.
    object.retain(|key, _| !["$defs", "definitions"].contains(&key.as_str()));
    let components = object.get_mut("components").and_then(Value::as_object_mut);
    for (kind, named) in components.into_iter().flatten() {
        if let Some(named) = named.as_object_mut().filter(|_| kind != "securitySchemes") {
            named.retain(|name, _| reached.has(kind, name));
            named.values_mut().for_each(|it| inline(it, &paths, &mut Vec::new()));
        }
    }
    if let Some(kept) = description.get_mut("paths") {
        inline(kept, &paths, &mut Vec::new());
    }
}

/// The paths with the selected operations, whose references are followed.
fn selected_paths(description: &Value, selected: &BTreeSet<Vec<String>>) -> Map<String, Value> {
    let mut kept = Map::new();
    for (path, item) in fields(description, "paths") {
        let Some(item) = resolve(description, item) else { continue };
        let mut only = item.as_object().cloned().unwrap_or_default();
        only.retain(|key, _| {
            key != "additionalOperations" && METHODS.iter().all(|(method, _)| key != method)
        });
        let mut only = Value::Object(only);
        let mut is_selected = false;
        for (keys, _, operation) in operations_of(item) {
            let place = [vec!["paths".to_owned(), path.clone()], keys.clone()].concat();
            if let Some(operation) = resolve(description, operation)
                && selected.contains(&place)
            {
                let mut at = &mut only;
                for key in keys {
                    at = &mut at[key];
                }
                *at = operation.clone();
                is_selected = true;
            }
        }
        if is_selected {
            kept.insert(path.clone(), only);
        }
    }
    kept
}

/// The components to which others refer, directly or transitively.
struct Reached(BTreeMap<String, BTreeSet<String>>);

impl Reached {
    fn from(description: &Value, paths: &Map<String, Value>) -> Self {
        let components = &description["components"];
        let children = children(components);
        let mut reached = Self(BTreeMap::new());
        let mut seen = BTreeSet::new();
        let mut waiting = Vec::new();
        paths.values().for_each(|item| targets(item, &mut waiting));
        while let Some(target) = waiting.pop() {
            if !seen.insert(target.clone()) {
                continue;
            }
            let keys = pointer::keys(&target);
            match keys.as_slice() {
                [top, kind, name, ..] if top == "components" => {
                    reached.0.entry(kind.clone()).or_default().insert(name.clone());
                    targets(&components[kind.as_str()][name.as_str()], &mut waiting);
                    // A schema with a discriminator is the union of the schemas that extend it.
                    waiting.extend(children.get(&target).into_iter().flatten().cloned());
                }
                _ => {
                    let value = target.strip_prefix('#').and_then(|it| description.pointer(it));
                    value.into_iter().for_each(|it| targets(it, &mut waiting));
                }
            }
        }
        reached
    }

    fn has(&self, kind: &str, name: &str) -> bool {
        self.0.get(kind).is_some_and(|names| names.contains(name))
    }
}

/// References to the schemas that extend a schema with a discriminator by `allOf`, by the reference
/// to it.
fn children(components: &Value) -> BTreeMap<String, Vec<String>> {
    let mut children: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, schema) in fields(components, "schemas") {
        let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for target in parts.filter_map(|part| part.get("$ref")?.as_str()) {
            let base = target.rsplit_once('/').map_or(target, |(_, name)| name);
            let base = &components["schemas"][pointer::unescaped(base)];
            if base.get("discriminator").is_some() {
                let child = pointer::joined("#/components/schemas", &[name]);
                children.entry(target.to_owned()).or_default().push(child);
            }
        }
    }
    children
}

/// Adds the targets of all references within a value.
fn targets(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|value| targets(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| targets(value, found)),
        _ => {}
    }
}

/// Replaces references into paths by what they lead to, since the path may have been removed. A
/// reference that leads back to itself stays, and leads nowhere.
fn inline(value: &mut Value, paths: &Value, following: &mut Vec<String>) {
    let target = value.get("$ref").and_then(Value::as_str).map(str::to_owned);
    if let Some(target) = target.filter(|it| !following.contains(it))
        && let Some(found) = target.strip_prefix("#/paths").and_then(|it| paths.pointer(it))
    {
        *value = found.clone();
        following.push(target);
        inline(value, paths, following);
        following.pop();
        return;
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(|it| inline(it, paths, following)),
        Value::Array(items) => items.iter_mut().for_each(|it| inline(it, paths, following)),
        _ => {}
    }
}
