//! Fault scenarios over the control plane.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Service, assert_refused};

async fn put(service: &Service, name: &str, scenario: Value) -> (u16, Value) {
    let path = format!("/_local/scenarios/{name}");
    service.send(Method::PUT, &path, scenario.to_string().into_bytes()).await
}

async fn status_of_health(service: &Service) -> u16 {
    service.get("/v2/echo/health").await.0
}

/// The names of the scenarios, and whether they are active.
async fn states(service: &Service) -> Vec<(String, bool)> {
    let (_, scenarios) = service.get("/_local/scenarios").await;
    let state = |it: &Value| (it["name"].as_str().unwrap().into(), it["active"].as_bool().unwrap());
    scenarios.as_array().unwrap().iter().map(state).collect()
}

#[tokio::test]
async fn a_scenario_is_defined_and_starts_ends_and_starts_again() {
    let service = Service::still(podqueue_local::Builder::control_plane).await;
    assert_eq!(service.get("/_local/scenarios").await, (200, json!([])));
    let other = json!({ "operation": "run", "times": 3, "response": { "status": 500 } });
    assert_eq!(service.post_json("/_local/faults", other.clone()).await.0, 200);
    let response = json!({ "status": 503, "body": "{}" });
    let unavailable = json!({ "operation": "health", "times": 2, "response": response });
    let slow = json!({ "operation": "stream", "delayMs": 5 });
    let scenario = json!({ "description": "As at noon.", "faults": [unavailable, slow] });
    assert_eq!(put(&service, "at%20noon", scenario.clone()).await, (200, json!({})));
    let listed = |active: bool| {
        json!([{
            "name": "at noon", "description": "As at noon.", "faults": scenario["faults"], "active": active,
        }])
    };
    assert_eq!(service.get("/_local/scenarios").await, (200, listed(true)));
    assert_eq!(status_of_health(&service).await, 503);
    let (_, faults) = service.get("/_local/faults").await;
    assert_eq!(faults[0].get("scenario"), None);
    assert_eq!(
        (&faults[1]["scenario"], &faults[1]["left"], &faults[1]["affected"]),
        (&json!("at noon"), &json!(1), &json!(1))
    );
    assert_eq!(faults[2]["scenario"], "at noon");

    let path = "/_local/scenarios/at%20noon";
    assert_eq!(service.send(Method::DELETE, path, Vec::new()).await, (200, json!({})));
    assert_eq!(service.get("/_local/scenarios").await, (200, listed(false)));
    assert_eq!(status_of_health(&service).await, 200);
    let (_, faults) = service.get("/_local/faults").await;
    assert_eq!(faults.as_array().unwrap().len(), 1);
    assert_eq!(faults[0]["left"], 3);

    // A second start begins anew.
    for _ in 0..2 {
        assert_eq!(service.post(&format!("{path}/start")).await, (200, json!({})));
        assert_eq!(status_of_health(&service).await, 503);
    }
    assert_eq!(status_of_health(&service).await, 503);
    assert_eq!(status_of_health(&service).await, 200);
    assert_eq!(states(&service).await, [("at noon".to_owned(), true)]);
    assert_eq!(service.send(Method::DELETE, "/_local/faults", Vec::new()).await.0, 200);
    assert_eq!(states(&service).await, [("at noon".to_owned(), false)]);
}

#[tokio::test]
async fn a_scenario_is_replaced_and_its_former_faults_end() {
    let service = Service::still(podqueue_local::Builder::control_plane).await;
    let responds = |status: u16| {
        let response = json!({ "status": status, "body": "{}" });
        json!({ "faults": [{ "operation": "health", "response": response }] })
    };
    for (name, status) in [("a", 500), ("b", 501), ("a", 502)] {
        assert_eq!(put(&service, name, responds(status)).await.0, 200);
    }
    assert_eq!(states(&service).await, [("a".to_owned(), true), ("b".to_owned(), true)]);
    assert_eq!(status_of_health(&service).await, 501);
    assert_eq!(service.send(Method::DELETE, "/_local/scenarios/b", Vec::new()).await.0, 200);
    assert_eq!(status_of_health(&service).await, 502);
}

#[tokio::test]
async fn an_invalid_or_unknown_scenario_is_refused() {
    let service = Service::still(podqueue_local::Builder::control_plane).await;
    let valid = json!({ "delayMs": 1 });
    for (scenario, why) in [
        (json!({}), "missing field `faults`"),
        (json!([]), "invalid scenario"),
        (json!({ "faults": [] }), "at least one fault"),
        (json!({ "faults": [valid], "fault": 1 }), "unknown field `fault`"),
        (json!({ "faults": [valid, { "delay": 1 }] }), "fault 2 ({\"delay\":1}): unknown field"),
        (json!({ "faults": [{ "times": 1, "probability": 1 }] }), "fault 1 ({"),
        (json!({ "faults": [valid], "name": "another" }), "\"another\""),
    ] {
        assert_refused(&put(&service, "a", scenario).await, StatusCode::BAD_REQUEST, why);
    }
    assert_eq!(put(&service, "a", json!({ "faults": [valid], "name": "a" })).await.0, 200);
    for (method, path) in
        [(Method::DELETE, "/_local/scenarios/b"), (Method::POST, "/_local/scenarios/b/start")]
    {
        let answer = service.send(method, path, Vec::new()).await;
        assert_refused(&answer, StatusCode::NOT_FOUND, "no such scenario");
    }
    assert_eq!(states(&service).await, [("a".to_owned(), true)]);
}
