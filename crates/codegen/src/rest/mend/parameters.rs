//! Flaws of parameters.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::references::resolve;
use super::tree::{is_true, text_at};
use crate::naming;
use crate::rest::model::{Parameter, Piece, Place, pieces};

/// Fields and methods that every builder has.
pub(super) const BUILDERS_OWN: [&str; 9] =
    ["rest", "body", "changes", "null", "set", "timeout", "send", "clone", "into_future"];

/// The parameters of an operation and their schemas, path parameters first in the order of the
/// path, then the others in the order of the description.
pub(super) fn mend(
    description: &Value,
    path: &str,
    item: &Value,
    operation: &Value,
    names: &mut HashSet<String>,
    warnings: &mut Vec<String>,
) -> Result<Vec<(Parameter, Value)>, String> {
    let declared = declared(description, item, operation, warnings);
    let mut mended = Vec::new();
    for wire in path_names(path) {
        let parameter = declared
            .iter()
            .find(|parameter| place(parameter) == "path" && text_at(parameter, "name") == wire);
        mended.push((
            Parameter {
                name: naming::unique(names, naming::snake(wire)),
                wire: wire.to_owned(),
                place: Place::Path,
                required: true,
                separator: None,
                media: None,
                description: parameter.map(|it| text_at(it, "description")).unwrap_or_default(),
            },
            scalar(description, parameter.copied()),
        ));
    }
    for parameter in declared {
        let wire = text_at(parameter, "name");
        let required = is_true(parameter, "required");
        let place = match place(parameter) {
            "query" => Place::Query,
            "header" if is_set_elsewhere(&wire) => continue,
            "header" => Place::Header,
            "path" if path_names(path).any(|name| name == wire) => continue,
            other => {
                let reason = match other {
                    "path" => format!("the path has no place for the parameter {wire}"),
                    _ => format!("{wire} is a {other} parameter, which cannot be sent"),
                };
                if required && other != "path" {
                    return Err(reason);
                }
                warnings.push(reason);
                continue;
            }
        };
        let Some(schema) = sendable(description, parameter, place) else {
            let reason = format!("the parameter {wire} is an object, which cannot be sent");
            if required {
                return Err(reason);
            }
            warnings.push(reason);
            continue;
        };
        mended.push((
            Parameter {
                name: naming::unique(names, naming::snake(&wire)),
                wire,
                place,
                required,
                separator: separator(parameter, &schema),
                media: None,
                description: text_at(parameter, "description"),
            },
            schema,
        ));
    }
    Ok(mended)
}

/// A list is one parameter for each value unless its style says otherwise.
fn separator(parameter: &Value, schema: &Value) -> Option<&'static str> {
    let style = parameter.get("style").and_then(Value::as_str).unwrap_or("form");
    let explode = parameter.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
    let is_list = schema.get("type").and_then(Value::as_str) == Some("array");
    match style {
        _ if explode || !is_list => None,
        "form" => Some(","),
        "spaceDelimited" => Some(" "),
        "pipeDelimited" => Some("|"),
        _ => None,
    }
}

/// Flaw: parameters at the path and again, differently, at the operation, which wins. And
/// references to parameters that there are not.
fn declared<'a>(
    description: &'a Value,
    item: &'a Value,
    operation: &'a Value,
    warnings: &mut Vec<String>,
) -> Vec<&'a Value> {
    let mut list = |value: &'a Value| {
        let all = value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let resolved = all.filter_map(|parameter| {
            let found = resolve(description, parameter);
            if found.is_none() {
                let target = text_at(parameter, "$ref");
                warnings.push(format!("left out a parameter: {target} leads nowhere"));
            }
            found
        });
        resolved.collect::<Vec<_>>()
    };
    let key = |parameter: &Value| (place(parameter).to_owned(), text_at(parameter, "name"));
    let own = list(operation);
    let mut shared = list(item);
    shared.retain(|shared| !own.iter().any(|it| key(it) == key(shared)));
    let mut seen = HashSet::new();
    shared.into_iter().chain(own).filter(|parameter| seen.insert(key(parameter))).collect()
}

fn place(parameter: &Value) -> &str {
    parameter.get("in").and_then(Value::as_str).unwrap_or("query")
}

fn path_names(path: &str) -> impl Iterator<Item = &str> {
    let mut seen = HashSet::new();
    pieces(path).into_iter().filter_map(move |piece| match piece {
        Piece::Parameter(name) => seen.insert(name).then_some(name),
        Piece::Literal(_) => None,
    })
}

/// OpenAPI says that header parameters of these names shall be ignored: they follow from the
/// body and from the security scheme.
fn is_set_elsewhere(header: &str) -> bool {
    ["accept", "content-type", "authorization"].contains(&header.to_ascii_lowercase().as_str())
}

/// Flaw: a path parameter that is not required, has no declaration at all, or is more than a
/// scalar. Whatever it is, it is sent as text.
fn scalar(description: &Value, parameter: Option<&Value>) -> Value {
    parameter
        .and_then(|parameter| parameter.get("schema"))
        .filter(|schema| is_scalar(description, schema))
        .cloned()
        .unwrap_or_else(|| json!({ "type": "string" }))
}

/// Flaw: objects in a query (deepObject), whose form on the wire is anybody's guess. Scalars and
/// lists of scalars can be sent; a parameter that has a media type in place of a schema is text,
/// and so is one of several types.
fn sendable(description: &Value, parameter: &Value, place: Place) -> Option<Value> {
    let text = json!({ "type": "string" });
    let Some(schema) = parameter.get("schema") else {
        return Some(text);
    };
    if is_scalar(description, schema) {
        return Some(schema.clone());
    }
    let resolved = followed(description, schema)?;
    if let Some(Value::Array(shapes)) = resolved.get("oneOf") {
        let is_list = |it: &Value| is_list_of_scalars(description, it);
        let all_sendable = shapes.iter().all(|it| is_list(it) || is_scalar(description, it));
        return match shapes.iter().any(is_list) {
            _ if !all_sendable => None,
            true if place == Place::Query => Some(json!({ "type": "array", "items": text })),
            true => None,
            false => Some(text),
        };
    }
    let says_nothing =
        ["type", "properties", "items"].iter().all(|key| resolved.get(key).is_none());
    if says_nothing {
        return Some(text);
    }
    (place == Place::Query && is_list_of_scalars(description, resolved)).then(|| schema.clone())
}

fn is_list_of_scalars(description: &Value, schema: &Value) -> bool {
    let Some(schema) = followed(description, schema) else { return false };
    schema.get("type").and_then(Value::as_str) == Some("array")
        && schema.get("items").is_some_and(|item| is_scalar(description, item))
}

fn is_scalar(description: &Value, schema: &Value) -> bool {
    let Some(schema) = followed(description, schema) else {
        return false;
    };
    match schema.get("type").and_then(Value::as_str) {
        Some(kind) => ["string", "integer", "number", "boolean"].contains(&kind),
        None => schema.get("enum").is_some(),
    }
}

/// The schema that a reference leads to, also of one with words beside it.
pub(super) fn followed<'a>(description: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let schema = resolve(description, schema)?;
    match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => resolve(description, only),
        _ => Some(schema),
    }
}
