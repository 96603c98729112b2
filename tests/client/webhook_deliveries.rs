//! Unusual webhook deliveries: malformed, repeated, concurrent or stale, by function calls and over
//! HTTP.

use std::future::IntoFuture;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue::webhook::DeliveryOutcome;
use podqueue::{Endpoint, ErrorKind, JobStatus, Observation, Polling, RetryPolicy, Webhooks};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Reply, Script, until};

fn record(status: &str) -> Reply {
    Reply::ok(json!({"id": "j", "status": status, "error": "out of memory"}))
}

/// A receiver that counts what it is given.
fn counting(endpoint: &Endpoint) -> (Webhooks, Arc<AtomicUsize>) {
    let handled = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&handled);
    let webhooks = Webhooks::builder(endpoint).on_job(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, std::io::Error>(()) }
    });
    (webhooks.build().unwrap(), handled)
}

async fn deliver(webhooks: &Webhooks, body: impl AsRef<[u8]>) -> DeliveryOutcome {
    let path = format!("/hooks/{}", webhooks.token().expose());
    webhooks.receive(&path, body.as_ref()).await
}

const DELIVERY: &str = r#"{"id":"j","status":"FAILED"}"#;

#[tokio::test]
async fn a_retried_job_that_ends_with_an_identical_record_is_handled_again() {
    for status in ["FAILED", "TIMED_OUT"] {
        let script =
            [record(status), record(status), record("IN_QUEUE"), record(status), record(status)];
        let server = Script::of(script).await;
        let endpoint = server.endpoint();
        let (webhooks, handled) = counting(&endpoint);
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Repeated));
        endpoint.job("j").retry().await.unwrap();
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Repeated));
        assert_eq!(handled.load(Ordering::Relaxed), 2);
    }
}

#[tokio::test]
async fn an_end_after_a_retry_with_an_unknown_outcome_is_handled_again() {
    let server =
        Script::of([record("FAILED"), Reply::Close, record("FAILED"), record("FAILED")]).await;
    let endpoint = server.endpoint();
    let (webhooks, _) = counting(&endpoint);
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
    let error = endpoint.job("j").retry().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
}

#[tokio::test]
async fn a_handler_may_retry_the_job_itself() {
    let failing_twice =
        [record("FAILED"), record("IN_QUEUE"), record("FAILED"), record("IN_QUEUE")];
    let server = Script::of(failing_twice).await;
    let webhooks = Webhooks::builder(&server.endpoint())
        .on_job(|record| async move { record.job().retry().await.map(drop) });
    let webhooks = webhooks.build().unwrap();
    for _ in 0..2 {
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
    }
    let retries = server.lines().iter().filter(|line| line.contains("/retry/")).count();
    assert_eq!(retries, 2);
}

#[tokio::test(start_paused = true)]
async fn a_delivery_beyond_the_redeliveries_of_the_service_is_another_end() {
    // Requeued by another client: a delivery that comes late, or more often than the service tries.
    let server = Script::then_always([], record("FAILED")).await;
    let (webhooks, _) = counting(&server.endpoint());
    for _ in 0..2 {
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Repeated));
        tokio::time::sleep(Duration::from_secs(20)).await;
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Repeated));
    }
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
    // A job that cannot be retried has one end.
    let server = Script::then_always([], record("COMPLETED")).await;
    let (webhooks, _) = counting(&server.endpoint());
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_secs(600)).await;
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Repeated));
    }
}

#[tokio::test]
async fn an_end_that_cannot_be_retried_is_handled_once_whatever_each_poll_returns() {
    for status in ["COMPLETED", "CANCELLED"] {
        let polls = AtomicUsize::new(0);
        let server = Script::by(move |_| {
            let look = polls.fetch_add(1, Ordering::Relaxed);
            Reply::ok(json!({"id": "j", "status": status, "served": look}))
        });
        let server = server.await;
        let (webhooks, handled) = counting(&server.endpoint());
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
        assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Repeated));
        assert_eq!(handled.load(Ordering::Relaxed), 1, "{status}");
    }
}

#[tokio::test]
async fn the_id_is_read_out_of_a_malformed_body() {
    for body in [
        "\u{feff}{\"id\":\"j\",\"status\":\"COMPLETED\"}",
        r#"{"output":NaN,"id":"j"}"#,
        r#"{"output":[Infinity,-Infinity],"id":"j","input":{"id":"other"}}"#,
        r#"{"id":"other","id":"j"}"#,
        r#"{"id":"j","id":"j"}"#,
        r#"{"id":"j","output":oops}"#,
        "{\"output\":\"a\nb\",\"id\":\"j\"}\r\n",
    ] {
        let server = Script::of([record("COMPLETED")]).await;
        let (webhooks, _) = counting(&server.endpoint());
        let answer = deliver(&webhooks, body).await;
        assert!(matches!(answer, DeliveryOutcome::Handled), "{body}: {answer:?}");
        assert_eq!(server.lines(), ["GET /v2/ep/status/j"]);
    }
    // Bytes that are not UTF-8 in fields that are not read.
    let server = Script::of([record("COMPLETED")]).await;
    let (webhooks, _) = counting(&server.endpoint());
    let answer = deliver(&webhooks, b"{\"output\":\"\xff\",\"id\":\"j\"}").await;
    assert!(matches!(answer, DeliveryOutcome::Handled), "{answer:?}");
}

#[tokio::test]
async fn a_record_of_another_job_or_a_gateways_page_confirms_nothing() {
    let other = Reply::ok(json!({"id": "other", "status": "COMPLETED"}));
    for (reply, kind) in [
        (other, ErrorKind::ForeignRecord),
        (Reply::json(404, "<html>no such host</html>"), ErrorKind::Server),
        (Reply::json(403, "<html>denied</html>"), ErrorKind::Server),
    ] {
        let server = Script::of([reply, record("COMPLETED")]).await;
        let client = server.settings().retry(RetryPolicy::never()).build().unwrap();
        let (webhooks, handled) = counting(&client.endpoint("ep"));
        let DeliveryOutcome::NotConfirmed(error) = deliver(&webhooks, DELIVERY).await else {
            panic!("it was confirmed")
        };
        assert_eq!((error.kind(), handled.load(Ordering::Relaxed)), (kind, 0));
        assert!(
            matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled),
            "the next try"
        );
    }
}

#[tokio::test]
async fn a_body_that_does_not_end_is_given_up() {
    let server = Script::of([]).await;
    let time = Duration::from_millis(200);
    let webhooks = Webhooks::builder(&server.endpoint()).body_timeout(time).build().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app: axum::Router = axum::Router::new().nest_service("/hooks", webhooks.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let path = format!("/hooks/{}", webhooks.token().expose());
    for (framing, piece) in
        [("content-length: 1000000", "x"), ("transfer-encoding: chunked", "1\r\nx\r\n")]
    {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nhost: me.example\r\n{framing}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let (mut reading, mut writing) = stream.split();
        // The body arrives piece by piece, indefinitely.
        let dripping = async {
            while writing.write_all(piece.as_bytes()).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            std::future::pending::<()>().await
        };
        let mut start = [0; 12];
        tokio::select! {
            read = reading.read_exact(&mut start) => drop(read.unwrap()),
            () = dripping => {}
            () = tokio::time::sleep(Duration::from_secs(20)) => panic!("it was read on and on"),
        }
        assert_eq!(&start[9..], b"408", "{framing}");
    }
    assert!(server.requests().is_empty());
}

/// The number of polls of a job until its wait timed out, and the error of the wait.
async fn count_polls(
    wait: impl FnOnce(&podqueue::Job, &Webhooks) -> podqueue::Wait,
) -> (usize, podqueue::Error) {
    let server = Script::then_always([], record("IN_PROGRESS")).await;
    let endpoint = server.settings().polling(Polling::new()).build().unwrap().endpoint("ep");
    let webhooks = Webhooks::builder(&endpoint).build().unwrap();
    let error = wait(&endpoint.job("j"), &webhooks).await.unwrap_err();
    (server.requests().len(), error)
}

#[tokio::test(start_paused = true)]
async fn settings_of_a_wait_hold_in_any_order_with_its_notifier() {
    let second = Duration::from_secs(1);
    let every_second = || Polling::new().initial_interval(second).max_interval(second);
    let (asked, _) = count_polls(|job, hooks| {
        job.wait().timeout(60 * second).polling(every_second()).notified_by(hooks)
    })
    .await;
    assert!(asked > 50, "{asked}");
    let (asked, _) = count_polls(|job, hooks| {
        job.wait().notified_by(hooks).timeout(60 * second).polling(every_second())
    })
    .await;
    assert!(asked > 50, "{asked}");
    let (asked, _) =
        count_polls(|job, hooks| job.wait().timeout(60 * second).notified_by(hooks)).await;
    assert!((3..15).contains(&asked), "rarely by default: {asked}");

    for before in [true, false] {
        let (_, error) = count_polls(|job, hooks| {
            let wait = job.wait();
            if before {
                wait.cancel_on_timeout().timeout(second).notified_by(hooks)
            } else {
                wait.notified_by(hooks).timeout(second).cancel_on_timeout()
            }
        })
        .await;
        assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
        assert!(error.remote_cancel().is_some(), "it was tried: {error}");
    }
}

#[tokio::test]
async fn a_completed_job_with_a_malformed_output_reaches_the_handler() {
    let malformed = r#"{"id":"j","status":"COMPLETED","output":{"loss":NaN}}"#;
    let server = Script::of([Reply::ok(malformed)]).await;
    let seen = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&seen);
    let webhooks = Webhooks::builder(&server.endpoint()).on_job(move |record| {
        *kept.lock().unwrap() = Some(record);
        async { Ok::<_, std::io::Error>(()) }
    });
    assert!(matches!(
        deliver(&webhooks.build().unwrap(), DELIVERY).await,
        DeliveryOutcome::Handled
    ));
    let record = seen.lock().unwrap().take().unwrap();
    assert_eq!(record.status(), JobStatus::Completed);
    assert_eq!(record.output::<serde_json::Value>().unwrap(), json!({"loss": null}));
}

#[tokio::test]
async fn a_record_from_before_a_retry_is_not_the_next_end() {
    // The response to the poll of a delivery is on its way while the job is retried.
    let slow = record("FAILED").late(Duration::from_millis(300));
    let script = [record("FAILED"), slow, record("IN_QUEUE"), record("IN_QUEUE"), record("FAILED")];
    let server = Script::of(script).await;
    let endpoint = server.endpoint();
    let (webhooks, handled) = counting(&endpoint);
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
    let again = deliver(&webhooks, DELIVERY);
    let retry = async {
        until(|| server.requests().len() == 2).await;
        endpoint.job("j").retry().await.unwrap()
    };
    let (again, _) = tokio::join!(again, retry);
    assert!(matches!(again, DeliveryOutcome::NotEnded), "{again:?}");
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
    assert_eq!(handled.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_late_delivery_from_before_a_retry_does_not_hide_the_next_end() {
    let slow = record("IN_QUEUE").late(Duration::from_millis(300));
    let server = Script::of([record("FAILED"), slow, record("FAILED"), record("FAILED")]).await;
    let endpoint = server.endpoint();
    let (webhooks, _) = counting(&endpoint);
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
    let retry = endpoint.job("j");
    let again = async {
        until(|| server.requests().len() == 2).await;
        deliver(&webhooks, DELIVERY).await
    };
    let (retried, _) = tokio::join!(retry.retry(), again);
    retried.unwrap();
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled), "the next end");
}

#[tokio::test]
async fn a_job_is_the_same_with_the_suffix_of_its_id_and_without() {
    let plain = Reply::ok(json!({"id": "j", "status": "FAILED", "error": "out of memory"}));
    let queued = Reply::ok(json!({"id": "j-u1", "status": "IN_QUEUE"}));
    let server = Script::of([plain.clone(), queued.clone(), plain.clone(), queued, plain]).await;
    let endpoint = server.settings().polling(Polling::new()).build().unwrap().endpoint("ep");
    let (webhooks, _) = counting(&endpoint);
    assert!(matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled));
    let job = endpoint.job("j-u1");
    job.retry().await.unwrap();
    assert!(
        matches!(deliver(&webhooks, DELIVERY).await, DeliveryOutcome::Handled),
        "it was retried"
    );
    let told = async {
        until(|| server.requests().len() == 4).await;
        deliver(&webhooks, DELIVERY).await
    };
    let wait = tokio::time::timeout(
        Duration::from_secs(4),
        job.wait().notified_by(&webhooks).into_future(),
    );
    let (waited, _) = tokio::join!(wait, told);
    let error = waited.expect("it is told, and does not ask again").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobFailed);
}

#[tokio::test]
async fn a_wait_is_not_ended_by_what_was_seen_before_it_began() {
    let slow = record("FAILED").late(Duration::from_millis(300));
    // Another client retries the job while the response is on its way.
    let server = Script::then_always([slow], record("IN_PROGRESS")).await;
    let endpoint = server.endpoint();
    let (webhooks, _) = counting(&endpoint);
    let job = endpoint.job("j");
    let wait = async {
        until(|| server.requests().len() == 1).await;
        job.wait().timeout(Duration::from_millis(900)).notified_by(&webhooks).await
    };
    let (waited, _) = tokio::join!(wait, deliver(&webhooks, DELIVERY));
    assert_eq!(waited.unwrap_err().kind(), ErrorKind::WaitTimedOut);
}

#[tokio::test]
async fn a_notified_wait_is_observed_as_a_polled_one_is() {
    let server = Script::of([record("IN_PROGRESS"), record("FAILED")]).await;
    let ended = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ended);
    let settings = server.settings().polling(Polling::new()).observe(move |event| {
        if let Observation::WaitEnded { polls, error, .. } = event {
            seen.lock().unwrap().push((*polls, *error));
        }
    });
    let endpoint = settings.build().unwrap().endpoint("ep");
    let (webhooks, _) = counting(&endpoint);
    let delivery = async {
        until(|| server.requests().len() == 1).await;
        deliver(&webhooks, DELIVERY).await
    };
    let wait = endpoint.job("j").wait().notified_by(&webhooks).into_future();
    let (waited, _) = tokio::join!(wait, delivery);
    assert_eq!(waited.unwrap_err().kind(), ErrorKind::JobFailed);
    assert_eq!(*ended.lock().unwrap(), [(1, Some(ErrorKind::JobFailed))]);
}
