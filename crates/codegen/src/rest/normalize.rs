//! Normalization: a published description is rewritten into the subset that the type generator accepts.
//!
//! Real descriptions carry flaws that the generator refuses or, worse, panics at; and it reads
//! constraints into types that then refuse what the service really answers. So the description
//! is taken apart as a plain tree, each flaw by a function of its own, and put together again
//! from what is needed: operations with one JSON answer each, and schemas that say what a
//! value *is* and nothing about what it must not be.

mod bodies;
mod compose;
mod enums;
mod examples;
mod inline;
mod link;
mod lower;
mod media;
pub(super) mod names;
mod operations;
mod parameters;
mod required;
mod responses;
mod schemas;
pub(super) mod tree;
mod unions;
mod warnings;

use std::path::PathBuf;

use serde_json::{Value, json};

pub(crate) use self::enums::NamedEnum;
pub(super) use self::operations::operations_of;
pub(crate) use self::required::RequiredFields;
use self::schemas::Usage;
use self::tree::object_at;
pub(super) use self::tree::resolve;
pub(crate) use self::unions::{Alternative, Branch, Unions};
use self::warnings::Warnings;
use super::model::Operation;
use super::source_map::SourceMap;
use crate::{Diagnostic, Source};

/// A description after normalization.
pub(crate) struct Normalized {
    /// What the type generator gets to read.
    pub(crate) document: Value,
    /// The operations, in the order of their names.
    pub(crate) operations: Vec<Operation>,
    /// The enums that stood in its schemas.
    pub(crate) enums: Vec<NamedEnum>,
    /// The choices between objects.
    pub(crate) unions: Unions,
    /// What must be given of types that are both sent and received.
    pub(crate) required_fields: RequiredFields,
    /// What was left out, and why.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Further files that were read, or should have been.
    pub(crate) files: Vec<PathBuf>,
}

/// Puts all files of a description into one tree. Returns the paths of the others; all of those
/// that are there must be readable.
pub(super) fn link(source: &Source, description: &mut Value) -> Result<Vec<PathBuf>, Diagnostic> {
    let linked = link::link(source, description);
    linked.unreadable.into_iter().next().map_or(Ok(linked.files), Err)
}

/// Normalizes a description.
pub(super) fn normalize(
    source: &Source,
    places: &SourceMap<'_>,
    mut description: Value,
) -> Result<Normalized, Diagnostic> {
    version(source, &description)?;
    let mut warnings = Warnings::new(source, places);
    let linked = link::link(source, &mut description);
    warnings.origins = linked.origins;
    linked.unreadable.into_iter().for_each(|it| warnings.add(it));
    operations::warn_of_demands(&description, &mut warnings);
    examples::loosen(&mut description, &mut warnings);
    lower::lower(&mut description, &mut warnings);
    compose::compose(&mut description, &mut warnings);
    let (operations, paths) = operations::normalize(&description, &mut warnings);

    let named = object_at(&description, &["components", "schemas"]);
    let mut paths = Value::Object(paths);
    let mut schemas = names::name_schemas(named, &mut paths, &mut warnings);
    let received = tree::under("responses", &paths, &schemas);
    let sent = tree::under("requestBody", &paths, &schemas);
    schemas::normalize_paths(&mut paths);
    for (name, schema) in &mut schemas {
        let usage = match (received.contains(name), sent.contains(name)) {
            (true, true) => Usage::Both,
            (true, false) => Usage::Received,
            (false, _) => Usage::Sent,
        };
        schemas::normalize_named(schema, usage);
    }
    names::inline_aliases(&mut schemas, &mut paths);
    tree::keep_used(&paths, &mut schemas);
    let enums = enums::take_out(&mut schemas, &mut paths);
    inline::name_objects(&mut schemas, &mut paths, &enums);
    let unions = unions::take(&mut schemas);
    let required_fields = required::take(&mut schemas);

    let document = json!({
        "openapi": "3.0.3",
        "info": { "title": "", "version": "" },
        "paths": paths,
        "components": { "schemas": schemas },
    });
    Ok(Normalized {
        document,
        operations,
        enums,
        unions,
        required_fields,
        warnings: warnings.finish(),
        files: linked.files,
    })
}

/// 3.0 and what came after it is read; anything else is said plainly.
fn version(source: &Source, description: &Value) -> Result<(), Diagnostic> {
    let version = match description.get("openapi") {
        Some(Value::String(version)) => version.clone(),
        Some(Value::Number(version)) => version.to_string(),
        _ if description.get("swagger").is_some() => {
            return Err(Diagnostic::of_file(
                &source.name,
                "this is a Swagger 2.0 description; only OpenAPI 3.0 to 3.2 is supported",
            ));
        }
        _ => {
            return Err(Diagnostic::of_file(
                &source.name,
                "this is not an OpenAPI description: it has no `openapi` version at the top",
            ));
        }
    };
    if version == "3" || version.starts_with("3.") {
        Ok(())
    } else {
        Err(Diagnostic::of_file(
            &source.name,
            format!("this is an OpenAPI {version} description; only 3.0 to 3.2 is supported"),
        ))
    }
}
