//! Starved callers: not polled for a long time, or continued in another runtime.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use podqueue::{Error, ErrorKind, Policy, Polling, RetryPolicy};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::{Reply, Script};

const MINUTE: Duration = Duration::from_secs(60);

type Watched = Pin<Box<dyn Future<Output = Result<(), Error>>>>;

/// Polls the future until the server has responded to `requests` requests, then stops polling.
async fn poll_until(watched: &mut Watched, server: &Script, requests: usize) {
    while server.requests().len() < requests {
        assert!(futures_util::poll!(&mut *watched).is_pending());
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn time_without_polls_does_not_count_as_an_unreachable_service() {
    let going_on = || Reply::ok(r#"{"id":"j","status":"IN_PROGRESS"}"#);
    let failing = || Reply::json(503, "{}");
    let done = || Reply::ok(r#"{"id":"j","status":"COMPLETED"}"#);
    let chunks = |status: &str| Reply::ok(json!({"status": status, "stream": []}));
    let waits = vec![going_on(), failing(), failing(), done()];
    let streams =
        vec![chunks("IN_PROGRESS"), going_on(), failing(), failing(), chunks("COMPLETED")];
    for (script, is_stream) in [(waits, false), (streams, true)] {
        let (before, all) = (script.len() - 3, script.len());
        let server = Script::of(script).await;
        let polling = Polling::new().initial_interval(Duration::from_secs(1));
        let settings = server.settings().retry(RetryPolicy::never()).polling(polling);
        let job = settings.build().unwrap().endpoint("ep").job("j");
        let mut watched: Watched = if is_stream {
            let chunks = job.stream::<Value>();
            Box::pin(async move {
                let items: Vec<_> = chunks.collect().await;
                // A lost chunk is a gap, not the end.
                let mut items = items.into_iter().map(|item| item.map(drop));
                items
                    .find(|it| !matches!(it, Err(e) if e.kind() == ErrorKind::StreamGap))
                    .unwrap_or(Ok(()))
            })
        } else {
            Box::pin(async move { job.wait().await.map(drop) })
        };
        for requests in before..all {
            poll_until(&mut watched, &server, requests).await;
            sleep(20 * MINUTE).await;
        }
        let ended = watched.await;
        assert!(ended.is_ok(), "stream: {is_stream}: {ended:?}");
        assert_eq!(server.requests().len(), all);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_comes_back_after_its_deadline_claims_nothing() {
    let going_on = Reply::ok(r#"{"id":"j","status":"IN_PROGRESS"}"#);
    let server = Script::then_always([], going_on).await;
    let polling = Polling::new().initial_interval(Duration::from_secs(1));
    let job = server.settings().polling(polling).build().unwrap().endpoint("ep").job("j");
    let mut watched: Watched =
        Box::pin(async move { job.wait().timeout(10 * MINUTE).await.map(drop) });
    poll_until(&mut watched, &server, 2).await;
    sleep(20 * MINUTE).await;
    let requests = server.requests().len();
    let error = watched.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
    assert!(error.to_string().contains("it may still be running"), "{error}");
    assert_eq!(server.requests().len(), requests, "there was no time for a poll");
}

#[tokio::test]
async fn a_response_that_is_read_late_moves_no_deadline() {
    let record = |id, status| Reply::ok(json!({"id": id, "status": status}));
    let server = Script::of([
        record("j", "IN_QUEUE"),
        record("j", "IN_PROGRESS"),
        record("j", "COMPLETED"),
        record("sync-j", "COMPLETED"),
    ]);
    let server = server.await;
    let endpoint = server.endpoint();
    let late = Duration::from_millis(300);

    let policy = Policy::new().ttl(60 * MINUTE);
    let mut run = endpoint.run(&json!({})).policy(policy).into_future();
    let sent = read_late(&mut run, &server, 1, late).await;
    let job = run.await.unwrap();
    assert!(job.expires_at().unwrap() <= sent + 60 * MINUTE, "the service has deleted it before");

    let mut status = job.status().into_future();
    let seen = read_late(&mut status, &server, 2, late).await;
    status.await.unwrap();
    job.status().await.unwrap();
    assert!(job.result_expires_at().unwrap() <= seen + 30 * MINUTE, "it had not ended then");

    let input = json!({});
    let mut run = endpoint.run_sync(&input).into_future();
    let sent = read_late(&mut run, &server, 4, late).await;
    let job = run.await.unwrap().job().clone();
    assert!(job.expires_at().unwrap() <= sent + 24 * 60 * MINUTE);
    assert!(job.result_expires_at().unwrap() <= sent + Duration::from_secs(90));
}

/// Lets a call send its request, the last of so many, and does not poll it for a while after that.
/// Returns when the request had arrived.
async fn read_late<T>(
    call: &mut Pin<Box<dyn Future<Output = T> + Send>>,
    server: &Script,
    requests: usize,
    late: Duration,
) -> SystemTime {
    assert!(futures_util::poll!(&mut *call).is_pending());
    while server.requests().len() < requests {
        // The connection may be made only where the call is polled; the response is not there yet.
        tokio::task::yield_now().await;
        if server.requests().len() < requests {
            assert!(futures_util::poll!(&mut *call).is_pending());
        }
    }
    let arrived = SystemTime::now();
    sleep(late).await;
    arrived
}
