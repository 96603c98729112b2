//! Responses about another job, as a proxy that mixes up its connections returns them.

use futures_util::StreamExt;
use podqueue::{Error, ErrorKind, JobStatus, RemoteCancel, RetryPolicy};
use serde_json::{Value, json};

use crate::support::{Reply, Script};

fn record(id: &str, status: &str) -> Reply {
    Reply::ok(json!({"id": id, "status": status, "output": id}))
}

#[tokio::test]
async fn a_number_is_the_id_of_a_job_as_its_text() {
    let server = Script::of([Reply::ok(json!({"id": 17, "status": "IN_QUEUE"}))]).await;
    let job = server.endpoint().run(&json!({})).await.unwrap();
    assert_eq!(job.id(), "17");
}

/// Responses that must not be taken for a record of the job `mine`.
fn foreign() -> Vec<Reply> {
    vec![
        record("other", "COMPLETED"),
        record("other", "FAILED"),
        record("MINE", "COMPLETED"),
        record("mine-u", "COMPLETED"),
        record("mine-2", "COMPLETED"),
        record("mine-u1-u2", "COMPLETED"),
        Reply::ok(r#"{"output":NaN,"id":"other","status":"COMPLETED"}"#),
        Reply::ok(json!({"status": "COMPLETED", "stream": []})),
    ]
}

fn assert_foreign(error: &Error) {
    assert_eq!((error.kind(), error.job_id()), (ErrorKind::ForeignRecord, Some("mine")), "{error}");
    assert!(error.is_retryable() && error.to_string().contains("\"mine\""), "{error}");
}

#[tokio::test]
async fn the_record_of_another_job_is_not_the_status_of_this_one() {
    for reply in foreign() {
        let server = Script::of([reply, Reply::json(404, "{}")]).await;
        let job = server.endpoint().job("mine");
        assert_foreign(&job.status().await.unwrap_err());
        assert_eq!(job.result_expires_at(), None);
        // It was not seen.
        assert_eq!(job.status().await.unwrap_err().kind(), ErrorKind::NotFound);
    }
    let server = Script::of([record("other-u1", "COMPLETED")]).await;
    let error = server.endpoint().job("mine").status().await.unwrap_err();
    assert!(error.to_string().contains("\"other-u1\""), "both are named: {error}");
}

#[tokio::test]
async fn an_id_may_have_a_suffix_or_be_left_out() {
    for (asked, told) in [
        ("mine", json!("mine")),
        ("mine", json!("mine-u1")),
        ("mine-u12", json!("mine")),
        ("mine", json!(null)),
        ("17", json!(17)),
    ] {
        let reply = Reply::ok(json!({"id": told, "status": "COMPLETED"}));
        let server = Script::of([reply]).await;
        let record = server.endpoint().job(asked).status().await.unwrap();
        assert_eq!(record.id(), asked);
    }
}

#[tokio::test]
async fn a_wait_survives_it_and_leaves_the_connection_that_mixes_up() {
    for reply in foreign() {
        let server = Script::of([
            record("mine", "IN_PROGRESS"),
            reply.clone(),
            reply.clone(),
            record("mine", "COMPLETED"),
        ])
        .await;
        let record = server.endpoint().job("mine").wait().await.unwrap();
        assert_eq!(record.output::<String>().unwrap(), "mine");
        assert_eq!(server.connections(), 2);
        let requests = server.requests();
        let closing = requests.iter().map(|request| request.header("connection") == Some("close"));
        assert_eq!(closing.collect::<Vec<_>>(), [false, false, true, true]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_only_sees_foreign_records_reports_them_at_its_deadline() {
    let server = Script::then_always([], record("other", "COMPLETED")).await;
    let moment = std::time::Duration::from_millis(700);
    let error = server.endpoint().job("mine").wait().timeout(moment).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
    assert!(error.to_string().contains("another job, \"other\""), "{error}");
}

#[tokio::test]
async fn a_cancel_is_settled_by_the_status() {
    for reply in foreign() {
        let server = Script::of([reply.clone(), record("mine", "CANCELLED")]).await;
        let record = server.endpoint().job("mine").cancel().await.unwrap();
        assert_eq!(record.status(), JobStatus::Cancelled);
        assert_eq!(server.lines(), ["POST /v2/ep/cancel/mine", "GET /v2/ep/status/mine"]);
    }
    for (status, settled) in
        [("IN_PROGRESS", JobStatus::InProgress), ("COMPLETED", JobStatus::Completed)]
    {
        let server = Script::of([record("other", "CANCELLED"), record("mine", status)]).await;
        let error = server.endpoint().job("mine").cancel().await.unwrap_err();
        assert_foreign(&error);
        assert_eq!(error.record().unwrap().status(), settled);
    }
    let server = Script::then_always([record("other", "CANCELLED")], Reply::json(401, "{}")).await;
    assert_foreign(&server.endpoint().job("mine").cancel().await.unwrap_err());
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_cancels_believes_no_other_jobs_record() {
    let wait = |server: &Script| {
        let wait = server.endpoint().job("mine").wait();
        wait.timeout(std::time::Duration::from_millis(600)).cancel_on_timeout()
    };
    let other = record("other", "CANCELLED");
    let server = Script::of([Reply::Hang, other.clone(), record("mine", "COMPLETED")]).await;
    assert_eq!(wait(&server).await.unwrap().output::<String>().unwrap(), "mine");

    let server = Script::of([Reply::Hang, other.clone(), record("mine", "IN_PROGRESS")]).await;
    let error = wait(&server).await.unwrap_err();
    let Some(RemoteCancel::NotConfirmed(why)) = error.remote_cancel() else { panic!("{error:?}") };
    assert_foreign(why);

    let server = Script::of([Reply::Hang, other, record("mine", "CANCELLED")]).await;
    let error = wait(&server).await.unwrap_err();
    assert!(matches!(error.remote_cancel(), Some(RemoteCancel::Cancelled)), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_whose_response_shows_a_running_job_is_not_confirmed() {
    for (status, ended) in [("IN_PROGRESS", false), ("COMPLETED", true)] {
        let server = Script::of([Reply::Hang, record("mine", status)]).await;
        let wait = server.endpoint().job("mine").wait();
        let wait = wait.timeout(std::time::Duration::from_millis(600)).cancel_on_timeout();
        match wait.await {
            Ok(record) => assert!(ended, "{record:?}"),
            Err(error) => {
                let outcome = error.remote_cancel();
                assert!(matches!(outcome, Some(RemoteCancel::NotConfirmed(_))), "{error:?}");
                assert!(!ended && error.to_string().contains("not confirmed"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_retry_is_settled_by_the_status_and_not_sent_twice() {
    for reply in foreign() {
        let server = Script::of([reply.clone(), record("mine", "IN_QUEUE")]).await;
        let record = server.endpoint().job("mine").retry().await.unwrap();
        assert_eq!(record.status(), JobStatus::InQueue);
        assert_eq!(server.lines(), ["POST /v2/ep/retry/mine", "GET /v2/ep/status/mine"]);

        let server = Script::of([reply, self::record("mine", "FAILED")]).await;
        let error = server.endpoint().job("mine").retry().await.unwrap_err();
        assert_eq!((error.kind(), error.job_id()), (ErrorKind::OutcomeUnknown, Some("mine")));
        assert!(error.to_string().contains("may or may not have been retried"), "{error}");
        assert!(!error.to_string().contains("most likely taken effect"), "{error}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn calls_after_a_synchronous_submission_are_about_its_job() {
    let server = Script::of([
        record("sync-mine", "IN_PROGRESS"),
        record("sync-other", "COMPLETED"),
        record("sync-mine", "COMPLETED"),
    ])
    .await;
    let output: String = server.endpoint().run_sync(&json!({})).output().await.unwrap();
    assert_eq!(output, "sync-mine");
}

#[tokio::test]
async fn a_stream_takes_neither_chunks_nor_an_end_from_another_job() {
    let chunks = |id: &str, status: &str, output: u32| {
        Reply::ok(json!({"id": id, "status": status, "stream": [{"output": output}]}))
    };
    for retry in [RetryPolicy::never(), RetryPolicy::new()] {
        let server = Script::of([
            chunks("mine", "IN_PROGRESS", 1),
            chunks("other", "COMPLETED", 2),
            chunks("mine", "IN_PROGRESS", 3),
            Reply::ok("[]"),
            record("other", "FAILED"),
            Reply::ok("[]"),
            record("mine", "COMPLETED"),
            Reply::ok("[]"),
        ])
        .await;
        let client = server.settings().retry(retry).build().unwrap();
        let items: Vec<_> = client.endpoint("ep").job("mine").stream::<Value>().collect().await;
        let items: Vec<_> = items.into_iter().map(Result::unwrap).collect();
        let told: Vec<_> = items.iter().map(|chunk| (&chunk.output, chunk.after_gap)).collect();
        assert_eq!(told, [(&json!(1), false), (&json!(3), true)]);
        assert_eq!(server.connections(), 3, "those that mixed up were closed");
    }
}
