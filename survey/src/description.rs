//! Descriptions as somebody else's parser reads them, and what they say.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Failure;
use crate::yaml::Tree;

const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// The descriptions among files, and in folders at any depth. Files without an `openapi` version 3
/// are not descriptions.
pub fn find(places: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for place in places {
        if !place.is_dir() {
            found.push(place.clone());
            continue;
        }
        let entries = std::fs::read_dir(place)?.map(|entry| Ok(entry?.path()));
        let mut entries = entries.collect::<Result<Vec<_>, std::io::Error>>()?;
        entries.sort();
        entries.retain(|path| path.is_dir() || is_description(path));
        found.extend(find(&entries)?);
    }
    Ok(found)
}

fn is_description(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let says_version = |key: &str| {
        text.split(key)
            .nth(1)
            .is_some_and(|it| it.trim_start_matches([' ', ':', '\'', '"']).starts_with('3'))
    };
    match extension {
        "json" => says_version("\"openapi\""),
        "yaml" | "yml" => {
            text.lines().any(|line| line.starts_with("openapi:")) && says_version("openapi:")
        }
        _ => false,
    }
}

/// Reads a description with a parser that is not the generator's.
pub fn read(path: &Path) -> Result<Value, Failure> {
    let text = std::fs::read_to_string(path)?;
    if path.extension().is_some_and(|it| it == "json") {
        return Ok(serde_json::from_str(text.trim_start_matches('\u{feff}'))?);
    }
    let Tree(mut tree) = yaml_serde::from_str(&text)?;
    tree.apply_merge()?;
    Ok(serde_json::to_value(tree)?)
}

/// The operations of a description, as `GET /pods/{id}`.
pub fn operations(description: &Value) -> BTreeSet<String> {
    described(description).into_iter().map(|(operation, ..)| operation).collect()
}

/// The operations of a description, each with its path item and its own description.
pub fn described(description: &Value) -> Vec<(String, &Value, &Value)> {
    let mut operations = Vec::new();
    for (path, item) in description["paths"].as_object().into_iter().flatten() {
        if path.starts_with("x-") {
            continue;
        }
        let item = resolve(description, item);
        for method in METHODS.iter().filter(|it| item.get(**it).is_some()) {
            let described = resolve(description, &item[*method]);
            operations.push((format!("{} {path}", method.to_uppercase()), item, described));
        }
        for (method, it) in item["additionalOperations"].as_object().into_iter().flatten() {
            operations.push((format!("{method} {path}"), item, resolve(description, it)));
        }
    }
    operations
}

/// What a local reference leads to; the value itself if it is no reference, null if it leads nowhere.
pub fn resolve<'a>(description: &'a Value, mut value: &'a Value) -> &'a Value {
    for _ in 0..16 {
        let Some(target) = value["$ref"].as_str() else { return value };
        let pointer = target.strip_prefix('#').unwrap_or("/ elsewhere").replace("%20", " ");
        value = description.pointer(&pointer).unwrap_or(&Value::Null);
    }
    value
}

/// Whether an operation is known, as it is described or as it goes out: without what is no path. A
/// path that is left out as a whole is known by itself.
pub fn is_known(operation: &str, known: impl Fn(&str) -> bool) -> bool {
    let (method, path) = operation.split_once(' ').unwrap_or(("", operation));
    let sent = path_alone(path);
    let slash = if sent.starts_with('/') { "" } else { "/" };
    [operation, &format!("{method} {slash}{sent}"), path].into_iter().any(known)
}

/// A path without its query and its fragment. Within braces both are part of a name.
fn path_alone(path: &str) -> &str {
    let mut within = false;
    let end = path.char_indices().find(|(place, it)| {
        within = match it {
            '{' => within || path[*place..].contains('}'),
            '}' => false,
            _ => within,
        };
        !within && ['?', '#'].contains(it)
    });
    &path[..end.map_or(path.len(), |(place, _)| place)]
}

/// The schema of a response of an operation.
pub fn response_schema<'a>(
    description: &'a Value,
    operation: &str,
    status: u16,
    media: &str,
) -> &'a Value {
    let (method, path) = operation.split_once(' ').unwrap_or_default();
    let item = resolve(description, &description["paths"][path]);
    let responses = &item[method.to_lowercase()]["responses"];
    let keys = [status.to_string(), "2XX".to_owned(), "default".to_owned()];
    let response = keys.iter().map(|key| &responses[key]).find(|it| !it.is_null());
    let content = &resolve(description, response.unwrap_or(&Value::Null))["content"];
    schema_of(content, media)
}

/// The schema of the body of an operation.
pub fn body_schema<'a>(description: &'a Value, operation: &str, media: &str) -> &'a Value {
    let (method, path) = operation.split_once(' ').unwrap_or_default();
    let item = resolve(description, &description["paths"][path]);
    let body = resolve(description, &item[method.to_lowercase()]["requestBody"]);
    schema_of(&body["content"], media)
}

fn schema_of<'a>(content: &'a Value, media: &str) -> &'a Value {
    let bare = |it: &str| it.split(';').next().unwrap_or_default().trim().to_owned();
    let same = content.as_object().into_iter().flatten().find(|(it, _)| bare(it) == bare(media));
    same.map_or(&Value::Null, |(_, content)| &content["schema"])
}

/// Whether a schema has a place for a value: `/items/0/name`. Any of several alternatives will do.
pub fn has_place(description: &Value, schema: &Value, place: &str) -> bool {
    let Some(place) = place.strip_prefix('/') else { return true };
    let (key, rest) = place.find('/').map_or((place, ""), |at| (&place[..at], &place[at..]));
    let mut schema = schema;
    for _ in 0..16 {
        let parts =
            ["allOf", "oneOf", "anyOf"].iter().flat_map(|it| schema[*it].as_array()).flatten();
        let next = [&schema["properties"][key], &schema["additionalProperties"]];
        let item = key.parse::<usize>().is_ok().then_some(&schema["items"]);
        let mut next = next.into_iter().chain(item).filter(|it| it.is_object());
        if next.any(|it| has_place(description, it, rest)) {
            return true;
        }
        if parts.into_iter().any(|it| has_place(description, it, &format!("/{place}"))) {
            return true;
        }
        if !schema["$ref"].is_string() {
            return false;
        }
        schema = resolve(description, schema);
    }
    false
}
