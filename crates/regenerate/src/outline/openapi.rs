//! OpenAPI accessors: the types, encodings, servers and security of a description, as text.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The kind of a named type.
pub(super) fn kind_of_type(schema: &Value) -> String {
    if values(schema).is_empty() {
        type_text(schema)
    } else {
        format!("enum of {}", type_text(schema))
    }
}

/// Whether a schema is nullable, in the notation of OpenAPI 3.0 or 3.1.
pub(super) fn may_be_null(schema: &Value) -> bool {
    let is_null = |it: &Value| it == "null" || it["type"] == "null";
    schema["nullable"] == Value::Bool(true)
        || ["type", "oneOf", "anyOf"].iter().any(|key| list(schema, key).iter().any(is_null))
        || list(schema, "enum").contains(&Value::Null)
}

/// A type as text: `string`, `[Gpu]`, `map of string`. Null is omitted: in responses every value
/// may be null, and in requests it matters for required values only, which the caller handles.
pub(super) fn type_text(schema: &Value) -> String {
    if let Some(name) = referenced(schema) {
        return name.to_owned();
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds: BTreeSet<_> =
                kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            kinds.into_iter().collect::<Vec<_>>().join(" | ")
        }
        _ => String::new(),
    };
    let values = schema.get("additionalProperties").filter(|it| it.is_object());
    match (kind.as_str(), schema.get("items"), values) {
        ("array" | "", Some(items), _) => format!("[{}]", type_text(items)),
        ("object" | "", _, Some(values)) if schema.get("properties").is_none() => {
            format!("map of {}", type_text(values))
        }
        ("", ..) if schema.get("properties").is_some() => "object".to_owned(),
        ("", ..) => composed(schema),
        ("string", ..) if is_file(schema) => "file".to_owned(),
        (kind, ..) => kind.to_owned(),
    }
}

/// Whether a string is binary, in the notation of OpenAPI 3.0 or 3.1.
fn is_file(schema: &Value) -> bool {
    let media = schema["contentMediaType"].as_str();
    let is_textual =
        |it: &str| it.starts_with("text/") || it.contains("json") || it.contains("xml");
    let is_encoded = schema["contentEncoding"].as_str().is_some_and(|it| it != "binary");
    schema["format"] == "binary" || (media.is_some_and(|it| !is_textual(it)) && !is_encoded)
}

fn composed(schema: &Value) -> String {
    for (key, join) in [("allOf", " & "), ("oneOf", " | "), ("anyOf", " | ")] {
        let parts: BTreeSet<_> =
            list(schema, key).iter().filter(|part| part["type"] != "null").map(type_text).collect();
        if !parts.is_empty() {
            return parts.into_iter().collect::<Vec<_>>().join(join);
        }
    }
    let is_text = values(schema).is_empty();
    if is_text { "any" } else { "string" }.to_owned()
}

/// The values of an enum or of a constant.
pub(super) fn values(schema: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut values: Vec<_> =
        list(schema, "enum").iter().filter(|value| !value.is_null()).map(text).collect();
    values.extend(schema.get("const").map(text));
    values
}

/// The last segment of a `$ref`.
pub(super) fn referenced(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|target| target.rsplit('/').next())
}

/// Adds the names of all schemas to which a schema refers.
pub(super) fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            found.extend(referenced(value).map(str::to_owned));
            entries.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// The names of all schemas to which these refer, directly or indirectly.
pub(super) fn reachable(mut waiting: Vec<String>, schemas: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if let Some(schema) = schemas.get(&name)
            && found.insert(name)
        {
            references(schema, &mut waiting);
        }
    }
    found
}

pub(super) fn entries<'a>(
    of: &'a Value,
    key: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    of[key].as_object().into_iter().flat_map(Map::iter)
}

pub(super) fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

/// The serialization style of a parameter that is a list or an object.
pub(super) fn encoding(parameter: &Value, schema: &Value) -> Option<String> {
    let is_composite = ["array", "object"]
        .iter()
        .any(|kind| schema["type"] == *kind || list(schema, "type").iter().any(|it| it == kind))
        || schema.get("items").is_some();
    let place = parameter["in"].as_str().unwrap_or_default();
    let default = if matches!(place, "query" | "cookie") { "form" } else { "simple" };
    is_composite.then(|| style(parameter, default))
}

/// The encodings of the parts of a form or a multipart body.
pub(super) fn encodings(body: &Value) -> Vec<(String, String)> {
    let all = entries(body, "content").flat_map(|(_, media)| entries(media, "encoding"));
    let text = |encoding: &Value| {
        let media = encoding["contentType"].as_str().map(str::to_owned);
        let has_style = encoding.get("style").or_else(|| encoding.get("explode")).is_some();
        let style = has_style.then(|| style(encoding, "form"));
        [media, style].into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    all.map(|(name, encoding)| (name.clone(), text(encoding))).collect()
}

/// The media type of a body or a response: JSON, if it is among several.
pub(super) fn media_type(of: &Value) -> Option<String> {
    let mut names: Vec<_> = entries(of, "content").map(|(name, _)| essence(name)).collect();
    names.sort_by_key(|name| !name.contains("json"));
    names.into_iter().next()
}

/// A media type without its parameters.
fn essence(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn style(of: &Value, default: &str) -> String {
    let style = of["style"].as_str().unwrap_or(default);
    let is_exploded = of["explode"].as_bool().unwrap_or(style == "form");
    format!("{style}{}", if is_exploded { ", exploded" } else { "" })
}

/// The first server of a description, a path or an operation, with the defaults of its variables.
pub(super) fn server(at: &Value) -> Option<String> {
    let server = at.pointer("/servers/0")?;
    let mut url = server["url"].as_str()?.to_owned();
    for (name, variable) in entries(server, "variables") {
        let default = match &variable["default"] {
            // An unquoted YAML scalar.
            Value::Number(number) => number.to_string(),
            default => default.as_str().unwrap_or_default().to_owned(),
        };
        url = url.replace(&format!("{{{name}}}"), &default);
    }
    // A trailing slash makes no difference to calls.
    let without = url.trim_end_matches('/');
    Some(if without.is_empty() { url } else { without.to_owned() })
}

/// The alternative authorizations of a description or an operation, independent of the names of the
/// schemes; `None` if it specifies none.
pub(super) fn security(description: &Value, at: &Value) -> Option<String> {
    let alternatives = at.get("security")?.as_array()?.iter().map(|alternative| {
        let schemes = alternative.as_object().into_iter().flat_map(|it| it.keys());
        let schemes: BTreeSet<_> = schemes.map(|name| scheme(description, name)).collect();
        schemes.into_iter().collect::<Vec<_>>().join(" and ")
    });
    let alternatives: BTreeSet<_> = alternatives.collect();
    match alternatives.is_empty() || alternatives.contains("") {
        true => Some("none".to_owned()),
        false => Some(alternatives.into_iter().collect::<Vec<_>>().join(" or ")),
    }
}

/// The credentials of a security scheme, or its name if it is not described.
fn scheme(description: &Value, name: &str) -> String {
    let schemes = &description["components"]["securitySchemes"];
    let scheme = &schemes[name];
    let scheme = scheme["$ref"].as_str().map_or(scheme, |it| &schemes[last(it)]);
    let text = |key: &str| scheme[key].as_str().unwrap_or_default();
    match text("type") {
        "" => name.to_owned(),
        "apiKey" => format!("the {} {}", text("in"), text("name")),
        "http" => format!("HTTP {}", text("scheme").to_ascii_lowercase()),
        kind => kind.to_owned(),
    }
}

fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or_default()
}
