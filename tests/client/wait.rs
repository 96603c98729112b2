//! Waits: their end, deadlines, polls and errors.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use podqueue::{ErrorKind, JobStatus, RateLimits, RemoteCancel, RetryPolicy};
use serde_json::json;

use crate::support::{Reply, Script};

fn record(status: &str) -> Reply {
    Reply::ok(format!(r#"{{"id":"j","status":"{status}"}}"#))
}

#[tokio::test]
async fn a_wait_returns_the_record_of_its_last_poll() {
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
async fn the_handlers_own_message_is_reported() {
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
async fn a_wait_survives_transient_errors() {
    let mut replies = vec![record("IN_QUEUE")];
    for _ in 0..3 {
        replies.extend([
            Reply::json(502, "<html>"),
            Reply::Close,
            Reply::json(500, "{}"),
            Reply::json(429, "{}"),
            Reply::ok("{").cut_off(),
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
async fn one_response_that_is_not_the_services_does_not_end_a_wait() {
    let page = "<html><title>Request blocked</title></html>";
    for transient in [
        Reply::json(408, "{}"),
        Reply::json(408, ""),
        Reply::json(425, "{}"),
        Reply::json(403, page),
        Reply::json(404, page),
        Reply::json(404, "404 page not found"),
        Reply::json(403, ""),
        Reply::json(404, r#"{"error":"cut"#),
        Reply::json(404, "{}").cut_off(),
        Reply::ok(r#"{"status":500,"error":"upstream"}"#),
        Reply::ok(r#"{"type":"about:blank","title":"Bad Gateway","status":502}"#),
    ] {
        for seen in [true, false] {
            let done = Reply::ok(r#"{"id":"j","status":"COMPLETED","output":1}"#);
            let script = [transient.clone(), transient.clone(), done];
            let server =
                Script::of(seen.then(|| record("IN_QUEUE")).into_iter().chain(script)).await;
            let record = server.endpoint().job("j").wait().await.unwrap();
            assert_eq!(record.output::<u32>().unwrap(), 1, "{transient:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn persistent_gateway_errors_end_a_wait_after_a_quarter_of_an_hour() {
    for status in [403, 404, 408] {
        let server = Script::then_always([record("IN_QUEUE")], Reply::json(status, "<html>")).await;
        let client = server.settings().polling(podqueue::Polling::new()).build().unwrap();
        let started = tokio::time::Instant::now();
        let error = client.endpoint("ep").job("j").wait().await.unwrap_err();
        assert_eq!(error.status(), Some(status));
        assert_ne!(error.kind(), ErrorKind::JobExpired, "the service reported no expiry");
        let minutes = started.elapsed().as_secs_f64() / 60.0;
        assert!((15.0..15.5).contains(&minutes), "{status}: {minutes} minutes");
    }
}

#[tokio::test]
async fn a_404_from_any_source_is_final_once_the_ttl_has_expired() {
    let server = Script::of([record("IN_QUEUE"), record("IN_QUEUE"), Reply::json(404, "")]).await;
    let job = server.endpoint().run(&json!({})).await.unwrap();
    job.status().ttl(Duration::from_millis(1)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    let error = job.wait().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobExpired);
}

#[tokio::test]
async fn a_final_failure_ends_a_wait() {
    for (status, kind) in [
        (400, ErrorKind::BadRequest),
        (401, ErrorKind::Unauthorized),
        (403, ErrorKind::UnexpectedStatus),
        (404, ErrorKind::JobExpired),
        (410, ErrorKind::Gone),
        (501, ErrorKind::Server),
    ] {
        let server = Script::of([record("IN_QUEUE"), Reply::json(status, "{}")]).await;
        let error = server.endpoint().job("j").wait().await.unwrap_err();
        assert_eq!(error.kind(), kind);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_error_has_the_failure_of_the_last_poll() {
    let short = Duration::from_millis(600);
    let failing = Reply::json(502, r#"{"error":"no upstream"}"#);
    for (first, last) in
        [(Some(record("IN_PROGRESS")), "last seen as IN_PROGRESS"), (None, "could not be read")]
    {
        let server = Script::then_always(first, failing.clone()).await;
        let error = server.endpoint().job("j").wait().timeout(short).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
        let text = error.to_string();
        for part in
            [last, "the last poll failed: status 502", "no upstream", "it may still be running"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let source = std::error::Error::source(&error).unwrap();
        let source = source.downcast_ref::<podqueue::Error>().unwrap();
        assert_eq!((source.kind(), source.status()), (ErrorKind::Server, Some(502)));
    }
    // A failure that a later poll has recovered is not reported.
    let server = Script::then_always([failing], record("IN_PROGRESS")).await;
    let client = server.settings().retry(RetryPolicy::never()).build().unwrap();
    let error = client.endpoint("ep").job("j").wait().timeout(short).await.unwrap_err();
    assert!(std::error::Error::source(&error).is_none() && !error.to_string().contains("failed"));
}

#[tokio::test(start_paused = true)]
async fn a_stalled_poll_is_abandoned_before_the_result_of_a_synchronous_job_expires() {
    let done = Reply::ok(r#"{"id":"sync-j","status":"COMPLETED","output":1}"#);
    for stalled in [Reply::Hang, done.clone().stalled(), Reply::json(503, "{}").stalled()] {
        for retry in [RetryPolicy::never(), RetryPolicy::new()] {
            // Three in a row, and the fourth comes within the minute.
            let script = [stalled.clone(), stalled.clone(), stalled.clone(), done.clone()];
            let server = Script::of(script).await;
            let settings = server.settings().retry(retry).polling(podqueue::Polling::new());
            let endpoint = settings.build().unwrap().endpoint("ep");
            let started = tokio::time::Instant::now();
            let record = endpoint.job("sync-j").wait().await.unwrap();
            assert_eq!(record.output::<u32>().unwrap(), 1);
            assert!(started.elapsed() < Duration::from_secs(55), "{:?}", started.elapsed());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_stalled_poll_does_not_use_up_the_time_of_a_wait() {
    let done = Reply::ok(r#"{"id":"j","status":"COMPLETED"}"#);
    for (seconds, most) in [(10, 4), (30, 11), (3_600, 31)] {
        let server = Script::of([Reply::Hang, done.clone()]).await;
        let started = tokio::time::Instant::now();
        let wait = server.endpoint().job("j").wait().timeout(Duration::from_secs(seconds));
        wait.await.unwrap();
        let took = started.elapsed();
        assert!(took < Duration::from_secs(most), "{took:?} of {seconds} s");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_poll_is_awaited_and_a_slow_status_call_even_longer() {
    let done = |id: &str| Reply::ok(json!({"id": id, "status": "COMPLETED"}));
    let server = Script::of([
        done("sync-j").late(Duration::from_secs(14)),
        done("j").late(Duration::from_secs(29)),
        done("sync-j").late(Duration::from_secs(50)),
    ])
    .await;
    let endpoint = server.endpoint();
    endpoint.job("sync-j").wait().await.unwrap();
    endpoint.job("j").wait().await.unwrap();
    endpoint.job("sync-j").status().await.unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_response_of_another_shape_ends_a_wait() {
    let server = Script::of([record("IN_QUEUE"), Reply::ok(r#"{"status":7}"#)]).await;
    let error = server.endpoint().job("j").wait().await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Decode, Some("status")));
}

#[tokio::test]
async fn retry_after_is_honored_but_not_beyond_a_deadline() {
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
    // A `Retry-After` that the call honors, twice at most, and one that is too long for it.
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
async fn a_wait_ends_at_its_deadline_also_during_a_request() {
    let server = Script::then_always([record("IN_PROGRESS")], Reply::Hang).await;
    let started = Instant::now();
    let wait = server.endpoint().job("j").wait().timeout(Duration::from_nanos(800_977_769));
    let error = wait.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
    assert!(started.elapsed() >= Duration::from_millis(800));
    assert!(started.elapsed() < Duration::from_secs(10), "the answer was not waited for");
    assert_eq!(error.record().unwrap().status(), JobStatus::InProgress);
    assert!(error.remote_cancel().is_none());
    assert!(error.to_string().contains("it continues on the service"), "{error}");
    assert!(error.to_string().contains("timed out after 800ms waiting"), "{error}");
}

#[tokio::test]
async fn a_deadline_can_cancel_and_reports_the_outcome() {
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
async fn a_cancel_without_a_permit_in_time_is_reported_as_not_sent() {
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
    assert!(reason.to_string().contains("waiting for the client-side rate limiter"), "{reason}");
    let cancels = server.lines().iter().filter(|line| line.contains("/cancel/")).count();
    assert_eq!(cancels, 1, "the one before");
}

#[tokio::test]
async fn a_job_that_ended_just_before_its_cancellation_is_returned_as_it_ended() {
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
    let rare = podqueue::Polling::new().initial_interval(hour).max_interval(hour);
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

#[tokio::test]
async fn a_cancel_at_the_deadline_whose_response_is_lost_is_settled_by_the_status() {
    let lost = [
        vec![Reply::Close, Reply::json(502, "{}"), Reply::Close],
        vec![Reply::Close, Reply::json(400, "{}")],
        vec![Reply::ok("<html>")],
    ];
    for lost in lost {
        for (status, expected) in
            [("CANCELLED", ErrorKind::WaitTimedOut), ("FAILED", ErrorKind::JobFailed)]
        {
            let lost = Arc::new(Mutex::new(VecDeque::from(lost.clone())));
            let sent = Arc::new(AtomicBool::new(false));
            let server = Script::by(move |request| {
                if request.target.contains("/cancel/") {
                    sent.store(true, Ordering::Relaxed);
                    return lost.lock().unwrap().pop_front().unwrap();
                }
                record(if sent.load(Ordering::Relaxed) { status } else { "IN_PROGRESS" })
            });
            let server = server.await;
            let wait = server.endpoint().job("j").wait().timeout(Duration::from_millis(50));
            let error = wait.cancel_on_timeout().await.unwrap_err();
            assert_eq!(error.kind(), expected);
            if status == "CANCELLED" {
                let outcome = error.remote_cancel();
                assert!(matches!(outcome, Some(RemoteCancel::Cancelled)), "{error}");
            }
        }
    }
}
