//! Paths that a URL does not write as their description does are found.
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
