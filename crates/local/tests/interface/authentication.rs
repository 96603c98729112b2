//! Authentication: the section of this name of the interface.

use podqueue_local::{LocalService, Operation};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{KEY, Service, answer, assert_refused};

/// Sends a request with an authorization header, or without one.
async fn with_header(service: &Service, path: &str, header: Option<&str>) -> (u16, Value) {
    let mut request = service.http.get(format!("{}{path}", service.local.base_url()));
    if let Some(header) = header {
        request = request.header("authorization", header);
    }
    answer(request).await
}

#[tokio::test]
async fn the_queue_takes_the_bare_key_and_bearer() {
    let service = Service::still(|builder| builder).await;
    for header in [KEY.to_owned(), format!("Bearer {KEY}"), format!("bearer {KEY}")] {
        assert_eq!(with_header(&service, "/v2/echo/health", Some(&header)).await.0, 200);
    }
}

#[tokio::test]
async fn rest_takes_bearer_only() {
    let service = Service::still(|builder| builder).await;
    let bearer = format!("Bearer {KEY}");
    assert_eq!(with_header(&service, "/v1/pods/pod-gpu", Some(&bearer)).await.0, 200);
    for path in ["/v1/pods/pod-gpu", "/v1/templates/template-own"] {
        let answer = with_header(&service, path, Some(KEY)).await;
        assert_refused(&answer, StatusCode::UNAUTHORIZED, "Bearer");
    }
}

#[tokio::test]
async fn a_missing_or_wrong_key_is_401() {
    let service = Service::still(|builder| builder).await;
    for path in ["/v2/echo/health", "/v2/none/health", "/v2/echo/status/x", "/v1/pods/pod-gpu"] {
        for header in [None, Some(""), Some("Bearer "), Some("Bearer wrong"), Some("Basic abc")] {
            let answer = with_header(&service, path, header).await;
            assert_refused(&answer, StatusCode::UNAUTHORIZED, "API key");
        }
    }
    // A key in a query does nothing outside GraphQL.
    let answer = with_header(&service, "/v2/echo/health?api_key=a+key", None).await;
    assert_refused(&answer, StatusCode::UNAUTHORIZED, "API key");
}

#[tokio::test]
async fn graphql_takes_the_query_parameter_api_key_only() {
    let service = Service::still(|builder| builder).await;
    let body = json!({ "query": "{ _empty }" }).to_string();
    let url = service.local.graphql_url();
    let right = service.http.post(format!("{url}?api_key=a%20key")).body(body.clone());
    let right = right.header("content-type", "application/json");
    assert_eq!(answer(right).await, (200, json!({ "data": { "_empty": null } })));
    let header = service.http.post(&url).header("authorization", format!("Bearer {KEY}"));
    let wrong = service.http.post(format!("{url}?api_key=wrong"));
    let empty = service.http.post(format!("{url}?api_key="));
    for request in [header, wrong, empty] {
        let (status, answer) = answer(request.body(body.clone())).await;
        assert_eq!(status, 401);
        assert!(answer["errors"][0]["message"].as_str().unwrap().contains("API key"));
    }
}

#[tokio::test]
async fn there_can_be_several_keys() {
    let service = Service::still(|builder| builder.api_key("another")).await;
    for key in [KEY, "another"] {
        assert_eq!(with_header(&service, "/v2/echo/health", Some(key)).await.0, 200);
    }
}

#[tokio::test]
async fn a_key_without_permission_is_401() {
    let allowed = [Operation::Status, Operation::GetPod];
    let service = Service::still(|builder| builder.restricted_api_key("reader", allowed)).await;
    let header = Some("Bearer reader");
    assert_eq!(with_header(&service, "/v2/echo/status/x", header).await.0, 404);
    assert_eq!(with_header(&service, "/v1/pods/pod-gpu", header).await.0, 200);
    for path in ["/v2/echo/health", "/v1/templates/template-own"] {
        let answer = with_header(&service, path, header).await;
        assert_refused(&answer, StatusCode::UNAUTHORIZED, "no permission");
    }
    let url = format!("{}?api_key=reader", service.local.graphql_url());
    let request = service.http.post(url).body(r#"{"query": "{ _empty }"}"#);
    assert_eq!(answer(request).await.0, 401);
}

#[tokio::test]
async fn without_a_setting_the_key_is_random() {
    let mut keys = std::collections::BTreeSet::new();
    for _ in 0..2 {
        let local = podqueue_local::LocalService::builder().start().await.unwrap();
        let get = |key: &str| {
            let url = format!("{}/v2/echo/health", local.base_url());
            answer(reqwest::Client::new().get(url).header("authorization", key))
        };
        assert_eq!(get(local.api_key()).await.0, 200);
        assert_eq!(get("local").await.0, 401);
        assert_eq!(local.api_key().len(), 32);
        keys.insert(local.api_key().to_owned());
    }
    assert_eq!(keys.len(), 2);
}

#[tokio::test]
async fn two_authorization_headers_count_as_no_key() {
    let service = Service::still(|builder| builder).await;
    let url = format!("{}/v2/echo/health", service.local.base_url());
    let request = service.http.get(url).header("authorization", KEY);
    let request = request.header("authorization", "another");
    assert_eq!(answer(request).await.0, 401);
}

#[tokio::test]
async fn a_key_that_no_request_could_carry_is_refused_at_the_start() {
    for key in ["", " ", "\t\n", "two\nlines", "line end\n", " spaces ", "schlüssel", "nul\0"] {
        for restricted in [false, true] {
            let builder = LocalService::builder();
            let builder = if restricted {
                builder.restricted_api_key(key, [Operation::Run])
            } else {
                builder.api_key(key)
            };
            let error = builder.start().await.unwrap_err();
            assert_eq!(error.setting(), Some("api_key"), "{key:?}");
            let text = error.to_string();
            assert!(text.starts_with("api_key") && !text.contains("lines"), "{text}");
        }
    }
}
