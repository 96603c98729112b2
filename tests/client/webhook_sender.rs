//! Webhook sender: calls a receiver as the service does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue::webhook::{WebhookAttempt, WebhookSender};
use podqueue::{ErrorKind, JobRecord, Webhooks};
use serde_json::{Value, json};

use crate::support::{Reply, Script};

const RECORD: &str =
    r#"{"id": "j1", "status": "COMPLETED", "output": 123456789012345678901234567890.50, "new": 1}"#;

/// A record as the client reads it.
async fn record(body: &str) -> JobRecord {
    Script::of([Reply::ok(body)]).await.endpoint().job("j1").status().await.unwrap()
}

fn sender(url: &str) -> WebhookSender {
    WebhookSender::new(url).unwrap().pause(Duration::from_millis(1))
}

#[tokio::test]
async fn a_receiver_is_called_until_it_responds_with_200() {
    let receiver = Script::of([Reply::json(500, ""), Reply::Close, Reply::ok("")]).await;
    let mut attempts = Vec::new();
    let record = record(RECORD).await;
    let sender = sender(&format!("{}/hooks/token", receiver.url()));
    let last = sender.deliver(&record, |it| attempts.push(it.clone())).await;
    assert!(last.is_accepted());
    assert_eq!(attempts.last(), Some(&last));
    let seen: Vec<_> = attempts.iter().map(|it| (it.number, it.status)).collect();
    assert_eq!(seen, [(1, Some(500)), (2, None), (3, Some(200))]);
    assert!(attempts[1].error.is_some());

    let requests = receiver.requests();
    assert_eq!(receiver.lines(), ["POST /hooks/token"; 3]);
    assert!(requests.iter().all(|it| it.body == requests[0].body));
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    assert_eq!(requests[0].header("authorization"), None);
    // As received, but for the member that a webhook call has in addition.
    assert!(requests[0].body.contains("123456789012345678901234567890.50"));
    let body = requests[0].json();
    assert_eq!(body["webhook"], format!("{}/hooks/token", receiver.url()));
    assert_eq!((&body["id"], &body["new"]), (&json!("j1"), &json!(1)));
}

#[tokio::test]
async fn only_200_is_an_acceptance_and_redirects_are_not_followed() {
    for status in [201, 204, 302, 404] {
        let reply = Reply::json(status, "").header("location", "/elsewhere");
        let receiver = Script::then_always([], reply).await;
        let last = sender(receiver.url()).deliver_body("{}", |_| {}).await;
        assert_eq!((last.number, last.status), (WebhookSender::ATTEMPTS, Some(status)));
        assert!(!last.is_accepted());
        assert_eq!(receiver.lines(), ["POST /"; 3], "{status}");
    }
}

#[tokio::test]
async fn a_record_that_is_no_object_is_delivered_verbatim() {
    let receiver = Script::of([Reply::ok("")]).await;
    sender(receiver.url()).deliver_body("not JSON", |_| {}).await;
    assert_eq!(receiver.request().body, "not JSON");
}

#[test]
fn other_urls_are_refused() {
    for url in ["", "ftp://host/", "host", "http://"] {
        let error = WebhookSender::new(url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{url}");
        assert!(error.to_string().contains("url"), "{error}");
    }
}

#[tokio::test]
async fn the_token_of_the_url_is_not_shown() {
    let sender = sender("http://127.0.0.1:9/hooks/canary-token");
    let last = sender.deliver_body("{}", |_| {}).await;
    assert!(last.error.is_some());
    assert!(!format!("{sender:?} {last:?}").contains("canary-token"));
}

/// What the sender posts is what the receiver of this crate reads, also when it comes twice.
#[tokio::test]
async fn the_receiver_of_this_crate_accepts_the_call() {
    let script = Script::then_always([], Reply::ok(RECORD)).await;
    let endpoint = script.endpoint();
    let handled = Arc::new(Mutex::new(Vec::new()));
    let saved = Arc::clone(&handled);
    let webhooks = Webhooks::builder(&endpoint).on_job(move |record: JobRecord| {
        saved.lock().unwrap().push(record.id().to_owned());
        async { Ok::<_, std::io::Error>(()) }
    });
    let webhooks = webhooks.build().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/hooks", listener.local_addr().unwrap());
    let app: axum::Router = axum::Router::new().nest_service("/hooks", webhooks.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });

    let sender = sender(webhooks.url(&base).unwrap().expose());
    let record = record(RECORD).await;
    for _ in 0..2 {
        let last: WebhookAttempt = sender.deliver(&record, |_| {}).await;
        assert_eq!(last.number, 1, "{last:?}");
        assert!(last.is_accepted());
    }
    assert_eq!(*handled.lock().unwrap(), ["j1"]);
    let wrong = format!("{base}/another-token");
    let last = self::sender(&wrong).deliver(&record, |_| {}).await;
    assert!(!last.is_accepted(), "{last:?}");
    let oversize = json!({ "id": "j1", "status": "COMPLETED", "output": "x".repeat(65 << 20) });
    let last = sender.deliver_body(Value::to_string(&oversize), |_| {}).await;
    assert!(!last.is_accepted(), "{last:?}");
}
