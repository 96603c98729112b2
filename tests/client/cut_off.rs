//! Answers of which only a part comes: the head alone, or a body that ends too soon, too late or not
//! at all.

use std::time::Duration;

use podqueue::{Client, ErrorKind, RetryPolicy};
use serde_json::json;

use crate::support::{Reply, Script};

/// A client that waits no longer than it takes to tell that nothing more comes.
fn impatient(server: &Script) -> Client {
    server.settings().timeout(Duration::from_millis(300)).build().unwrap()
}

/// What becomes of the body behind a head.
const ENDS: [fn(Reply) -> Reply; 2] = [Reply::cut_off, Reply::stalled];

#[tokio::test]
async fn a_refusal_is_one_whatever_becomes_of_its_body() {
    for end in ENDS {
        for (status, kind) in [
            (307, ErrorKind::Redirect),
            (400, ErrorKind::BadRequest),
            (401, ErrorKind::Unauthorized),
            (404, ErrorKind::NotFound),
            (413, ErrorKind::UnexpectedStatus),
        ] {
            let server = Script::of([end(Reply::json(status, r#"{"error":"key-can"#))]).await;
            let error = impatient(&server).endpoint("ep").run(&json!({})).await.unwrap_err();
            assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{error}");
            assert_eq!(error.body().unwrap(), "", "a part could hold a part of a secret");
            assert_eq!(server.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_429_without_its_body_is_sent_again_after_its_retry_after() {
    for end in ENDS {
        let refused = end(Reply::json(429, "{").header("retry-after", "0.2"));
        let accepted = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
        let server = Script::of([refused.clone(), accepted]).await;
        let started = std::time::Instant::now();
        impatient(&server).endpoint("ep").run(&json!({})).await.unwrap();
        assert!(started.elapsed() >= Duration::from_millis(200), "{:?}", started.elapsed());

        let server = Script::of([refused]).await;
        let settings = server.settings().timeout(Duration::from_millis(300));
        let client = settings.retry(RetryPolicy::never()).build().unwrap();
        let error = client.endpoint("ep").run(&json!({})).await.unwrap_err();
        let told = (error.kind(), error.retry_after());
        assert_eq!(told, (ErrorKind::RateLimited, Some(Duration::from_millis(200))), "{error}");
    }
}

#[tokio::test]
async fn a_failure_that_is_too_large_to_read_is_one_all_the_same() {
    for (status, kind) in [(400, ErrorKind::BadRequest), (500, ErrorKind::OutcomeUnknown)] {
        let server = Script::of([Reply::json(status, "x".repeat(2_000))]).await;
        let client = server.settings().largest_reply(1_000).build().unwrap();
        let error = client.endpoint("ep").run(&json!({})).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{error}");
    }
}
