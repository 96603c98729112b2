//! HTTP settings: timeout of a whole call, proxy, a custom HTTP client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use podqueue::{Client, ClientBuilder, ErrorKind, Observation, RateLimits, RetryPolicy};
use serde_json::json;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::support::{Reply, Script, quick_retries};

#[tokio::test]
async fn a_call_ends_with_its_time_however_many_attempts_are_left() {
    let server = Script::then_always([], Reply::Hang).await;
    let settings = server.settings().timeout(Duration::from_millis(80));
    let settings = settings.call_timeout(Duration::from_millis(200));
    let client = settings.retry(RetryPolicy::new().attempts(100)).build().unwrap();
    let started = Instant::now();
    let error = client.endpoint("ep").job("j").status().await.unwrap_err();
    let took = started.elapsed();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(took >= Duration::from_millis(80) && took < Duration::from_secs(2), "{took:?}");
    assert!(server.requests().len() >= 2, "{:?}", server.lines());
}

#[tokio::test]
async fn a_submission_that_runs_out_of_its_time_has_an_unknown_outcome() {
    let server = Script::then_always([], Reply::Hang).await;
    let client = server.settings().call_timeout(Duration::from_millis(200)).build().unwrap();
    let error = client.endpoint("ep").run(&json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
    assert_eq!(server.lines(), ["POST /v2/ep/run"]);
}

#[tokio::test]
async fn a_pause_that_the_call_has_no_time_for_is_not_begun() {
    let refused = Reply::json(429, "{}").header("retry-after", "30");
    let server = Script::then_always([], refused).await;
    let client = server.settings().call_timeout(Duration::from_secs(10)).build().unwrap();
    let started = Instant::now();
    let error = client.endpoint("ep").run(&json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited, "{error}");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_call_that_times_out_in_the_limiter_is_reported_and_not_sent() {
    let purged = json!({"removed": 0, "status": "completed"});
    let server = Script::then_always([], Reply::ok(purged)).await;
    let settings = server.settings().rate_limits(RateLimits::new());
    let client = settings.call_timeout(Duration::from_millis(200)).build().unwrap();
    let endpoint = client.endpoint("ep");
    endpoint.purge_queue().await.unwrap();
    endpoint.purge_queue().await.unwrap();
    // The service takes two in ten seconds.
    let error = endpoint.purge_queue().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(error.to_string().contains("rate limits"), "{error}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn calls_go_through_the_proxy_that_is_set() {
    let record = json!({"id": "j", "status": "IN_QUEUE"});
    let proxy = Script::of([Reply::ok(record)]).await;
    let url = proxy.url().replace("http://", "http://me:proxy-password@");
    let settings = Client::builder()
        .api_key("key")
        .base_url("http://queue.example")
        .allow_plain_http()
        .proxy(url);
    assert!(!format!("{settings:?}").contains("proxy-password"), "{settings:?}");
    settings.build().unwrap().endpoint("ep").job("j").status().await.unwrap();
    let request = proxy.request();
    assert_eq!(request.line(), "GET http://queue.example/v2/ep/status/j");
    assert!(request.header("proxy-authorization").is_some_and(|value| value.starts_with("Basic ")));
}

#[tokio::test]
async fn an_invalid_proxy_url_is_refused_without_being_shown() {
    let server = Script::of([]).await;
    let error = server.settings().proxy("http://me:proxy-password@[").build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(error.field(), Some("proxy"));
    assert!(!format!("{error} {error:?}").contains("proxy-password"), "{error:?}");
}

#[tokio::test]
async fn a_custom_http_client_is_used() {
    let server = Script::of([Reply::ok(json!({"id": "j", "status": "IN_QUEUE"}))]).await;
    let http = reqwest::Client::builder()
        .user_agent("mine/1")
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .build()
        .unwrap();
    let client = server.settings().http_client(http).build().unwrap();
    client.endpoint("ep").job("j").status().await.unwrap();
    assert_eq!(server.request().header("user-agent"), Some("mine/1"));
}

#[tokio::test]
async fn a_post_without_a_body_says_so() {
    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"CANCELLED"}"#)).await;
    let brought = server.settings().http_client(reqwest::Client::new()).build().unwrap();
    for client in [server.client(), brought] {
        let job = client.endpoint("ep").job("j");
        job.cancel().await.unwrap();
        job.status().await.unwrap();
    }
    let lengths: Vec<_> =
        server.requests().iter().map(|r| r.header("content-length").map(str::to_owned)).collect();
    let (none, zero) = (None, Some("0".to_owned()));
    assert_eq!(lengths, [zero.clone(), none.clone(), zero, none]);
}

#[tokio::test]
async fn a_custom_client_that_follows_redirects_is_an_error() {
    let elsewhere = Script::of([Reply::ok(json!({"id": "j", "status": "COMPLETED"}))]).await;
    let to = format!("{}/v2/ep/status/j", elsewhere.url());
    let server = Script::of([Reply::json(307, "").header("location", to)]).await;
    let client = server.settings().http_client(reqwest::Client::new()).build().unwrap();
    let error = client.endpoint("ep").job("j").status().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Redirect, "{error}");
    assert_eq!(elsewhere.requests().len(), 1);
}

/// A listener that neither accepts nor refuses connections: connecting peers wait.
struct Unreachable {
    url: String,
    _listener: TcpListener,
    _filling: Vec<TcpStream>,
}

impl Unreachable {
    async fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let mut filling = Vec::new();
        while let Ok(connected) =
            timeout(Duration::from_millis(200), TcpStream::connect(address)).await
        {
            filling.push(connected.unwrap());
        }
        Self { url: format!("http://{address}"), _listener: listener, _filling: filling }
    }

    fn settings(&self) -> ClientBuilder {
        Client::builder().api_key("k").base_url(&self.url).retry(quick_retries())
    }
}

#[tokio::test]
async fn a_submission_that_found_no_connection_in_its_time_was_not_sent() {
    let unreachable = Unreachable::new().await;
    let time = Duration::from_millis(400);
    for (settings, attempts) in [
        (unreachable.settings().timeout(time), 3),
        (unreachable.settings().call_timeout(time), 1),
        (unreachable.settings().call_timeout(time).connect_timeout(time / 8), 3),
        // The second attempt would have to be cut off while it connects.
        (unreachable.settings().call_timeout(time).connect_timeout(time * 5 / 8), 1),
    ] {
        let sent = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&sent);
        let settings = settings.observe(move |observation| {
            if let Observation::CallEnded { attempts, .. } = observation {
                counted.store(*attempts, Ordering::Relaxed);
            }
        });
        let error = settings.build().unwrap().endpoint("ep").run(&json!({})).await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Connect, true), "{error}");
        assert_eq!(sent.load(Ordering::Relaxed), attempts);
    }
}
