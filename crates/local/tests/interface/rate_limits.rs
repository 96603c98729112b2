//! Rate limits: section "Rate limits (per endpoint, per user)" of the interface.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use podqueue_local::{Builder, Fault, Operation, RateLimit, RateLimits, RateWindow};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::json;

use crate::support::{KEY, Service, TEST_DEADLINE, answer, assert_refused, eventually, seconds};

async fn limited(setup: impl FnOnce(RateLimits) -> RateLimits) -> Service {
    let limits = setup(RateLimits::documented());
    Service::still(|builder: Builder| builder.rate_limits(limits)).await
}

fn request(service: &Service, method: &Method, path: &str) -> RequestBuilder {
    service
        .http
        .request(method.clone(), format!("{}/v2/echo/{path}", service.local.base_url()))
        .header("authorization", KEY)
        .body(r#"{"input": {}}"#)
}

/// Sends a number of requests with limited concurrency, and counts those that were admitted.
async fn admitted(service: &Service, method: &Method, path: &str, number: usize) -> usize {
    let mut admitted = 0;
    let at_once = if path == "requests" { 1 } else { 20 };
    for start in (0..number).step_by(at_once) {
        let batch =
            (start..number.min(start + at_once)).map(|_| request(service, method, path).send());
        let statuses = join_all(batch).await.into_iter().map(|reply| reply.unwrap().status());
        admitted += statuses.filter(|status| *status != StatusCode::TOO_MANY_REQUESTS).count();
    }
    admitted
}

/// A row of the table: the requests admitted in 10 seconds, and those in flight at once.
async fn row(operation: Operation, path: &str, rate: usize, at_once: Option<usize>) {
    let method = match operation {
        Operation::Status | Operation::Stream | Operation::Requests => Method::GET,
        _ => Method::POST,
    };
    let service = limited(|limits| limits).await;
    assert_eq!(admitted(&service, &method, path, rate + 3).await, rate);
    let Some(at_once) = at_once else { return };
    let service = limited(|limits| limits).await;
    service.local.add_fault(Fault::delay(seconds(100)).on(operation));
    // One more than is allowed: it alone is answered while the others are in flight.
    let mut calls: FuturesUnordered<_> =
        (0..=at_once).map(|_| tokio::spawn(answer(request(&service, &method, path)))).collect();
    let refused = tokio::time::timeout(TEST_DEADLINE, calls.next()).await.unwrap();
    let refused = refused.unwrap().unwrap();
    assert_refused(&refused, StatusCode::TOO_MANY_REQUESTS, "in flight");
    eventually("all requests", async || service.local.requests().len() == at_once + 1).await;
    service.local.clear_faults();
    service.advance(seconds(100));
    while let Some(held) = calls.next().await {
        assert_ne!(held.unwrap().0, 429);
    }
    assert_eq!(admitted(&service, &method, path, 1).await, 1);
}

#[tokio::test]
async fn runsync_takes_2000_in_10_seconds_and_400_at_once() {
    row(Operation::RunSync, "runsync", 2000, Some(400)).await;
}

#[tokio::test]
async fn run_takes_1000_in_10_seconds_and_200_at_once() {
    row(Operation::Run, "run", 1000, Some(200)).await;
}

#[tokio::test]
async fn status_takes_2000_in_10_seconds_and_400_at_once() {
    row(Operation::Status, "status/x", 2000, Some(400)).await;
}

#[tokio::test]
async fn stream_takes_2000_in_10_seconds_and_400_at_once() {
    row(Operation::Stream, "stream/x", 2000, Some(400)).await;
}

#[tokio::test]
async fn cancel_takes_100_in_10_seconds_and_20_at_once() {
    row(Operation::Cancel, "cancel/x", 100, Some(20)).await;
}

#[tokio::test]
async fn purge_queue_takes_2_in_10_seconds() {
    row(Operation::PurgeQueue, "purge-queue", 2, None).await;
}

#[tokio::test]
async fn openai_takes_2000_in_10_seconds_and_400_at_once() {
    row(Operation::OpenAi, "openai/v1/models", 2000, Some(400)).await;
}

#[tokio::test]
async fn requests_takes_10_in_10_seconds_and_2_at_once() {
    row(Operation::Requests, "requests", 10, Some(2)).await;
}

#[tokio::test]
async fn a_disconnected_client_is_no_longer_in_flight() {
    let service = limited(|limits| limits).await;
    service.local.add_fault(Fault::delay(seconds(100)).on(Operation::Requests));
    for number in 1..=2 {
        let call = tokio::spawn(request(&service, &Method::GET, "requests").send());
        eventually("a request", async || service.local.requests().len() == number).await;
        call.abort();
    }
    service.local.clear_faults();
    // The service learns of it a moment later.
    let list = || request(&service, &Method::GET, "requests");
    eventually("room for one", async || answer(list()).await.0 == 200).await;
    assert_eq!(admitted(&service, &Method::GET, "requests", 8).await, 7);
}

#[tokio::test]
async fn retry_and_health_are_not_in_the_table() {
    let service = limited(|limits| limits).await;
    assert_eq!(admitted(&service, &Method::GET, "health", 2100).await, 2100);
    assert_eq!(admitted(&service, &Method::POST, "retry/x", 200).await, 200);
}

#[tokio::test]
async fn without_opting_in_there_are_no_limits() {
    let service = Service::still(|builder| builder).await;
    assert_eq!(admitted(&service, &Method::POST, "purge-queue", 50).await, 50);
}

#[tokio::test]
async fn a_sliding_window_counts_any_10_seconds() {
    let service = limited(|limits| limits).await;
    let purge = |number| admitted(&service, &Method::POST, "purge-queue", number);
    service.advance(seconds(6));
    assert_eq!(purge(1).await, 1);
    service.advance(seconds(5));
    assert_eq!(purge(2).await, 1);
    service.advance(Duration::from_millis(4_999));
    assert_eq!(purge(1).await, 0);
    service.advance(Duration::from_millis(1));
    assert_eq!(purge(2).await, 1);
}

#[tokio::test]
async fn a_fixed_window_begins_anew_at_its_phase() {
    let service =
        limited(|limits| limits.window(RateWindow::Fixed(Duration::from_millis(3_700)))).await;
    let purge = |number| admitted(&service, &Method::POST, "purge-queue", number);
    service.advance(Duration::from_millis(3_699));
    assert_eq!(purge(3).await, 2);
    service.advance(Duration::from_millis(1));
    assert_eq!(purge(3).await, 2);
    service.advance(Duration::from_millis(9_999));
    assert_eq!(purge(1).await, 0);
    service.advance(Duration::from_millis(1));
    assert_eq!(purge(3).await, 2);
}

#[tokio::test]
async fn a_429_has_a_retry_after_header() {
    let service = limited(|limits| limits).await;
    let purge = || request(&service, &Method::POST, "purge-queue");
    admitted(&service, &Method::POST, "purge-queue", 1).await;
    service.advance(Duration::from_millis(2_500));
    admitted(&service, &Method::POST, "purge-queue", 1).await;
    let reply = purge().send().await.unwrap();
    assert_eq!(reply.headers()["retry-after"], "8");
    assert_refused(&answer(purge()).await, StatusCode::TOO_MANY_REQUESTS, "2 requests");
    service.advance(seconds(8));
    assert_eq!(admitted(&service, &Method::POST, "purge-queue", 1).await, 1);
}

#[tokio::test]
async fn retry_after_can_be_left_out() {
    let service = limited(RateLimits::without_retry_after).await;
    admitted(&service, &Method::POST, "purge-queue", 2).await;
    let reply = request(&service, &Method::POST, "purge-queue").send().await.unwrap();
    assert_eq!(reply.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(!reply.headers().contains_key("retry-after"));
}

#[tokio::test]
async fn limits_count_per_user_and_per_endpoint() {
    let service =
        Service::still(|builder| builder.api_key("another").rate_limits(RateLimits::documented()))
            .await;
    assert_eq!(admitted(&service, &Method::POST, "purge-queue", 3).await, 2);
    let purge = |key: &str, endpoint: &str| {
        let url = format!("{}/v2/{endpoint}/purge-queue", service.local.base_url());
        answer(service.http.post(url).header("authorization", key))
    };
    assert_eq!(purge(KEY, "count").await.0, 200);
    assert_eq!(purge("another", "echo").await.0, 200);
    assert_eq!(purge(KEY, "echo").await.0, 429);
    // A request with an invalid key counts for no user.
    for _ in 0..3 {
        assert_eq!(purge("wrong", "count").await.0, 401);
    }
    assert_eq!(purge(KEY, "count").await.0, 200);
}

#[tokio::test]
async fn running_workers_raise_the_rate_limit() {
    let limit = RateLimit { requests: 5, concurrent: None };
    let service = Service::still(|builder| {
        builder.rate_limits(
            RateLimits::documented().limit(Operation::Requests, limit).requests_per_worker(4),
        )
    })
    .await;
    let list = |number: usize| {
        let service = &service;
        async move {
            let mut admitted = 0;
            for _ in 0..number {
                admitted += usize::from(service.get("/v2/sleep/requests").await.0 == 200);
            }
            admitted
        }
    };
    assert_eq!(list(7).await, 5);
    for _ in 0..3 {
        service.run("sleep", json!({ "input": { "ms": 1_000_000 } })).await;
    }
    // Three running workers make 12, of which 5 are used up.
    assert_eq!(list(10).await, 7);
}
