//! Signatures: the types that progenitor gives a description, with rejected schemas and operations
//! left out by bisection.
//!
//! Only two parts of its output are kept: the `types` module and, from each function's signature,
//! the types of parameters, body and response. Its client is discarded: all calls are sent by
//! podqueue's transport.

use std::collections::BTreeMap;

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};
use schemars::schema::{InstanceType, SchemaObject};
use serde_json::{Map, Value, json};
use syn::visit_mut::VisitMut;
use syn::{FnArg, ImplItem, ImplItemFn, Item, Pat, ReturnType, Type};

use super::formats::Formats;
use super::normalize::aliases::inline;
use super::normalize::{NamedEnum, Normalized};
use super::shorten::{Reexports, Shorten};
use super::source_map::SourceMap;
use super::tree::object_at;
use crate::syntax::{argument, is_named};
use crate::{Diagnostic, Source, panic_guard};

/// The parts of progenitor's output that are kept.
pub(super) struct GeneratedTypes {
    /// The items of its `types` module.
    pub(super) types: Vec<Item>,
    /// The signatures, by the names of the operations.
    pub(super) signatures: BTreeMap<String, Signature>,
}

/// The types of one operation. Parameters are named as in the normalized description; the body is
/// the parameter `body`.
pub(super) struct Signature {
    pub(super) parameters: BTreeMap<String, Type>,
    pub(super) response: Type,
    /// The type of an event's data, if a response is a stream of events.
    pub(super) event: Option<Type>,
    /// The types of the responses of success by status; none for those that are not JSON.
    pub(super) successes: Vec<Option<Type>>,
    /// The types of the errors whose body is JSON, with their statuses.
    pub(super) errors: Vec<(String, Type)>,
    /// The type of a line, if the response has a JSON value in each line.
    pub(super) line: Option<Type>,
    /// The type of an item, if the response is a page of a list.
    pub(super) item: Option<Type>,
}

pub(super) fn generate_types(
    source: &Source,
    document: Value,
    enums: &[NamedEnum],
    formats: Formats,
) -> Result<GeneratedTypes, Diagnostic> {
    let fault = |message: String| Diagnostic::of_file(&source.name, message);
    let description: openapiv3::OpenAPI = serde_json::from_value(document)
        .map_err(|error| fault(format!("the description cannot be read: {error}")))?;
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Positional)
        .with_map_type("::std::collections::HashMap")
        .with_derive("PartialEq");
    for item in enums {
        let stand_in = SchemaObject {
            instance_type: Some(InstanceType::String.into()),
            format: Some(item.name.clone()),
            ..SchemaObject::default()
        };
        let path = format!("::podqueue_types::{}", item.name);
        settings.with_conversion(
            stand_in,
            path,
            [TypeImpl::Display, TypeImpl::FromStr].into_iter(),
        );
    }
    for (schema, path) in formats.stand_ins() {
        settings.with_conversion(schema, path, [].into_iter());
    }
    // progenitor panics at unexpected constructs. Normalization should leave none; if it does, the
    // user gets a diagnostic instead of a backtrace.
    let tokens = panic_guard::catch(|| Generator::new(&settings).generate_tokens(&description))
        .map_err(|panic| fault(format!("a schema cannot be turned into a type: {panic}")))?
        .map_err(|error| fault(format!("a schema cannot be turned into a type: {error}")))?;
    let file: syn::File = syn::parse2(tokens)
        .map_err(|error| fault(format!("the generated types do not parse: {error}")))?;
    Ok(split(file))
}

fn split(file: syn::File) -> GeneratedTypes {
    let mut decided = GeneratedTypes { types: Vec::new(), signatures: BTreeMap::new() };
    for item in file.items {
        match item {
            Item::Mod(module) if module.ident == "types" => {
                decided.types = module.content.map(|(_, items)| items).unwrap_or_default();
            }
            Item::Impl(block) if block.trait_.is_none() => {
                for item in block.items {
                    if let ImplItem::Fn(function) = item
                        && function.sig.asyncness.is_some()
                        && let Some(signature) = signature(&function)
                    {
                        decided.signatures.insert(function.sig.ident.to_string(), signature);
                    }
                }
            }
            _ => {}
        }
    }
    decided
}

fn signature(function: &ImplItemFn) -> Option<Signature> {
    let parameters = function
        .sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(name) => {
                    let ty = owned(within_option(&typed.ty));
                    // All bodies are required here, so an `Option` is a body that may be null.
                    let may_be_null = name.ident == "body" && is_named(&typed.ty, "Option");
                    let ty = if may_be_null { syn::parse_quote!(Option<#ty>) } else { ty };
                    Some((name.ident.to_string(), short(ty)))
                }
                _ => None,
            },
            FnArg::Receiver(_) => None,
        })
        .collect();
    let ReturnType::Type(_, result) = &function.sig.output else {
        return None;
    };
    // Result<ResponseValue<T>, Error<E>>
    let response = short(argument(argument(result)?)?.clone());
    Some(Signature {
        parameters,
        response,
        event: None,
        successes: Vec::new(),
        errors: Vec::new(),
        line: None,
        item: None,
    })
}

fn short(mut ty: Type) -> Type {
    Shorten { within_types: false }.visit_type_mut(&mut ty);
    Reexports.visit_type_mut(&mut ty);
    ty
}

/// The type of a builder's field: the parameter's type without its reference.
fn owned(ty: &Type) -> Type {
    match ty {
        Type::Reference(reference) => match &*reference.elem {
            text if is_named(text, "str") => syn::parse_quote!(String),
            inner => inner.clone(),
        },
        other => other.clone(),
    }
}

/// The type of a parameter, without the `Option` of an optional one.
fn within_option(ty: &Type) -> &Type {
    argument(ty).filter(|_| is_named(ty, "Option")).unwrap_or(ty)
}

/// Generates the types of a description by bisection: a schema that progenitor rejects is read as
/// any value, a rejected operation is left out, each with a warning.
pub(super) fn generate_types_or_bisect(
    source: &Source,
    places: &SourceMap<'_>,
    formats: Formats,
    normalized: &mut Normalized,
) -> Result<GeneratedTypes, Diagnostic> {
    let attempt =
        |document: &Value| generate_types(source, document.clone(), &normalized.enums, formats);
    if let Ok(decided) = attempt(&normalized.document) {
        return Ok(decided);
    }
    let mut warnings = Vec::new();
    let mut warn = |pointer: &str, message: String| {
        let (line, column) = places.of_pointer(pointer);
        warnings.push(Diagnostic::new(&source.name, line, column, message));
    };

    let schemas = object_at(&normalized.document, &["components", "schemas"]);
    let names: Vec<_> = schemas.keys().cloned().collect();
    let refused = refused_of(&names, &mut |names| {
        let alone = names.iter().map(|name| (name.clone(), without_others(&schemas[name])));
        attempt(&with_schemas(json!({}), alone.collect())).map(drop)
    });
    let any_value: BTreeMap<_, _> =
        refused.iter().map(|(name, _)| (name.clone(), json!({}))).collect();
    let mut kept = schemas;
    kept.retain(|name, _| !any_value.contains_key(name));
    kept.values_mut().for_each(|schema| inline(schema, &any_value));
    let mut paths = normalized.document["paths"].clone();
    inline(&mut paths, &any_value);
    for (name, reason) in refused {
        warn(
            &format!("#/components/schemas/{name}"),
            format!("the schema {name} is read as any value: {}", reason.message),
        );
    }

    let paths = object_at(&json!({ "paths": paths }), &["paths"]);
    let names: Vec<_> = paths.keys().cloned().collect();
    let within = |names: &[String]| {
        let paths: Map<_, _> = names.iter().map(|it| (it.clone(), paths[it].clone())).collect();
        with_schemas(Value::Object(paths), kept.clone())
    };
    let refused = refused_of(&names, &mut |names| attempt(&within(names)).map(drop));
    for (path, reason) in &refused {
        warn("#/paths", format!("left out {}: {}", called(normalized, path), reason.message));
    }
    let taken: Vec<_> =
        names.into_iter().filter(|name| !refused.iter().any(|(it, _)| it == name)).collect();
    let decided = attempt(&within(&taken))?;
    normalized.operations.retain(|it| decided.signatures.contains_key(&it.name));
    normalized.warnings.extend(warnings);
    Ok(decided)
}

/// The rejected ones of these, with the reason.
fn refused_of<E>(
    items: &[String],
    attempt: &mut impl FnMut(&[String]) -> Result<(), E>,
) -> Vec<(String, E)> {
    match (items, attempt(items)) {
        ([], _) | (_, Ok(())) => Vec::new(),
        ([only], Err(reason)) => vec![(only.clone(), reason)],
        (several, Err(_)) => {
            let (first, second) = several.split_at(several.len() / 2);
            let mut found = refused_of(first, attempt);
            found.extend(refused_of(second, attempt));
            found
        }
    }
}

fn with_schemas(paths: Value, schemas: Map<String, Value>) -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "", "version": "" },
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

/// A schema whose references are replaced by any value.
fn without_others(schema: &Value) -> Value {
    match schema {
        Value::Object(object) if object.get("$ref").is_some_and(Value::is_string) => json!({}),
        Value::Object(object) => {
            object.iter().map(|(key, value)| (key.clone(), without_others(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_others).collect(),
        other => other.clone(),
    }
}

/// The operation of a normalized path, as the description names it.
fn called(normalized: &Normalized, path: &str) -> String {
    let name = path.split('/').nth(1).unwrap_or_default();
    match normalized.operations.iter().find(|operation| operation.name == name) {
        Some(operation) => format!("{} {}", operation.method, operation.path),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::normalize::{link, normalize};
    use crate::rest::read::read_with_places;

    #[test]
    fn bisection_finds_all_rejected_items_in_few_attempts() {
        let items: Vec<_> = (0..1000).map(|number| number.to_string()).collect();
        let mut attempts = 0;
        let found = refused_of(&items, &mut |items| {
            attempts += 1;
            match items.iter().find(|it| ["17", "500"].contains(&it.as_str())) {
                Some(it) => Err(format!("no {it}")),
                None => Ok(()),
            }
        });
        let expected =
            [("17".to_owned(), "no 17".to_owned()), ("500".to_owned(), "no 500".to_owned())];
        assert_eq!(found, expected);
        assert!(attempts < 50, "{attempts}");
    }

    const ANSWER: &str = "200: {content: {application/json: {schema: ";

    /// Normalization removes enums of numbers, so the test adds one afterwards.
    #[test]
    fn rejected_schemas_are_any_value_and_rejected_operations_are_left_out() {
        let text = format!(
            "openapi: 3.0.3
paths:
  /bad: {{get: {{responses: {{{ANSWER}{{type: string}}}}}}}}}}}}}}
  /good: {{get: {{responses: {{{ANSWER}{{$ref: '#/components/schemas/Good'}}}}}}}}}}}}}}
components:
  schemas:
    Good: {{type: object, properties: {{bad: {{$ref: '#/components/schemas/Bad'}}}}}}
    Bad: {{type: object, properties: {{a: {{type: string}}}}}}"
        );
        let source = Source::new("a.yaml", text);
        let Ok((mut description, places)) = read_with_places(&source) else { panic!("it parses") };
        let formats = Formats::default();
        let linked = link(&source, &mut description);
        let Ok(mut normalized) =
            normalize(&source, &places, description, linked, None, formats, &[])
        else {
            panic!("it can be normalized")
        };
        let refused = json!({ "type": "string", "enum": [1, 1] });
        normalized.document["components"]["schemas"]["Bad"] = refused.clone();
        normalized.document["paths"]["/get_bad"]["get"]["responses"]["2XX"]["content"]["application/json"]
            ["schema"] = refused;
        let Ok(decided) = generate_types_or_bisect(&source, &places, formats, &mut normalized)
        else {
            panic!("most of it has types")
        };
        assert_eq!(decided.signatures.keys().collect::<Vec<_>>(), ["get_good"]);
        assert_eq!(normalized.operations.len(), 1);
        let warnings: Vec<_> = normalized.warnings.iter().map(|it| it.message.as_str()).collect();
        assert!(warnings[0].starts_with("the schema Bad is read as any value: "), "{warnings:?}");
        assert!(warnings[1].starts_with("left out GET /bad: "), "{warnings:?}");
    }
}
