//! Job handles: status, cancel, retry, and the fields of a record.

use std::time::{Duration, SystemTime};

use podqueue::{Endpoint, ErrorKind, Job, JobStatus, Policy};
use serde_json::{Value, json};

use crate::support::{Reply, Script};

fn record(status: &str) -> Reply {
    Reply::ok(json!({"id": "j-u1", "status": status}))
}

#[tokio::test]
async fn status_reads_a_job_by_its_id() {
    let server = Script::of([record("IN_QUEUE")]).await;
    let record = server.endpoint().job("j-u1").status().await.unwrap();
    let request = server.request();
    assert_eq!(request.line(), "GET /v2/ep/status/j-u1");
    assert_eq!((request.body.as_str(), request.header("content-type")), ("", None));
    assert_eq!((record.id(), record.status()), ("j-u1", JobStatus::InQueue));
}

#[tokio::test]
async fn status_sets_the_ttl_in_milliseconds() {
    let server = Script::of([record("IN_QUEUE")]).await;
    let job = server.endpoint().job("j-u1");
    job.status().ttl(Duration::from_secs(60)).await.unwrap();
    assert_eq!(server.request().line(), "GET /v2/ep/status/j-u1?ttl=60000");
}

#[tokio::test]
async fn cancel_posts_without_a_body() {
    let server = Script::of([record("CANCELLED")]).await;
    let record = server.endpoint().job("j-u1").cancel().await.unwrap();
    let request = server.request();
    assert_eq!((request.line().as_str(), request.body.as_str()), ("POST /v2/ep/cancel/j-u1", ""));
    assert_eq!(record.status(), JobStatus::Cancelled);
}

#[tokio::test]
async fn retry_posts_without_a_body() {
    let server = Script::of([record("IN_QUEUE")]).await;
    let record = server.endpoint().job("j-u1").retry().await.unwrap();
    let request = server.request();
    assert_eq!((request.line().as_str(), request.body.as_str()), ("POST /v2/ep/retry/j-u1", ""));
    assert_eq!(record.status(), JobStatus::InQueue);
}

#[tokio::test]
async fn an_unanswered_retry_is_settled_by_the_status() {
    for (reply, status) in [
        (Reply::Close, "IN_QUEUE"),
        (Reply::json(500, "{}"), "IN_PROGRESS"),
        (Reply::json(502, "{}"), "COMPLETED"),
    ] {
        let server = Script::of([reply, record(status)]).await;
        let record = server.endpoint().job("j-u1").retry().await.unwrap();
        assert_eq!(record.status().as_str(), status);
        assert_eq!(server.lines(), ["POST /v2/ep/retry/j-u1", "GET /v2/ep/status/j-u1"]);
    }
    let server = Script::of([Reply::Close, record("FAILED")]).await;
    let error = server.endpoint().job("j-u1").retry().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(error.record().unwrap().status(), JobStatus::Failed);
    assert_eq!(server.requests().len(), 2, "it is not sent twice");
}

#[tokio::test]
async fn ids_are_escaped() {
    for (id, escaped) in [
        ("a/../../b", "a%2F..%2F..%2Fb"),
        ("a?ttl=1#x", "a%3Fttl%3D1%23x"),
        ("ä b", "%C3%A4%20b"),
        ("%2e%2e", "%252e%252e"),
        ("...", "..."),
        ("sync-1_2.3~4-u1", "sync-1_2.3~4-u1"),
    ] {
        let server = Script::of([Reply::ok(json!({"id": id, "status": "IN_QUEUE"}))]).await;
        server.client().endpoint(id).job(id).status().await.unwrap();
        assert_eq!(server.request().line(), format!("GET /v2/{escaped}/status/{escaped}"));
    }
}

#[tokio::test]
async fn a_record_keeps_fields_that_the_interface_does_not_name() {
    let body = r#"{
        "id": "j-u1", "status": "COMPLETED", "output": {"a": [1, 2]},
        "delayTime": 0.5, "executionTime": "1500",
        "workerId": "w-1", "retries": 2, "input": {"x": 1}, "webhook": null
    }"#;
    let server = Script::of([Reply::ok(body)]).await;
    let record = server.endpoint().job("j-u1").status().await.unwrap();
    assert_eq!(record.other::<f64>("delayTime").unwrap(), Some(0.5));
    assert_eq!(record.delay_time(), Some(Duration::from_micros(500)));
    assert_eq!(record.execution_time(), Some(Duration::from_millis(1_500)));
    let names: Vec<_> = record.other_names().collect();
    assert_eq!(names, ["workerId", "retries", "input", "webhook"]);
    assert_eq!(record.other::<String>("workerId").unwrap().as_deref(), Some("w-1"));
    assert_eq!(record.other::<u32>("retries").unwrap(), Some(2));
    assert_eq!(record.other::<Value>("input").unwrap(), Some(json!({"x": 1})));
    assert_eq!(record.other::<Value>("absent").unwrap(), None);
    assert_eq!(record.output_json(), Some(r#"{"a": [1, 2]}"#));
}

#[tokio::test]
async fn every_status_of_the_interface_is_known_and_any_other_is_kept() {
    for (text, status, terminal) in [
        ("IN_QUEUE", JobStatus::InQueue, false),
        ("IN_PROGRESS", JobStatus::InProgress, false),
        ("COMPLETED", JobStatus::Completed, true),
        ("FAILED", JobStatus::Failed, true),
        ("CANCELLED", JobStatus::Cancelled, true),
        ("TIMED_OUT", JobStatus::TimedOut, true),
        ("RUNNING", JobStatus::Other("RUNNING".into()), false),
    ] {
        let server = Script::of([record(text)]).await;
        let record = server.endpoint().job("j-u1").status().await.unwrap();
        assert_eq!((record.status(), record.status().is_terminal()), (status, terminal));
        assert_eq!(record.status().to_string(), text);
        assert_eq!(record.is_completed(), record.status() == JobStatus::Completed);
        assert_eq!(record.is_failed(), record.status() == JobStatus::Failed);
    }
}

#[tokio::test]
async fn inputs_are_given_by_value_or_by_reference() {
    #[derive(serde::Serialize)]
    struct Prompt<'a> {
        prompt: &'a str,
    }

    let done = || Reply::ok(json!({"id": "j", "status": "COMPLETED"}));
    let server = Script::of([done(), done(), done(), done(), done(), done()]).await;
    let endpoint = server.endpoint();
    let prompt = Prompt { prompt: "dawn" };
    endpoint.run(&prompt).await.unwrap();
    endpoint.run(Prompt { prompt: "dawn" }).await.unwrap();
    endpoint.run_sync(json!({"prompt": "dawn"})).await.unwrap();
    endpoint.run_sync(&json!({"prompt": "dawn"})).await.unwrap();
    endpoint.openai("v1/completions", json!({"prompt": "dawn"})).await.unwrap();
    endpoint.openai_as::<Value>("v1/completions", prompt).await.unwrap();
    let bodies: Vec<_> = server.requests().into_iter().map(|it| it.body).collect();
    assert!(bodies[..4].iter().all(|it| it == r#"{"input":{"prompt":"dawn"}}"#), "{bodies:?}");
    assert!(bodies[4..].iter().all(|it| it == r#"{"prompt":"dawn"}"#), "{bodies:?}");
}

#[tokio::test]
async fn the_report_of_a_handler_is_one_call_away_from_the_error() {
    let failed = r#"{"id": "j", "status": "FAILED", "error": "{\"error_type\": \"ValueError\", \"error_message\": \"no such model\"}"}"#;
    let server = Script::of([Reply::ok(failed), Reply::json(401, "{}")]).await;
    let error = server.endpoint().run_sync(json!({})).await.unwrap_err();
    let failure = error.job_failure().unwrap();
    assert_eq!(failure.message, "no such model");
    assert_eq!(failure.error_type.as_deref(), Some("ValueError"));
    let error = server.endpoint().run_sync(json!({})).await.unwrap_err();
    assert_eq!((error.kind(), error.job_failure()), (ErrorKind::Unauthorized, None));
}

#[tokio::test]
async fn nulls_and_absent_fields_are_no_values() {
    for body in [
        r#"{"id":"j-u1","status":"COMPLETED"}"#,
        r#"{"id":null,"status":"COMPLETED","output":null,"delayTime":null,"executionTime":null,"error":null}"#,
    ] {
        let server = Script::of([Reply::ok(body)]).await;
        let record = server.endpoint().job("j-u1").status().await.unwrap();
        assert_eq!(record.id(), "j-u1");
        assert_eq!((record.delay_time(), record.execution_time()), (None, None));
        assert_eq!((record.output_json(), record.failure()), (None, None));
        assert_eq!(record.output::<Option<u32>>().unwrap(), None);
        record.output::<()>().unwrap();
        let error = record.output::<u32>().unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Decode, Some("output")));
    }
}

#[tokio::test]
async fn output_names_the_path_to_what_does_not_fit() {
    #[derive(Debug, serde::Deserialize)]
    struct Answer {
        #[expect(dead_code, reason = "it is there to be decoded")]
        images: Vec<Image>,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Image {
        #[expect(dead_code, reason = "it is there to be decoded")]
        width: u32,
    }
    let body = r#"{"id":"j","status":"COMPLETED","output":{"images":[{"width":1},{"width":"x"}]}}"#;
    let server = Script::of([Reply::ok(body)]).await;
    let record = server.endpoint().job("j").status().await.unwrap();
    let error = record.output::<Answer>().unwrap_err();
    assert_eq!(error.field(), Some("output.images[1].width"));
    assert_eq!(error.job_id(), Some("j"));
}

#[tokio::test]
async fn output_before_completion_is_an_error() {
    let body = r#"{"id":"j","status":"IN_PROGRESS","output":{"percent":40}}"#;
    let server = Script::of([Reply::ok(body)]).await;
    let record = server.endpoint().job("j").status().await.unwrap();
    assert_eq!(record.output::<Value>().unwrap_err().kind(), ErrorKind::JobNotFinished);
    assert_eq!(record.progress::<Value>().unwrap(), Some(json!({"percent": 40})));
}

#[tokio::test]
async fn the_output_of_a_job_that_ended_otherwise_is_its_error() {
    for (status, kind) in [
        ("FAILED", ErrorKind::JobFailed),
        ("CANCELLED", ErrorKind::JobCancelled),
        ("TIMED_OUT", ErrorKind::JobTimedOut),
    ] {
        let server = Script::of([record(status)]).await;
        let record = server.endpoint().job("j-u1").status().await.unwrap();
        assert_eq!(record.output::<Value>().unwrap_err().kind(), kind);
        assert_eq!(record.into_result().unwrap_err().kind(), kind);
    }
}

#[tokio::test]
async fn an_error_shows_the_beginning_of_a_long_failure_and_the_record_all_of_it() {
    let long = "ä".repeat(300_000);
    let failed = Reply::ok(json!({"id": "j-u1", "status": "FAILED", "error": long}));
    let server = Script::of([failed]).await;
    let record = server.endpoint().job("j-u1").status().await.unwrap();
    let shown = record.clone().into_result().unwrap_err().to_string();
    assert!(shown.contains(&"ä".repeat(8_000)) && shown.len() < 17_000, "{}", shown.len());
    assert!(shown.contains("JobRecord::failure"));
    assert_eq!(record.failure().unwrap().message, long);
}

#[tokio::test]
async fn an_expired_job_is_distinguished_from_an_unknown_one() {
    let gone = Reply::json(404, r#"{"error":"job not found"}"#);
    let server = Script::of([gone.clone(), record("IN_QUEUE"), gone]).await;
    let job = server.endpoint().job("j-u1");
    let error = job.status().await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::NotFound, Some(404)));
    job.status().await.unwrap();
    let error = job.clone().status().await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::JobExpired, Some(404)));
    assert_eq!(error.job_id(), Some("j-u1"));
}

#[tokio::test]
async fn a_job_knows_when_its_ttl_and_result_expire() {
    const MINUTE: Duration = Duration::from_secs(60);
    let within = |deadline: Option<SystemTime>, from: SystemTime, after: Duration| {
        let deadline = deadline.expect("it is known");
        assert!(deadline >= from + after, "{deadline:?}");
        assert!(deadline <= SystemTime::now() + after, "{deadline:?}");
    };
    let server = Script::of([
        record("IN_QUEUE"),
        record("IN_PROGRESS"),
        record("IN_PROGRESS"),
        record("COMPLETED"),
    ])
    .await;
    let began = SystemTime::now();
    let policy = Policy::new().ttl(60 * MINUTE);
    let job = server.endpoint().run(&json!({})).policy(policy).await.unwrap();
    within(job.expires_at(), began, 60 * MINUTE);
    job.status().await.unwrap();
    assert_eq!(job.result_expires_at(), None, "it continues");
    job.status().ttl(120 * MINUTE).await.unwrap();
    within(job.expires_at(), began, 120 * MINUTE);
    job.clone().wait().await.unwrap();
    within(job.result_expires_at(), began, 30 * MINUTE);

    let done = Reply::ok(
        r#"{"id":"sync-1","status":"COMPLETED","output":1,"delayTime":1,"executionTime":1}"#,
    );
    let server = Script::of([done.clone(), done.clone(), record("COMPLETED")]).await;
    let began = SystemTime::now();
    let waiting = server.endpoint().run_sync(&json!({})).wait(2 * MINUTE);
    let kept = waiting.await.unwrap().job().clone();
    within(kept.expires_at(), began, 24 * 60 * MINUTE);
    within(kept.result_expires_at(), began, 2 * MINUTE);
    let record = server.endpoint().run_sync(&json!({})).await.unwrap();
    within(record.job().result_expires_at(), began, 90 * Duration::from_secs(1));

    let rebuilt = server.endpoint().job("j-u1");
    assert_eq!((rebuilt.expires_at(), rebuilt.result_expires_at()), (None, None));
    rebuilt.status().await.unwrap();
    assert_eq!(rebuilt.result_expires_at(), None, "nothing tells when it ended");
}

#[tokio::test]
async fn an_expired_job_reports_why_as_far_as_it_is_known() {
    let gone = Reply::json(404, "{}");
    let purged = Script::of([record("IN_QUEUE"), gone.clone()]).await;
    let removed = Script::of([record("COMPLETED"), gone.clone()]).await;
    let unknown = Script::of([gone]).await;
    for (server, polls, kind, why) in [
        (purged, 1, ErrorKind::JobExpired, "purged from the queue"),
        (removed, 1, ErrorKind::JobExpired, "its result has expired"),
        (unknown, 0, ErrorKind::NotFound, "not found"),
    ] {
        let job = server.endpoint().job("j-u1");
        for _ in 0..polls {
            job.status().await.unwrap();
        }
        let error = job.wait().await.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
async fn handles_can_be_cloned_sent_and_rebuilt() {
    fn is_a_handle<T: Clone + Send + Sync + 'static>(_: &T) {}
    fn is_send<T: Send>(future: T) -> T {
        future
    }
    let server = Script::then_always([], record("COMPLETED")).await;
    let endpoint: Endpoint = server.endpoint();
    let job: Job = endpoint.job("j-u1");
    is_a_handle(&server.client());
    is_a_handle(&endpoint);
    is_a_handle(&job);
    let elsewhere = tokio::spawn(is_send(async move { job.wait().await.map(drop) }));
    elsewhere.await.unwrap().unwrap();
    is_send(endpoint.run(&json!({})).into_future()).await.unwrap();
    is_send(endpoint.run_sync(&json!({})).output::<Value>()).await.unwrap();
}

#[tokio::test]
async fn a_cancel_that_is_refused_after_a_lost_response_is_settled_by_the_status() {
    let refused = || Reply::json(400, r#"{"error":"the job is CANCELLED"}"#);
    for lost in [Reply::Close, Reply::json(502, "{}"), Reply::json(504, "<html>")] {
        let server = Script::of([lost.clone(), refused(), record("CANCELLED")]).await;
        let cancelled = server.endpoint().job("j-u1").cancel().await;
        let cancelled = cancelled.unwrap_or_else(|error| panic!("{lost:?}: {error}"));
        assert_eq!(cancelled.status(), JobStatus::Cancelled);
        // A job that has ended otherwise keeps the error, which has its record.
        let server = Script::of([lost.clone(), refused(), record("COMPLETED")]).await;
        let error = server.endpoint().job("j-u1").cancel().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadRequest);
        assert_eq!(error.record().unwrap().status(), JobStatus::Completed, "{lost:?}");
    }
    // A refusal of the first attempt is reported without a poll of the status.
    let server = Script::of([refused()]).await;
    let error = server.endpoint().job("j-u1").cancel().await.unwrap_err();
    assert_eq!((error.kind(), server.lines().len()), (ErrorKind::BadRequest, 1));
}
