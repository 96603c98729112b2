//! Aliases: named schemas that are a reference to another one and nothing else.
//!
//! A chain of aliases is shortened, so that each leads to its end in one step: following it again and
//! again would take time that is quadratic in its length. A chain without an end has no type.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::warnings::Warnings;
use crate::rest::pointer::joined;
use crate::rest::tree::{PREFIX, fields, is_annotation};

/// Makes each alias refer to the end of its chain, and warns of chains that have none.
pub(super) fn shorten(description: &mut Value, warnings: &mut Warnings<'_>) {
    let aliases: BTreeMap<String, String> = fields(&description["components"], "schemas")
        .filter_map(|(name, schema)| Some((place(name), target(schema)?.to_owned())))
        .collect();
    let mut ends: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut cycles = Vec::new();
    for start in aliases.keys() {
        let (mut chain, mut met) = (Vec::new(), BTreeSet::new());
        let mut at = start.as_str();
        let end = loop {
            if let Some(end) = ends.get(at) {
                break *end;
            }
            if !met.insert(at) {
                let cycle = chain.iter().position(|it| *it == at).unwrap_or_default();
                cycles.push(chain[cycle..].to_vec());
                break None;
            }
            match aliases.get(at) {
                Some(next) => {
                    chain.push(at);
                    at = next;
                }
                None => break Some(at),
            }
        };
        ends.extend(chain.into_iter().map(|it| (it, end)));
    }
    for cycle in cycles {
        const SHOWN: usize = 3;
        let names: Vec<_> = cycle.iter().map(|it| it.trim_start_matches(PREFIX)).collect();
        let (shown, of) = (names[..names.len().min(SHOWN)].join(", "), names.len());
        let what = match of {
            1 => format!("{shown} refers to itself only"),
            ..=SHOWN => format!("{shown} refer to each other only"),
            _ => format!("{shown} and {} more refer to each other only", of - SHOWN),
        };
        let keys = ["components", "schemas", names[0]].map(str::to_owned);
        warnings.warn(&keys, format!("{what}, which is no type; a value of it may be any JSON"));
    }
    let Some(schemas) = description.pointer_mut("/components/schemas") else { return };
    for (name, schema) in schemas.as_object_mut().into_iter().flatten() {
        match ends.get(place(name).as_str()) {
            Some(Some(end)) => point_at(schema, end),
            Some(None) => *schema = json!({}),
            None => {}
        }
    }
}

fn place(name: &str) -> String {
    joined("#/components/schemas", &[name])
}

/// The target of an alias: of a reference, or of an `allOf` of one.
fn target(schema: &Value) -> Option<&str> {
    let keywords = schema.as_object()?;
    let mut says = keywords.keys().filter(|key| !is_annotation(key));
    match (says.next()?.as_str(), says.next()) {
        ("$ref", None) => schema.get("$ref")?.as_str(),
        ("allOf", None) => match schema.get("allOf")?.as_array()?.as_slice() {
            [only] => target(only),
            _ => None,
        },
        _ => None,
    }
}

fn point_at(schema: &mut Value, end: &str) {
    if schema.get("$ref").is_some() {
        schema["$ref"] = json!(end);
    } else if let Some(only) = schema.get_mut("allOf").and_then(|it| it.get_mut(0)) {
        point_at(only, end);
    }
}
