//! Pages lead to the next one at the fake, and end after a bounded number, whatever the seed.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::LazyLock;

use podqueue_fake::FakeService;
use reqwest::{Client, Response};
use serde_json::{Value, json};

/// A list that is paged in this way, in responses of this schema.
fn list(pages: Value, schema: Value) -> Value {
    json!({ "get": {
        "x-podqueue-pages": pages,
        "responses": { "200": {
            "headers": { "Link": { "schema": { "type": "string" } } },
            "content": { "application/json": { "schema": schema } },
        } },
    } })
}

fn fake() -> FakeService {
    let ids = json!({ "type": "array", "items": {
        "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } },
    } });
    let page = |properties: Value| {
        let mut properties = properties;
        properties["data"] = ids.clone();
        let required: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
        json!({ "type": "object", "required": required, "properties": properties })
    };
    let more = json!({ "type": "boolean" });
    let text = json!({ "type": "string" });
    let uri = json!({ "type": ["string", "null"], "format": "uri" });
    let description = json!({ "openapi": "3.1.0", "paths": {
        "/cursor": list(
            json!({ "by": "cursor", "query": "after", "place": ["meta", "next"], "more": ["more"], "items": ["data"] }),
            page(json!({ "more": more, "meta": { "type": "object", "required": ["next"], "properties": { "next": text } } })),
        ),
        "/last": list(
            json!({ "by": "lastItem", "query": "after", "id": "id", "more": ["more"], "items": ["data"] }),
            page(json!({ "more": more })),
        ),
        "/link": list(json!({ "by": "link", "place": ["next"], "items": ["data"] }), page(json!({ "next": uri }))),
        "/header": list(json!({ "by": "header", "header": "link", "items": [] }), ids.clone()),
        "/offset": list(json!({ "by": "offset", "query": "from", "items": [] }), ids.clone()),
        "/number": list(json!({ "by": "number", "query": "page", "first": 1, "items": ["data"] }), page(json!({}))),
    } });
    FakeService::start(&description.to_string()).unwrap()
}

async fn get(url: &str) -> Response {
    static CLIENT: LazyLock<Client> = LazyLock::new(Client::new);
    let response = CLIENT.get(url).send().await.unwrap();
    assert_eq!(response.status(), 200, "{url}");
    response
}

async fn json(url: &str) -> Value {
    get(url).await.json().await.unwrap()
}

#[tokio::test]
async fn the_second_page_is_the_last() {
    let fake = fake();
    let url = fake.url().to_owned();
    let is_empty = |items: &Value| items.as_array().unwrap().is_empty();
    let mut walked = 0;
    for seed in 0..40 {
        fake.set_seed(seed);
        let page = json(&format!("{url}/cursor")).await;
        if page["more"] == json!(true) {
            let cursor = page["meta"]["next"].as_str().unwrap();
            assert!(!cursor.is_empty() && !is_empty(&page["data"]), "{page}");
            walked += 1;
        }
        let last = json(&format!("{url}/cursor?after=x")).await;
        assert_eq!((&last["more"], &last["meta"]["next"]), (&json!(false), &json!("")), "{last}");

        let page = json(&format!("{url}/last")).await;
        let last_id = page["data"].as_array().unwrap().last().map(|it| it["id"] != json!(""));
        assert_eq!(page["more"], json!(last_id == Some(true)), "{page}");
        assert_eq!(json(&format!("{url}/last?after=x")).await["more"], json!(false));

        let page = json(&format!("{url}/link?q=1")).await;
        if let Some(next) = page["next"].as_str() {
            assert!(next.starts_with(&format!("{url}/link?q=1&")), "{next}");
            assert_eq!(json(next).await["next"], Value::Null);
            walked += 1;
        }

        let first = get(&format!("{url}/header")).await;
        let link = first.headers()["link"].to_str().unwrap();
        let next =
            link.strip_prefix('<').and_then(|it| it.strip_suffix(">; rel=\"next\"")).unwrap();
        assert!(get(next).await.headers().get("link").is_none(), "{next}");

        assert!(is_empty(&json(&format!("{url}/offset?from=3")).await));
        assert!(is_empty(&json(&format!("{url}/number?page=2")).await["data"]));
    }
    assert!(walked > 20, "{walked} pages led to another one");
}
