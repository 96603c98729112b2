//! Makes a description as it is in the wild into one that the type generator takes.
//!
//! Real descriptions carry flaws that the generator refuses or, worse, panics at; and it reads
//! constraints into types that then refuse what the service really answers. So the description
//! is taken apart as a plain tree, each flaw by a function of its own, and put together again
//! from what is needed: operations with one JSON answer each, and schemas that say what a
//! value *is* and nothing about what it must not be.

mod compose;
mod enums;
mod inline;
mod lower;
mod operations;
mod parameters;
mod places;
mod references;
mod schemas;

use serde_json::{Map, Value, json};

pub(crate) use self::enums::NamedEnum;
pub(super) use self::references::inline;
use super::model::Operation;
use super::place;
use crate::{Diagnostic, Source};

/// A description after mending.
pub(crate) struct Mended {
    /// What the type generator gets to read.
    pub(crate) document: Value,
    /// The operations, in the order of their names.
    pub(crate) operations: Vec<Operation>,
    /// The enums that stood in its schemas.
    pub(crate) enums: Vec<NamedEnum>,
    /// What was left out, and why.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Mends a description.
pub(crate) fn mend(source: &Source, mut description: Value) -> Result<Mended, Diagnostic> {
    version(source, &description)?;
    let mut notes = Notes { source, warnings: Vec::new() };
    lower::lower(&mut description, &mut notes);
    compose::compose(&mut description);
    let (operations, paths) = operations::mend(&description, &mut notes);

    let named = object_at(&description, &["components", "schemas"]);
    let mut paths = Value::Object(paths);
    let mut schemas = references::name_schemas(&description, named, &mut paths, &mut notes);
    let answered = schemas::answered(&paths, &schemas);
    schemas::mend_paths(&mut paths);
    for (name, schema) in &mut schemas {
        schemas::mend_named(schema, answered.contains(name));
    }
    references::inline_aliases(&mut schemas, &mut paths);
    schemas::keep_used(&paths, &mut schemas);
    let enums = enums::take_out(&mut schemas, &mut paths);
    inline::name_objects(&mut schemas, &mut paths, &enums);

    let document = json!({
        "openapi": "3.0.3",
        "info": { "title": "", "version": "" },
        "paths": paths,
        "components": { "schemas": schemas },
    });
    Ok(Mended { document, operations, enums, warnings: notes.warnings })
}

/// 3.0 and what came after it is read; anything else is said plainly.
fn version(source: &Source, description: &Value) -> Result<(), Diagnostic> {
    let version = match description.get("openapi") {
        Some(Value::String(version)) => version.clone(),
        Some(Value::Number(version)) => version.to_string(),
        _ if description.get("swagger").is_some() => {
            return Err(Diagnostic::of_file(
                &source.name,
                "this is a Swagger 2.0 description; OpenAPI 3.0 and 3.1 are what can be read",
            ));
        }
        _ => {
            return Err(Diagnostic::of_file(
                &source.name,
                "this is no OpenAPI description: it has no `openapi` version at its top",
            ));
        }
    };
    if version == "3" || version.starts_with("3.") {
        Ok(())
    } else {
        Err(Diagnostic::of_file(
            &source.name,
            format!("this is an OpenAPI {version} description; 3.0 and 3.1 are what can be read"),
        ))
    }
}

/// Collects what could not be expressed.
struct Notes<'a> {
    source: &'a Source,
    warnings: Vec<Diagnostic>,
}

impl Notes<'_> {
    /// About what keys lead to.
    fn warn(&mut self, keys: &[String], message: String) {
        let (line, column) = place::of(&self.source.text, keys);
        self.warnings.push(Diagnostic::new(&self.source.name, line, column, message));
    }

    /// About the first `$ref` to a target.
    fn warn_of_reference(&mut self, target: &str, message: String) {
        let (line, column) = place::of_reference(&self.source.text, target);
        self.warnings.push(Diagnostic::new(&self.source.name, line, column, message));
    }
}

/// Follows `$ref`s to another place of the same document, a limited number of times because
/// two of them may point at each other.
fn resolve<'a>(description: &'a Value, mut value: &'a Value) -> Option<&'a Value> {
    for _ in 0..32 {
        match value.get("$ref") {
            Some(Value::String(target)) => {
                value = description.pointer(target.strip_prefix('#')?)?;
            }
            _ => return Some(value),
        }
    }
    None
}

pub(super) fn object_at(value: &Value, path: &[&str]) -> Map<String, Value> {
    path.iter()
        .try_fold(value, |value, key| value.get(key))
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

fn text_at(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}
