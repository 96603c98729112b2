//! How values are written into a request, how it is authorized, and where it goes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::json_schema::{entries, list};

/// How a parameter writes lists and objects; nothing for one that has neither.
pub(super) fn encoding(parameter: &Value, schema: &Value) -> Option<String> {
    let is_several = ["array", "object"]
        .iter()
        .any(|kind| schema["type"] == *kind || list(schema, "type").iter().any(|it| it == kind))
        || schema.get("items").is_some();
    let place = parameter["in"].as_str().unwrap_or_default();
    let usual = if matches!(place, "query" | "cookie") { "form" } else { "simple" };
    is_several.then(|| style(parameter, usual))
}

/// How a part of a form or of a multipart body is written.
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

/// As what a body or a response is written, of all that it may be: JSON, if that is among them.
pub(super) fn media(of: &Value) -> Option<String> {
    let mut names: Vec<_> = entries(of, "content").map(|(name, _)| bare(name)).collect();
    names.sort_by_key(|name| !name.contains("json"));
    names.into_iter().next()
}

/// A media type without its parameters.
fn bare(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn style(of: &Value, usual: &str) -> String {
    let style = of["style"].as_str().unwrap_or(usual);
    let is_exploded = of["explode"].as_bool().unwrap_or(style == "form");
    format!("{style}{}", if is_exploded { ", exploded" } else { "" })
}

/// The first server that is named here, with the defaults of its variables.
pub(super) fn server(at: &Value) -> Option<String> {
    let server = at.pointer("/servers/0")?;
    let mut url = server["url"].as_str()?.to_owned();
    for (name, variable) in entries(server, "variables") {
        let default = match &variable["default"] {
            // YAML without quotes.
            Value::Number(number) => number.to_string(),
            default => default.as_str().unwrap_or_default().to_owned(),
        };
        url = url.replace(&format!("{{{name}}}"), &default);
    }
    // Calls go to the same URL with a slash at its end and without.
    let without = url.trim_end_matches('/');
    Some(if without.is_empty() { url } else { without.to_owned() })
}

/// How calls are authorized that this place is about: each way that is enough, whatever the names of
/// the schemes; nothing where it does not say.
pub(super) fn security(description: &Value, at: &Value) -> Option<String> {
    let ways = at.get("security")?.as_array()?.iter().map(|way| {
        let schemes = way.as_object().into_iter().flat_map(|it| it.keys());
        let schemes: BTreeSet<_> = schemes.map(|name| scheme(description, name)).collect();
        schemes.into_iter().collect::<Vec<_>>().join(" and ")
    });
    let ways: BTreeSet<_> = ways.collect();
    match ways.is_empty() || ways.contains("") {
        true => Some("none".to_owned()),
        false => Some(ways.into_iter().collect::<Vec<_>>().join(" or ")),
    }
}

/// What a security scheme demands; its name where it is not described.
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
