//! Types, encodings and authorization of an OpenAPI description, as text.
//!
//! Schemas are compared as they are written, in the notation of OpenAPI 3.0 or 3.1, and not after
//! the generator's normalization: that takes away what has no effect on a Rust type, such as
//! defaults and formats, and merges `allOf`, but all of it is part of the wire format that is
//! compared here.

use std::collections::BTreeSet;

use podqueue_codegen::__private::openapi::{
    fields, is_file, location, security_scheme, style, target, text_at,
};
use serde_json::Value;

/// Prefix of the kind of a type that is an enum.
pub(crate) const ENUM: &str = "enum of ";

/// The kind of a named type.
pub(super) fn kind_of_type(schema: &Value) -> String {
    if values(schema).is_empty() {
        type_text(schema)
    } else {
        format!("{ENUM}{}", type_text(schema))
    }
}

/// A type as text: `string`, `[Gpu]`, `map of string`. Null is omitted: whether it is accepted is a
/// rule.
pub(super) fn type_text(schema: &Value) -> String {
    if let Some(name) = target(schema) {
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

/// The only alternative of a union besides null, so that it is no union.
pub(super) fn only_alternative(schema: &Value) -> Option<&Value> {
    let alternatives = |key| list(schema, key).iter().filter(|part| part["type"] != "null");
    let mut alternatives = alternatives("oneOf").chain(alternatives("anyOf"));
    alternatives.next().filter(|_| alternatives.next().is_none())
}

/// The values of an enum or of a constant.
pub(super) fn values(schema: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut values: Vec<_> =
        list(schema, "enum").iter().filter(|value| !value.is_null()).map(text).collect();
    values.extend(schema.get("const").map(text));
    values
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
    let default = if matches!(location(parameter), "query" | "cookie") { "form" } else { "simple" };
    is_composite.then(|| style_text(parameter, default))
}

/// The encodings of the parts of a form or a multipart body.
pub(super) fn encodings(body: &Value) -> Vec<(String, String)> {
    let all = fields(body, "content").flat_map(|(_, media)| fields(media, "encoding"));
    let text = |encoding: &Value| {
        let media = encoding["contentType"].as_str().map(str::to_owned);
        let has_style = encoding.get("style").or_else(|| encoding.get("explode")).is_some();
        let style = has_style.then(|| style_text(encoding, "form"));
        [media, style].into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    all.map(|(name, encoding)| (name.clone(), text(encoding))).collect()
}

/// A media type without its parameters.
pub(super) fn essence(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn style_text(of: &Value, default: &str) -> String {
    let (style, explodes) = style(of, default);
    format!("{style}{}", if explodes { ", exploded" } else { "" })
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
    let Some(scheme) = security_scheme(description, name) else { return name.to_owned() };
    match text_at(scheme, "type").as_str() {
        "" => name.to_owned(),
        "apiKey" => format!("the {} {}", text_at(scheme, "in"), text_at(scheme, "name")),
        "http" => format!("HTTP {}", text_at(scheme, "scheme").to_ascii_lowercase()),
        kind => kind.to_owned(),
    }
}
