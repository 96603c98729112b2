//! Records that are not valid JSON, as handlers in Python and other languages write them: each
//! readable part is read, and no other part is lost.

use std::future::IntoFuture;
use std::time::Duration;

use podqueue::{ErrorKind, JobStatus};
use serde_json::{Value, json};

use crate::support::{Reply, Script};

/// A wait that must not continue indefinitely.
async fn waited(reply: Reply) -> podqueue::Result<podqueue::JobRecord> {
    let server = Script::then_always([], reply).await;
    let wait = server.endpoint().job("j").wait().into_future();
    let result = tokio::time::timeout(Duration::from_secs(20), wait).await.expect("it ends");
    assert_eq!(server.requests().len(), 1, "one look is enough");
    result
}

#[tokio::test]
async fn a_body_that_is_clearly_not_json_is_named() {
    for (body, said) in [
        ("<html><title>Log in</title></html>", "a web page"),
        ("\n <?xml version='1.0'?>", "a web page"),
        ("oops", "is not JSON: expected value at line 1 column 1"),
    ] {
        let server = Script::then_always([], Reply::ok(body)).await;
        let client = server.client();
        let record = client.endpoint("ep").job("j").status().await.unwrap_err();
        let health = client.endpoint("ep").health().await.unwrap_err();
        for error in [record, health] {
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}

#[tokio::test]
async fn numbers_that_json_does_not_have_are_null_and_the_text_is_kept() {
    let body = r#"{"delayTime":NaN,"id":"j","status":"COMPLETED","output":{"loss":NaN,"best":-Infinity,"name":"NaN"},"workerId":"w"}"#;
    let record = waited(Reply::ok(body)).await.unwrap();
    let output = record.output::<Value>().unwrap();
    assert_eq!(output, json!({"loss": null, "best": null, "name": "NaN"}));
    assert_eq!(record.output_json(), Some(r#"{"loss":NaN,"best":-Infinity,"name":"NaN"}"#));
    assert_eq!(record.delay_time(), None);
    assert_eq!(record.other::<String>("workerId").unwrap().as_deref(), Some("w"));

    #[derive(Debug, serde::Deserialize)]
    struct Trained {
        #[expect(dead_code, reason = "it is there to be decoded")]
        loss: f64,
    }
    let error = record.output::<Trained>().unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Decode, Some("output.loss")));
    assert!(
        error.to_string().contains("NaN, Infinity and numbers beyond a double were read as null"),
        "{error}"
    );
    assert_eq!(error.record().unwrap().output_bytes(), record.output_bytes());
}

#[tokio::test]
async fn a_byte_order_mark_is_skipped_wherever_it_comes() {
    let marked = |body: Value| Reply::ok(format!("\u{feff}{body}"));
    let record = waited(marked(json!({"id": "j", "status": "COMPLETED", "output": 7}))).await;
    assert_eq!(record.unwrap().output::<u32>().unwrap(), 7);
    let server = Script::of([
        marked(json!({"id": "j", "status": "IN_QUEUE"})),
        marked(json!({"id": "sync-j", "status": "COMPLETED", "output": 7})),
        marked(json!({"id": "j", "status": "CANCELLED"})),
        marked(json!({"removed": 1, "status": "completed"})),
    ])
    .await;
    let endpoint = server.endpoint();
    let job = endpoint.run(&json!({})).await.unwrap();
    assert_eq!(endpoint.run_sync(&json!({})).output::<u32>().await.unwrap(), 7);
    job.cancel().await.unwrap();
    assert_eq!(endpoint.purge_queue().await.unwrap().removed, 1);
}

#[tokio::test]
async fn an_output_that_cannot_be_read_does_not_keep_a_wait_from_its_end() {
    for output in ["oops", "{\"a\":undefined}", "[1,,2]", "\"a\tb\"", "{'a': 1}", "01"] {
        for body in [
            format!(r#"{{"id":"j","status":"COMPLETED","output":{output}}}"#),
            format!(r#"{{"output":{output},"id":"j","status":"COMPLETED"}}"#),
        ] {
            let record = waited(Reply::ok(body)).await.unwrap();
            assert_eq!((record.id(), record.status()), ("j", JobStatus::Completed));
            let error = record.output::<Value>().unwrap_err();
            assert_eq!((error.kind(), error.job_id()), (ErrorKind::Decode, Some("j")), "{output}");
            assert!(error.to_string().contains("is not JSON"), "{error}");
            assert_eq!(record.output_bytes(), Some(output.as_bytes()));
        }
    }
}

#[tokio::test]
async fn an_unreadable_time_does_not_lose_the_result() {
    for time in ["{}", "\"soon\"", "oops", "NaN", "[1]"] {
        let body =
            format!(r#"{{"id":"j","status":"COMPLETED","executionTime":{time},"output":1}}"#);
        let record = waited(Reply::ok(body)).await.unwrap();
        assert_eq!((record.execution_time(), record.output::<u32>().unwrap()), (None, 1));
    }
}

#[tokio::test]
async fn a_failure_that_cannot_be_parsed_is_reported_verbatim() {
    for (error, told) in [
        (r#"{"error_message":"diverged","loss":NaN}"#, "diverged"),
        ("Traceback: oops", "Traceback: oops"),
    ] {
        let body = format!(r#"{{"id":"j","status":"FAILED","error":{error}}}"#);
        let error = waited(Reply::ok(body)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::JobFailed);
        assert!(error.to_string().ends_with(told), "{error}");
    }
}

#[tokio::test]
async fn the_record_of_a_submission_may_be_malformed_too() {
    let body = r#"{"output":[NaN],"status":"COMPLETED","id":"sync-1"}"#;
    let server = Script::of([Reply::ok(body)]).await;
    let record = server.endpoint().run_sync(&json!({})).await.unwrap();
    assert_eq!((record.id(), record.output::<Value>().unwrap()), ("sync-1", json!([null])));

    // Cut off behind what is no JSON: the id is still told.
    let body = r#"{"output":[NaN],"id":"sync-1","stat"#;
    let server = Script::of([Reply::ok(body)]).await;
    let error = server.endpoint().run_sync(&json!({})).await.unwrap_err();
    assert_eq!((error.kind(), error.job_id()), (ErrorKind::OutcomeUnknown, Some("sync-1")));
}

#[tokio::test]
async fn truncated_or_unrelated_responses_are_polled_again() {
    for transient in [
        r#"{"id":"j","status":"COMPLETED","output":{"a":NaN"#,
        r#"{"id":"j","status":"COMPLETED","output":[1,2}"#,
        r#"{"jobs":{"completed":1},"workers":{"idle":1}}"#,
        "[]",
        "null",
        "\"ok\"",
        "{}",
        "",
    ] {
        let done = Reply::ok(r#"{"id":"j","status":"COMPLETED","output":1}"#);
        let server = Script::of([Reply::ok(transient), done]).await;
        let record = server.endpoint().job("j").wait().await.unwrap();
        assert_eq!(record.output::<u32>().unwrap(), 1, "{transient}");
    }
}
