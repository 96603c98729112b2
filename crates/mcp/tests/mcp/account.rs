//! Tools of the account: endpoints, workers and logs, and what `doctor` finds there.

use podqueue::account::types::{
    CreateEndpointGpuConfig, CreateEndpointRequest, CreateEndpointRequestWorkers, EndpointType,
    QueueDelayScaling,
};
use podqueue_local::LocalService;
use serde_json::{Value, json};

use crate::support::{Assistant, Fixture};

/// Creates an endpoint with a maximum of workers and a secret in its environment; returns its id.
async fn created(fixture: &Fixture, image: &str, max: i64) -> String {
    let scaling = QueueDelayScaling::new(4.0).into();
    let mut body = CreateEndpointRequest::new("mine", scaling, EndpointType::Queue);
    body.image = Some(image.to_owned());
    body.gpu = Some(CreateEndpointGpuConfig::new(["ADA_24"]));
    let limits =
        CreateEndpointRequestWorkers { min: Some(0), max: Some(max), ..Default::default() };
    body.workers = Some(limits);
    body.env.insert("PASSWORD".to_owned(), "correct horse".to_owned());
    let account = fixture.client().account();
    account.create_endpoint(body).await.unwrap().id.unwrap()
}

#[tokio::test]
async fn the_account_is_shown_without_environments() {
    let fixture = Fixture::start().await;
    let id = created(&fixture, "registry.example/echo:1", 2).await;
    let assistant = Assistant::of(fixture.builder().account()).await;
    assistant.ok("run", json!({ "endpoint": id, "input": { "a": 1 } })).await;

    let endpoints = assistant.ok("endpoints", json!({})).await;
    let found = endpoints["endpoints"].as_array().unwrap().iter();
    let found: Vec<&Value> = found.filter(|endpoint| endpoint["id"] == id).collect();
    assert_eq!((&found[0]["name"], &found[0]["workers_max"]), (&json!("mine"), &json!(2)));
    assert!(!endpoints.to_string().contains("correct horse"), "{endpoints}");

    let workers = assistant.ok("workers", json!({ "endpoint": id })).await;
    assert_eq!(
        (&workers["window"]["total"], &workers["workers"][0]["status"]),
        (&json!(1), &json!("IDLE"))
    );
    let logs = assistant.ok("logs", json!({ "endpoint": id, "lines": 1 })).await;
    assert_eq!(logs["lines"].as_array().unwrap().len(), 1, "{logs}");
    assistant.stop().await;

    let bounded = Assistant::of(fixture.builder().account().endpoints(["another"])).await;
    let endpoints = bounded.ok("endpoints", json!({})).await;
    assert_eq!(endpoints["window"]["total"], 0, "{endpoints}");
    bounded.stop().await;
}

#[tokio::test]
async fn doctor_finds_an_endpoint_that_may_have_no_worker() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    let id = created(&fixture, "registry.example/echo:1", 0).await;
    let assistant = Assistant::of(fixture.builder().account()).await;
    let job = assistant.ok("run", json!({ "endpoint": id, "input": {}, "wait_s": 0 })).await;
    let doctor = json!({ "endpoint": id, "job_id": job["job_id"] });
    let doctor = assistant.ok("doctor", doctor).await;
    assert!(doctor["message"].as_str().unwrap().contains("maximum of workers is 0"), "{doctor}");
    assistant.stop().await;
}
