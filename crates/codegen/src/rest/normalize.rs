//! Normalization: a published description is rewritten into the subset that the type generator
//! accepts.
//!
//! Published descriptions contain constructs that progenitor rejects or, worse, panics at, and
//! constraints that it turns into types that refuse what the service really sends. Each pass
//! removes one kind of construct from the JSON tree. The result contains only what the types need:
//! operations with one JSON response each, and schemas that say what a value *is* and nothing about
//! what it must not be.

pub(super) mod aliases;
mod bodies;
mod compose;
mod enums;
mod examples;
mod inline;
mod integers;
mod link;
mod lower;
mod names;
mod operations;
mod paging;
mod parameters;
mod required;
mod responses;
mod schemas;
mod secret_fields;
pub(super) mod select;
mod union_marks;
mod warnings;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

pub(super) use self::compose::DEPTH as MOST_UNIONS;
pub(crate) use self::enums::NamedEnum;
pub(super) use self::integers::fits_no_type;
pub(super) use self::link::{Linked, link};
pub(crate) use self::required::{OptionalNulls, RequiredFields};
use self::schemas::Usage;
pub(crate) use self::secret_fields::SecretFields;
pub(crate) use self::union_marks::{Alternative, Branch, Unions};
pub(crate) use self::warnings::Origins;
use self::warnings::Warnings;
use super::formats::Formats;
use super::media;
use super::model::Operation;
use super::pages::Pages;
use super::source_map::SourceMap;
use super::tree::{self, object_at};
use crate::{Diagnostic, Source};

/// Properties of fields that schemas state beyond their types, by the names of the types.
pub(crate) struct FieldRecords {
    /// The required fields of types that are received.
    pub(crate) required: RequiredFields,
    /// The fields that may be absent or null.
    pub(crate) optional_nulls: OptionalNulls,
    /// The fields that are secret by their format.
    pub(crate) secret: SecretFields,
}

/// A description after normalization.
pub(crate) struct Normalized {
    /// The input of the type generator.
    pub(crate) document: Value,
    /// The operations, in the order of their names.
    pub(crate) operations: Vec<Operation>,
    /// The enums extracted from its schemas.
    pub(crate) enums: Vec<NamedEnum>,
    /// The discriminated unions.
    pub(crate) unions: Unions,
    /// Properties of the fields, beyond their types.
    pub(crate) fields: FieldRecords,
    /// The unsupported constructs, with the reason.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The names of the types of named schemas, by the places of the schemas.
    pub(crate) names: BTreeMap<String, String>,
    pub(crate) origins: Origins,
    /// The keys of the operations that were not selected.
    pub(crate) left_out: BTreeSet<Vec<String>>,
    /// The selectors that select no operation.
    pub(crate) unmatched: Vec<select::Unmatched>,
}

/// The name of the media type that a call sends a body as.
pub(super) fn sent_media(description: &Value, body: &Value) -> Option<String> {
    let chosen = bodies::chosen(description, &media::offered(description, body));
    chosen.into_iter().next().map(|it| it.name)
}

/// Makes a linked description one for the fake: it permits what calls send.
pub(super) fn permit_fractions(description: &mut Value) {
    examples::permit_fractions(description);
}

/// A linked description without the operations of these keys, and without the components that nothing
/// refers to then.
pub(super) fn without(mut description: Value, left_out: &BTreeSet<Vec<String>>) -> Value {
    let all = operations::names(&description).into_iter().map(|it| it.keys);
    let selected = all.filter(|keys| !left_out.contains(keys)).collect();
    select::prune(&mut description, &selected);
    description
}

/// Normalizes a description whose files are linked, or the part of it that the selectors of `only`
/// select.
pub(super) fn normalize(
    source: &Source,
    places: &SourceMap<'_>,
    mut description: Value,
    linked: Linked,
    only: Option<&[String]>,
    formats: Formats,
    pages: &[(String, Pages)],
) -> Result<Normalized, Diagnostic> {
    version(source, &description)?;
    let mut warnings = Warnings::new(source, places);
    warnings.origins = linked.origins;
    linked.unreadable.into_iter().chain(linked.misplaced).for_each(|it| warnings.add(it));
    let calls = operations::names(&description);
    let mut all_schemas = BTreeSet::new();
    let mut left_out = BTreeSet::new();
    let mut unmatched = Vec::new();
    if let Some(selectors) = only {
        let selected;
        (selected, unmatched) = select::select(&calls, selectors, &warnings);
        all_schemas = object_at(&description, &["components", "schemas"]).keys().cloned().collect();
        left_out = calls.iter().map(|it| it.keys.clone()).collect();
        left_out.retain(|keys| !selected.contains(keys));
        select::prune(&mut description, &selected);
    }
    let mut stated: BTreeMap<Vec<String>, &Pages> = BTreeMap::new();
    for (index, (selector, pages)) in pages.iter().enumerate() {
        let (found, unknown) = select::select(&calls, std::slice::from_ref(selector), &warnings);
        for keys in found {
            if stated.get(&keys).is_some_and(|it| *it != pages) {
                let message = format!(
                    "the pages that are stated for {selector:?} are not those that another selector \
                     of this operation states; state one of them"
                );
                return Err(warnings.diagnostic(&keys, &message));
            }
            stated.insert(keys, pages);
        }
        let index = only.map_or(0, <[_]>::len) + index;
        unmatched.extend(unknown.into_iter().map(|it| select::Unmatched { index, ..it }));
    }
    aliases::shorten(&mut description, &mut warnings);
    operations::warn_of_demands(&description, &mut warnings);
    examples::loosen(&mut description, &mut warnings);
    integers::decide(&mut description, &mut warnings);
    lower::lower(&mut description, formats, &mut warnings);
    compose::compose(&mut description, &all_schemas, &mut warnings);
    let (operations, paths) = operations::normalize(&description, &calls, &stated, &mut warnings)?;

    let named = object_at(&description, &["components", "schemas"]);
    let mut paths = Value::Object(paths);
    let (mut schemas, names) = names::name_schemas(named, &all_schemas, &mut paths, &mut warnings);
    let received = tree::under("responses", &paths, &schemas);
    let sent = tree::under("requestBody", &paths, &schemas);
    required::mark_optional_nulls(&mut schemas, &mut paths);
    secret_fields::mark(&mut schemas, &mut paths);
    schemas::normalize_paths(&mut paths);
    for (name, schema) in &mut schemas {
        let usage = match (received.contains(name), sent.contains(name)) {
            (true, true) => Usage::Both,
            (true, false) => Usage::Received,
            (false, _) => Usage::Sent,
        };
        schemas::normalize_named(schema, usage);
    }
    aliases::inline_type_aliases(&mut schemas, &mut paths);
    tree::keep_used(&paths, &mut schemas);
    let enums = enums::extract(&mut schemas, &mut paths);
    let items = operations.iter().filter_map(|it| it.paging.as_ref());
    let items = items.map(|(_, name)| name.as_str()).collect();
    inline::name_objects(&mut schemas, &mut paths, &enums, &items);
    let unions = union_marks::extract(&mut schemas);
    let (required, optional_nulls) = required::extract(&mut schemas);
    let secret = secret_fields::extract(&mut schemas);

    let document = json!({
        "openapi": "3.0.3",
        "info": { "title": "", "version": "" },
        "paths": paths,
        "components": { "schemas": schemas },
    });
    let (warnings, origins) = warnings.finish();
    Ok(Normalized {
        document,
        operations,
        enums,
        unions,
        fields: FieldRecords { required, optional_nulls, secret },
        warnings,
        names,
        origins,
        left_out,
        unmatched,
    })
}

/// Refuses all versions but 3.x.
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
