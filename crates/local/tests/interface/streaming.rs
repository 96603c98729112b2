//! Streaming: section "Stream chunk" of the interface, and rule 5 of the queue operations.

use futures_util::stream;
use podqueue_local::{LocalJob, StreamShape};
use serde_json::{Value, json};

use crate::support::{Service, eventually, members, seconds};

#[tokio::test]
async fn chunks_come_as_an_array_of_output_and_metrics() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("count", json!({ "input": { "n": 1 } })).await;
    service.until("count", &id, "COMPLETED").await;
    let (status, chunks) = service.get(&format!("/v2/count/stream/{id}")).await;
    assert_eq!(status, 200);
    let chunks = chunks.as_array().unwrap();
    assert_eq!(chunks.len(), 2);
    for (index, chunk) in chunks.iter().enumerate() {
        assert_eq!(members(chunk), ["metrics", "output"]);
        assert_eq!(chunk["output"], json!({ "n": index }));
        let metrics = &chunk["metrics"];
        assert_eq!(
            members(metrics),
            [
                "avg_gen_throughput",
                "avg_prompt_throughput",
                "cpu_kv_cache_usage",
                "gpu_kv_cache_usage",
                "input_tokens",
                "output_tokens",
                "pending",
                "running",
                "scenario",
                "stream_index",
                "swapped",
            ],
        );
        assert_eq!(metrics["stream_index"], index);
        assert!(metrics["scenario"].is_string());
        let numbers = members(metrics).into_iter().filter(|name| *name != "scenario");
        assert!(numbers.into_iter().all(|name| metrics[name].is_number()), "{metrics}");
    }
}

#[tokio::test]
async fn the_other_shape_is_an_object_with_the_status() {
    let service = Service::still(|builder| builder.stream_shape(StreamShape::Object)).await;
    let id = service.run("count", json!({ "input": { "n": 0 } })).await;
    service.until("count", &id, "COMPLETED").await;
    let path = format!("/v2/count/stream/{id}");
    let (_, body) = service.get(&path).await;
    assert_eq!(members(&body), ["status", "stream"]);
    assert_eq!(body["status"], "COMPLETED");
    assert_eq!(body["stream"][0]["output"], json!({ "n": 0 }));
    assert_eq!(service.get(&path).await.1, json!({ "status": "COMPLETED", "stream": [] }));
}

#[tokio::test]
async fn chunks_are_drained_in_order_none_lost_or_repeated() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("count", json!({ "input": { "n": 4, "ms": 1000 } })).await;
    let path = format!("/v2/count/stream/{id}");
    let mut seen = Vec::new();
    for _ in 0..5 {
        let before = seen.len();
        service.until("count", &id, "IN_PROGRESS").await;
        service.advance(seconds(1));
        eventually("another chunk", async || {
            let (_, chunks) = service.get(&path).await;
            seen.extend(chunks.as_array().unwrap().iter().map(|chunk| chunk["output"].clone()));
            seen.len() > before
        })
        .await;
    }
    let expected: Vec<Value> = (0..5).map(|n| json!({ "n": n })).collect();
    assert_eq!(seen, expected);
    service.until("count", &id, "COMPLETED").await;
    assert_eq!(service.get(&path).await.1, json!([]));
}

#[tokio::test]
async fn chunks_of_a_job_that_ended_are_there_until_they_are_read() {
    let service = Service::still(|builder| {
        builder.endpoint("partly", |job: LocalJob| async move {
            job.emit(json!({ "part": 1 })).await;
            Err("then it broke".into())
        })
    })
    .await;
    let id = service.run("partly", json!({ "input": {} })).await;
    service.until("partly", &id, "FAILED").await;
    let (_, chunks) = service.get(&format!("/v2/partly/stream/{id}")).await;
    assert_eq!(chunks[0]["output"], json!({ "part": 1 }));
}

#[tokio::test]
async fn a_handler_can_report_its_own_metrics() {
    let service = Service::still(|builder| {
        builder.endpoint("metered", |job: LocalJob| async move {
            let metrics = json!({ "input_tokens": 12, "own": "x" });
            let metrics = metrics.as_object().cloned().unwrap_or_default();
            job.emit_with_metrics(json!({ "text": "a" }), metrics).await;
            Ok(Value::Null)
        })
    })
    .await;
    let id = service.run("metered", json!({ "input": {} })).await;
    service.until("metered", &id, "COMPLETED").await;
    let (_, chunks) = service.get(&format!("/v2/metered/stream/{id}")).await;
    assert_eq!(chunks[0]["metrics"]["input_tokens"], 12);
    assert_eq!(chunks[0]["metrics"]["own"], "x");
    assert_eq!(chunks[0]["metrics"]["stream_index"], 0);
}

#[tokio::test]
async fn a_chunk_above_1_mb_is_split() {
    let service = Service::still(|builder| {
        builder.streaming_endpoint("large", |_: LocalJob| {
            stream::iter([Ok(json!({ "text": "\u{e9}\"".repeat(600_000) })), Ok(json!({ "n": 1 }))])
        })
    })
    .await;
    let id = service.run("large", json!({ "input": {} })).await;
    service.until("large", &id, "COMPLETED").await;
    let (_, chunks) = service.get(&format!("/v2/large/stream/{id}")).await;
    let chunks = chunks.as_array().unwrap();
    assert!(chunks.iter().all(|chunk| chunk.to_string().len() <= 1_000_000));
    let text: String = chunks.iter().filter_map(|chunk| chunk["output"]["text"].as_str()).collect();
    assert!(text == "\u{e9}\"".repeat(600_000));
    assert_eq!(chunks.last().unwrap()["output"], json!({ "n": 1 }));
    let indexes: Vec<_> =
        chunks.iter().map(|chunk| chunk["metrics"]["stream_index"].as_u64().unwrap()).collect();
    assert_eq!(indexes, (0..chunks.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn count_counts_to_10_000_at_most() {
    let service = Service::still(|builder| builder).await;
    let most = service.run("count", json!({ "input": { "n": 10_000 } })).await;
    service.until("count", &most, "COMPLETED").await;
    let (_, chunks) = service.get(&format!("/v2/count/stream/{most}")).await;
    assert_eq!(chunks.as_array().unwrap().len(), 10_001);
    let above = service.run("count", json!({ "input": { "n": 10_001 } })).await;
    let record = service.until("count", &above, "FAILED").await;
    assert!(record["error"].as_str().unwrap().contains("10000"), "{record}");
}

#[tokio::test]
async fn a_job_without_chunks_has_an_empty_stream() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    service.until("echo", &id, "COMPLETED").await;
    assert_eq!(service.get(&format!("/v2/echo/stream/{id}")).await, (200, json!([])));
}
