//! Retries: which failures are retried, how often, and how soon.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use axum::http::StatusCode;
use podqueue::{Client, ErrorKind, NewTemplate, RateLimits, RetryPolicy};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{Reply, Script};

fn transient() -> Vec<Reply> {
    vec![
        Reply::json(429, "{}"),
        Reply::json(500, "{}"),
        Reply::json(502, "{}"),
        Reply::json(503, "{}"),
        Reply::json(504, "{}"),
        Reply::Close,
        Reply::ok("{").cut_off(),
    ]
}

#[tokio::test]
async fn reads_and_cancels_are_retried() {
    for failure in transient() {
        let record = Reply::ok(r#"{"id":"j","status":"CANCELLED"}"#);
        let server = Script::of([failure.clone(), record.clone(), failure, record]).await;
        let job = server.endpoint().job("j");
        job.status().await.unwrap();
        job.cancel().await.unwrap();
        assert_eq!(server.requests().len(), 4);
    }
}

#[tokio::test]
async fn only_a_throttled_submission_is_retried() {
    let accepted = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
    let server = Script::of([Reply::json(429, "{}"), Reply::json(429, "{}"), accepted]).await;
    server.endpoint().run(&json!({"a": 1})).await.unwrap();
    let bodies: Vec<_> = server.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies, [r#"{"input":{"a":1}}"#; 3], "the same bytes each time");
    for failure in transient().split_off(1) {
        let server = Script::then_always([], failure).await;
        let error = server.endpoint().run(&json!({})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn attempts_end_and_never_means_never() {
    let server = Script::then_always([], Reply::json(503, "{}")).await;
    let error = server.endpoint().health().await.unwrap_err();
    assert_eq!((error.kind(), server.requests().len()), (ErrorKind::Server, 3));
    let client = server.settings().retry(RetryPolicy::never()).build().unwrap();
    client.endpoint("ep").health().await.unwrap_err();
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn a_final_response_is_not_requested_again() {
    for status in [400, 401, 403, 404, 501] {
        let server = Script::then_always([], Reply::json(status, "{}")).await;
        server.endpoint().health().await.unwrap_err();
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_refusal_by_a_gateway_is_not_final() {
    let page = "<html><title>404 Not Found</title></html>";
    let html = |status| Reply::json(status, page).header("content-type", "text/html");
    let record = Reply::ok(r#"{"id":"j","status":"COMPLETED"}"#);
    for failure in
        [Reply::json(408, ""), Reply::json(425, ""), html(403), html(404), Reply::json(404, page)]
    {
        let server = Script::of([failure.clone(), record.clone()]).await;
        server.endpoint().job("j").status().await.unwrap();
        assert_eq!(server.requests().len(), 2, "{failure:?}");

        // A wait survives more of them than a call has attempts.
        let server = Script::of(vec![failure.clone(); 7].into_iter().chain([record.clone()])).await;
        server.endpoint().job("j").wait().await.unwrap();
        assert_eq!(server.requests().len(), 8, "{failure:?}");

        let server = Script::then_always([], failure.clone()).await;
        let error = server.endpoint().job("j").status().await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Server, true), "{error}");
        server.endpoint().run(&json!({})).await.unwrap_err();
        assert_eq!(server.requests().len(), 4, "a submission is not retried: {failure:?}");
    }
}

#[tokio::test]
async fn an_operation_that_is_not_implemented_is_not_retryable() {
    let server = Script::then_always([], Reply::json(501, "{}")).await;
    let error = server.endpoint().job("j").wait().await.unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Server, false), "{error}");
    assert_eq!(server.requests().len(), 1, "it does not survive a wait either");
}

/// A server that fails so many of a hundred requests, evenly, and counts them.
async fn failing(percent: usize) -> (podqueue::Endpoint, Arc<AtomicUsize>) {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    let answer = move || {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        let fails = (number + 1) * percent / 100 > number * percent / 100;
        let status = if fails { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
        async move { (status, r#"{"id":"j","status":"IN_QUEUE"}"#) }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = axum::Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, router).await });
    let retry = RetryPolicy::new().base(Duration::from_millis(1));
    let settings = Client::builder().api_key("k").base_url(url).retry(retry);
    (settings.rate_limits(RateLimits::off()).build().unwrap().endpoint("ep"), requests)
}

#[tokio::test]
async fn the_budget_lasts_for_thousands_of_calls_of_which_every_fifth_fails() {
    for percent in [5, 10, 20] {
        let (endpoint, requests) = failing(percent).await;
        for _ in 0..1_500 {
            endpoint.job("j").status().await.unwrap();
        }
        let least = 1_500 * 100 / (100 - percent);
        let sent = requests.load(Ordering::Relaxed);
        assert!(sent >= least - 1 && sent <= least + 1, "{percent} %: {sent}");
    }
    let (endpoint, requests) = failing(100).await;
    for _ in 0..1_500 {
        endpoint.job("j").status().await.unwrap_err();
    }
    assert_eq!(requests.load(Ordering::Relaxed), 1_500 + 100, "no storm");
}

#[tokio::test]
async fn refusals_refill_the_retry_budget_as_successes_do() {
    let asked = AtomicUsize::new(0);
    let server = Script::by(move |_| match asked.fetch_add(1, Ordering::Relaxed) % 10 {
        0 => Reply::json(503, "{}"),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let job = server.endpoint().job("j");
    for call in 0..2_000 {
        assert_eq!(job.status().await.unwrap_err().kind(), ErrorKind::NotFound, "call {call}");
    }
}

#[tokio::test]
async fn a_retry_that_is_not_sent_after_all_costs_nothing() {
    // It is dropped while it pauses.
    let failed = (0..300).map(|_| Reply::json(503, "{}").header("retry-after", 20));
    let server = Script::of(failed.chain(every_second_fails())).await;
    let endpoint = server.endpoint();
    for sent in 1..=300 {
        let mut call = endpoint.job("j").status().into_future();
        while server.requests().len() < sent {
            let _ = timeout(Duration::from_millis(1), &mut call).await;
        }
        assert!(timeout(Duration::from_millis(3), call).await.is_err(), "it pauses");
    }
    endpoint.job("j").status().await.unwrap();

    // It has no time for the pause that the service asks for.
    let throttled = (0..300).map(|_| Reply::json(429, "{}").header("retry-after", 30));
    let server = Script::of(throttled.chain(every_second_fails())).await;
    let settings = server.settings().call_timeout(Duration::from_secs(20));
    let job = settings.build().unwrap().endpoint("ep").job("j");
    for _ in 0..300 {
        assert_eq!(job.status().await.unwrap_err().kind(), ErrorKind::RateLimited);
    }
    job.status().await.unwrap();
}

fn every_second_fails() -> [Reply; 2] {
    let record = json!({"id": "j", "status": "IN_QUEUE"});
    [Reply::json(503, "{}").header("retry-after", 0), Reply::ok(record)]
}

/// The HTTP client writes in tasks of its own, which may be about to write what is given up.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_request_reported_as_never_sent_does_not_arrive() {
    let server = Script::then_always([], Reply::ok(json!({"id": "j", "status": "IN_QUEUE"}))).await;
    let http = reqwest::Client::builder().http1_only().build().unwrap();
    let mut never_sent = HashSet::new();
    for round in 0..150 {
        let calls: Vec<_> = (0..16)
            .map(|call| {
                let settings = server.settings().http_client(http.clone());
                let time = Duration::from_micros(fastrand::u64(1..1_500));
                let settings = settings.timeout(time).retry(RetryPolicy::never());
                let endpoint = settings.build().unwrap().endpoint("ep");
                let number: u64 = round * 16 + call;
                tokio::spawn(async move {
                    let result = endpoint.run(&json!({"n": number})).await;
                    let kind = result.err().map(|error| error.kind());
                    (kind == Some(ErrorKind::Connect)).then_some(number)
                })
            })
            .collect();
        for call in calls {
            never_sent.extend(call.await.unwrap());
        }
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    for request in server.requests() {
        let number = request.json()["input"]["n"].as_u64().unwrap();
        assert!(!never_sent.contains(&number), "call {number} has arrived");
    }
}

#[tokio::test]
async fn a_retry_after_that_is_a_date_is_read_by_the_clock_of_the_service() {
    // A service whose clock is years behind.
    let refused = |until: &str| {
        let refused = Reply::json(429, "{}").header("retry-after", until);
        refused.header("date", "Sun, 06 Nov 1994 08:49:37 GMT")
    };
    let server = Script::of([refused("Sun, 06 Nov 1994 08:52:37 GMT")]).await;
    let error = server.endpoint().job("j").status().await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(180)), "{error}");
}

#[tokio::test]
async fn retry_after_is_waited_for_unless_it_is_too_long() {
    let asked = |seconds: &str| Reply::json(429, "{}").header("retry-after", seconds);
    let counts = json!({
        "jobs": {"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0},
        "workers": {"idle": 0, "running": 0}
    });
    let server = Script::of([asked("0.2"), Reply::ok(counts)]).await;
    let started = std::time::Instant::now();
    server.endpoint().health().await.unwrap();
    assert!(started.elapsed() >= Duration::from_millis(200));

    let server = Script::of([asked("121")]).await;
    let error = server.endpoint().health().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(121)));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_retry_after_that_is_a_date_is_waited_for_and_one_that_is_far_is_not() {
    let date = |from_now| httpdate::fmt_http_date(SystemTime::now() + from_now);
    let record = Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#);
    let soon = Reply::json(503, "{}").header("retry-after", date(Duration::from_secs(3)));
    let server = Script::of([soon, record.clone()]).await;
    let started = Instant::now();
    server.endpoint().job("j").status().await.unwrap();
    // A date has whole seconds.
    assert!(started.elapsed() >= Duration::from_millis(1_900), "{:?}", started.elapsed());

    let far = Reply::json(503, "{}").header("retry-after", date(Duration::from_secs(200)));
    let past = Reply::json(503, "{}").header("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT");
    let server = Script::of([far, past, record]).await;
    let error = server.endpoint().job("j").status().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Server);
    assert!(error.retry_after().unwrap() > Duration::from_secs(120), "{error:?}");
    assert_eq!(server.requests().len(), 1);
    server.endpoint().job("j").status().await.unwrap();
}

#[tokio::test]
async fn all_clones_share_a_retry_budget_that_runs_out_when_everything_fails() {
    let server = Script::then_always([], Reply::json(503, "{}")).await;
    let client = server.client();
    for _ in 0..100 {
        client.clone().endpoint("ep").job("j").status().await.unwrap_err();
    }
    assert_eq!(server.requests().len(), 100 + 100, "a hundred retries are left at first");
    client.endpoint("ep").job("j").cancel().await.unwrap_err();
    assert_eq!(server.requests().len(), 100 + 100 + 1, "whatever the call");
}

#[tokio::test]
async fn creations_are_not_repeated_but_updates_and_deletions_are() {
    let new = || NewTemplate::pod("n", "i:1").container_disk_gb(1).volume_gb(1);
    let server = Script::then_always([], Reply::json(500, "{}")).await;
    let client = server.client();
    let error = client.templates().create(new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    let error = client.secrets().create("n", "v").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(server.requests().len(), 2);

    let saved = Reply::ok(r#"{"data":{"saveTemplate":{"id":"t","name":"n"}}}"#);
    let server = Script::of([Reply::Close, saved]).await;
    server.client().templates().update("t", new()).await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn not_found_after_a_retried_deletion_counts_as_deleted() {
    let said = |message: &str| json!({"data": null, "errors": [{"message": message}]}).to_string();
    let (template, secret) = (said("Template not found"), said("no secret has this id"));
    for status in [200, 400, 404] {
        for lost in [Reply::Close, Reply::json(502, "{}")] {
            let (template, secret) = (Reply::json(status, &template), Reply::json(status, &secret));
            let script = [lost.clone(), template.clone(), lost, secret, template];
            let server = Script::of(script).await;
            let client = server.client();
            client.templates().delete("n").await.unwrap();
            client.secrets().delete("s").await.unwrap();
            let error = client.templates().delete("n").await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound, "nothing was deleted this time");
        }
    }
}

#[tokio::test]
async fn a_repeated_deletion_that_is_refused_for_another_reason_has_an_unknown_outcome() {
    let throttled = Reply::json(429, "{}");
    let said = |message: &str| json!({"errors": [{"message": message}]});
    for lost in [Reply::Close, Reply::json(502, "{}")] {
        let mut refusals: Vec<_> = [
            "the template is in use",
            "Unknown error",
            "No permission to delete template n",
            "no healthy upstream",
            "not authorized",
            "Secret not found",
            "User not found",
        ]
        .into_iter()
        .flat_map(|message| [200, 400, 404].map(|status| Reply::json(status, said(message))))
        .collect();
        refusals.extend([
            Reply::json(400, "{}"),
            Reply::json(401, r#"{"error":"Template not found"}"#),
            Reply::json(403, "{}"),
            Reply::json(404, "{}"),
            Reply::json(404, r#"{"message":"no Route matched with those values"}"#),
            Reply::json(404, "<html><title>404 Not Found</title></html>"),
            Reply::json(404, r#"{"errors":[{"message":"Template not found"},{"message":"No"}]}"#),
        ]);
        for refusal in refusals {
            let what = format!("{refusal:?}");
            let server = Script::of([lost.clone(), refusal]).await;
            let error = server.client().templates().delete("n").await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{what}: {error}");
            assert!(error.status().is_some() && error.body().is_some(), "{what}: {error}");
            assert!(!error.is_retryable(), "{what}");
        }
    }
    // What was throttled has deleted nothing.
    for status in [400, 404] {
        let refusal = Reply::json(status, said("Template not found"));
        let server = Script::of([throttled.clone(), refusal]).await;
        let error = server.client().templates().delete("n").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn a_deletion_that_is_not_confirmed_is_not_reported_as_done() {
    for body in [
        r#"{"data":null}"#,
        "{}",
        "",
        "null",
        "[]",
        "OK",
        r#"{"data":7}"#,
        r#"{"data":[]}"#,
        r#"{"data":"deleted"}"#,
        r#"{"data":{}}"#,
        r#"{"data":{"saveTemplate":null}}"#,
        r#"{"data":{"deleteTemplate":false,"secretDelete":false}}"#,
        r#"{"error":"not authorized"}"#,
        r#"{"data":{"deleteTemplate":null"#,
        r#"{"data":{"deleteTemplate":null,"secretDelete":null},"errors":"no"}"#,
        "<html><title>Welcome</title></html>",
    ] {
        for lost in [None, Some(Reply::json(502, "{}"))] {
            let script: Vec<_> = lost.into_iter().chain([Reply::ok(body)]).collect();
            let server = Script::of([script.clone(), script].concat()).await;
            let client = server.client();
            for error in [
                client.templates().delete("n").await.unwrap_err(),
                client.secrets().delete("s").await.unwrap_err(),
            ] {
                assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{body}: {error}");
                assert_eq!((error.status(), error.body().unwrap().as_ref()), (Some(200), body));
            }
        }
    }
    for result in ["null", "true", r#"{"id":"n"}"#, r#""n""#] {
        let done = json!({"data": {"deleteTemplate": null, "secretDelete": null}}).to_string();
        let server = Script::then_always([], Reply::ok(done.replace("null", result))).await;
        server.client().templates().delete("n").await.unwrap();
        server.client().secrets().delete("s").await.unwrap();
    }
}

#[tokio::test]
async fn one_connection_serves_many_calls() {
    let server = Script::then_always([], Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#)).await;
    let client = server.client();
    for _ in 0..20 {
        client.clone().endpoint("ep").job("j").status().await.unwrap();
    }
    assert_eq!((server.requests().len(), server.connections()), (20, 1));
}

#[tokio::test]
async fn a_submission_can_have_a_retry_policy_of_its_own() {
    let server = Script::then_always([], Reply::json(429, "{}")).await;
    let endpoint = server.settings().build().unwrap().endpoint("ep");
    let error = endpoint.run(&json!({})).retry(RetryPolicy::never()).await.unwrap_err();
    assert_eq!((error.kind(), server.requests().len()), (ErrorKind::RateLimited, 1));
}
