//! Control plane: the functions of the Rust API over HTTP.

use podqueue_local::Operation;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Service, answer, assert_refused, eventually};

async fn service() -> Service {
    Service::still(podqueue_local::Builder::control_plane).await
}

#[tokio::test]
async fn the_control_plane_is_opt_in_and_requires_a_key() {
    let without = Service::still(|builder| builder).await;
    assert_refused(&without.get("/_local/clock").await, StatusCode::NOT_FOUND, "no operation");
    let service = service().await;
    let request = service.http.get(format!("{}/_local/clock", service.local.base_url()));
    assert_refused(&answer(request).await, StatusCode::UNAUTHORIZED, "API key");
    let answer = service.get("/_local/clock").await;
    assert_eq!(answer, (200, json!({ "nowMs": 0, "manual": true })));
}

#[tokio::test]
async fn a_restricted_key_opens_it_only_with_that_permission() {
    let service = Service::still(|builder| {
        let builder = builder.restricted_api_key("tester", [Operation::Control]);
        builder.restricted_api_key("reader", [Operation::Status]).control_plane()
    })
    .await;
    let get = |key: &str| {
        let url = format!("{}/_local/clock", service.local.base_url());
        answer(service.http.get(url).header("authorization", key))
    };
    assert_eq!(get("tester").await.0, 200);
    assert_refused(&get("reader").await, StatusCode::UNAUTHORIZED, "no permission");
}

#[tokio::test]
async fn the_control_plane_advances_the_clock() {
    let service = service().await;
    let id = service.run("sleep", json!({ "input": { "ms": 60_000 } })).await;
    let answer = service.post_json("/_local/clock/advance", json!({ "ms": 60_000 })).await;
    assert_eq!(answer, (200, json!({ "nowMs": 60_000, "manual": true })));
    service.until("sleep", &id, "COMPLETED").await;
}

#[tokio::test]
async fn the_control_plane_adds_and_ends_faults() {
    let service = service().await;
    let faults = [
        json!({ "operation": "health", "response": { "status": 503 } }),
        json!({ "operation": "requests", "times": 1, "response": {
            "status": 502, "headers": { "x-a": "b" }, "body": "{}",
        } }),
        json!({ "operation": "get-pod", "truncate": 3, "probability": 1.0, "seed": 4 }),
        json!({ "operation": "run", "endpoint": "echo", "reset": {}, "processed": true }),
        json!({ "operation": "runsync", "drip": { "bytes": 5, "pauseMs": 0 } }),
        json!({ "operation": "cancel", "cut": 3 }),
        json!({ "operation": "cancel", "stall": true }),
        json!({ "operation": "cancel", "rewrite": "foreign" }),
        json!({ "operation": "cancel", "rewrite": "nan" }),
        json!({ "operation": "get-template", "rewrite": "byte-order-mark" }),
        json!({ "operation": "cancel", "again": "at-once" }),
        json!({ "operation": "cancel", "again": "before-the-next" }),
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let answer = service.post_json("/_local/faults", fault).await;
        assert_eq!(answer, (200, json!({ "id": number + 1 })));
    }
    let get = |path: &str| {
        let url = format!("{}{path}", service.local.base_url());
        service.http.get(url).header("authorization", format!("Bearer {}", crate::support::KEY))
    };
    assert_eq!(get("/v2/echo/health").send().await.unwrap().status(), 503);
    let reply = get("/v2/echo/requests").send().await.unwrap();
    assert_eq!((reply.status().as_u16(), &reply.headers()["x-a"]), (502, &"b".parse().unwrap()));
    assert_eq!(get("/v1/pods/pod-gpu").send().await.unwrap().text().await.unwrap().len(), 3);
    let marked = get("/v1/templates/template-own").send().await.unwrap();
    assert!(marked.bytes().await.unwrap().starts_with(b"\xef\xbb\xbf"));
    let (_, record) = service.post_json("/v2/count/runsync", json!({ "input": { "n": 0 } })).await;
    assert_eq!(record["status"], "COMPLETED");
    assert_eq!(service.send(Method::DELETE, "/_local/faults", Vec::new()).await.0, 200);
    assert_eq!(service.get("/v2/echo/health").await.0, 200);
}

#[tokio::test]
async fn a_fault_can_name_every_operation() {
    let service = service().await;
    let operations = [
        "run",
        "runsync",
        "status",
        "stream",
        "cancel",
        "retry",
        "purge-queue",
        "health",
        "openai",
        "requests",
        "get-pod",
        "get-template",
        "graphql",
        "account",
    ];
    for operation in operations {
        let fault = json!({ "operation": operation, "response": { "status": 503, "body": "{}" } });
        assert_eq!(service.post_json("/_local/faults", fault).await.0, 200, "{operation}");
    }
    assert_eq!(service.post("/v2/echo/openai/v1/models").await.0, 503);
    assert_eq!(service.get("/v2/echo/requests").await.0, 503);
}

#[tokio::test]
async fn the_control_plane_takes_the_service_down_for_a_time() {
    let service = service().await;
    let fault = json!({ "operation": "health", "times": 1, "down": { "ms": 3_600_000 } });
    assert_eq!(service.post_json("/_local/faults", fault).await.0, 200);
    let url = format!("{}/v2/echo/health", service.local.base_url());
    let health = || service.http.get(&url).header("authorization", crate::support::KEY).send();
    assert!(health().await.is_err());
    assert!(health().await.unwrap_err().is_connect());
    service.local.refuse_connections(std::time::Duration::ZERO).await;
    eventually("a service that is back", async || health().await.is_ok()).await;
}

#[tokio::test]
async fn the_control_plane_adds_and_removes_seeds() {
    let service = service().await;
    let template = json!({ "id": "t", "name": "t" });
    assert_eq!(service.post_json("/_local/templates", template).await.0, 200);
    let pod = json!({ "id": "p", "templateId": "t" });
    assert_eq!(service.post_json("/_local/pods", pod).await.0, 200);
    let (_, pod) = service.get("/v1/pods/p?includeTemplate=true").await;
    assert_eq!(pod["template"]["name"], "t");
    assert_eq!(service.send(Method::DELETE, "/_local/pods/p", Vec::new()).await.0, 200);
    assert_eq!(service.send(Method::DELETE, "/_local/pods/p", Vec::new()).await.0, 404);
    assert_eq!(service.get("/v1/pods/p").await.0, 404);
}

#[tokio::test]
async fn the_control_plane_reads_the_logs_and_is_not_logged() {
    let service = service().await;
    service.get("/v2/echo/health?x=1").await;
    let body = json!({ "input": {}, "webhook": "https://127.0.0.1:1/" });
    let id = service.run("echo", body).await;
    let (_, requests) = service.get("/_local/requests").await;
    let expected = json!([
        { "method": "GET", "path": "/v2/echo/health", "query": "x=1", "status": 200 },
        { "method": "POST", "path": "/v2/echo/run", "query": "", "status": 200 },
    ]);
    assert_eq!(requests, expected);
    let mut tries = Value::Null;
    eventually("a try", async || {
        tries = service.get("/_local/webhooks").await.1;
        tries != json!([])
    })
    .await;
    assert_eq!((&tries[0]["jobId"], &tries[0]["attempt"]), (&json!(id), &json!(1)));
    assert_eq!((&tries[0]["atMs"], &tries[0]["status"]), (&json!(0), &Value::Null));
    assert_eq!(service.post(&format!("/_local/webhooks/{id}/redeliver")).await.0, 200);
    for unknown in ["unknown", "%ff"] {
        let path = format!("/_local/webhooks/{unknown}/redeliver");
        assert_eq!(service.post(&path).await.0, 404);
    }
}

#[tokio::test]
async fn invalid_input_is_400() {
    let service = service().await;
    for (path, body) in [
        ("clock/advance", json!({})),
        ("clock/advance", json!({ "ms": -1 })),
        ("faults", json!({ "operation": "nope" })),
        ("faults", json!({ "operation": "control", "response": { "status": 503 } })),
        ("faults", json!({ "unknown": 1 })),
        ("faults", json!({ "times": 1, "probability": 0.5 })),
        ("faults", json!({ "truncate": 1, "reset": {} })),
        ("faults", json!({ "stall": true, "cut": 1 })),
        ("faults", json!({ "rewrite": "backwards" })),
        ("faults", json!({ "down": { "ms": 1 }, "drip": { "bytes": 1, "pauseMs": 1 } })),
        ("faults", json!({ "probability": 1.5 })),
        ("faults", json!({ "response": { "status": 101 } })),
        ("faults", json!({ "response": { "status": 200, "headers": { "a b": "c" } } })),
        ("faults", json!({ "response": { "status": 200, "headers": { "a": "b\n" } } })),
        ("pods", json!({})),
        ("templates", json!({ "id": "t" })),
    ] {
        let answer = service.post_json(&format!("/_local/{path}"), body.clone()).await;
        assert_eq!(answer.0, 400, "{path} {body}");
    }
}

#[tokio::test]
async fn the_clock_stays_within_a_thousand_years() {
    let service = service().await;
    let furthest = json!({ "nowMs": 31_556_952_000_000_u64, "manual": true });
    for ms in [u64::MAX, u64::MAX, 1] {
        let answer = service.post_json("/_local/clock/advance", json!({ "ms": ms })).await;
        assert_eq!(answer, (200, furthest.clone()));
    }
    let id = service.run("echo", json!({ "input": {} })).await;
    service.until("echo", &id, "COMPLETED").await;
}
