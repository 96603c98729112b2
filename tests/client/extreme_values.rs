//! Settings and responses at the ends of their ranges: none of them causes a panic.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Client, ErrorKind, Policy, Polling, RateLimits, RetryPolicy};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{Reply, Script};

/// The longest `Retry-After` in whole seconds that is a `Duration`, as floating-point numbers go.
const LONGEST_RETRY_AFTER: &str = "18446744073709549568";

/// Longer than any call here without a wait.
const MOMENT: Duration = Duration::from_millis(500);

/// A client all of whose times are the longest that there are.
fn endless(server: &Script) -> Client {
    let retry = RetryPolicy::new()
        .base(Duration::MAX)
        .throttled_base(Duration::MAX)
        .cap(Duration::MAX)
        .longest_retry_after(Duration::MAX)
        .attempts(u32::MAX);
    server
        .settings()
        .timeout(Duration::MAX)
        .call_timeout(Duration::MAX)
        .connect_timeout(Duration::MAX)
        .retry(retry)
        .polling(
            Polling::new()
                .initial_interval(Duration::MAX)
                .max_interval(Duration::MAX)
                .per_second(u32::MAX),
        )
        .rate_limits(RateLimits::new().requests_per_worker(u64::MAX))
        .build()
        .unwrap()
}

#[tokio::test]
async fn every_call_accepts_the_longest_timeouts() {
    let record = json!({
        "id": "j", "status": "COMPLETED", "output": 1, "stream": [],
        "jobs": {"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0},
        "workers": {"idle": 0, "running": u32::MAX},
    });
    let server = Script::then_always([], Reply::ok(record)).await;
    let endpoint = endless(&server).endpoint("ep");
    endpoint.health().await.unwrap();
    endpoint.run_sync(&json!({})).wait(Duration::from_secs(300)).await.unwrap();
    // Large enough for extra time.
    let job = endpoint.run(&json!({"x": "x".repeat(1024 * 1024)})).await.unwrap();
    job.wait().timeout(Duration::MAX).cancel_on_timeout().await.unwrap();
    let chunks: Vec<_> = job.stream::<Value>().collect().await;
    assert!(chunks.is_empty(), "{chunks:?}");
    let results: Vec<_> = endpoint
        .run_all([json!({}), json!({})])
        .wait(|wait| wait.timeout(Duration::MAX))
        .collect()
        .await;
    assert!(results.iter().all(|finished| finished.result.is_ok()), "{results:?}");
}

#[tokio::test]
async fn a_pause_without_an_end_is_a_pause() {
    for failure in [
        Reply::json(503, "{}"),
        Reply::json(503, "{}").header("retry-after", LONGEST_RETRY_AFTER),
        Reply::json(429, "{}").header("retry-after", LONGEST_RETRY_AFTER),
    ] {
        let server = Script::then_always([], failure).await;
        let endpoint = endless(&server).endpoint("ep");
        assert!(timeout(MOMENT, endpoint.job("j").status()).await.is_err(), "it pauses");
        assert_eq!(server.requests().len(), 1);
    }
    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#)).await;
    let wait = endless(&server).endpoint("ep").job("j").wait().timeout(Duration::MAX);
    assert!(timeout(MOMENT, wait.into_future()).await.is_err(), "the job has not ended");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_call_has_no_time_for_a_pause_without_an_end() {
    let refused = Reply::json(429, "{}").header("retry-after", LONGEST_RETRY_AFTER);
    let server = Script::then_always([], refused).await;
    let retry = RetryPolicy::new().longest_retry_after(Duration::MAX);
    let settings = server.settings().retry(retry).call_timeout(Duration::from_secs(10));
    let endpoint = settings.build().unwrap().endpoint("ep");
    let error = timeout(MOMENT, endpoint.run(&json!({})).into_future()).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited, "{error}");
    assert!(error.retry_after().is_some_and(|asked| asked > Duration::from_secs(1 << 60)));
}

#[tokio::test]
async fn zero_timeouts_are_refused_where_every_call_would_fail() {
    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#)).await;
    for (field, settings) in [
        ("timeout", server.settings().timeout(Duration::ZERO)),
        ("call_timeout", server.settings().call_timeout(Duration::ZERO)),
        ("connect_timeout", server.settings().connect_timeout(Duration::ZERO)),
        ("largest_response", server.settings().largest_response(0)),
    ] {
        let error = settings.build().unwrap_err();
        let refused = (error.kind(), error.field());
        assert_eq!(refused, (ErrorKind::InvalidRequest, Some(field)), "{error}");
    }
    let (client, input) = (server.client(), json!({}));
    let (endpoint, job) = (client.endpoint("ep"), client.endpoint("ep").job("j"));
    for refused in [
        endpoint.run(&input).timeout(Duration::ZERO).await.map(drop),
        endpoint.run_sync(&input).timeout(Duration::ZERO).await.map(drop),
        endpoint.health().timeout(Duration::ZERO).await.map(drop),
        job.status().timeout(Duration::ZERO).await.map(drop),
        client.secrets().delete("s").timeout(Duration::ZERO).await,
        client.rest().get_pod("p").timeout(Duration::ZERO).await.map(drop),
    ] {
        let error = refused.unwrap_err();
        let refused = (error.kind(), error.field());
        assert_eq!(refused, (ErrorKind::InvalidRequest, Some("timeout")), "{error}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn zero_durations_of_polling_and_waits_are_accepted() {
    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#)).await;
    let polling = Polling::new().initial_interval(Duration::ZERO).per_second(0);
    let settings = server.settings().polling(polling);
    let job = settings.build().unwrap().endpoint("ep").job("j");
    let error = job.wait().timeout(Duration::ZERO).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut, "{error}");
    assert!(server.requests().is_empty(), "there was no time for a poll");
}

#[tokio::test]
async fn times_that_the_interface_bounds_are_refused_however_long_they_are() {
    let server = Script::of([]).await;
    let endpoint = endless(&server).endpoint("ep");
    for (policy, field) in [
        (Policy::new().ttl(Duration::MAX), "policy.ttl"),
        (Policy::new().execution_timeout(Duration::MAX), "policy.executionTimeout"),
    ] {
        let error = endpoint.run(&json!({})).policy(policy).await.unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some(field)));
    }
    let error = endpoint.run_sync(&json!({})).wait(Duration::MAX).await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some("wait")));
    assert!(server.requests().is_empty());
}
