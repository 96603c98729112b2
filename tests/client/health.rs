//! Health, purge, OpenAI calls and requests.

use futures_util::StreamExt;
use podqueue::ErrorKind;
use serde_json::json;

use crate::support::{Reply, Script};

#[tokio::test]
async fn health_reads_every_documented_count() {
    let body = json!({
        "jobs": {"completed": 1, "failed": 5, "inProgress": 2, "inQueue": 3, "retried": 4},
        "workers": {"idle": 6, "running": 7}
    });
    let server = Script::of([Reply::ok(body)]).await;
    let health = server.endpoint().health().await.unwrap();
    let request = server.request();
    assert_eq!((request.line().as_str(), request.body.as_str()), ("GET /v2/ep/health", ""));
    let jobs = &health.jobs;
    let counts = [jobs.completed, jobs.failed, jobs.in_progress, jobs.in_queue, jobs.retried];
    assert_eq!(counts, [1, 5, 2, 3, 4]);
    assert_eq!((health.workers.idle, health.workers.running), (6, 7));
    assert_eq!(health.workers.throttled, None);
}

#[tokio::test]
async fn health_reads_what_is_seen_in_practice() {
    let body = json!({
        "jobs": {"completed": 1, "failed": null, "inProgress": 2.0, "inQueue": "3", "retried": 4},
        "workers": {"idle": 0, "running": 1, "initializing": 2, "ready": 3, "throttled": 4,
                    "unhealthy": 5, "resting": 6},
        "other": {}
    });
    let server = Script::of([Reply::ok(body)]).await;
    let health = server.endpoint().health().await.unwrap();
    assert_eq!((health.jobs.failed, health.jobs.in_progress, health.jobs.in_queue), (0, 2, 3));
    let workers = &health.workers;
    assert_eq!(
        [workers.initializing, workers.ready, workers.throttled, workers.unhealthy],
        [Some(2), Some(3), Some(4), Some(5)]
    );
}

#[tokio::test]
async fn a_health_report_of_another_shape_is_an_error_and_not_zeros() {
    for (body, field) in [
        (json!({}), "."),
        (json!({"jobs": {}, "workers": {"idle": 1, "running": 1}}), "jobs"),
        (json!({"jobs": 1, "workers": {"idle": 1, "running": 1}}), "jobs"),
        (json!([]), "."),
        (json!({"error": "no"}), "."),
    ] {
        let server = Script::of([Reply::ok(&body)]).await;
        let error = server.endpoint().health().await.unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Decode, Some(field)), "{body}");
    }
}

#[tokio::test]
async fn purge_returns_how_many_were_removed() {
    let server = Script::of([Reply::ok(r#"{"removed":2,"status":"completed"}"#)]).await;
    let purged = server.endpoint().purge_queue().await.unwrap();
    let request = server.request();
    assert_eq!((request.line().as_str(), request.body.as_str()), ("POST /v2/ep/purge-queue", ""));
    assert_eq!((purged.removed, purged.status.as_str()), (2, "completed"));
}

#[tokio::test]
async fn openai_passes_json_through() {
    let server = Script::of([Reply::ok(r#"{"choices":[]}"#)]).await;
    let body = json!({"model": "m", "messages": []});
    let answer = server.endpoint().openai("v1/chat/completions", &body).await.unwrap();
    let request = server.request();
    assert_eq!(request.line(), "POST /v2/ep/openai/v1/chat/completions");
    assert_eq!(request.body, r#"{"messages":[],"model":"m"}"#);
    assert_eq!(answer, json!({"choices": []}));
}

#[tokio::test]
async fn openai_stream_asks_for_a_stream() {
    let headers = vec![("content-type", "text/event-stream".to_owned())];
    let body = "data: {\"a\":1}\n\ndata: [DONE]\n\n".to_owned();
    let server = Script::of([Reply::Answer { status: 200, headers, body }]).await;
    let body = json!({"model": "m", "stream": false});
    let events = server.endpoint().openai_stream("/v1/chat/completions", &body).await.unwrap();
    let data: Vec<_> = events.map(|event| event.unwrap().data).collect().await;
    assert_eq!(data, ["{\"a\":1}", "[DONE]"]);
    let request = server.request();
    assert_eq!(request.line(), "POST /v2/ep/openai/v1/chat/completions");
    assert_eq!(request.body, r#"{"model":"m","stream":true}"#);
    assert_eq!(request.header("accept"), Some("text/event-stream"));
}

#[tokio::test]
async fn requests_passes_json_through() {
    let server = Script::of([Reply::ok(r#"{"requests":[{"id":"a"}]}"#)]).await;
    let answer = server.endpoint().requests().await.unwrap();
    assert_eq!(server.request().line(), "GET /v2/ep/requests");
    assert_eq!(answer, json!({"requests": [{"id": "a"}]}));
}
