//! How values are written into a request, and where it goes.

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
