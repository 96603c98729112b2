//! Base path: the path of the server URL, which the paths of a description continue.

use std::collections::BTreeMap;

use serde_json::Value;

use super::description::{DescribedOperation, fields, operations, server};

/// The servers of a description.
pub(super) struct Servers {
    /// The path that is appended to a service URL without a path: that of the first server; without
    /// servers `/v1`, unless the paths have a version of their own.
    pub(super) base_path: String,
    /// The servers of single operations, by method and path: a path if the origin is that of all
    /// others, or else a URL.
    own: BTreeMap<(String, String), String>,
    /// The servers that have an origin of their own.
    pub(super) foreign: Vec<ForeignServer>,
}

/// A server of single operations that has another origin than the others.
pub(super) struct ForeignServer {
    pub(super) url: String,
    /// The keys of an operation.
    pub(super) keys: Vec<String>,
    pub(super) warning: String,
}

impl Servers {
    pub(super) fn of(description: &Value) -> Self {
        let all: Vec<_> = operations(description).map(|it| (own_server(&it), it)).collect();
        let mut shared = server(description).unwrap_or_default();
        // Some descriptions name the same server at each operation and none at the top.
        if let (true, Some((url, _))) = (shared.is_empty(), all.first())
            && all.iter().all(|(other, _)| other == url)
        {
            shared = url.clone();
        }
        let mut own = BTreeMap::new();
        let mut foreign: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
        for (url, it) in all.into_iter().filter(|(url, _)| !url.is_empty() && *url != shared) {
            let is_foreign = url.contains("://") && origin(&url) != origin(&shared);
            let server = if is_foreign { url } else { path(&url) };
            own.insert((it.method, it.path.to_owned()), server.clone());
            if is_foreign {
                foreign.entry(server).or_default().push(it.keys);
            }
        }
        let foreign = foreign.into_iter().map(|(url, places)| {
            let also = match places.len() {
                1 => String::new(),
                count => format!(", and of {} more", count - 1),
            };
            let warning = format!(
                "the server {url} of this operation{also} has another origin than the others: its \
                 calls are refused unless `Service::with_server({url:?}, …)` sets its URL and \
                 authorization"
            );
            ForeignServer { url, keys: places[0].clone(), warning }
        });
        Self { foreign: foreign.collect(), own, base_path: base_path(description, &shared) }
    }

    /// The server of an operation, if it has one of its own.
    pub(super) fn own(&self, method: &str, path: &str) -> Option<&String> {
        // A path without a slash at its start gets one.
        let of = |path: &str| self.own.get(&(method.to_owned(), path.to_owned()));
        of(path).or_else(|| of(path.trim_start_matches('/')))
    }
}

fn base_path(description: &Value, server: &str) -> String {
    if !server.is_empty() {
        return path(server).trim_end_matches('/').to_owned();
    }
    let is_versioned = fields(description, "paths").any(|(path, _)| begins_with_version(path));
    if is_versioned { String::new() } else { "/v1".to_owned() }
}

/// The server of an operation, or of its path item; empty if neither names one.
fn own_server(it: &DescribedOperation<'_>) -> String {
    server(it.operation).or_else(|| server(it.item)).unwrap_or_default()
}

/// Scheme, host and port.
fn origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}").to_ascii_lowercase()
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
    fn operations_have_servers_of_their_own() {
        let get = |servers: Value| json!({"servers": servers, "responses": {}});
        let (a, b) = (json!([{"url": "https://a.example/v1/"}]), json!([{"url": "/b"}]));
        let description = json!({"paths": {
            "/1": {"servers": a, "get": get(json!([]))}, "/2": {"get": get(a.clone())},
        }});
        let servers = Servers::of(&description);
        assert_eq!((servers.base_path.as_str(), servers.own.len()), ("/v1", 0));

        let other =
            json!([{"url": "https://{name}.example", "variables": {"name": {"default": "c"}}}]);
        let description = json!({"servers": a, "paths": {
            "/1": {"servers": b, "get": get(json!([])), "put": get(a.clone())},
            "/2": {"get": get(other.clone()), "put": {"responses": {}}, "post": get(other)},
            "3": {"$ref": "#/x-items/3"},
        }, "x-items": {"3": {"servers": [{"url": "https://A.example/v2/"}], "get": {}}}});
        let servers = Servers::of(&description);
        assert_eq!(servers.base_path, "/v1");
        let foreign: Vec<_> =
            servers.foreign.iter().map(|it| (it.keys[1].as_str(), &it.warning[..58])).collect();
        let message = "the server https://c.example of this operation, and of 1 m";
        assert_eq!(foreign, [("/2", message)]);
        for (method, path, expected) in [
            ("GET", "/1", Some("/b")),
            ("PUT", "/1", None),
            ("GET", "/2", Some("https://c.example")),
            ("PUT", "/2", None),
            ("GET", "/3", Some("/v2")),
        ] {
            assert_eq!(servers.own(method, path).map(String::as_str), expected, "{method} {path}");
        }
    }
}
