//! Base path: the path of the server URL, which the paths of a description continue.

use std::collections::BTreeMap;

use serde_json::Value;

use super::description::{DescribedOperation, fields, operations, server};

/// The servers of a description.
pub(super) struct Servers {
    /// The path that is appended to a service URL without a path: that of the first server; without
    /// servers `/v1`, unless the paths have a version of their own.
    pub(super) base_path: String,
    /// The servers of single operations, to which no calls go: the keys, and a warning.
    pub(super) ignored: Vec<(Vec<String>, String)>,
}

impl Servers {
    pub(super) fn of(description: &Value) -> Self {
        let own = own_servers(description);
        let mut shared = server(description).unwrap_or_default();
        // Some descriptions name the same server at each operation and none at the top.
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
    let is_versioned = fields(description, "paths").any(|(path, _)| begins_with_version(path));
    if is_versioned { String::new() } else { "/v1".to_owned() }
}

/// The server of each operation, or of its path item; empty if neither names one.
fn own_servers(description: &Value) -> Vec<(Vec<String>, String)> {
    let own = |it: DescribedOperation<'_>| {
        let server = server(it.operation).or_else(|| server(it.item));
        (it.keys, server.unwrap_or_default())
    };
    operations(description).map(own).collect()
}

fn path(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]).to_owned(),
        // Relative to the URL of the description, which is unknown here.
        None => format!("/{}", url.trim_start_matches(['.', '/'])),
    }
}

/// Returns true if a path has a version, such as `/v2/pods`.
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
    fn the_base_path_is_that_of_the_server_or_depends_on_the_paths() {
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
    fn servers_of_operations_are_reported_unless_all_are_equal() {
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
