//! Paths that a URL does not write as their description does are found, and media types that are
//! ranges are answered as clients read them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use podqueue_fake::FakeService;
use reqwest::Client;
use serde_json::{Value, json};

#[tokio::test]
async fn paths_are_found_as_they_are_sent() {
    let operation = |names: &[&str]| {
        let parameters = names.iter().map(|name| {
            let schema = json!({ "type": "integer" });
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        });
        let parameters: Vec<Value> = parameters.collect();
        json!({ "get": { "parameters": parameters, "responses": { "204": {} } } })
    };
    let description = json!({ "openapi": "3.1.0", "paths": {
        "/ü b/\"{id}\"": operation(&["id"]),
        "/%41/{id}{?limit,after}": operation(&["id"]),
        "/by?kind=a&id={id}#part": operation(&["id"]),
    } });
    let fake = FakeService::start(&description.to_string()).unwrap();
    let client = Client::new();
    for (path, status) in [
        ("/ü b/\"7\"", 204),
        ("/%41/7?limit=2", 204),
        ("/by?kind=a&id=7", 204),
        ("/by?kind=a&id=x", 400),
        ("/by?kind=a", 400),
        ("/%C3%BC%20c/7", 404),
    ] {
        let response = client.get(format!("{}{path}", fake.url())).send().await.unwrap();
        assert_eq!(response.status(), status, "{path}");
    }
}

/// Clients read JSON where any media type is described, unless it is that of a file.
#[tokio::test]
async fn any_media_type_is_json_unless_it_is_a_file() {
    let operation = |range: &str, schema: Value| {
        let content = json!({ range: { "schema": schema } });
        json!({ "get": { "responses": { "200": { "content": content } } } })
    };
    let description = json!({ "openapi": "3.1.0", "paths": {
        "/object": operation("*/*", json!({ "type": "object", "required": ["a"], "properties": {
            "a": { "type": "integer" },
        } })),
        "/text": operation("application/*", json!({ "type": "string" })),
        "/file": operation("*/*", json!({ "type": "string", "format": "binary" })),
    } });
    let fake = FakeService::start(&description.to_string()).unwrap();
    for (path, is_json) in [("/object", true), ("/text", true), ("/file", false)] {
        let response = Client::new().get(format!("{}{path}", fake.url())).send().await.unwrap();
        let media = response.headers()["content-type"].to_str().unwrap().to_owned();
        let value = serde_json::from_slice::<Value>(&response.bytes().await.unwrap());
        assert_eq!((media == "application/json", value.is_ok()), (is_json, is_json), "{path}");
    }
}
