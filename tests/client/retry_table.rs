//! Retry table over HTTP, row by row and column by column: the call, the outcome of its attempt,
//! and how often it is sent. The table itself is in `crates/runtime/src/retry/table.rs`.

use futures_util::StreamExt;
use podqueue::{Client, ErrorKind, NewTemplate, Result};
use serde_json::{Value, json};

use crate::support::{RefusedAddress, Reply, Script, quick_retries};

/// Expected decision for an ambiguous attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    /// The call is sent again.
    Retried,
    /// A poll of the job's status shows that the call took effect.
    SettledByStatus,
    /// The call is not sent again, and the outcome is unknown.
    OutcomeUnknown,
}

use Expected::{OutcomeUnknown, Retried, SettledByStatus};

/// The rows: the decision after a failure of the service, and after no response.
const ROWS: [(&str, Expected, Expected); 17] = [
    ("status", Retried, Retried),
    ("health", Retried, Retried),
    ("requests", Retried, Retried),
    ("read a Pod", Retried, Retried),
    ("read a template", Retried, Retried),
    ("stream", Retried, Retried),
    ("run", OutcomeUnknown, OutcomeUnknown),
    ("runsync", OutcomeUnknown, OutcomeUnknown),
    ("openai", OutcomeUnknown, OutcomeUnknown),
    ("cancel", Retried, Retried),
    ("retry", SettledByStatus, SettledByStatus),
    ("purge-queue", OutcomeUnknown, OutcomeUnknown),
    ("change a template", Retried, Retried),
    ("delete a template", Retried, Retried),
    ("delete a secret", Retried, Retried),
    ("create a template", OutcomeUnknown, OutcomeUnknown),
    ("create a secret", OutcomeUnknown, OutcomeUnknown),
];

async fn make(row: &str, client: &Client) -> Result<()> {
    let (endpoint, job) = (client.endpoint("ep"), client.endpoint("ep").job("j"));
    match row {
        "status" => job.status().await.map(drop),
        "health" => endpoint.health().await.map(drop),
        "requests" => endpoint.requests().await.map(drop),
        "read a Pod" => client.rest().get_pod("p").await.map(drop),
        "read a template" => client.rest().get_template("t").await.map(drop),
        "stream" => match job.stream::<Value>().next().await {
            Some(chunk) => chunk.map(|chunk| assert!(chunk.after_gap, "chunks may be lost")),
            None => panic!("a chunk was there"),
        },
        "run" => endpoint.run(&json!({})).await.map(drop),
        "runsync" => endpoint.run_sync(&json!({})).await.map(drop),
        "openai" => endpoint.openai("v1/models", &json!({})).await.map(drop),
        "cancel" => job.cancel().await.map(drop),
        "retry" => job.retry().await.map(drop),
        "purge-queue" => endpoint.purge_queue().await.map(drop),
        "change a template" => client.templates().update("t", template()).await.map(drop),
        "delete a template" => client.templates().delete("n").await,
        "delete a secret" => client.secrets().delete("s").await,
        "create a template" => client.templates().create(template()).await.map(drop),
        "create a secret" => client.secrets().create("n", "v").await.map(drop),
        other => panic!("{other} is no call"),
    }
}

fn template() -> NewTemplate {
    NewTemplate::pod("n", "i:1").container_disk_gb(1).volume_gb(1)
}

/// A success that fits every call.
fn success(row: &str) -> Reply {
    match row {
        "stream" => Reply::ok(r#"[{"output":1}]"#),
        _ => Reply::ok(json!({
            "id": "j", "status": "COMPLETED", "output": 1, "removed": 0,
            "jobs": {"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0},
            "workers": {"idle": 0, "running": 0},
            "data": {
                "saveTemplate": {"id": "t", "name": "n"}, "secretCreate": {"id": "s", "name": "n"},
                "deleteTemplate": null, "secretDelete": null,
            },
        })),
    }
}

async fn check(row: &str, column: &str, failure: Reply, expected: Expected) {
    let server = Script::then_always([failure], success(row)).await;
    let kind = make(row, &server.client()).await.err().map(|error| error.kind());
    let cell = format!("{row}: {column}: {kind:?}, {:?}", server.lines());
    let lines = server.lines();
    match expected {
        Retried => {
            assert_eq!(kind, None, "{cell}");
            assert!(lines.len() == 2 && lines[0] == lines[1], "{cell}");
        }
        SettledByStatus => {
            assert_eq!(kind, None, "{cell}");
            assert_eq!(lines, ["POST /v2/ep/retry/j", "GET /v2/ep/status/j"], "{cell}");
        }
        OutcomeUnknown => {
            assert_eq!(kind, Some(ErrorKind::OutcomeUnknown), "{cell}");
            assert_eq!(lines.len(), 1, "{cell}");
        }
    }
}

#[tokio::test]
async fn server_failures_and_lost_responses_are_retried_if_that_is_safe() {
    for (row, failed, unanswered) in ROWS {
        for status in [500, 502, 503, 504, 524] {
            check(row, &status.to_string(), Reply::json(status, "{}"), failed).await;
        }
        check(row, "closed", Reply::Close, unanswered).await;
        check(row, "cut off", Reply::ok("{").cut_off(), unanswered).await;
    }
}

#[tokio::test]
async fn every_throttled_call_is_retried() {
    for (row, ..) in ROWS.iter().filter(|(row, ..)| *row != "stream") {
        check(row, "429", Reply::json(429, "{}"), Retried).await;
    }
}

#[tokio::test]
async fn a_request_that_was_never_sent_is_never_an_unknown_outcome() {
    let address = RefusedAddress::new();
    let url = address.url();
    let settings = Client::builder().api_key("k").base_url(&url).rest_url(&url).graphql_url(&url);
    let client = settings.retry(quick_retries()).build().unwrap();
    // A stream survives it, as a wait does.
    for (row, ..) in ROWS.iter().filter(|(row, ..)| *row != "stream") {
        let error = make(row, &client).await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Connect, true), "{row}");
    }
}

#[tokio::test]
async fn an_unreadable_success_is_an_unknown_outcome_of_an_unsafe_call() {
    for (row, ..) in ROWS.iter().filter(|(row, ..)| *row != "stream") {
        let unknown = !matches!(
            *row,
            "status" | "health" | "requests" | "read a Pod" | "read a template" | "cancel"
        ) && !row.starts_with("change");
        let server = Script::then_always([Reply::ok(r#"{"id": oops"#)], success(row)).await;
        let result = make(row, &server.client()).await;
        let kind = result.as_ref().err().map(|error| error.kind());
        if *row == "retry" {
            assert_eq!(kind, None, "{row}: its status tells");
            assert_eq!(server.lines().len(), 2);
            continue;
        }
        let expected = if unknown { ErrorKind::OutcomeUnknown } else { ErrorKind::Decode };
        assert_eq!(kind, Some(expected), "{row}: {result:?}");
        assert_eq!(server.lines().len(), 1, "{row}");
        let error = result.unwrap_err();
        assert_eq!((error.status(), error.is_retryable()), (Some(200), false), "{row}");
        assert_eq!(error.body().unwrap(), r#"{"id": oops"#, "{row}");
    }
}

#[tokio::test]
async fn an_attempt_that_was_refused_does_not_count_as_one_that_may_have_taken_effect() {
    let server = Script::of([Reply::json(429, "{}"), Reply::Close]).await;
    let error = server.endpoint().run(&serde_json::json!({})).await.unwrap_err();
    assert_eq!(error.kind(), podqueue::ErrorKind::OutcomeUnknown);
    assert!(error.to_string().contains("one of the 2 attempts"), "{error}");
}
