//! Published descriptions: their files, and the facts about one that the survey compares generated
//! code with.
//!
//! Text, references to other files and the list of operations are read by the generator's own
//! reader. A second reader here would repeat it, and is not needed to find its mistakes: the mock
//! server of `--drive` reads the same files with an independent parser and model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use podqueue_codegen::__private::openapi::{fields, split};
use podqueue_codegen::__private::{linked, openapi};
use podqueue_codegen::Source;
use serde_json::Value;

use crate::Failure;

/// The descriptions among files, and in folders at any depth: files with an `openapi` version 3.
/// Unlike a build script, it does not parse the other files of a folder, of which a collection has
/// thousands.
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

/// Reads a description with all of its files.
pub fn read(path: &Path) -> Result<Value, Failure> {
    Ok(linked(&Source::read(path)?)?.0)
}

/// The operations of a description, as `GET /pods/{id}`.
pub fn operations(description: &Value) -> BTreeSet<String> {
    openapi::operations(description).map(|it| it.name()).collect()
}

/// Target of a local reference; the value itself if it is no reference, null if unresolved.
pub fn resolve<'a>(description: &'a Value, value: &'a Value) -> &'a Value {
    openapi::resolve(description, value).unwrap_or(&Value::Null)
}

/// Returns true if an operation is known by its described path, by the path that is sent (without
/// query and fragment), or as part of a path item that is left out as a whole.
pub fn is_known(operation: &str, known: impl Fn(&str) -> bool) -> bool {
    let (method, path) = operation.split_once(' ').unwrap_or(("", operation));
    let (sent, _) = split(path);
    let slash = if sent.starts_with('/') { "" } else { "/" };
    [operation, &format!("{method} {slash}{sent}"), path].into_iter().any(known)
}

/// The schema of a response of an operation.
pub fn response_schema<'a>(
    description: &'a Value,
    operation: &str,
    status: u16,
    media: &str,
) -> &'a Value {
    let responses = &described(description, operation)["responses"];
    let keys = [status.to_string(), "2XX".to_owned(), "default".to_owned()];
    let response = keys.iter().map(|key| &responses[key]).find(|it| !it.is_null());
    schema_of(description, resolve(description, response.unwrap_or(&Value::Null)), media)
}

/// The schema of the body of an operation.
pub fn body_schema<'a>(description: &'a Value, operation: &str, media: &str) -> &'a Value {
    let body = &described(description, operation)["requestBody"];
    schema_of(description, resolve(description, body), media)
}

/// The operation of this name, such as `GET /pods/{id}`; null if there is none.
fn described<'a>(description: &'a Value, operation: &str) -> &'a Value {
    let found = openapi::operations(description).find(|it| it.name() == operation);
    found.map_or(&Value::Null, |it| it.operation)
}

/// The schema of a media type, whose parameters are ignored.
fn schema_of<'a>(description: &'a Value, of: &'a Value, media: &str) -> &'a Value {
    let bare = |it: &str| it.split(';').next().unwrap_or_default().trim().to_owned();
    let same = fields(of, "content").find(|(it, _)| bare(it) == bare(media));
    same.and_then(|(it, _)| openapi::schema(description, of, it)).unwrap_or(&Value::Null)
}

/// How many alternatives within each other are searched for a field: a type may extend the union
/// that it is a branch of, without an end.
const NESTED: usize = 12;

/// Returns true if a schema describes a JSON pointer such as `/items/0/name`, in any of its
/// alternatives.
pub fn has_place(description: &Value, schema: &Value, place: &str) -> bool {
    has_place_within(description, schema, place, NESTED)
}

fn has_place_within(description: &Value, schema: &Value, place: &str, nested: usize) -> bool {
    let Some(nested) = nested.checked_sub(1) else { return false };
    let has_place = |schema: &Value, place: &str, nested: usize| {
        has_place_within(description, schema, place, nested)
    };
    let Some(place) = place.strip_prefix('/') else { return true };
    let (key, rest) = place.find('/').map_or((place, ""), |at| (&place[..at], &place[at..]));
    let mut schema = schema;
    for _ in 0..16 {
        let parts =
            ["allOf", "oneOf", "anyOf"].iter().flat_map(|it| schema[*it].as_array()).flatten();
        let next = [&schema["properties"][key], &schema["additionalProperties"]];
        let item = key.parse::<usize>().is_ok().then_some(&schema["items"]);
        let mut next = next.into_iter().chain(item).filter(|it| it.is_object());
        if next.any(|it| has_place(it, rest, NESTED)) {
            return true;
        }
        if parts.into_iter().any(|it| has_place(it, &format!("/{place}"), nested)) {
            return true;
        }
        if !schema["$ref"].is_string() {
            return false;
        }
        schema = resolve(description, schema);
    }
    false
}
