//! Parameters of a path, and of the query within it.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Value, json};

use super::kinds::{is_one_or_more, is_scalar, is_text, of_json, text, texts};
use crate::rest::model::{PathStyle, Piece, pieces, split};

/// The names of what a path, and the query within it, has places for. What follows a `#` is never
/// sent.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> {
    let mut seen = HashSet::new();
    let (path, query) = split(path);
    let all = [path].into_iter().chain(query.into_iter().map(|(_, value)| value)).flat_map(pieces);
    all.filter_map(move |piece| match piece {
        Piece::Parameter(name) => seen.insert(name).then_some(name),
        Piece::Literal(_) => None,
    })
}

/// Flaw: a template of a query as RFC 6570 has it, `/pods{?page,size}`. Returns the path without
/// it, and what stands there with these parameters, which are text where they have no declaration.
pub(in crate::rest::normalize) fn without_templates<'a>(
    path: &str,
    item: &'a Value,
) -> (String, Cow<'a, Value>) {
    let (mut short, mut item) = (String::new(), Cow::Borrowed(item));
    for piece in pieces(path) {
        match piece {
            Piece::Literal(text) => short.push_str(text),
            Piece::Parameter(wire) => match wire.strip_prefix(['?', '&']) {
                Some(names) => names.split(',').for_each(|name| declare(item.to_mut(), name)),
                None => short.extend(["{", wire, "}"]),
            },
        }
    }
    (short, item)
}

/// Adds a parameter of the query, after those that win over it.
fn declare(item: &mut Value, name: &str) {
    let parameter = json!({ "name": name.trim_end_matches('*'), "in": "query", "schema": text() });
    match item.get_mut("parameters") {
        Some(Value::Array(parameters)) => parameters.push(parameter),
        _ => item["parameters"] = json!([parameter]),
    }
}

/// Whether what stands in braces is no name, but one of RFC 6570's other templates: `{+path}`.
pub(super) fn is_template(wire: &str) -> bool {
    wire.starts_with(['+', '#', '.', '/', ';'])
}

/// Whether the query that a path has names a parameter.
pub(super) fn is_of_query(path: &str, wire: &str) -> bool {
    split(path).1.iter().any(|(_, value)| pieces(value).contains(&Piece::Parameter(wire)))
}

/// What a parameter is given as, and how it is written. Flaw: one that has no declaration. What is
/// in a query is written as it is given, and so is text where it is a list or an object.
pub(super) fn given(
    description: &Value,
    parameter: Option<&Value>,
    is_of_query: bool,
) -> (Value, Option<PathStyle>) {
    let Some(parameter) = parameter else { return (text(), None) };
    let Some(schema) = parameter.get("schema") else {
        let json = of_json(description, parameter).filter(|_| !is_of_query);
        return match json {
            Some(schema) => (schema, Some(PathStyle::Json)),
            None => (text(), of_scalar(parameter)),
        };
    };
    if is_scalar(description, schema) {
        (schema.clone(), of_scalar(parameter))
    } else if is_of_query || is_text(description, schema) {
        (text(), of_scalar(parameter))
    } else if is_one_or_more(description, schema) {
        (texts(), Some(style(parameter)))
    } else {
        (schema.clone(), Some(style(parameter)))
    }
}

/// A scalar is plain text unless something is put before it.
fn of_scalar(parameter: &Value) -> Option<PathStyle> {
    Some(style(parameter)).filter(|it| !matches!(it, PathStyle::Simple { .. }))
}

fn style(parameter: &Value) -> PathStyle {
    let exploded = parameter.get("explode").and_then(Value::as_bool).unwrap_or(false);
    match parameter.get("style").and_then(Value::as_str) {
        Some("label") => PathStyle::Label { exploded },
        Some("matrix") => PathStyle::Matrix { exploded },
        _ => PathStyle::Simple { exploded },
    }
}

/// Flaw: a style of a parameter that the path itself has in its query, which is sent as it is given.
pub(super) fn warn_of_style_in_query(wire: &str, parameter: &Value, warnings: &mut Vec<String>) {
    if let Some(style) = parameter.get("style").and_then(Value::as_str)
        && !["simple", "form"].contains(&style)
    {
        warnings.push(format!(
            "{wire} is in the query of the path, so its style {style} is ignored there"
        ));
    }
}
