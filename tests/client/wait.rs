//! Waiting for a job to end.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use podqueue::{ErrorKind, JobStatus, RateLimits, RemoteCancel, RetryPolicy};
use serde_json::json;

use crate::support::{Reply, Script};

fn record(status: &str) -> Reply {
    Reply::ok(format!(r#"{{"id":"j","status":"{status}"}}"#))
}

#[tokio::test]
async fn the_result_that_a_poll_brings_is_the_result() {
    let done = Reply::ok(r#"{"id":"j","status":"COMPLETED","output":7}"#);
    let queued = record("IN_QUEUE");
    let server = Script::of([queued, record("IN_PROGRESS"), record("RUNNING"), done]).await;
    let record = server.endpoint().job("j").wait().await.unwrap();
    assert_eq!(record.output::<u32>().unwrap(), 7);
    assert_eq!(server.lines(), ["GET /v2/ep/status/j"; 4], "it is not read twice");
}

#[tokio::test]
async fn every_unhappy_end_is_an_error_with_its_record() {
    for (status, kind) in [
        ("FAILED", ErrorKind::JobFailed),
        ("CANCELLED", ErrorKind::JobCancelled),
        ("TIMED_OUT", ErrorKind::JobTimedOut),
    ] {
        let server = Script::of([record("IN_QUEUE"), record(status)]).await;
        let error = server.endpoint().job("j").wait().await.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.record().unwrap().status().as_str(), status);
        assert_eq!(error.job_id(), Some("j"));
    }
}

#[tokio::test]
async fn the_handlers_own_message_is_told() {
    for (error, told) in [
        (r#""CUDA out of memory""#, "CUDA out of memory"),
        (
            r#""{\"error_type\":\"ValueError\",\"error_message\":\"no prompt\",\"error_traceback\":\"line 1\"}""#,
            "no prompt",
        ),
    ] {
        let failed = format!(r#"{{"id":"j","status":"FAILED","error":{error}}}"#);
        let server = Script::of([Reply::ok(failed)]).await;
        let error = server.endpoint().job("j").wait().await.unwrap_err();
        assert!(error.to_string().ends_with(told), "{error}");
    }
}

#[tokio::test]
async fn a_wait_survives_what_passes() {
    let mut replies = vec![record("IN_QUEUE")];
    for _ in 0..3 {
        replies.extend([
            Reply::json(502, "<html>"),
            Reply::Close,
            Reply::json(500, "{}"),
            Reply::json(429, "{}"),
            Reply::Truncate { body: "{".to_owned() },
            Reply::json(503, "{}"),
            Reply::ok("<html>a gateway's page</html>"),
            Reply::ok(r#"{"id":"j","status":"COMPL"#),
        ]);
    }
    replies.push(Reply::ok(r#"{"id":"j","status":"COMPLETED","output":1}"#));
    let server = Script::of(replies).await;
    let record = server.endpoint().job("j").wait().await.unwrap();
    assert_eq!(record.output::<u32>().unwrap(), 1);
}

#[tokio::test]
async fn what_does_not_pass_ends_a_wait() {
    for (status, kind) in [(401, ErrorKind::Unauthorized), (404, ErrorKind::JobExpired)] {
        let server = Script::of([record("IN_QUEUE"), Reply::json(status, "{}")]).await;
        let error = server.endpoint().job("j").wait().await.unwrap_err();
        assert_eq!(error.kind(), kind);
    }
}

#[tokio::test]
async fn an_answer_of_another_shape_ends_a_wait() {
    let server = Script::of([record("IN_QUEUE"), Reply::ok(r#"{"status":7}"#)]).await;
    let error = server.endpoint().job("j").wait().await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Decode, Some("status")));
}

#[tokio::test]
async fn what_the_service_asks_for_is_waited_for_but_not_beyond_a_deadline() {
    let asked = Reply::json(429, "{}").header("retry-after", "100");
    let server = Script::then_always([], asked).await;
    let started = Instant::now();
    let wait = server.endpoint().job("j").wait().timeout(Duration::from_millis(800));
    assert_eq!(wait.await.unwrap_err().kind(), ErrorKind::WaitTimedOut);
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(800) && took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_is_never_so_long_that_a_result_expires_unread() {
    // What a call waits for by itself, two times at most, and what it does not.
    for (job_id, asked, least, most) in [
        ("sync-j", 15, 30, 35),
        ("sync-j", 100, 40, 45),
        ("sync-j", 86_400, 40, 45),
        ("j", 100, 200, 210),
        ("j", 86_400, 1_200, 1_210),
    ] {
        for status in [429, 503] {
            let asked = Reply::json(status, "{}").header("retry-after", asked);
            let done = Reply::ok(json!({"id": job_id, "status": "COMPLETED", "output": 1}));
            let server = Script::of([asked.clone(), asked, done]).await;
            let started = tokio::time::Instant::now();
            server.endpoint().job(job_id).wait().await.unwrap();
            let took = started.elapsed();
            assert!(took >= Duration::from_secs(least), "{job_id} {took:?}: it was asked for");
            assert!(took <= Duration::from_secs(most), "{job_id} {took:?}");
        }
    }
}

#[tokio::test]
async fn the_deadline_is_time_and_counts_the_requests_too() {
    let server = Script::then_always([record("IN_PROGRESS")], Reply::Hang).await;
    let started = Instant::now();
    let wait = server.endpoint().job("j").wait().timeout(Duration::from_millis(800));
    let error = wait.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
    assert!(started.elapsed() >= Duration::from_millis(800));
    assert!(started.elapsed() < Duration::from_secs(10), "the answer was not waited for");
    assert_eq!(error.record().unwrap().status(), &JobStatus::InProgress);
    assert!(error.remote_cancel().is_none());
    assert!(error.to_string().contains("it goes on at the service"), "{error}");
}

#[tokio::test]
async fn a_deadline_can_cancel_and_tells_what_became_of_it() {
    let always = Reply::ok(r#"{"id":"j","status":"CANCELLED"}"#);
    let server = Script::then_always([Reply::Hang], always).await;
    let short = Duration::from_millis(800);
    let job = server.endpoint().job("j");
    let error = job.wait().timeout(short).cancel_on_timeout().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
    assert!(matches!(error.remote_cancel(), Some(RemoteCancel::Cancelled)));
    assert_eq!(server.lines(), ["GET /v2/ep/status/j", "POST /v2/ep/cancel/j"]);

    let server = Script::then_always([Reply::Hang], Reply::json(401, "{}")).await;
    let job = server.endpoint().job("j");
    let error = job.wait().timeout(short).cancel_on_timeout().await.unwrap_err();
    let Some(RemoteCancel::NotConfirmed(reason)) = error.remote_cancel() else {
        panic!("{error:?}");
    };
    assert_eq!(reason.kind(), ErrorKind::Unauthorized);
    assert!(error.to_string().contains("not confirmed"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn of_many_jobs_that_time_out_together_all_are_cancelled() {
    let cancelled = Reply::ok(r#"{"status":"CANCELLED"}"#);
    let server = Script::then_always([], cancelled).await;
    let settings = server.settings().rate_limits(RateLimits::new());
    let endpoint = settings.build().unwrap().endpoint("ep");
    let started = tokio::time::Instant::now();
    let waits = (0..600).map(|n| {
        let wait = endpoint.job(format!("j{n}")).wait().timeout(Duration::ZERO);
        async { wait.cancel_on_timeout().await.unwrap_err() }
    });
    for error in join_all(waits).await {
        let outcome = error.remote_cancel();
        assert!(matches!(outcome, Some(RemoteCancel::Cancelled)), "{error}");
    }
    let cancels = server.lines().iter().filter(|line| line.contains("/cancel/")).count();
    assert_eq!(cancels, 600);
    // A hundred at once, and ten in each second that follows.
    let took = started.elapsed();
    assert!(took > Duration::from_secs(45) && took < Duration::from_secs(90), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_whose_turn_does_not_come_in_time_was_not_sent_and_says_so() {
    let refused = Reply::json(429, "{}").header("retry-after", 10);
    let server = Script::then_always([refused], Reply::Hang).await;
    let settings = server.settings().rate_limits(RateLimits::new()).retry(RetryPolicy::never());
    let client = settings.call_timeout(Duration::from_secs(5)).build().unwrap();
    let job = client.endpoint("ep").job("j");
    job.cancel().await.unwrap_err();
    let error = job.wait().timeout(Duration::ZERO).cancel_on_timeout().await.unwrap_err();
    let Some(RemoteCancel::NotConfirmed(reason)) = error.remote_cancel() else {
        panic!("{error:?}");
    };
    assert!(reason.to_string().contains("its turn did not come"), "{reason}");
    let cancels = server.lines().iter().filter(|line| line.contains("/cancel/")).count();
    assert_eq!(cancels, 1, "the one before");
}

#[tokio::test]
async fn a_job_that_ended_just_before_it_was_cancelled_is_answered_as_it_ended() {
    let short = Duration::from_millis(800);
    let refused = Reply::json(400, r#"{"error":"the job is COMPLETED"}"#);
    let done = Reply::ok(r#"{"id":"j","status":"COMPLETED","output":1}"#);
    let server = Script::of([Reply::Hang, refused.clone(), done]).await;
    let job = server.endpoint().job("j");
    let record = job.wait().timeout(short).cancel_on_timeout().await.unwrap();
    assert_eq!(record.output::<u32>().unwrap(), 1);

    let server = Script::of([Reply::Hang, refused, record_of_failure()]).await;
    let job = server.endpoint().job("j");
    let error = job.wait().timeout(short).cancel_on_timeout().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobFailed);
}

fn record_of_failure() -> Reply {
    Reply::ok(r#"{"id":"j","status":"FAILED","error":"no"}"#)
}

#[tokio::test]
async fn a_job_that_ends_during_the_last_pause_is_still_seen() {
    let done = Reply::ok(r#"{"id":"j","status":"COMPLETED","output":1}"#);
    let server = Script::of([record("IN_PROGRESS"), done]).await;
    let hour = Duration::from_secs(3_600);
    let rare = podqueue::Polling::new().first(hour).longest(hour);
    let wait = server.endpoint().job("j").wait().polling(rare);
    let record = wait.timeout(Duration::from_millis(1_500)).await.unwrap();
    assert_eq!(record.output::<u32>().unwrap(), 1);
}

#[tokio::test]
async fn polling_is_polite() {
    let server = Script::then_always([], record("IN_PROGRESS")).await;
    let client = server.settings().polling(podqueue::Polling::new()).build().unwrap();
    let wait = client.endpoint("ep").job("j").wait().timeout(Duration::from_millis(1_000));
    wait.await.unwrap_err();
    let polls = server.requests().len();
    assert!((2..=8).contains(&polls), "{polls} polls in a second");
}
