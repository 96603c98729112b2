//! Flaws of parameters.

mod in_path;
mod kinds;

use std::collections::HashSet;

use serde_json::Value;

pub(super) use self::in_path::without_templates;
pub(super) use self::kinds::followed;
use self::kinds::{is_list_of_scalars, is_one_or_more, is_scalar, is_text, of_json, text, texts};
use super::references::resolve;
use super::tree::{is_true, text_at};
use crate::naming;
use crate::rest::model::{Parameter, Place, Style};

/// Fields and methods that every builder has.
pub(super) const BUILDERS_OWN: [&str; 9] =
    ["rest", "body", "changes", "null", "set", "timeout", "send", "clone", "into_future"];

/// The parameters of an operation and their schemas, path parameters first in the order of the
/// path, then the others in the order of the description. Their names may be the same.
pub(super) fn normalize(
    description: &Value,
    path: &str,
    item: &Value,
    operation: &Value,
    warnings: &mut Vec<String>,
) -> Result<Vec<(Parameter, Value)>, String> {
    let mut declared = declared(description, item, operation, warnings);
    let mut normalized = Vec::new();
    for wire in in_path::names(path) {
        let is_of_query = in_path::is_of_query(path, wire);
        let mut places = ["path", "query"].iter().take(if is_of_query { 2 } else { 1 });
        let parameter = places.find_map(|it| {
            declared.iter().position(|other| place(other) == *it && name_of(other) == wire)
        });
        let parameter = parameter.map(|it| declared.remove(it));
        if parameter.is_none() && in_path::is_template(wire) {
            return Err(format!("its path has the template {{{wire}}}, not a parameter"));
        }
        if let Some(parameter) = parameter {
            ignored_style(parameter, warnings);
            if is_of_query {
                in_path::warn_of_style_in_query(wire, parameter, warnings);
            }
        }
        let (schema, path_style) = in_path::given(description, parameter, is_of_query);
        normalized.push((
            Parameter {
                name: naming::snake(wire),
                wire: wire.to_owned(),
                place: Place::Path,
                required: true,
                style: None,
                path_style,
                media: None,
                description: parameter.map(|it| text_at(it, "description")).unwrap_or_default(),
            },
            schema,
        ));
    }
    for parameter in declared {
        let wire = name_of(parameter).to_owned();
        let required = is_true(parameter, "required");
        let place = match place(parameter) {
            "query" => Place::Query,
            "header" if is_set_elsewhere(&wire) => continue,
            "header" if is_of_connection(&wire) => {
                warnings.push(format!(
                    "{wire} is a header that the HTTP client sets, so it cannot be given"
                ));
                continue;
            }
            "header" => Place::Header,
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
        ignored_style(parameter, warnings);
        let Some((schema, style)) = sendable(description, parameter, place) else {
            let reason = format!("the parameter {wire} is no scalar and no list of scalars");
            let reason = format!("{reason}, so it cannot be sent as a header");
            if required {
                return Err(reason);
            }
            warnings.push(reason);
            continue;
        };
        normalized.push((
            Parameter {
                name: naming::snake(&wire),
                wire,
                place,
                required,
                style,
                path_style: None,
                media: None,
                description: text_at(parameter, "description"),
            },
            schema,
        ));
    }
    Ok(normalized)
}

/// Flaw: parameters at the path and again, differently, at the operation, which wins. And
/// references to parameters that there are not, and parameters without a name.
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
            let reason = match found.map(|it| it.get("name")) {
                Some(Some(Value::String(_))) => return found,
                Some(name) => {
                    format!("its name {} is not a string", name.unwrap_or(&Value::Null))
                }
                None => format!("{} leads nowhere", text_at(parameter, "$ref")),
            };
            warnings.push(format!("left out a parameter: {reason}"));
            None
        });
        resolved.collect::<Vec<_>>()
    };
    // Names of headers are the same in upper and in lower case.
    let key = |parameter: &Value| match place(parameter) {
        "header" => ("header".to_owned(), name_of(parameter).to_ascii_lowercase()),
        place => (place.to_owned(), name_of(parameter).to_owned()),
    };
    let own = list(operation);
    let mut shared = list(item);
    shared.retain(|shared| !own.iter().any(|it| key(it) == key(shared)));
    let (mut seen, mut declared) = (HashSet::new(), Vec::new());
    for parameter in shared.into_iter().chain(own) {
        if seen.insert(key(parameter)) {
            declared.push(parameter);
        } else {
            let (place, name) = (place(parameter), name_of(parameter));
            warnings.push(format!(
                "left out a parameter: the {place} parameter {name} is described twice in one list, of which the first counts"
            ));
        }
    }
    declared
}

fn place(parameter: &Value) -> &str {
    parameter.get("in").and_then(Value::as_str).unwrap_or("query")
}

/// As it is on the wire, with spaces around it if it has any.
fn name_of(parameter: &Value) -> &str {
    parameter.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// OpenAPI says that header parameters of these names shall be ignored: they follow from the
/// body and from the security scheme.
fn is_set_elsewhere(header: &str) -> bool {
    ["accept", "content-type", "authorization"].contains(&header.to_ascii_lowercase().as_str())
}

/// Headers that say where a message ends, and to whom it goes: a wrong value would cut a body.
fn is_of_connection(header: &str) -> bool {
    ["connection", "content-length", "host", "transfer-encoding"]
        .contains(&header.to_ascii_lowercase().as_str())
}

/// Flaw: a style that parameters of this place do not have. And what is not done.
fn ignored_style(parameter: &Value, warnings: &mut Vec<String>) {
    let styles: &[&str] = match place(parameter) {
        "path" => &["simple", "label", "matrix"],
        "query" => &["form", "spaceDelimited", "pipeDelimited", "deepObject"],
        _ => &["simple"],
    };
    if let Some(style) = parameter.get("style").and_then(Value::as_str)
        && !styles.contains(&style)
    {
        let (place, name) = (place(parameter), name_of(parameter));
        warnings.push(format!("{name} is a {place} parameter, so its style {style} is ignored"));
    }
    if is_true(parameter, "allowReserved") {
        warnings.push(reserved(place(parameter), name_of(parameter)));
    }
}

/// The warning about `allowReserved`: escaped, a value arrives unharmed whatever it contains.
pub(super) fn reserved(place: &str, name: &str) -> String {
    format!(
        "the {place} parameter {name} has allowReserved, which is ignored: reserved characters are escaped"
    )
}

/// What a parameter is given as, and how that is encoded. Without a schema it is text, and so is
/// one of several scalar types, and a list in a header. An object in a header cannot be sent.
fn sendable(
    description: &Value,
    parameter: &Value,
    place: Place,
) -> Option<(Value, Option<Style>)> {
    let Some(schema) = parameter.get("schema") else {
        let json = of_json(description, parameter).filter(|_| place == Place::Query);
        return Some(json.map_or_else(|| (text(), None), |it| (it, Some(Style::Json))));
    };
    if is_scalar(description, schema) {
        return Some((schema.clone(), None));
    }
    let is_list = is_list_of_scalars(description, schema);
    if is_text(description, schema) || (is_list && place == Place::Header) {
        return Some((text(), None));
    }
    followed(description, schema)?;
    match place {
        Place::Query if is_one_or_more(description, schema) => Some((texts(), of_list(parameter))),
        Place::Query if is_list => Some((schema.clone(), of_list(parameter))),
        Place::Query => Some((schema.clone(), Some(of_object(parameter)))),
        _ => None,
    }
}

/// A list is one parameter for each value unless its style says otherwise. Where it is
/// `deepObject`, services read `a[0]`, as they do in forms, and not `a`.
fn of_list(parameter: &Value) -> Option<Style> {
    match style(parameter) {
        ("deepObject", _) if !name_of(parameter).ends_with("[]") => Some(Style::Deep),
        (_, true) => None,
        ("form", _) => Some(Style::Joined(",")),
        ("spaceDelimited", _) => Some(Style::Joined("%20")),
        ("pipeDelimited", _) => Some(Style::Joined("%7C")),
        _ => None,
    }
}

/// An object is one parameter for each field unless its style says otherwise.
fn of_object(parameter: &Value) -> Style {
    match style(parameter) {
        ("deepObject", _) => Style::Deep,
        (_, true) => Style::Exploded,
        ("spaceDelimited", _) => Style::Joined("%20"),
        ("pipeDelimited", _) => Style::Joined("%7C"),
        _ => Style::Joined(","),
    }
}

/// The style of a parameter, and whether it explodes.
fn style(parameter: &Value) -> (&str, bool) {
    let style = parameter.get("style").and_then(Value::as_str).unwrap_or("form");
    let explode = parameter.get("explode").and_then(Value::as_bool);
    (style, explode.unwrap_or(style == "form"))
}
