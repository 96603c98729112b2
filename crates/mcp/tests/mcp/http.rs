//! HTTP: the token, the host and the origin of requests.

use serde_json::{Value, json};

use crate::support::{Assistant, Fixture};

async fn status(assistant: &Assistant, headers: &[(&str, &str)]) -> u16 {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    });
    let mut request = reqwest::Client::new()
        .post(&assistant.url)
        .header("accept", "application/json, text/event-stream")
        .json::<Value>(&body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn a_request_needs_the_token_and_this_host_and_no_origin() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let bearer = format!("Bearer {}", assistant.token);
    let token = ("authorization", bearer.as_str());
    assert_eq!(status(&assistant, &[token]).await, 200);
    assert_eq!(status(&assistant, &[]).await, 401);
    assert_eq!(status(&assistant, &[("authorization", "Bearer x")]).await, 401);
    assert_eq!(status(&assistant, &[("authorization", &assistant.token)]).await, 401);
    assert_eq!(status(&assistant, &[token, ("host", "evil.example")]).await, 403);
    assert_eq!(status(&assistant, &[token, ("origin", "https://evil.example")]).await, 403);
    assert_eq!(assistant.token.len(), 32);
    assistant.stop().await;
}

#[tokio::test]
async fn only_addresses_of_this_machine_are_served() {
    let fixture = Fixture::start().await;
    let server = fixture.builder().build().unwrap();
    let error = server.listen("0.0.0.0:0".parse().unwrap(), None).await.unwrap_err();
    assert!(error.to_string().contains("this machine"), "{error}");
}
