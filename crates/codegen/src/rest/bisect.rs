//! One schema that cannot be turned into a type must not cost all the others.
//!
//! The type generator takes a description or refuses it; it seldom says for what. So what it
//! refuses is halved until there is nothing left to halve.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::normalize::Normalized;
use super::normalize::aliases::inline;
use super::normalize::tree::object_at;
use super::signatures::{self, Decided};
use super::source_map::SourceMap;
use crate::{Diagnostic, Source};

/// Decides the types of a description. A schema that has none is read as any value, an operation
/// that has none is left out; a warning names each.
pub(super) fn decide(
    source: &Source,
    places: &SourceMap<'_>,
    normalized: &mut Normalized,
) -> Result<Decided, Diagnostic> {
    let attempt =
        |document: &Value| signatures::decide(source, document.clone(), &normalized.enums);
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
    let refused = refused(&names, &mut |names| {
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
    let refused = self::refused(&names, &mut |names| attempt(&within(names)).map(drop));
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

/// Which of these are refused, and why.
fn refused<E>(
    items: &[String],
    attempt: &mut impl FnMut(&[String]) -> Result<(), E>,
) -> Vec<(String, E)> {
    match (items, attempt(items)) {
        ([], _) | (_, Ok(())) => Vec::new(),
        ([only], Err(reason)) => vec![(only.clone(), reason)],
        (several, Err(_)) => {
            let (first, second) = several.split_at(several.len() / 2);
            let mut found = refused(first, attempt);
            found.extend(refused(second, attempt));
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

/// A schema as it would be if all that it refers to were any value.
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

/// The operation of a normalized path, as the description writes it.
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
    use crate::rest::normalize::normalize;
    use crate::rest::read::read_with_places;

    #[test]
    fn halving_finds_all_that_is_refused_in_few_attempts() {
        let items: Vec<_> = (0..1000).map(|number| number.to_string()).collect();
        let mut attempts = 0;
        let found = refused(&items, &mut |items| {
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

    /// No normalization lets an enum of a number by; it is put in afterwards.
    #[test]
    fn what_the_type_generator_refuses_is_any_value_or_left_out() {
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
        let Ok((description, places)) = read_with_places(&source) else { panic!("it parses") };
        let Ok(mut normalized) = normalize(&source, &places, description) else {
            panic!("it can be normalized")
        };
        let refused = json!({ "type": "string", "enum": [1, 1] });
        normalized.document["components"]["schemas"]["Bad"] = refused.clone();
        normalized.document["paths"]["/get_bad"]["get"]["responses"]["2XX"]["content"]["application/json"]
            ["schema"] = refused;
        let Ok(decided) = decide(&source, &places, &mut normalized) else {
            panic!("most of it has types")
        };
        assert_eq!(decided.signatures.keys().collect::<Vec<_>>(), ["get_good"]);
        assert_eq!(normalized.operations.len(), 1);
        let warnings: Vec<_> = normalized.warnings.iter().map(|it| it.message.as_str()).collect();
        assert!(warnings[0].starts_with("the schema Bad is read as any value: "), "{warnings:?}");
        assert!(warnings[1].starts_with("left out GET /bad: "), "{warnings:?}");
    }
}
