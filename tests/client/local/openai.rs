//! Streams of the OpenAI-compatible paths, from a worker to the client.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use podqueue::{ErrorKind, JobStatus, RateLimits};
use podqueue_local::{LocalJob, LocalService};
use serde_json::{Value, json};

use crate::local::support::{client, service, settings};

/// A service whose endpoint `poet` yields what its caller wants, and then continues until it is
/// cancelled.
async fn poet() -> LocalService {
    let write = |job: LocalJob| async move {
        let input = &job.input["openai_input"];
        for chunk in input["chunks"].as_array().into_iter().flatten() {
            job.emit(chunk.clone()).await;
        }
        if input["endless"] == true {
            job.cancelled().await;
        }
        match input["error"].as_str() {
            Some(error) => Err(error.into()),
            None => Ok(Value::Null),
        }
    };
    service().endpoint("poet", write).start().await.unwrap()
}

#[tokio::test]
async fn every_event_comes_once_in_order_and_however_it_is_written() {
    let local = poet().await;
    let endpoint = client(&local).endpoint("poet");
    let body = json!({ "chunks": [
        { "n": 0 },
        "data: {\"n\": 1}\r\n\r\n: a comment\n\ndata: {\"n\":",
        "\ndata: 2}\n",
        "\nevent: other\nid: 7\ndata: {\"n\": 3}\n\n",
        "data: [DONE]\n\n",
    ] });
    let events = endpoint.openai_stream("v1/chat/completions", &body).await.unwrap();
    let events: Vec<_> = events.try_collect().await.unwrap();
    let (done, events) = events.split_last().unwrap();
    assert_eq!(done.data, "[DONE]");
    for (n, event) in events.iter().enumerate() {
        assert_eq!(event.json::<Value>().unwrap(), json!({ "n": n }));
    }
    assert_eq!((events[3].event.as_str(), events[3].id.as_deref()), ("other", Some("7")));
}

#[tokio::test]
async fn a_stream_that_is_dropped_cancels_its_job() {
    let local = poet().await;
    let endpoint = client(&local).endpoint("poet");
    let body = json!({ "chunks": [1], "endless": true });
    let mut events = endpoint.openai_stream("v1/completions", &body).await.unwrap();
    assert_eq!(events.next().await.unwrap().unwrap().data, "1");
    let requests = endpoint.requests().await.unwrap();
    let id = requests[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(requests[0]["status"], "IN_PROGRESS");
    drop(events);
    crate::local::support::until(&endpoint.job(&id), JobStatus::Cancelled).await;
}

#[tokio::test]
async fn a_failure_before_the_first_event_is_an_error_of_the_call() {
    let local = poet().await;
    let endpoint = client(&local).endpoint("poet");
    let error = endpoint.openai_stream("v1/x", &json!({ "error": "no memory" })).await.unwrap_err();
    assert!(error.to_string().contains("no memory"), "{error}");
    let error = endpoint.openai_stream("v1/x", &json!([])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(error.to_string().contains("body"), "{error}");
    // A call without a stream is no stream.
    let body = json!({ "chunks": [1] });
    assert_eq!(endpoint.openai("v1/x", &body).await.unwrap(), 1);
}

/// However long it takes: the service counts it as well.
#[tokio::test]
async fn a_stream_keeps_its_place_within_the_limits_until_it_ends() {
    let local = poet().await;
    let one_at_a_time = RateLimits::new().share(0.004);
    let client = settings(&local).rate_limits(one_at_a_time).build().unwrap();
    let endpoint = client.endpoint("poet");
    let short = Duration::from_secs(2);
    let endless = json!({ "chunks": [1], "endless": true });
    let first = endpoint.openai_stream("v1/x", &endless).timeout(short).await.unwrap();
    let other = tokio::spawn({
        let endpoint = endpoint.clone();
        async move { endpoint.openai_stream("v1/x", &json!({ "chunks": [2] })).await }
    });
    tokio::time::sleep(short + Duration::from_millis(500)).await;
    assert!(!other.is_finished(), "the timeout of a call is not that of its stream");
    drop(first);
    let events: Vec<_> = other.await.unwrap().unwrap().try_collect().await.unwrap();
    assert_eq!(events[0].data, "2");
}
