//! Partial responses: the head alone, or a body that ends too soon, too late or not at all.

use std::time::Duration;

use podqueue::{Client, ErrorKind, RetryPolicy};
use serde_json::json;

use crate::support::{Reply, Script};

/// A client with a short timeout.
fn impatient(server: &Script) -> Client {
    server.settings().timeout(Duration::from_millis(300)).build().unwrap()
}

/// End of the body behind a head.
const ENDS: [fn(Reply) -> Reply; 2] = [Reply::cut_off, Reply::stalled];

#[tokio::test]
async fn a_refusal_keeps_its_kind_whatever_becomes_of_its_body() {
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
async fn a_429_without_a_body_is_retried_after_its_retry_after() {
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
async fn a_failure_with_a_body_too_large_to_read_keeps_its_kind() {
    for (status, kind) in [(400, ErrorKind::BadRequest), (500, ErrorKind::OutcomeUnknown)] {
        let server = Script::of([Reply::json(status, "x".repeat(2_000))]).await;
        let client = server.settings().largest_response(1_000).build().unwrap();
        let error = client.endpoint("ep").run(&json!({})).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (kind, Some(status)), "{error}");
    }
}

/// A success that is larger than the clients here read: the job's id comes first or last.
fn too_large(id_first: bool) -> Reply {
    let output = "x".repeat(2_000);
    Reply::ok(if id_first {
        format!(r#"{{"id":"j-1","output":"{output}","status":"COMPLETED"}}"#)
    } else {
        format!(r#"{{"output":"{output}","status":"COMPLETED","id":"j-1"}}"#)
    })
}

#[tokio::test]
async fn a_success_too_large_to_read_is_an_unknown_outcome_of_an_unsafe_call() {
    for (id_first, job_id) in [(true, Some("j-1")), (false, None)] {
        let server = Script::then_always([], too_large(id_first)).await;
        let client = server.settings().largest_response(1_000).build().unwrap();
        let endpoint = client.endpoint("ep");
        for error in [
            endpoint.run(&json!({})).await.unwrap_err(),
            endpoint.run_sync(&json!({})).await.unwrap_err(),
            endpoint.run_sync(&json!({})).at_least_once().await.unwrap_err(),
        ] {
            let told = (error.kind(), error.status(), error.job_id());
            assert_eq!(told, (ErrorKind::OutcomeUnknown, Some(200), job_id), "{error}");
            assert!(error.to_string().contains("largest_response"), "{error}");
            assert!(error.to_string().contains("most likely taken effect"), "{error}");
        }
        let errors = [
            endpoint.purge_queue().await.map(drop).unwrap_err(),
            endpoint.openai("v1/models", &json!({})).await.map(drop).unwrap_err(),
            client.secrets().create("n", "v").await.map(drop).unwrap_err(),
        ];
        for error in errors {
            assert_eq!((error.kind(), error.job_id()), (ErrorKind::OutcomeUnknown, None));
        }
        for error in [
            endpoint.job("j").status().await.unwrap_err(),
            endpoint.job("j").cancel().await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::ResponseTooLarge, "{error}");
        }
        assert_eq!(server.requests().len(), 8, "each was sent once");
    }
}

#[tokio::test]
async fn a_job_retry_with_a_too_large_response_is_settled_by_the_status() {
    let queued = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
    let server = Script::of([too_large(true), queued]).await;
    let client = server.settings().largest_response(1_000).build().unwrap();
    client.endpoint("ep").job("j").retry().await.unwrap();
    assert_eq!(server.lines(), ["POST /v2/ep/retry/j", "GET /v2/ep/status/j"]);
}

#[tokio::test]
async fn the_id_of_an_accepted_job_survives_a_response_that_breaks_off_after_it() {
    for end in ENDS {
        for (part, job_id) in [
            ("", None),
            (r#"{"id":"j-"#, None),
            (r#"{"id":"j-1""#, Some("j-1")),
            (r#"{"delayTime":1,"id":"j-1","output":"ha"#, Some("j-1")),
        ] {
            let server = Script::then_always([], end(Reply::ok(part))).await;
            let endpoint = impatient(&server).endpoint("ep");
            let error = endpoint.run(&json!({})).await.unwrap_err();
            let told = (error.kind(), error.status(), error.job_id());
            assert_eq!(told, (ErrorKind::OutcomeUnknown, Some(200), job_id), "{part}: {error}");
            assert_eq!(server.requests().len(), 1);
        }
    }
    let part = Reply::ok(r#"{"delayTime":1,"id":"sync-1","output":"ha"#);
    let server = Script::of([part.cut_off()]).await;
    let error = server.endpoint().run_sync(&json!({})).await.unwrap_err();
    assert_eq!((error.kind(), error.job_id()), (ErrorKind::OutcomeUnknown, Some("sync-1")));
}

#[tokio::test]
async fn a_submission_known_to_be_accepted_is_not_retried() {
    let accepted = Reply::ok(r#"{"id":"j-2","status":"IN_QUEUE"}"#);
    for end in ENDS {
        let told = end(Reply::ok(r#"{"id":"j-1","sta"#));
        let server = Script::of([Reply::Close, told, accepted.clone()]).await;
        let run = impatient(&server).endpoint("ep").run(&json!({})).at_least_once();
        let error = run.await.unwrap_err();
        assert_eq!((error.kind(), error.job_id()), (ErrorKind::OutcomeUnknown, Some("j-1")));
        assert_eq!(server.requests().len(), 2);

        let untold = end(Reply::ok(r#"{"status":"IN_QUEUE""#));
        let server = Script::of([untold, accepted.clone()]).await;
        let run = impatient(&server).endpoint("ep").run(&json!({})).at_least_once();
        assert_eq!(run.await.unwrap().id(), "j-2");
    }
}
