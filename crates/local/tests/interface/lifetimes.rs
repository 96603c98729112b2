//! Execution policy and retention: section "policy object" of the interface, and the times of
//! section "Payload, waiting and retention".

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{Service, assert_refused, seconds};

const DAY: u64 = 24 * 3600;

fn long(policy: Value) -> Value {
    json!({ "input": { "ms": 100 * DAY * 1000 }, "policy": policy })
}

#[tokio::test]
async fn execution_timeout_is_ten_minutes_by_default() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("sleep", long(json!({}))).await;
    service.advance(seconds(599));
    assert_eq!(service.status("sleep", &id).await.1["status"], "IN_PROGRESS");
    service.advance(seconds(1));
    assert_eq!(service.status("sleep", &id).await.1["status"], "TIMED_OUT");
}

#[tokio::test]
async fn execution_timeout_of_a_job_overrides_the_endpoints_for_this_job_only() {
    let service =
        Service::still(|builder| builder.execution_timeout_of("sleep", seconds(60))).await;
    let own = service.run("sleep", long(json!({ "executionTimeout": 5000 }))).await;
    let endpoints = service.run("sleep", long(json!({}))).await;
    service.advance(seconds(5));
    assert_eq!(service.status("sleep", &own).await.1["status"], "TIMED_OUT");
    assert_eq!(service.status("sleep", &endpoints).await.1["status"], "IN_PROGRESS");
    service.advance(seconds(55));
    assert_eq!(service.status("sleep", &endpoints).await.1["status"], "TIMED_OUT");
}

#[tokio::test]
async fn execution_timeout_counts_from_when_a_worker_has_the_job() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let first = service.run("sleep", json!({ "input": { "ms": 300_000 } })).await;
    let second = service.run("sleep", long(json!({ "executionTimeout": 5000 }))).await;
    service.advance(seconds(300));
    service.until("sleep", &first, "COMPLETED").await;
    service.until("sleep", &second, "IN_PROGRESS").await;
    service.advance(seconds(5));
    let (_, record) = service.status("sleep", &second).await;
    assert_eq!(record["status"], "TIMED_OUT");
    assert_eq!((&record["delayTime"], &record["executionTime"]), (&json!(300_000), &json!(5000)));
}

#[tokio::test]
async fn a_timeout_happens_at_its_time_however_far_the_clock_jumps() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("sleep", long(json!({}))).await;
    service.advance(seconds(600 + 29 * 60));
    let (_, record) = service.status("sleep", &id).await;
    assert_eq!(record["executionTime"], 600_000);
    service.advance(seconds(60));
    assert_eq!(service.status("sleep", &id).await.0, 404);
}

#[tokio::test]
async fn ttl_is_24_hours_by_default() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    service.advance(seconds(DAY - 1));
    assert_eq!(service.status("echo", &id).await.1["status"], "IN_QUEUE");
    service.advance(seconds(1));
    assert_eq!(service.status("echo", &id).await.0, 404);
}

#[tokio::test]
async fn ttl_is_separate_from_retention() {
    let service = Service::still(|builder| builder).await;
    let body = json!({ "input": {}, "policy": { "ttl": 7 * DAY * 1000 } });
    let id = service.run("echo", body).await;
    service.until("echo", &id, "COMPLETED").await;
    service.advance(seconds(30 * 60));
    assert_eq!(service.status("echo", &id).await.0, 404);
}

#[tokio::test]
async fn a_ttl_of_7_days_that_queued_for_2_leaves_5_for_execution() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let week = json!({ "ttl": 7 * DAY * 1000, "executionTimeout": 7 * DAY * 1000 });
    let first = service.run("sleep", long(week.clone())).await;
    let second = service.run("sleep", long(week)).await;
    service.advance(seconds(2 * DAY));
    service.post(&format!("/v2/sleep/cancel/{first}")).await;
    let record = service.until("sleep", &second, "IN_PROGRESS").await;
    assert_eq!(record["delayTime"], 2 * DAY * 1000);
    service.advance(seconds(5 * DAY - 1));
    assert_eq!(service.status("sleep", &second).await.1["status"], "IN_PROGRESS");
    service.advance(seconds(1));
    assert_eq!(service.status("sleep", &second).await.0, 404);
}

#[tokio::test]
async fn status_with_ttl_sets_the_lifespan_counted_from_submission() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    service.advance(seconds(100));
    let path = format!("/v2/echo/status/{id}?ttl=200000");
    assert_eq!(service.get(&path).await.1["status"], "IN_QUEUE");
    service.advance(seconds(99));
    assert_eq!(service.status("echo", &id).await.0, 200);
    // It can be made longer as well as shorter.
    let path = format!("/v2/echo/status/{id}?ttl=300000");
    assert_eq!(service.get(&path).await.0, 200);
    service.advance(seconds(100));
    assert_eq!(service.status("echo", &id).await.0, 200);
    service.advance(seconds(1));
    assert_eq!(service.status("echo", &id).await.0, 404);
}

#[tokio::test]
async fn status_with_a_ttl_that_is_over_already_deletes_the_job() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    service.advance(seconds(100));
    assert_eq!(service.get(&format!("/v2/echo/status/{id}?ttl=100000")).await.0, 404);
}

#[tokio::test]
async fn status_with_a_ttl_out_of_range_is_refused() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    for ttl in ["9999", "604800001", "-1", "ten", "", "10000.5"] {
        let answer = service.get(&format!("/v2/echo/status/{id}?ttl={ttl}")).await;
        assert_refused(&answer, StatusCode::BAD_REQUEST, "ttl");
    }
}

#[tokio::test]
async fn a_result_of_run_is_kept_for_30_minutes() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("fail", json!({ "input": {} })).await;
    service.until("fail", &id, "FAILED").await;
    service.advance(seconds(30 * 60 - 1));
    assert_eq!(service.status("fail", &id).await.0, 200);
    service.advance(seconds(1));
    let gone = "no such job";
    for (method, path) in [
        (reqwest::Method::GET, format!("/v2/fail/status/{id}")),
        (reqwest::Method::GET, format!("/v2/fail/stream/{id}")),
        (reqwest::Method::POST, format!("/v2/fail/cancel/{id}")),
        // Once the result has expired, the job cannot be retried.
        (reqwest::Method::POST, format!("/v2/fail/retry/{id}")),
    ] {
        let answer = service.send(method, &path, Vec::new()).await;
        assert_refused(&answer, StatusCode::NOT_FOUND, gone);
    }
}

#[tokio::test]
async fn a_result_of_runsync_is_kept_for_1_minute_and_up_to_5_with_a_longer_wait() {
    let service = Service::still(|builder| builder).await;
    for (wait, kept) in [(1000, 60), (60_000, 60), (90_000, 90), (300_000, 300)] {
        let path = format!("/v2/echo/runsync?wait={wait}");
        let (_, record) = service.post_json(&path, json!({ "input": {} })).await;
        let id = record["id"].as_str().unwrap();
        service.advance(seconds(kept - 1));
        assert_eq!(service.status("echo", id).await.0, 200, "{wait}");
        service.advance(seconds(1));
        assert_eq!(service.status("echo", id).await.0, 404, "{wait}");
    }
}

#[tokio::test]
async fn retry_keeps_the_time_of_submission() {
    let service = Service::still(|builder| builder).await;
    let body = json!({ "input": {}, "policy": { "ttl": 100_000 } });
    let id = service.run("fail", body).await;
    service.until("fail", &id, "FAILED").await;
    service.advance(seconds(99));
    assert_eq!(service.post(&format!("/v2/fail/retry/{id}")).await.0, 200);
    service.advance(seconds(1));
    assert_eq!(service.status("fail", &id).await.0, 404);
}

#[tokio::test]
async fn a_wait_that_is_over_returns_the_current_record_and_the_job_continues() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let body = json!({ "input": { "ms": 100_000 } });
    let running = service.post_json("/v2/sleep/runsync?wait=1000", body.clone());
    let queued = async {
        service.until_busy("sleep", 1, 0).await;
        let queued = service.post_json("/v2/sleep/runsync?wait=1000", body.clone());
        let advance = async {
            service.until_busy("sleep", 1, 1).await;
            service.advance(seconds(1));
        };
        tokio::join!(queued, advance).0
    };
    let (running, queued) = tokio::join!(running, queued);
    assert_eq!((running.0, &running.1["status"]), (200, &json!("IN_PROGRESS")));
    assert_eq!(running.1["executionTime"], 1000);
    assert_eq!((queued.0, &queued.1["status"]), (200, &json!("IN_QUEUE")));
    assert_eq!(queued.1["delayTime"], 1000);
    let id = running.1["id"].as_str().unwrap();
    service.advance(seconds(99));
    let record = service.until("sleep", id, "COMPLETED").await;
    assert_eq!(record["output"], json!({ "slept": 100_000 }));
}

#[tokio::test]
async fn without_a_wait_runsync_waits_for_90_seconds() {
    let service = Service::still(|builder| builder).await;
    let call = service.post_json("/v2/sleep/runsync", json!({ "input": { "ms": 89_999 } }));
    let advance = async {
        service.until_busy("sleep", 1, 0).await;
        service.advance(Duration::from_millis(89_999));
    };
    let ((status, record), ()) = tokio::join!(call, advance);
    assert_eq!((status, &record["status"]), (200, &json!("COMPLETED")));

    let call = service.post_json("/v2/sleep/runsync", json!({ "input": { "ms": 90_001 } }));
    let advance = async {
        service.until_busy("sleep", 1, 0).await;
        service.advance(seconds(90));
    };
    let ((status, record), ()) = tokio::join!(call, advance);
    assert_eq!((status, &record["status"]), (200, &json!("IN_PROGRESS")));
}
