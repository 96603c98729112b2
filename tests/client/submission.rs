//! Submission bodies: `/run` and `/runsync`, byte for byte.

use std::time::Duration;

use podqueue::{ErrorKind, JobStatus, Policy, S3Config};
use serde_json::{Value, json};

use crate::support::{Reply, Script};

const ACCEPTED: &str = r#"{"id":"eaebd6e7-6a92-4bb8-a911-f996ac5ea99d","status":"IN_QUEUE"}"#;

#[tokio::test]
async fn run_posts_the_input_and_returns_the_handle() {
    let server = Script::of([Reply::ok(ACCEPTED)]).await;
    let job = server.endpoint().run(&json!({"prompt": "a lighthouse"})).await.unwrap();
    let request = server.request();
    assert_eq!(request.line(), "POST /v2/ep/run");
    assert_eq!(request.body, r#"{"input":{"prompt":"a lighthouse"}}"#);
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("accept"), Some("application/json"));
    assert_eq!(job.id(), "eaebd6e7-6a92-4bb8-a911-f996ac5ea99d");
}

#[tokio::test]
async fn run_sends_every_field_of_the_submission_body() {
    let server = Script::of([Reply::ok(ACCEPTED)]).await;
    let policy = Policy::new()
        .execution_timeout(Duration::from_secs(900))
        .ttl(Duration::from_secs(3_600))
        .low_priority(true);
    let storage = S3Config::new("id-1", "secret-1", "bucket-1", "https://storage.example");
    server
        .endpoint()
        .run(&json!({"a": 1}))
        .webhook("https://me.example/hook?job=1")
        .policy(policy)
        .s3_config(storage)
        .await
        .unwrap();
    assert_eq!(
        server.request().body,
        concat!(
            r#"{"input":{"a":1},"webhook":"https://me.example/hook?job=1","#,
            r#""policy":{"executionTimeout":900000,"lowPriority":true,"ttl":3600000},"#,
            r#""s3Config":{"accessId":"id-1","accessSecret":"secret-1","#,
            r#""bucketName":"bucket-1","endpointUrl":"https://storage.example"}}"#,
        )
    );
}

#[tokio::test]
async fn a_url_that_only_a_parser_takes_for_one_is_refused_as_it_would_be_sent() {
    for url in [
        "https://me.example\n",
        " https://me.example",
        "https://me.ex\tample/hook",
        "https://me.example/a b",
        "http:minio:9000",
        "http:/minio:9000",
        "https:///me.example/hook",
        "https:\\\\me.example",
    ] {
        let server = Script::of([]).await;
        let endpoint = server.endpoint();
        let storage = S3Config::new("id-1", "secret-1", "bucket-1", url);
        let error = endpoint.run(&json!({})).s3_config(storage).await.unwrap_err();
        assert_eq!(error.field(), Some("s3Config.endpointUrl"), "{url}");
        let error = endpoint.run(&json!({})).webhook(url).await.unwrap_err();
        assert_eq!(error.field(), Some("webhook"), "{url}");
        assert!(server.requests().is_empty());
    }
    for url in ["HTTPS://me.example", "http://127.0.0.1:9000/a?b=c://d", "https://[::1]/hook"] {
        let server = Script::of([Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#)]).await;
        let storage = S3Config::new("id-1", "secret-1", "bucket-1", url);
        server.endpoint().run(&json!({})).s3_config(storage).webhook(url).await.unwrap();
    }
}

#[tokio::test]
async fn a_policy_sends_only_what_is_set() {
    let server = Script::of([Reply::ok(ACCEPTED)]).await;
    let policy = Policy::new().low_priority(false);
    server.endpoint().run(&json!({})).policy(policy).await.unwrap();
    assert_eq!(server.request().body, r#"{"input":{},"policy":{"lowPriority":false}}"#);
}

#[tokio::test]
async fn the_bounds_of_the_policy_are_allowed() {
    let server = Script::of([Reply::ok(ACCEPTED), Reply::ok(ACCEPTED)]).await;
    let week = Duration::from_secs(7 * 24 * 60 * 60);
    let shortest =
        Policy::new().execution_timeout(Duration::from_secs(5)).ttl(Duration::from_secs(10));
    let longest = Policy::new().execution_timeout(week).ttl(week);
    for policy in [shortest, longest] {
        server.endpoint().run(&json!({})).policy(policy).await.unwrap();
    }
    let bodies: Vec<_> = server.requests().iter().map(|request| request.json()).collect();
    assert_eq!(bodies[0]["policy"], json!({"executionTimeout": 5_000, "ttl": 10_000}));
    assert_eq!(bodies[1]["policy"], json!({"executionTimeout": 604_800_000, "ttl": 604_800_000}));
}

#[tokio::test]
async fn any_object_arrives_unchanged() {
    for input in [
        json!({}),
        json!({"input": {}}),
        json!({"webhook": null}),
        json!({"a": null, "b": [null, {"c": ""}], "d": 0.1, "e": "\u{1F980}\n\"\\"}),
    ] {
        let server = Script::of([Reply::ok(ACCEPTED), Reply::ok(ACCEPTED)]).await;
        server.endpoint().run(&input).await.unwrap();
        server.endpoint().run_sync(&input).await.unwrap();
        for request in server.requests() {
            assert_eq!(request.json(), json!({"input": input}), "{input}");
        }
    }
}

#[tokio::test]
async fn a_struct_of_the_callers_own_is_an_input_too() {
    #[derive(serde::Serialize)]
    struct Prompt<'a> {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
    }
    let server = Script::of([Reply::ok(ACCEPTED)]).await;
    server.endpoint().run(&Prompt { text: "hi", seed: None }).await.unwrap();
    assert_eq!(server.request().body, r#"{"input":{"text":"hi"}}"#);
}

#[tokio::test]
async fn run_sync_returns_the_whole_record() {
    let reply = r#"{"delayTime":824,"executionTime":3391,"id":"sync-79164ff4-d212","status":"COMPLETED","output":[{"url":"u"}]}"#;
    let server = Script::of([Reply::ok(reply)]).await;
    let record = server.endpoint().run_sync(&json!({"p": 1})).await.unwrap();
    let request = server.request();
    assert_eq!(request.line(), "POST /v2/ep/runsync");
    assert_eq!(request.body, r#"{"input":{"p":1}}"#);
    assert_eq!(record.id(), "sync-79164ff4-d212");
    assert_eq!(record.status(), JobStatus::Completed);
    assert_eq!(record.delay_time(), Some(Duration::from_millis(824)));
    assert_eq!(record.execution_time(), Some(Duration::from_millis(3_391)));
    assert_eq!(record.output::<Value>().unwrap(), json!([{"url": "u"}]));
}

#[tokio::test]
async fn wait_goes_into_the_query_in_milliseconds() {
    let completed = Reply::ok(r#"{"id":"sync-1","status":"COMPLETED","output":1}"#);
    let server = Script::then_always([], completed).await;
    for (wait, expected) in [(1_000, "1000"), (120_000, "120000"), (300_000, "300000")] {
        let wait = Duration::from_millis(wait);
        server.endpoint().run_sync(&json!({})).wait(wait).await.unwrap();
        let line = server.lines().pop().unwrap();
        assert_eq!(line, format!("POST /v2/ep/runsync?wait={expected}"));
    }
}

#[tokio::test]
async fn when_the_wait_times_out_the_record_and_the_handle_remain() {
    let server = Script::of([
        Reply::ok(r#"{"id":"sync-1","status":"IN_PROGRESS"}"#),
        Reply::ok(r#"{"id":"sync-1","status":"COMPLETED","output":"done"}"#),
    ])
    .await;
    let record = server.endpoint().run_sync(&json!({})).await.unwrap();
    assert_eq!(record.status(), JobStatus::InProgress);
    let record = record.job().wait().await.unwrap();
    assert_eq!(record.output::<String>().unwrap(), "done");
    assert_eq!(server.lines(), ["POST /v2/ep/runsync", "GET /v2/ep/status/sync-1"]);
}

#[tokio::test]
async fn output_submits_waits_and_decodes() {
    let server = Script::of([
        Reply::ok(r#"{"id":"sync-1","status":"IN_QUEUE"}"#),
        Reply::ok(r#"{"id":"sync-1","status":"IN_PROGRESS"}"#),
        Reply::ok(r#"{"id":"sync-1","status":"COMPLETED","output":{"n":7}}"#),
    ])
    .await;
    let answer: Value = server.endpoint().run_sync(&json!({})).output().await.unwrap();
    assert_eq!(answer, json!({"n": 7}));
    assert_eq!(server.requests().len(), 3, "the result is read once");
}

#[tokio::test]
async fn the_response_may_take_as_long_as_the_requested_wait() {
    let server = Script::of([Reply::Hang]).await;
    let client = server.settings().timeout(Duration::from_millis(100)).build().unwrap();
    let submission = client.endpoint("ep").run_sync(&json!({})).wait(Duration::from_secs(300));
    let waiting = tokio::time::timeout(Duration::from_millis(300), submission.into_future());
    assert!(waiting.await.is_err(), "it must not give up before the wait is over");
}

#[tokio::test]
async fn a_job_that_fails_while_the_service_waits_is_an_error_with_its_record() {
    let failed = r#"{"id":"sync-1","status":"FAILED","error":"out of memory"}"#;
    let server = Script::of([Reply::ok(failed)]).await;
    let error = server.endpoint().run_sync(&json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobFailed);
    assert!(error.to_string().contains("out of memory"), "{error}");
    assert_eq!(error.job_id(), Some("sync-1"));
    assert_eq!(error.record().unwrap().failure().unwrap().message, "out of memory");
}

#[tokio::test]
async fn a_success_without_a_job_id_is_an_unknown_outcome() {
    for reply in [r#"{"status":"IN_QUEUE"}"#, r#"{"id":"","status":"IN_QUEUE"}"#] {
        let server = Script::of([Reply::ok(reply)]).await;
        let error = server.endpoint().run(&json!({})).await.unwrap_err();
        let told = (error.kind(), error.field(), error.job_id());
        assert_eq!(told, (ErrorKind::OutcomeUnknown, Some("id"), None), "{reply}");
    }
}

#[tokio::test]
async fn an_unreadable_success_is_an_unknown_outcome_that_keeps_the_jobs_id() {
    for (reply, job_id) in [
        ("", None),
        ("<html>504</html>", None),
        (r#"{"id":"j-1"#, None),
        (r#"{"id":"j-1","#, Some("j-1")),
        (r#"{"id":"j-1","status":"IN_Q"#, Some("j-1")),
        (r#"{"id":"j-1","status":7}"#, Some("j-1")),
        (r#"{"id":"j-1"}"#, Some("j-1")),
        (r#"{"delayTime":1,"id":"j-1","output":"cut of"#, Some("j-1")),
    ] {
        let server = Script::then_always([], Reply::ok(reply)).await;
        for at_least_once in [false, true] {
            let (mut run, mut run_sync) =
                (server.endpoint().run(&json!({})), server.endpoint().run_sync(&json!({})));
            if at_least_once {
                (run, run_sync) = (run.at_least_once(), run_sync.at_least_once());
            }
            for error in [run.await.unwrap_err(), run_sync.await.unwrap_err()] {
                let told = (error.kind(), error.status(), error.job_id());
                assert_eq!(told, (ErrorKind::OutcomeUnknown, Some(200), job_id), "{reply}");
                assert_eq!(error.body().unwrap(), reply);
                assert!(error.to_string().contains("most likely taken effect"), "{error}");
            }
        }
        assert_eq!(server.requests().len(), 4, "each was sent once");
    }
}

#[tokio::test]
async fn a_submission_is_retried_after_an_unknown_outcome_only_with_at_least_once() {
    let accepted = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
    for lost in [Reply::Close, Reply::ok("{").cut_off(), Reply::json(502, "{}")] {
        let server = Script::of([lost.clone(), accepted.clone()]).await;
        let error = server.endpoint().run(&json!({"a": 1})).await.unwrap_err();
        assert_eq!((error.kind(), server.requests().len()), (ErrorKind::OutcomeUnknown, 1));

        let server = Script::of([lost.clone(), lost, accepted.clone()]).await;
        let job = server.endpoint().run(&json!({"a": 1})).at_least_once().await.unwrap();
        assert_eq!(job.id(), "j");
        let bodies: Vec<_> = server.requests().into_iter().map(|request| request.body).collect();
        assert_eq!(bodies, [r#"{"input":{"a":1}}"#; 3], "the same bytes each time");
    }
    let done = Reply::ok(r#"{"id":"sync-1","status":"COMPLETED","output":7}"#);
    let server = Script::of([Reply::Close, done]).await;
    let output = server.endpoint().run_sync(&json!({})).at_least_once().output::<u32>().await;
    assert_eq!(output.unwrap(), 7);
}

#[tokio::test]
async fn exhausted_at_least_once_retries_are_an_unknown_outcome_whatever_came_last() {
    for last in [Reply::Close, Reply::json(503, "{}"), Reply::json(429, "{}"), Reply::json(401, "")]
    {
        let server = Script::then_always([Reply::Close], last).await;
        let error = server.endpoint().run(&json!({})).at_least_once().await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::OutcomeUnknown, false));
        assert!(error.to_string().contains("may have taken effect"), "{error}");
    }
    let server = Script::then_always([], Reply::json(429, "{}")).await;
    let error = server.endpoint().run(&json!({})).at_least_once().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited, "it was not taken up");
}
