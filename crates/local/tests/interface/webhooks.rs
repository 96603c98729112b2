//! Webhooks: section "Events" of the interface.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use podqueue_local::{WebhookDelivery, Workers};
use serde_json::{Value, json};

use crate::support::{Service, eventually, seconds};

/// A receiver that answers with the statuses it was given, the last one again and again.
struct Receiver {
    url: String,
    calls: Arc<Mutex<Vec<Call>>>,
}

#[derive(Clone, Debug)]
struct Call {
    method: String,
    path: String,
    content_type: String,
    body: Value,
}

impl Receiver {
    async fn start(statuses: &[u16]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: SocketAddr = listener.local_addr().unwrap();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let log = calls.clone();
        let statuses = statuses.to_vec();
        let answer = move |request: Request| {
            let (log, statuses) = (log.clone(), statuses.clone());
            async move {
                let (parts, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
                let content_type = parts.headers["content-type"].to_str().unwrap().to_owned();
                let mut log = log.lock().unwrap();
                let status = statuses[log.len().min(statuses.len() - 1)];
                log.push(Call {
                    method: parts.method.to_string(),
                    path: parts.uri.to_string(),
                    content_type,
                    body: serde_json::from_slice(&body).unwrap(),
                });
                let mut headers = HeaderMap::new();
                headers.insert("location", "/elsewhere".parse().unwrap());
                (StatusCode::from_u16(status).unwrap(), headers).into_response()
            }
        };
        let app = Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url: format!("http://{address}/hook?x=1"), calls }
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

/// Waits until a number of attempts at a receiver have ended.
async fn until_tried(service: &Service, receiver: &Receiver, tries: usize) {
    let wanted = format!("{tries} tries");
    eventually(&wanted, async || tries_at(service, &receiver.url).len() >= tries).await;
}

fn tries_at(service: &Service, url: &str) -> Vec<WebhookDelivery> {
    let mut tries = service.local.webhook_deliveries();
    tries.retain(|delivery| delivery.url == url);
    tries
}

/// Brings about a delivery to another receiver, from the submission on: what was due before that
/// has happened by its end.
async fn a_later_delivery(service: &Service) {
    let later = Receiver::start(&[200]).await;
    service.run("echo", json!({ "input": {}, "webhook": later.url })).await;
    until_tried(service, &later, 1).await;
}

#[tokio::test]
async fn a_completed_job_is_posted_as_record_with_input_and_webhook() {
    let receiver = Receiver::start(&[200]).await;
    let service = Service::still(|builder| builder).await;
    let id = service.run("echo", json!({ "input": { "a": 1 }, "webhook": receiver.url })).await;
    until_tried(&service, &receiver, 1).await;
    let calls = receiver.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].method.as_str(), calls[0].path.as_str()), ("POST", "/hook?x=1"));
    assert_eq!(calls[0].content_type, "application/json");
    let expected = json!({
        "id": id,
        "status": "COMPLETED",
        "delayTime": 0,
        "executionTime": 0,
        "output": { "a": 1 },
        "input": { "a": 1 },
        "webhook": receiver.url,
    });
    assert_eq!(calls[0].body, expected);
}

#[tokio::test]
async fn every_terminal_state_is_posted() {
    let receiver = Receiver::start(&[200]).await;
    let service = Service::still(|builder| builder).await;
    let with_hook = |input: Value| json!({ "input": input, "webhook": receiver.url });
    service.run("fail", with_hook(json!({ "message": "no" }))).await;
    until_tried(&service, &receiver, 1).await;
    let cancelled = service.run("sleep", with_hook(json!({ "ms": 1_000_000 }))).await;
    service.post(&format!("/v2/sleep/cancel/{cancelled}")).await;
    until_tried(&service, &receiver, 2).await;
    // Cancelled again, nothing new has happened.
    service.post(&format!("/v2/sleep/cancel/{cancelled}")).await;
    let timed_out = service.run("sleep", with_hook(json!({ "ms": 1_000_000 }))).await;
    service.until("sleep", &timed_out, "IN_PROGRESS").await;
    // No request reads this job; its timeout is noticed all the same.
    service.advance(seconds(600));
    until_tried(&service, &receiver, 3).await;
    service.post_json("/v2/echo/runsync", with_hook(json!({}))).await;
    until_tried(&service, &receiver, 4).await;
    let calls = receiver.calls();
    let statuses: Vec<_> = calls.iter().map(|call| call.body["status"].clone()).collect();
    assert_eq!(statuses, ["FAILED", "CANCELLED", "TIMED_OUT", "COMPLETED"]);
    assert_eq!(calls[0].body["error"], "no");
}

#[tokio::test]
async fn a_retried_job_is_posted_again() {
    let receiver = Receiver::start(&[200]).await;
    let service = Service::still(|builder| builder).await;
    let id = service.run("fail", json!({ "input": {}, "webhook": receiver.url })).await;
    until_tried(&service, &receiver, 1).await;
    service.post(&format!("/v2/fail/retry/{id}")).await;
    until_tried(&service, &receiver, 2).await;
    assert_eq!(receiver.calls().len(), 2);
}

#[tokio::test]
async fn a_failed_call_is_retried_twice_10_seconds_apart() {
    let receiver = Receiver::start(&[500]).await;
    let service = Service::still(|builder| builder).await;
    service.run("echo", json!({ "input": {}, "webhook": receiver.url })).await;
    until_tried(&service, &receiver, 1).await;
    service.advance(Duration::from_millis(9_999));
    a_later_delivery(&service).await;
    assert_eq!(receiver.calls().len(), 1);
    service.advance(Duration::from_millis(1));
    until_tried(&service, &receiver, 2).await;
    service.advance(seconds(10));
    until_tried(&service, &receiver, 3).await;
    service.advance(seconds(1000));
    a_later_delivery(&service).await;
    assert_eq!(receiver.calls().len(), 3);
    let tries = tries_at(&service, &receiver.url);
    let seen: Vec<_> = tries.iter().map(|t| (t.attempt, t.status, t.at.as_secs())).collect();
    assert_eq!(seen, [(1, Some(500), 0), (2, Some(500), 10), (3, Some(500), 20)]);
}

#[tokio::test]
async fn one_step_of_the_clock_brings_both_retries() {
    let receiver = Receiver::start(&[500]).await;
    let service = Service::still(|builder| builder).await;
    service.run("echo", json!({ "input": {}, "webhook": receiver.url })).await;
    service.advance(seconds(20));
    until_tried(&service, &receiver, 3).await;
    let tries = tries_at(&service, &receiver.url);
    assert_eq!(tries.iter().map(|t| t.at.as_secs()).collect::<Vec<_>>(), [0, 10, 20]);
}

#[tokio::test]
async fn only_200_counts_and_redirects_are_not_followed() {
    for status in [201, 204, 302, 307, 404] {
        let receiver = Receiver::start(&[status, 200]).await;
        let service = Service::still(|builder| builder).await;
        service.run("echo", json!({ "input": {}, "webhook": receiver.url })).await;
        until_tried(&service, &receiver, 1).await;
        assert!(!tries_at(&service, &receiver.url)[0].is_accepted());
        service.advance(seconds(10));
        until_tried(&service, &receiver, 2).await;
        assert!(tries_at(&service, &receiver.url)[1].is_accepted());
        service.advance(seconds(100));
        a_later_delivery(&service).await;
        let paths: Vec<_> = receiver.calls().into_iter().map(|call| call.path).collect();
        assert_eq!(paths, ["/hook?x=1", "/hook?x=1"], "{status}");
    }
}

#[tokio::test]
async fn an_unreachable_receiver_counts_as_a_failed_attempt() {
    let service = Service::still(|builder| builder).await;
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/secret-path", gone.local_addr().unwrap());
    drop(gone);
    let id = service.run("echo", json!({ "input": {}, "webhook": url })).await;
    eventually("a try", async || !tries_at(&service, &url).is_empty()).await;
    let tries = tries_at(&service, &url);
    assert_eq!((tries[0].job_id.as_str(), tries[0].status), (id.as_str(), None));
    assert!(tries[0].error.is_some());
}

#[tokio::test]
async fn a_webhook_is_delivered_again_on_request() {
    let receiver = Receiver::start(&[200]).await;
    let service =
        Service::still(|builder| builder.workers_of("sleep", Workers::between(0, 0))).await;
    let body = json!({ "input": {}, "webhook": receiver.url });
    let ended = service.run("echo", body.clone()).await;
    let queued = service.run("sleep", body).await;
    let without = service.run("count", json!({ "input": { "n": 0 } })).await;
    service.until("count", &without, "COMPLETED").await;
    until_tried(&service, &receiver, 1).await;
    assert!(service.local.redeliver_webhook(&ended));
    until_tried(&service, &receiver, 2).await;
    let calls = receiver.calls();
    assert_eq!(calls[0].body, calls[1].body);
    for id in [queued.as_str(), without.as_str(), "unknown"] {
        assert!(!service.local.redeliver_webhook(id));
    }
}

#[tokio::test]
async fn a_receiver_that_never_ends_its_response_is_left_after_its_status() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let left = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        assert!(stream.read(&mut [0; 4096]).unwrap() > 0, "a request comes");
        stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").unwrap();
        let chunk = format!("10000\r\n{}\r\n", "a".repeat(0x10000));
        let mut written = 0_u64;
        while stream.write_all(chunk.as_bytes()).is_ok() {
            written += chunk.len() as u64;
        }
        written
    });
    let service = Service::still(|builder| builder).await;
    service.run("echo", json!({ "input": {}, "webhook": url })).await;
    eventually("a try", async || !tries_at(&service, &url).is_empty()).await;
    assert_eq!(tries_at(&service, &url)[0].status, Some(200));
    let written = tokio::task::spawn_blocking(|| left.join().unwrap()).await.unwrap();
    assert!(written < 64 * 1024 * 1024, "{written}");
}
