//! Normalization of parameters: in path, query and header, with their styles and kinds of values.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Value, json};

use crate::naming;
use crate::rest::description::{self, location, name_of, style};
use crate::rest::media::{self, Media};
use crate::rest::model::{
    Content, Encoding, Parameter, ParameterLocation, PathStyle, Piece, Style, pieces, split,
};
use crate::rest::tree::{SECRET, is_true, kind, resolve, text_at};

/// Fields and methods of every builder.
pub(super) const BUILDERS_OWN: [&str; 11] = [
    "service",
    "body",
    "changes",
    "null",
    "set",
    "timeout",
    "call",
    "send",
    "with_headers",
    "clone",
    "into_future",
];

/// The parameters of an operation and their schemas: path parameters in the order of the path, then
/// the remaining parameters in the order of the description. Their names need not be unique.
pub(super) fn normalize(
    description: &Value,
    path: &str,
    item: &Value,
    operation: &Value,
    warnings: &mut Vec<String>,
) -> Result<Vec<(Parameter, Value)>, String> {
    let mut rejected = Vec::new();
    let mut declared = description::parameters(description, item, operation, &mut rejected);
    warnings.extend(rejected.iter().map(|reason| format!("left out a parameter: {reason}")));
    let mut normalized = Vec::new();
    for wire in names(path) {
        let is_of_query = is_of_query(path, wire);
        let mut places = ["path", "query"].iter().take(if is_of_query { 2 } else { 1 });
        let parameter = places.find_map(|it| {
            declared.iter().position(|other| location(other) == *it && name_of(other) == wire)
        });
        let parameter = parameter.map(|it| declared.remove(it));
        if parameter.is_none() && is_template(wire) {
            return Err(format!("its path has the template {{{wire}}}, not a parameter"));
        }
        if let Some(parameter) = parameter {
            ignored_style(parameter, warnings);
            if is_of_query {
                warn_of_style_in_query(wire, parameter, warnings);
            }
        }
        let (schema, path_style) = given(description, parameter, is_of_query);
        normalized.push((
            Parameter {
                name: naming::snake(wire),
                wire: wire.to_owned(),
                place: ParameterLocation::Path,
                required: true,
                encoding: Encoding {
                    allows_reserved: is_of_query
                        && parameter.is_some_and(|it| {
                            location(it) == "query" && is_true(it, "allowReserved")
                        }),
                    ..Encoding::default()
                },
                path_style,
                is_secret: is_secret(description, &schema),
                media: None,
                description: parameter.map(|it| text_at(it, "description")).unwrap_or_default(),
            },
            schema,
        ));
    }
    for parameter in declared {
        let wire = name_of(parameter).to_owned();
        let required = is_true(parameter, "required");
        let place = match location(parameter) {
            "query" => ParameterLocation::Query,
            "header" if is_set_elsewhere(&wire) => continue,
            "header" if is_of_connection(&wire) => {
                warnings.push(format!(
                    "{wire} is a header that the HTTP client sets, so it cannot be given"
                ));
                continue;
            }
            "header" => ParameterLocation::Header,
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
        let (schema, encoding, path_style) = if place == ParameterLocation::Header {
            let Some((schema, style)) = in_header(description, parameter) else {
                let reason = format!(
                    "the parameter {wire} is a list of lists or objects, so it cannot be sent as a \
                     header"
                );
                if required {
                    return Err(reason);
                }
                warnings.push(reason);
                continue;
            };
            (schema, Encoding::default(), style)
        } else {
            let (schema, style) = in_query(description, parameter);
            let is_list = followed(description, &schema).is_some_and(|it| it["type"] == "array");
            let encoding = Encoding {
                style,
                allows_reserved: is_true(parameter, "allowReserved"),
                needs_items: required && is_list && style != Some(Style::Json),
            };
            (schema, encoding, None)
        };
        normalized.push((
            Parameter {
                name: naming::snake(&wire),
                wire,
                place,
                required,
                encoding,
                path_style,
                is_secret: is_secret(description, &schema),
                media: None,
                description: text_at(parameter, "description"),
            },
            schema,
        ));
    }
    Ok(normalized)
}

/// Header parameters that are ignored by the specification: they follow from the body and from the
/// security scheme.
fn is_set_elsewhere(header: &str) -> bool {
    ["accept", "content-type", "authorization"].contains(&header.to_ascii_lowercase().as_str())
}

/// Headers that frame or route a message: a wrong value would truncate a body.
fn is_of_connection(header: &str) -> bool {
    ["connection", "content-length", "host", "transfer-encoding"]
        .contains(&header.to_ascii_lowercase().as_str())
}

/// Warns of unsupported constructs: a style that does not apply to the location, and `allowReserved`
/// in a path, of which a value could leave its segment.
fn ignored_style(parameter: &Value, warnings: &mut Vec<String>) {
    let styles: &[&str] = match location(parameter) {
        "path" => &["simple", "label", "matrix"],
        "query" => &["form", "spaceDelimited", "pipeDelimited", "deepObject"],
        _ => &["simple"],
    };
    if let Some(style) = parameter.get("style").and_then(Value::as_str)
        && !styles.contains(&style)
    {
        let (place, name) = (location(parameter), name_of(parameter));
        warnings.push(format!("{name} is a {place} parameter, so its style {style} is ignored"));
    }
    if is_true(parameter, "allowReserved") && location(parameter) == "path" {
        let name = name_of(parameter);
        warnings.push(format!(
            "the path parameter {name} has allowReserved, which is ignored: reserved characters are \
             escaped"
        ));
    }
}

/// The schema that a caller provides for a query parameter, and its style. A parameter without a
/// schema is text, and so is one of several scalar types.
fn in_query(description: &Value, parameter: &Value) -> (Value, Option<Style>) {
    let Some(schema) = parameter.get("schema") else {
        let json = of_json(description, parameter);
        return json.map_or_else(|| (text(), None), |it| (it, Some(Style::Json)));
    };
    if is_scalar(description, schema) {
        (schema.clone(), None)
    } else if is_text(description, schema) {
        (text(), None)
    } else if is_one_or_more(description, schema) {
        (texts(), of_list(parameter))
    } else if is_list_of_scalars(description, schema) {
        (schema.clone(), of_list(parameter))
    } else {
        (schema.clone(), Some(of_object(parameter)))
    }
}

/// The schema and the style of a header, whose style is always simple. None for a list of lists or
/// objects, which contain the comma that separates them.
fn in_header(description: &Value, parameter: &Value) -> Option<(Value, Option<PathStyle>)> {
    let Some(schema) = parameter.get("schema") else {
        let json = of_json(description, parameter);
        return Some(json.map_or_else(|| (text(), None), |it| (it, Some(PathStyle::Json))));
    };
    if is_scalar(description, schema) {
        return Some((schema.clone(), None));
    }
    if is_text(description, schema) {
        return Some((text(), None));
    }
    let explode = parameter.get("explode").and_then(Value::as_bool);
    let style = Some(PathStyle::Simple { exploded: explode.unwrap_or(false) });
    if is_one_or_more(description, schema) {
        return Some((texts(), style));
    }
    let list = followed(description, schema).filter(|it| it["type"] == "array");
    let item = list.and_then(|it| followed(description, it.get("items")?));
    let is_structured = item.is_some_and(|it| {
        it["type"] == "array" || it["type"] == "object" || it.get("properties").is_some()
    });
    (!is_structured).then(|| (schema.clone(), style))
}

/// A list is one pair for each item unless its style differs. For `deepObject`, services expect
/// `a[0]`, as in forms.
fn of_list(parameter: &Value) -> Option<Style> {
    match style(parameter, "form") {
        ("deepObject", _) if !name_of(parameter).ends_with("[]") => Some(Style::Deep),
        (_, true) => None,
        ("form", _) => Some(Style::Joined(",")),
        ("spaceDelimited", _) => Some(Style::Joined("%20")),
        ("pipeDelimited", _) => Some(Style::Joined("%7C")),
        _ => None,
    }
}

/// An object is one pair for each field unless its style differs.
fn of_object(parameter: &Value) -> Style {
    match style(parameter, "form") {
        ("deepObject", _) => Style::Deep,
        (_, true) => Style::Exploded,
        ("spaceDelimited", _) => Style::Joined("%20"),
        ("pipeDelimited", _) => Style::Joined("%7C"),
        _ => Style::Joined(","),
    }
}

/// The names of the parameters in a path and its query, without the fragment, which is never sent.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> {
    let mut seen = HashSet::new();
    let (path, query) = split(path);
    let all = [path].into_iter().chain(query.into_iter().map(|(_, value)| value)).flat_map(pieces);
    all.filter_map(move |piece| match piece {
        Piece::Parameter(name) => seen.insert(name).then_some(name),
        Piece::Literal(_) => None,
    })
}

/// Normalizes a query template of RFC 6570, `/pods{?page,size}`. Returns the path
/// without it, and the path item with these parameters, which are text unless declared.
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

/// Adds a query parameter after the declared ones, which override it.
fn declare(item: &mut Value, name: &str) {
    let parameter = json!({ "name": name.trim_end_matches('*'), "in": "query", "schema": text() });
    match item.get_mut("parameters") {
        Some(Value::Array(parameters)) => parameters.push(parameter),
        _ => {
            // An item that is no mapping has no operations.
            let item = item.as_object_mut().into_iter();
            item.for_each(|it| drop(it.insert("parameters".to_owned(), json!([parameter]))));
        }
    }
}

/// Returns true if a name in braces is another template of RFC 6570: `{+path}`.
pub(super) fn is_template(wire: &str) -> bool {
    wire.starts_with(['+', '#', '.', '/', ';'])
}

/// Returns true if the query within a path contains a parameter.
pub(super) fn is_of_query(path: &str, wire: &str) -> bool {
    split(path).1.iter().any(|(_, value)| pieces(value).contains(&Piece::Parameter(wire)))
}

/// The schema that a caller provides for a path parameter, and its style. An undeclared one is
/// text. In the query of a path, a list or an object is text, too.
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
        (texts(), Some(style_in_path(parameter)))
    } else {
        (schema.clone(), Some(style_in_path(parameter)))
    }
}

/// A scalar is plain text unless its style adds a prefix.
fn of_scalar(parameter: &Value) -> Option<PathStyle> {
    Some(style_in_path(parameter)).filter(|it| !matches!(it, PathStyle::Simple { .. }))
}

fn style_in_path(parameter: &Value) -> PathStyle {
    let exploded = parameter.get("explode").and_then(Value::as_bool).unwrap_or(false);
    match style(parameter, "simple") {
        ("label", _) => PathStyle::Label { exploded },
        ("matrix", _) => PathStyle::Matrix { exploded },
        _ => PathStyle::Simple { exploded },
    }
}

/// Warns of a style of a parameter in the query of the path, which is sent as text.
pub(super) fn warn_of_style_in_query(wire: &str, parameter: &Value, warnings: &mut Vec<String>) {
    if let Some(style) = parameter.get("style").and_then(Value::as_str)
        && !["simple", "form"].contains(&style)
    {
        warnings.push(format!(
            "{wire} is in the query of the path, so its style {style} is ignored there"
        ));
    }
}

/// The schema of text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// The schema of a list of texts.
pub(super) fn texts() -> Value {
    json!({ "type": "array", "items": text() })
}

/// The schema of a parameter that is JSON, if it restricts the type.
pub(super) fn of_json(description: &Value, parameter: &Value) -> Option<Value> {
    let offered = media::offered(description, parameter);
    let schema = Media::of(&offered, Content::Json)?.schema;
    Some(schema).filter(|it| !is_text(description, it) || is_union_of_scalars(description, it))
}

/// Returns true if a value is a scalar or a list of scalars.
pub(super) fn is_one_or_more(description: &Value, schema: &Value) -> bool {
    let schema = followed(description, schema);
    let branches = schema.and_then(|it| it.get("oneOf")).and_then(Value::as_array);
    let is_one = |it: &Value| is_list_of_scalars(description, it) || is_scalar(description, it);
    branches.is_some_and(|branches| branches.iter().all(is_one))
}

/// Returns true if a value is passed as text: it has no type, or one of several scalar types.
pub(super) fn is_text(description: &Value, schema: &Value) -> bool {
    let Some(schema) = followed(description, schema) else { return true };
    if schema.get("oneOf").is_some_and(Value::is_array) {
        return is_union_of_scalars(description, schema);
    }
    !["type", "properties", "items", "additionalProperties"]
        .iter()
        .any(|it| schema.get(it).is_some())
}

pub(super) fn is_list_of_scalars(description: &Value, schema: &Value) -> bool {
    let Some(schema) = followed(description, schema) else { return false };
    schema.get("type").and_then(Value::as_str) == Some("array")
        && schema.get("items").is_some_and(|item| {
            is_scalar(description, item) || is_union_of_scalars(description, item)
        })
}

fn is_union_of_scalars(description: &Value, schema: &Value) -> bool {
    let branches = followed(description, schema).and_then(|it| it.get("oneOf")?.as_array());
    branches.is_some_and(|branches| branches.iter().all(|it| is_scalar(description, it)))
}

pub(super) fn is_scalar(description: &Value, schema: &Value) -> bool {
    let Some(schema) = followed(description, schema) else {
        return false;
    };
    let kind = schema.as_object().and_then(kind);
    kind.is_some_and(|it| ["string", "integer", "number", "boolean"].contains(&it))
}

/// Returns true if a value, or one of a list, is secret by its format.
pub(super) fn is_secret(description: &Value, schema: &Value) -> bool {
    let is_own = |it: &Value| followed(description, it).is_some_and(|it| is_true(it, SECRET));
    let followed = followed(description, schema);
    let branches = followed.and_then(|it| it.get("oneOf")?.as_array()).into_iter().flatten();
    let items = followed.and_then(|it| it.get("items"));
    is_own(schema) || branches.chain(items).any(is_own)
}

/// The schema to which a reference leads, also with keywords beside it.
pub(in crate::rest::normalize) fn followed<'a>(
    description: &'a Value,
    schema: &'a Value,
) -> Option<&'a Value> {
    let schema = resolve(description, schema)?;
    match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => resolve(description, only),
        _ => Some(schema),
    }
}
