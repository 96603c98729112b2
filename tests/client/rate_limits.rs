//! Rate limits over HTTP: which calls wait for each other, and which do not. The tests beside the
//! limiter check the limits over time, which they control.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use podqueue::{Client, Endpoint, ErrorKind, RateLimits, RetryPolicy};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{ClosedSpans, RefusedAddress, Reply, Script};

/// Longer than any call here without a wait, and shorter than any wait.
const MOMENT: Duration = Duration::from_secs(1);

fn limited(server: &Script, limits: RateLimits) -> Client {
    server.settings().rate_limits(limits).build().unwrap()
}

/// A client with the limits that it has by default.
fn by_default(server: &Script) -> Client {
    limited(server, RateLimits::default())
}

async fn purging() -> Script {
    Script::then_always([], Reply::ok(r#"{"removed":0,"status":"completed"}"#)).await
}

async fn cancelling() -> Script {
    let record = Reply::ok(r#"{"id":"j","status":"CANCELLED"}"#);
    Script::then_always([], record.late(MOMENT)).await
}

/// Purges until a purge has to wait, and returns the number of purges without a wait.
async fn purges(endpoint: &Endpoint) -> usize {
    for done in 0..10 {
        match timeout(MOMENT, endpoint.purge_queue()).await {
            Ok(result) => drop(result.unwrap()),
            Err(_) => return done,
        }
    }
    10
}

#[tokio::test]
async fn no_more_requests_are_open_than_documented_whichever_clone_sends_them() {
    let server = cancelling().await;
    let client = by_default(&server);
    let clones: Vec<_> = (0..25).map(|_| client.clone().endpoint("ep").job("j")).collect();
    join_all(clones.iter().map(|job| async { job.cancel().await.unwrap() })).await;
    assert_eq!((server.most_at_once(), server.requests().len()), (20, 25));
}

#[tokio::test]
async fn without_limits_everything_is_sent_at_once() {
    let server = cancelling().await;
    let job = limited(&server, RateLimits::off()).endpoint("ep").job("j");
    join_all((0..60).map(|_| async { job.cancel().await.unwrap() })).await;
    assert_eq!(server.most_at_once(), 60);
    let server = purging().await;
    assert_eq!(purges(&limited(&server, RateLimits::off()).endpoint("ep")).await, 10);
}

#[tokio::test]
async fn a_call_above_the_rate_waits_and_is_not_sent() {
    let server = purging().await;
    let client = by_default(&server);
    assert_eq!(purges(&client.endpoint("ep")).await, 2);
    assert_eq!(server.requests().len(), 2);
    assert_eq!(purges(&client.endpoint("ep")).await, 0, "another handle of the same endpoint");
    assert_eq!(purges(&client.endpoint("other")).await, 2, "another endpoint");
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn a_limit_holds_for_its_operation_alone_and_not_for_what_has_none() {
    let counts = json!({
        "jobs": {"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0},
        "workers": {"idle": 0, "running": 9},
        "id": "j", "status": "IN_QUEUE", "removed": 0
    });
    let server = Script::then_always([], Reply::ok(counts)).await;
    let client = by_default(&server);
    let endpoint = client.endpoint("ep");
    assert_eq!(purges(&endpoint).await, 2);
    let job = endpoint.job("j");
    let started = Instant::now();
    for _ in 0..150 {
        endpoint.health().await.unwrap();
        job.retry().await.unwrap();
        job.status().await.unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    assert_eq!(purges(&endpoint).await, 0, "no number of workers matters by default");
}

#[tokio::test]
async fn the_rate_follows_the_workers_that_health_reports() {
    let health = |running: u64| {
        Reply::ok(json!({
            "jobs": {"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0},
            "workers": {"idle": 0, "running": running}
        }))
    };
    let purged = Reply::ok(r#"{"removed":0,"status":"completed"}"#);
    let script = [purged.clone(), purged.clone(), health(5), purged.clone(), health(0)];
    let server = Script::then_always(script, purged).await;
    let endpoint = limited(&server, RateLimits::new().requests_per_worker(100)).endpoint("ep");
    assert_eq!(purges(&endpoint).await, 2);
    let waiting = tokio::spawn({
        let endpoint = endpoint.clone();
        async move { endpoint.purge_queue().await }
    });
    tokio::task::yield_now().await;
    endpoint.clone().health().await.unwrap();
    timeout(MOMENT, waiting).await.expect("500 are allowed now").unwrap().unwrap();
    endpoint.health().await.unwrap();
    assert_eq!(purges(&endpoint).await, 0, "and two again");
}

#[tokio::test]
async fn a_share_is_kept_and_an_impossible_one_refused() {
    let server = purging().await;
    assert_eq!(purges(&limited(&server, RateLimits::new().share(0.5)).endpoint("ep")).await, 1);
    for share in [0.0, -0.5, 1.5, f64::NAN] {
        let settings = server.settings().rate_limits(RateLimits::new().share(share));
        let error = settings.build().unwrap_err();
        let refused = (error.kind(), error.field());
        assert_eq!(refused, (ErrorKind::InvalidRequest, Some("rate_limits.share")));
    }
}

#[tokio::test]
async fn a_request_that_never_left_does_not_count() {
    let address = RefusedAddress::new();
    let url = address.url();
    let settings = Client::builder().api_key("k").base_url(url).retry(RetryPolicy::never());
    let endpoint = settings.build().unwrap().endpoint("ep");
    for _ in 0..5 {
        let purge = timeout(Duration::from_secs(2), endpoint.purge_queue()).await;
        assert_eq!(purge.expect("it need not wait").unwrap_err().kind(), ErrorKind::Connect);
    }
}

#[tokio::test]
async fn a_request_that_is_given_up_keeps_its_place_for_a_moment() {
    let record = Reply::ok(r#"{"id":"j","status":"CANCELLED"}"#);
    let server = Script::of([Reply::Hang, record]).await;
    // One at a time: a twentieth of twenty.
    let job = limited(&server, RateLimits::new().share(0.05)).endpoint("ep").job("j");
    assert!(timeout(MOMENT, job.cancel()).await.is_err());
    let started = Instant::now();
    job.cancel().await.unwrap();
    assert!(started.elapsed() >= Duration::from_millis(240), "{:?}", started.elapsed());
}

#[tokio::test]
async fn after_a_429_others_wait_too_and_the_span_records_how_long() {
    let refused = Reply::json(429, "{}").header("retry-after", "1");
    let record = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
    let server = Script::of([refused, record.clone(), record]).await;
    let settings = server.settings().rate_limits(RateLimits::new()).retry(RetryPolicy::never());
    let client = settings.build().unwrap();
    let spans = ClosedSpans::record();
    let job = client.endpoint("ep").job("j");
    let started = Instant::now();
    assert_eq!(job.status().await.unwrap_err().kind(), ErrorKind::RateLimited);
    client.endpoint("other").job("j").status().await.unwrap();
    job.status().await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
    let closed = spans.stop();
    let waits: Vec<u64> = closed
        .iter()
        .filter_map(|line| line.split_once("podqueue.limiter_wait_ms=")?.1.split([' ', '}']).next())
        .map(|number| number.parse().unwrap())
        .collect();
    assert_eq!(waits.len(), 3, "{closed:?}");
    // The refused one, and one to another endpoint, did not wait for the pause to end.
    assert!(waits[..2].iter().all(|wait| *wait < waits[2]), "{waits:?}");
    assert!((50..=1_100).contains(&waits[2]), "{waits:?}");
}

#[tokio::test]
async fn available_submissions_take_nothing_and_wait_for_other_submissions() {
    let record = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
    let server = Script::then_always([], record).await;
    let endpoint = limited(&server, RateLimits::default().share(0.02)).endpoint("ep");
    let ready = |most| timeout(MOMENT / 10, endpoint.available_submissions(most));
    for _ in 0..20 {
        // A burst of 5, of which 4 at the same time.
        assert_eq!(ready(100).await.expect("nothing was submitted"), 4);
        assert_eq!(ready(3).await.expect("nothing was submitted"), 3);
    }
    while ready(1).await.is_ok() {
        endpoint.run(&json!({})).await.unwrap();
    }
    assert!((5..=8).contains(&server.requests().len()), "{}", server.requests().len());
    let other = endpoint.with_id("other");
    assert_eq!(other.base_url(), endpoint.base_url());
    timeout(MOMENT, other.available_submissions(1)).await.expect("limits hold for each endpoint");
    let unlimited = limited(&server, RateLimits::off()).endpoint("ep");
    assert_eq!(unlimited.available_submissions(1_000).await, 1_000);
}
