//! Queue interface: streaming, inputs, storage settings, webhooks, limits.

use futures_util::StreamExt;
use podqueue::{ErrorKind, Metrics, S3Config};
use podqueue_local::StreamShape;
use serde_json::{Value, json};

use crate::local::support::{client, service};

#[tokio::test]
async fn a_stream_brings_every_chunk_once_and_in_order_in_both_shapes() {
    for shape in [StreamShape::Array, StreamShape::Object] {
        let local = service().stream_shape(shape).start().await.unwrap();
        let job = client(&local).endpoint("count").run(&json!({"n": 500})).await.unwrap();
        let chunks: Vec<_> = job.stream::<Value>().collect().await;
        let numbers: Vec<_> = chunks
            .iter()
            .map(|chunk| chunk.as_ref().unwrap().output["n"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, (0..=500).collect::<Vec<_>>());
        let metrics = &chunks[3].as_ref().unwrap().metrics;
        assert_eq!(metrics.stream_index, Some(3.0));
        assert_ne!(*metrics, Metrics::default());
    }
}

#[tokio::test]
async fn chunks_dropped_with_a_stream_are_reported_as_a_gap_by_the_next_stream() {
    let local = service().start().await.unwrap();
    let job = client(&local).endpoint("count").run(&json!({"n": 2})).await.unwrap();
    job.wait().await.unwrap();
    // Never polled, it has asked for nothing.
    drop(job.stream::<Value>());
    let mut stream = job.stream::<Value>();
    assert_eq!(stream.next().await.unwrap().unwrap().output["n"], 0);
    drop(stream);
    // The chunks 1 and 2 came with 0, and the service delivers each only once.
    let rest: Vec<_> = job.stream::<Value>().collect().await;
    let [Err(gap)] = rest.as_slice() else { panic!("{rest:?}") };
    assert_eq!(gap.kind(), ErrorKind::StreamGap);
}

#[tokio::test]
async fn a_stream_that_fails_ends_in_its_error() {
    for shape in [StreamShape::Array, StreamShape::Object] {
        let local = service().stream_shape(shape).start().await.unwrap();
        let job = client(&local).endpoint("fail").run(&json!({"message": "no"})).await.unwrap();
        let mut items: Vec<_> = job.stream::<Value>().collect().await;
        let error = items.pop().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::JobFailed);
        assert!(error.to_string().ends_with(": no"), "{error}");
        assert!(items.is_empty());
    }
}

#[tokio::test]
async fn every_json_object_comes_back_as_it_went() {
    let local = service().start().await.unwrap();
    let endpoint = client(&local).endpoint("echo");
    for input in [
        json!({}),
        json!({"input": {}}),
        json!({"a": null, "b": false, "c": 0, "d": "", "e": [], "f": {}}),
        json!({"deep": [[[{"x": "\u{0}\u{1F980}\"\\\n"}]]], "big": u64::MAX, "small": 1e-300}),
    ] {
        let output: Value = endpoint.run_sync(&input).output().await.unwrap();
        assert_eq!(output, input);
    }
}

#[tokio::test]
async fn the_worker_gets_the_storage_settings() {
    let local = service().start().await.unwrap();
    let storage = S3Config::new("id", "secret", "results", "https://storage.example");
    let endpoint = client(&local).endpoint("storage");
    let output: Value = endpoint.run_sync(&json!({})).s3_config(storage).output().await.unwrap();
    assert_eq!(output, json!({"bucket": "results"}));
}

#[tokio::test]
async fn openai_and_requests_return_raw_json() {
    let local = service().start().await.unwrap();
    let endpoint = client(&local).endpoint("echo");
    let body = json!({"model": "m"});
    let answer = endpoint.openai("v1/chat/completions", &body).await.unwrap();
    assert_eq!(answer["openai_input"], body);
    let job = endpoint.run(&json!({})).await.unwrap();
    let requests = endpoint.requests().await.unwrap();
    assert!(requests.to_string().contains(job.id()), "{requests}");
}

#[tokio::test]
async fn health_counts_add_up() {
    let local = service().start().await.unwrap();
    let client = client(&local);
    for n in 0..5 {
        client.endpoint("echo").run(&json!({"n": n})).await.unwrap().wait().await.unwrap();
    }
    let jobs = client.endpoint("echo").health().await.unwrap().jobs;
    assert_eq!((jobs.completed, jobs.failed, jobs.in_progress, jobs.in_queue), (5, 0, 0, 0));
    let job = client.endpoint("second-time").run(&json!({})).await.unwrap();
    job.wait().await.unwrap_err();
    job.retry().await.unwrap();
    job.wait().await.unwrap();
    let jobs = client.endpoint("second-time").health().await.unwrap().jobs;
    assert_eq!((jobs.completed, jobs.retried), (1, 1));
}

#[tokio::test]
async fn unknown_jobs_and_endpoints_are_not_found() {
    let local = service().start().await.unwrap();
    let client = client(&local);
    let errors = [
        client.endpoint("no-such").run(&json!({})).await.unwrap_err(),
        client.endpoint("no-such").health().await.unwrap_err(),
        client.endpoint("echo").job("no-such").status().await.unwrap_err(),
        client.endpoint("echo").job("no-such").cancel().await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.kind(), error.status()), (ErrorKind::NotFound, Some(404)), "{error}");
    }
}

#[tokio::test]
async fn a_payload_above_the_services_limit_is_reported_as_such() {
    let local = service().max_payloads(1_000, 2_000).start().await.unwrap();
    let endpoint = client(&local).endpoint("echo");
    let error = endpoint.run(&json!({"a": "x".repeat(1_000)})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
    let error = endpoint.run_sync(&json!({"a": "x".repeat(2_000)})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
}
