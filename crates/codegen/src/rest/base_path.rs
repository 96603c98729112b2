//! Where the paths of a description begin.

use serde_json::Value;

use super::mend::tree::{object_at, text_at};

/// The path below which a service is called whose URL has none: that of the description's first
/// server. Without servers it is `/v1`, unless the paths bring a version of their own.
pub(super) fn base_path(description: &Value) -> String {
    let server = description.pointer("/servers/0").map(url).unwrap_or_default();
    if !server.is_empty() {
        return path(&server).trim_end_matches('/').to_owned();
    }
    let is_versioned =
        object_at(description, &["paths"]).keys().any(|path| begins_with_version(path));
    if is_versioned { String::new() } else { "/v1".to_owned() }
}

/// The URL of a server, with the defaults of its variables.
fn url(server: &Value) -> String {
    let mut url = text_at(server, "url");
    for (name, variable) in &object_at(server, &["variables"]) {
        url = url.replace(&format!("{{{name}}}"), &text_at(variable, "default"));
    }
    url
}

fn path(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]).to_owned(),
        None if url.starts_with('/') => url.to_owned(),
        None => format!("/{url}"),
    }
}

/// Whether a path is one such as `/v2/pods`.
fn begins_with_version(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let number = first.strip_prefix('v').unwrap_or_default();
    number.starts_with(|it: char| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn servers_go_before_paths_and_paths_before_the_default() {
        let variable =
            json!({"url": "{root}/", "variables": {"root": {"default": "https://a/v3"}}});
        for (servers, path, expected) in [
            (json!(null), "/pods", "/v1"),
            (json!([]), "/vaults", "/v1"),
            (json!(null), "/v2/pods", ""),
            (json!([{"url": "https://a.example"}]), "/pods", ""),
            (json!([{"url": "/"}]), "/pods", ""),
            (json!([{"url": "https://a.example/api/v2/"}]), "/pods", "/api/v2"),
            (json!([{"url": "api"}]), "/v2/pods", "/api"),
            (json!([variable]), "/pods", "/v3"),
            (json!([{"url": "{root}", "variables": {"root": {}}}]), "/pods", "/v1"),
        ] {
            let description = json!({"servers": servers, "paths": {path: {}}});
            assert_eq!(base_path(&description), expected, "{description}");
        }
    }
}
