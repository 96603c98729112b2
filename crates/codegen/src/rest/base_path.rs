//! Base path: the part of the server URL of a description that its paths continue.

use std::collections::BTreeMap;

use serde_json::Value;

use super::normalize::tree::{object_at, text_at};
use super::normalize::{operations_of, resolve};

/// The servers of a description.
pub(super) struct Servers {
    /// The path below which a service is called whose URL has none: that of the description's first
    /// server. Without servers it is `/v1`, unless the paths bring a version of their own.
    pub(super) base_path: String,
    /// The servers of single operations, which are not called there: where, and a warning.
    pub(super) ignored: Vec<(Vec<String>, String)>,
}

impl Servers {
    pub(super) fn of(description: &Value) -> Self {
        let own = own_servers(description);
        let mut shared = first(description);
        // Some descriptions name one server at each operation and none at the top.
        if let (true, Some((_, url))) = (shared.is_empty(), own.first())
            && own.iter().all(|(_, other)| other == url)
        {
            shared = url.clone();
        }
        let mut ignored: BTreeMap<&String, Vec<&Vec<String>>> = BTreeMap::new();
        for (keys, url) in own.iter().filter(|(_, url)| !url.is_empty() && *url != shared) {
            ignored.entry(url).or_default().push(keys);
        }
        let ignored = ignored.into_iter().map(|(url, places)| {
            let also = match places.len() {
                1 => String::new(),
                count => format!(", and of {} more", count - 1),
            };
            let message = format!(
                "the server {url} of this operation{also} is ignored: calls go to the URL of the \
                 client, or that of `Api::at`"
            );
            (places[0].clone(), message)
        });
        Self { ignored: ignored.collect(), base_path: base_path(description, &shared) }
    }
}

fn base_path(description: &Value, server: &str) -> String {
    if !server.is_empty() {
        return path(server).trim_end_matches('/').to_owned();
    }
    let is_versioned =
        object_at(description, &["paths"]).keys().any(|path| begins_with_version(path));
    if is_versioned { String::new() } else { "/v1".to_owned() }
}

/// The server of each operation where one is named at it or at its path, empty where none is.
fn own_servers(description: &Value) -> Vec<(Vec<String>, String)> {
    let mut servers = Vec::new();
    for (path, item) in object_at(description, &["paths"]) {
        let item = resolve(description, &item).unwrap_or(&item);
        for (keys, _, operation) in operations_of(item) {
            let own = Some(first(operation)).filter(|it| !it.is_empty());
            let keys = [vec!["paths".to_owned(), path.clone()], keys].concat();
            servers.push((keys, own.unwrap_or_else(|| first(item))));
        }
    }
    servers
}

/// The URL of the first server that is named here, without a slash at its end unless that is all.
fn first(named_at: &Value) -> String {
    let url = named_at.pointer("/servers/0").map(url).unwrap_or_default();
    match url.trim_end_matches('/') {
        "" => url,
        trimmed => trimmed.to_owned(),
    }
}

/// The URL of a server, with the defaults of its variables.
fn url(server: &Value) -> String {
    let mut url = text_at(server, "url");
    for (name, variable) in &object_at(server, &["variables"]) {
        let default = match variable.get("default") {
            // YAML without quotes.
            Some(Value::Number(number)) => number.to_string(),
            _ => text_at(variable, "default"),
        };
        url = url.replace(&format!("{{{name}}}"), &default);
    }
    url
}

fn path(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]).to_owned(),
        // Relative to where the description is published, which is unknown here.
        None => format!("/{}", url.trim_start_matches(['.', '/'])),
    }
}

/// Returns whether a path is one such as `/v2/pods`.
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
            (json!([{"url": "./v3/"}]), "/pods", "/v3"),
            (json!([{"url": "../../v3"}]), "/pods", "/v3"),
            (json!([variable]), "/pods", "/v3"),
            (json!([{"url": "{root}", "variables": {"root": {}}}]), "/pods", "/v1"),
            (json!([{"url": "/v{n}", "variables": {"n": {"default": 3}}}]), "/pods", "/v3"),
        ] {
            let description = json!({"servers": servers, "paths": {path: {}}});
            assert_eq!(Servers::of(&description).base_path, expected, "{description}");
        }
    }
    #[test]
    fn servers_of_operations_are_named_unless_all_have_the_same() {
        let get = |servers: Value| json!({"servers": servers, "responses": {}});
        let (a, b) = (json!([{"url": "https://a.example/v1/"}]), json!([{"url": "/b"}]));
        let description = json!({"paths": {
            "/1": {"servers": a, "get": get(json!([]))}, "/2": {"get": get(a.clone())},
        }});
        let servers = Servers::of(&description);
        assert_eq!((servers.base_path.as_str(), servers.ignored.len()), ("/v1", 0));

        let description = json!({"servers": a, "paths": {
            "/1": {"servers": b, "get": get(json!([])), "put": get(a.clone())},
            "/2": {"get": get(json!([{"url": "https://c.example"}])), "put": {"responses": {}}},
            "/3": {"$ref": "#/x-items/3"},
        }, "x-items": {"3": {"servers": b, "get": {}}}});
        let servers = Servers::of(&description);
        assert_eq!(servers.base_path, "/v1");
        let ignored: Vec<_> =
            servers.ignored.iter().map(|(keys, it)| (keys[1].as_str(), &it[..46])).collect();
        assert_eq!(
            ignored,
            [
                ("/1", "the server /b of this operation, and of 1 more"),
                ("/2", "the server https://c.example of this operation"),
            ]
        );
    }
}
