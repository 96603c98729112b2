//! States of a job: sections "States and transitions" and "Job status" of the interface.

use reqwest::StatusCode;
use serde_json::json;

use crate::support::{Service, assert_refused, seconds};

/// A job of the endpoint `sleep` that runs until its time is up.
fn long() -> serde_json::Value {
    json!({ "input": { "ms": 100_000_000 } })
}

#[tokio::test]
async fn accepted_becomes_in_queue() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    let (status, receipt) = service.post_json("/v2/echo/run", json!({ "input": {} })).await;
    let id = receipt["id"].as_str().unwrap().to_owned();
    assert_eq!(status, 200);
    assert_eq!(receipt, json!({ "id": id, "status": "IN_QUEUE" }));
    let (status, record) = service.status("echo", &id).await;
    assert_eq!(status, 200);
    let expected = json!({ "id": id, "status": "IN_QUEUE", "delayTime": 0, "executionTime": 0 });
    assert_eq!(record, expected);
}

#[tokio::test]
async fn in_queue_becomes_in_progress_when_a_worker_is_available() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let first = service.run("sleep", json!({ "input": { "ms": 7000 } })).await;
    let second = service.run("sleep", long()).await;
    assert_eq!(service.status("sleep", &first).await.1["status"], "IN_PROGRESS");
    assert_eq!(service.status("sleep", &second).await.1["status"], "IN_QUEUE");
    service.advance(seconds(7));
    service.until("sleep", &first, "COMPLETED").await;
    let record = service.until("sleep", &second, "IN_PROGRESS").await;
    assert_eq!(record["delayTime"], 7000);
}

#[tokio::test]
async fn in_progress_becomes_completed_with_the_output() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("sleep", json!({ "input": { "ms": 1500 } })).await;
    service.until("sleep", &id, "IN_PROGRESS").await;
    service.advance(seconds(2));
    let record = service.until("sleep", &id, "COMPLETED").await;
    let expected = json!({
        "id": id,
        "status": "COMPLETED",
        "delayTime": 0,
        "executionTime": 2000,
        "output": { "slept": 1500 },
    });
    assert_eq!(record, expected);
}

#[tokio::test]
async fn in_progress_becomes_failed_with_the_error() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("fail", json!({ "input": { "message": "no memory left" } })).await;
    let record = service.until("fail", &id, "FAILED").await;
    let expected = json!({
        "id": id,
        "status": "FAILED",
        "delayTime": 0,
        "executionTime": 0,
        "error": "no memory left",
    });
    assert_eq!(record, expected);
}

#[tokio::test]
async fn invalid_input_becomes_failed() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("sleep", json!({ "input": { "ms": "soon" } })).await;
    let record = service.until("sleep", &id, "FAILED").await;
    assert!(record["error"].as_str().unwrap().contains("input.ms"));
}

#[tokio::test]
async fn cancel_of_in_queue_removes_the_job_before_it_starts() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let running = service.run("sleep", json!({ "input": { "ms": 1000 } })).await;
    let queued = service.run("sleep", long()).await;
    let answer = service.post(&format!("/v2/sleep/cancel/{queued}")).await;
    assert_eq!(answer, (200, json!({ "id": queued, "status": "CANCELLED" })));
    service.advance(seconds(1));
    service.until("sleep", &running, "COMPLETED").await;
    let (_, record) = service.status("sleep", &queued).await;
    assert_eq!(record["status"], "CANCELLED");
    assert_eq!(record["executionTime"], 0);
}

#[tokio::test]
async fn cancel_of_in_progress_stops_the_execution() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let id = service.run("sleep", json!({ "input": { "ms": 5000 } })).await;
    service.until("sleep", &id, "IN_PROGRESS").await;
    let answer = service.post(&format!("/v2/sleep/cancel/{id}")).await;
    assert_eq!(answer, (200, json!({ "id": id, "status": "CANCELLED" })));
    // A later result of the handler has no effect, and its worker is free at once.
    let next = service.run("sleep", long()).await;
    service.until("sleep", &next, "IN_PROGRESS").await;
    service.advance(seconds(6));
    tokio::task::yield_now().await;
    let (_, record) = service.status("sleep", &id).await;
    assert_eq!(record["status"], "CANCELLED");
    assert_eq!(record.get("output"), None);
    assert_eq!(record["executionTime"], 0);
}

#[tokio::test]
async fn retry_of_failed_becomes_in_queue_with_the_same_id_and_input() {
    let service = Service::still(|builder| {
        builder.workers(1, 1).endpoint("flaky", |job: podqueue_local::LocalJob| async move {
            job.emit(json!({ "attempt": job.attempt() })).await;
            if job.attempt() == 1 { Err("not yet".into()) } else { Ok(job.input) }
        })
    })
    .await;
    let id = service.run("flaky", json!({ "input": { "keep": "me" } })).await;
    service.until("flaky", &id, "FAILED").await;
    let answer = service.post(&format!("/v2/flaky/retry/{id}")).await;
    assert_eq!(answer, (200, json!({ "id": id, "status": "IN_QUEUE" })));
    let record = service.until("flaky", &id, "COMPLETED").await;
    assert_eq!(record["output"], json!({ "keep": "me" }));
    assert_eq!(record.get("error"), None);
    // Output of the first attempt is gone, streamed chunks included.
    let (_, chunks) = service.get(&format!("/v2/flaky/stream/{id}")).await;
    assert_eq!(chunks.as_array().unwrap().len(), 1);
    assert_eq!(chunks[0]["output"], json!({ "attempt": 2 }));
    assert_eq!(chunks[0]["metrics"]["stream_index"], 0);
}

#[tokio::test]
async fn retry_of_timed_out_becomes_in_queue() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("sleep", long()).await;
    service.until("sleep", &id, "IN_PROGRESS").await;
    service.advance(seconds(600));
    let record = service.until("sleep", &id, "TIMED_OUT").await;
    assert_eq!(record["executionTime"], 600_000);
    let answer = service.post(&format!("/v2/sleep/retry/{id}")).await;
    assert_eq!(answer, (200, json!({ "id": id, "status": "IN_QUEUE" })));
    let record = service.until("sleep", &id, "IN_PROGRESS").await;
    assert_eq!(record["delayTime"], 0);
}

#[tokio::test]
async fn ttl_deletes_a_job_in_every_state() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let ttl = |mut body: serde_json::Value| {
        body["policy"] = json!({ "ttl": 10_000, "executionTimeout": 60_000 });
        body
    };
    let completed = service.run("echo", ttl(json!({ "input": {} }))).await;
    service.until("echo", &completed, "COMPLETED").await;
    let failed = service.run("fail", ttl(json!({ "input": {} }))).await;
    service.until("fail", &failed, "FAILED").await;
    let running = service.run("sleep", ttl(long())).await;
    service.until("sleep", &running, "IN_PROGRESS").await;
    let queued = service.run("sleep", ttl(long())).await;
    let cancelled = service.run("sleep", ttl(long())).await;
    service.post(&format!("/v2/sleep/cancel/{cancelled}")).await;
    let all = [
        ("echo", &completed),
        ("fail", &failed),
        ("sleep", &running),
        ("sleep", &queued),
        ("sleep", &cancelled),
    ];
    service.advance(std::time::Duration::from_millis(9_999));
    for (endpoint, id) in all {
        assert_eq!(service.status(endpoint, id).await.0, 200, "{endpoint}");
    }
    service.advance(std::time::Duration::from_millis(1));
    for (endpoint, id) in all {
        assert_refused(&service.status(endpoint, id).await, StatusCode::NOT_FOUND, "no such job");
    }
    let (_, health) = service.get("/v2/sleep/health").await;
    assert_eq!(health["workers"], json!({ "idle": 1, "running": 0 }));
    assert_eq!(health["jobs"]["inQueue"], 0);
}

#[tokio::test]
async fn purge_removes_queued_jobs_and_leaves_running_ones() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let running = service.run("sleep", json!({ "input": { "ms": 1000 } })).await;
    service.until("sleep", &running, "IN_PROGRESS").await;
    let queued = [service.run("sleep", long()).await, service.run("sleep", long()).await];
    let answer = service.post("/v2/sleep/purge-queue").await;
    assert_eq!(answer, (200, json!({ "removed": 2, "status": "completed" })));
    for id in &queued {
        assert_refused(&service.status("sleep", id).await, StatusCode::NOT_FOUND, "no such job");
    }
    service.advance(seconds(1));
    service.until("sleep", &running, "COMPLETED").await;
    let answer = service.post("/v2/sleep/purge-queue").await;
    assert_eq!(answer, (200, json!({ "removed": 0, "status": "completed" })));
}

#[tokio::test]
async fn retry_of_any_other_state_is_refused() {
    let service = Service::still(|builder| builder.workers(1, 1)).await;
    let completed = service.run("echo", json!({ "input": {} })).await;
    service.until("echo", &completed, "COMPLETED").await;
    let running = service.run("sleep", long()).await;
    service.until("sleep", &running, "IN_PROGRESS").await;
    let queued = service.run("sleep", long()).await;
    let cancelled = service.run("sleep", long()).await;
    service.post(&format!("/v2/sleep/cancel/{cancelled}")).await;
    for (endpoint, id, state) in [
        ("echo", &completed, "COMPLETED"),
        ("sleep", &running, "IN_PROGRESS"),
        ("sleep", &queued, "IN_QUEUE"),
        ("sleep", &cancelled, "CANCELLED"),
    ] {
        let answer = service.post(&format!("/v2/{endpoint}/retry/{id}")).await;
        assert_refused(&answer, StatusCode::BAD_REQUEST, state);
        assert_eq!(service.status(endpoint, id).await.1["status"], state);
    }
}

#[tokio::test]
async fn cancel_of_an_ended_job_is_refused_unless_it_was_cancelled() {
    let service = Service::still(|builder| builder).await;
    let completed = service.run("echo", json!({ "input": {} })).await;
    service.until("echo", &completed, "COMPLETED").await;
    let failed = service.run("fail", json!({ "input": {} })).await;
    service.until("fail", &failed, "FAILED").await;
    let timed_out = service.run("sleep", long()).await;
    let cancelled = service.run("sleep", long()).await;
    service.post(&format!("/v2/sleep/cancel/{cancelled}")).await;
    service.advance(seconds(600));
    for (endpoint, id, state) in [
        ("echo", &completed, "COMPLETED"),
        ("fail", &failed, "FAILED"),
        ("sleep", &timed_out, "TIMED_OUT"),
    ] {
        let answer = service.post(&format!("/v2/{endpoint}/cancel/{id}")).await;
        assert_refused(&answer, StatusCode::BAD_REQUEST, state);
    }
    let answer = service.post(&format!("/v2/sleep/cancel/{cancelled}")).await;
    assert_eq!(answer, (200, json!({ "id": cancelled, "status": "CANCELLED" })));
}
