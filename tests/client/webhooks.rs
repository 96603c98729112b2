//! Webhook receiver: deliveries over HTTP from the local service, and by function calls.

use std::future::IntoFuture;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use podqueue::webhook::{DeliveryOutcome, WebhooksBuilder};
use podqueue::{Endpoint, ErrorKind, Job, JobRecord, JobStatus, Notifier, Polling, Webhooks};
use podqueue_local::{LocalJob, LocalService, WebhookDelivery};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Reply, Script, client_of, until};

/// Records as a handler got them.
#[derive(Clone, Default)]
struct Saved(Arc<Mutex<Vec<JobRecord>>>);

impl Saved {
    fn save(&self, record: JobRecord) {
        self.0.lock().unwrap().push(record);
    }

    fn all(&self) -> Vec<JobRecord> {
        self.0.lock().unwrap().clone()
    }

    fn len(&self) -> usize {
        self.all().len()
    }

    /// A receiver that saves what it gets.
    fn receiver(&self, endpoint: &Endpoint) -> WebhooksBuilder {
        let saved = self.clone();
        Webhooks::builder(endpoint).on_job(move |record| {
            saved.save(record);
            async { Ok::<_, std::io::Error>(()) }
        })
    }
}

/// A service on a manual clock, whose endpoint `moody` fails at the first attempt.
async fn service() -> LocalService {
    let moody = |job: LocalJob| async move {
        if job.attempt() == 1 { Err("a bad day".into()) } else { Ok(json!("fine")) }
    };
    LocalService::builder().endpoint("moody", moody).manual_clock().start().await.unwrap()
}

fn endpoint(local: &LocalService, name: &str) -> Endpoint {
    client_of(local).endpoint(name)
}

/// Serves the receiver under `/hooks` of an axum application, and returns its URL.
async fn serve(webhooks: &Webhooks) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/hooks", listener.local_addr().unwrap());
    let app: axum::Router = axum::Router::new().nest_service("/hooks", webhooks.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });
    base
}

async fn deliveries(local: &LocalService, count: usize) -> Vec<WebhookDelivery> {
    until(|| local.webhook_deliveries().len() >= count).await;
    local.webhook_deliveries()
}

fn statuses(deliveries: &[WebhookDelivery]) -> Vec<(u32, Option<u16>)> {
    deliveries.iter().map(|delivery| (delivery.attempt, delivery.status)).collect()
}

fn reads(local: &LocalService) -> usize {
    local.requests().iter().filter(|request| request.path.contains("/status/")).count()
}

/// The path that ends in the token.
fn path(webhooks: &Webhooks) -> String {
    format!("/hooks/{}", webhooks.token().expose())
}

fn body(id: &str, status: &str) -> Vec<u8> {
    json!({"id": id, "status": status, "output": "a lie"}).to_string().into_bytes()
}

async fn completed(endpoint: &Endpoint) -> String {
    let job = endpoint.run(&json!({"a": 1})).await.unwrap();
    job.wait().await.unwrap();
    job.id().to_owned()
}

#[tokio::test]
async fn a_completed_job_reaches_the_handler_as_its_status_record() {
    let local = service().await;
    let endpoint = endpoint(&local, "echo");
    let saved = Saved::default();
    let webhooks = saved.receiver(&endpoint).build().unwrap();
    let url = webhooks.url(&serve(&webhooks).await).unwrap();
    let job = endpoint.run(&json!({"a": 1})).webhook(url.clone()).await.unwrap();
    let deliveries = deliveries(&local, 1).await;
    assert_eq!(statuses(&deliveries), [(1, Some(200))]);
    assert_eq!(deliveries[0].url, url.expose());
    let records = saved.all();
    assert_eq!((records.len(), records[0].id()), (1, job.id()));
    assert_eq!(records[0].output::<Value>().unwrap(), json!({"a": 1}));
    assert_eq!(reads(&local), 1);
}

#[tokio::test]
async fn jobs_that_fail_reach_the_handler_too_and_again_after_a_retry() {
    let local = service().await;
    let endpoint = endpoint(&local, "moody");
    let saved = Saved::default();
    let webhooks = saved.receiver(&endpoint).build().unwrap();
    let url = webhooks.url(&serve(&webhooks).await).unwrap();
    let job = endpoint.run(&json!({})).webhook(url).await.unwrap();
    deliveries(&local, 1).await;
    job.retry().await.unwrap();
    assert_eq!(statuses(&deliveries(&local, 2).await), [(1, Some(200)), (1, Some(200))]);
    let records = saved.all();
    let seen: Vec<_> = records.iter().map(JobRecord::status).collect();
    assert_eq!(seen, [JobStatus::Failed, JobStatus::Completed]);
    assert_eq!(records[0].failure().unwrap().message, "a bad day");
}

#[tokio::test]
async fn deliveries_are_retried_until_the_handler_succeeds() {
    let local = service().await;
    let endpoint = endpoint(&local, "echo");
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let webhooks = Webhooks::builder(&endpoint).on_job(move |_| {
        let attempt = counted.fetch_add(1, Ordering::Relaxed);
        async move { if attempt == 0 { Err("the disk is full") } else { Ok(()) } }
    });
    let webhooks = webhooks.build().unwrap();
    let url = webhooks.url(&serve(&webhooks).await).unwrap();
    endpoint.run(&json!({})).webhook(url).await.unwrap();
    assert_eq!(statuses(&deliveries(&local, 1).await), [(1, Some(500))]);
    local.clock().advance(Duration::from_secs(10));
    assert_eq!(statuses(&deliveries(&local, 2).await), [(1, Some(500)), (2, Some(200))]);
    assert_eq!(tries.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_repeated_delivery_is_acknowledged_but_not_handled_again() {
    let local = service().await;
    let endpoint = endpoint(&local, "echo");
    let saved = Saved::default();
    let webhooks = saved.receiver(&endpoint).remember(2).build().unwrap();
    let path = path(&webhooks);
    let mut ids = Vec::new();
    for _ in 0..3 {
        let id = completed(&endpoint).await;
        let first = webhooks.receive(&path, &body(&id, "COMPLETED")).await;
        assert!(matches!(first, DeliveryOutcome::Handled), "{first:?}");
        let second = webhooks.receive(&path, &body(&id, "COMPLETED")).await;
        assert!(matches!(second, DeliveryOutcome::Repeated), "{second:?}");
        assert_eq!((first.status(), second.status()), (200, 200));
        ids.push(id);
    }
    assert_eq!(saved.len(), 3);
    // Two are remembered; the oldest is evicted.
    let again = webhooks.receive(&path, &body(&ids[1], "COMPLETED")).await;
    assert!(matches!(again, DeliveryOutcome::Repeated), "{again:?}");
    let again = webhooks.receive(&path, &body(&ids[0], "COMPLETED")).await;
    assert!(matches!(again, DeliveryOutcome::Handled), "{again:?}");
}

#[tokio::test]
async fn a_delivery_that_comes_while_the_job_is_handled_waits_for_the_outcome() {
    let local = service().await;
    let endpoint = endpoint(&local, "echo");
    let id = completed(&endpoint).await;
    let (go, gone) = tokio::sync::watch::channel(false);
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let webhooks = Webhooks::builder(&endpoint).on_job(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        let mut gone = gone.clone();
        async move { gone.wait_for(|gone| *gone).await.map(drop) }
    });
    let webhooks = webhooks.build().unwrap();
    let (path, body) = (path(&webhooks), body(&id, "COMPLETED"));

    // The first caller hangs up, and its delivery is handled to the end all the same.
    let hung_up = tokio::time::timeout(Duration::from_millis(200), webhooks.receive(&path, &body));
    assert!(hung_up.await.is_err());
    let second = webhooks.receive(&path, &body);
    let release = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        go.send(true).unwrap();
    };
    let (answer, ()) = tokio::join!(second, release);
    assert!(matches!(answer, DeliveryOutcome::Repeated), "{answer:?}");
    assert_eq!(tries.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_panic_of_the_handler_is_a_failure_of_the_handler() {
    let local = service().await;
    let endpoint = endpoint(&local, "echo");
    let id = completed(&endpoint).await;
    let webhooks = Webhooks::builder(&endpoint).on_job(|record: JobRecord| async move {
        assert!(record.id().is_empty(), "a panic on purpose");
        Ok::<_, std::io::Error>(())
    });
    let webhooks = webhooks.build().unwrap();
    for _ in 0..2 {
        let answer = webhooks.receive(&path(&webhooks), &body(&id, "COMPLETED")).await;
        assert!(matches!(answer, DeliveryOutcome::HandlerFailed(_)), "{answer:?}");
        assert_eq!(answer.status(), 500);
    }
}

#[tokio::test]
async fn without_the_token_nothing_happens() {
    let local = service().await;
    let endpoint = endpoint(&local, "echo");
    let id = completed(&endpoint).await;
    let before = reads(&local);
    let saved = Saved::default();
    let webhooks = saved.receiver(&endpoint).build().unwrap();
    let base = serve(&webhooks).await;
    let wrong = "0".repeat(64);
    for path in ["", "/", "/hooks", &format!("/hooks/{wrong}"), &format!("{}x", path(&webhooks))] {
        let answer = webhooks.receive(path, &body(&id, "COMPLETED")).await;
        assert!(matches!(answer, DeliveryOutcome::UnknownToken), "{path}: {answer:?}");
        assert_eq!(answer.status(), 404);
    }
    // A body that never comes is not waited for.
    let head = "content-length: 1000\r\n\r\n";
    assert_eq!(raw(&format!("{base}/{wrong}"), head).await, 404);
    assert_eq!((saved.len(), reads(&local)), (0, before));
}

#[tokio::test]
async fn any_method_is_accepted_and_the_response_has_no_body() {
    let local = service().await;
    let endpoint = endpoint(&local, "echo");
    let saved = Saved::default();
    let webhooks = saved.receiver(&endpoint).build().unwrap();
    let url = webhooks.url(&serve(&webhooks).await).unwrap();
    let http = reqwest::Client::new();
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::GET, Method::DELETE] {
        let id = completed(&endpoint).await;
        let call = http.request(method, url.expose()).body(body(&id, "COMPLETED"));
        let reply = call.send().await.unwrap();
        assert_eq!(reply.status(), 200);
        assert_eq!(reply.bytes().await.unwrap().len(), 0);
    }
    assert_eq!(saved.len(), 5);
}

#[tokio::test]
async fn a_body_above_the_limit_is_refused() {
    let local = service().await;
    let endpoint = endpoint(&local, "echo");
    let id = completed(&endpoint).await;
    let saved = Saved::default();
    let fits = body(&id, "COMPLETED");
    let webhooks = saved.receiver(&endpoint).body_limit(fits.len()).build().unwrap();
    let large = body(&id, "COMPLETED!");
    let answer = webhooks.receive(&path(&webhooks), &large).await;
    assert!(matches!(answer, DeliveryOutcome::TooLarge), "{answer:?}");
    let url = webhooks.url(&serve(&webhooks).await).unwrap();
    let chunked: String = large
        .chunks(10)
        .map(|chunk| format!("{:x}\r\n{}\r\n", chunk.len(), String::from_utf8_lossy(chunk)))
        .collect();
    // Its end is not waited for.
    let chunked = format!("transfer-encoding: chunked\r\n\r\n{chunked}");
    assert_eq!(raw(url.expose(), &chunked).await, 413);
    let http = reqwest::Client::new();
    let reply = http.post(url.expose()).body(large).send().await.unwrap();
    assert_eq!(reply.status(), 413);
    assert_eq!(saved.len(), 0);
    let reply = http.post(url.expose()).body(fits).send().await.unwrap();
    assert_eq!((reply.status().as_u16(), saved.len()), (200, 1));
}

#[tokio::test]
async fn a_malformed_body_is_refused() {
    let local = service().await;
    let saved = Saved::default();
    let webhooks = saved.receiver(&endpoint(&local, "echo")).build().unwrap();
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(257));
    let deep = "[".repeat(100_000);
    for body in [
        "",
        "no json",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"id":7}"#,
        r#"{"id":null}"#,
        r#"{"id":""}"#,
        r#"{"id":".."}"#,
        r#"{"id":"j"} more"#,
        &long,
        &deep,
    ] {
        let answer = webhooks.receive(&path(&webhooks), body.as_bytes()).await;
        assert!(matches!(answer, DeliveryOutcome::Unreadable), "{body:.40}: {answer:?}");
        assert_eq!(answer.status(), 400);
    }
    let answer = webhooks.receive(&path(&webhooks), b"{\"id\":\"\xff\"}").await;
    assert!(matches!(answer, DeliveryOutcome::Unreadable), "{answer:?}");
    assert_eq!((saved.len(), reads(&local)), (0, 0));
}

#[tokio::test]
async fn a_body_that_lies_makes_nothing_happen_but_a_read() {
    let local = service().await;
    let saved = Saved::default();
    let echo = endpoint(&local, "echo");
    let webhooks = saved.receiver(&echo).build().unwrap();
    let answer = webhooks.receive(&path(&webhooks), &body("no-such-job", "COMPLETED")).await;
    assert!(matches!(answer, DeliveryOutcome::UnknownJob), "{answer:?}");
    assert_eq!((answer.status(), saved.len()), (404, 0));

    let id = completed(&echo).await;
    let answer = webhooks.receive(&path(&webhooks), &body(&id, "FAILED")).await;
    assert!(matches!(answer, DeliveryOutcome::Handled), "{answer:?}");
    let record = saved.all().remove(0);
    assert_eq!(record.output::<Value>().unwrap(), json!({"a": 1}), "not what the body says");

    let sleep = endpoint(&local, "sleep");
    let job = sleep.run(&json!({"ms": 60_000})).await.unwrap();
    let webhooks = saved.receiver(&sleep).build().unwrap();
    let answer = webhooks.receive(&path(&webhooks), &body(job.id(), "COMPLETED")).await;
    assert!(matches!(answer, DeliveryOutcome::NotEnded), "{answer:?}");
    assert_eq!((answer.status(), saved.len()), (500, 1));
}

#[tokio::test]
async fn a_status_that_cannot_be_read_confirms_nothing() {
    let server = Script::then_always([], Reply::json(401, "{}")).await;
    let saved = Saved::default();
    let webhooks = saved.receiver(&server.endpoint()).build().unwrap();
    let answer = webhooks.receive(&path(&webhooks), &body("j", "COMPLETED")).await;
    let DeliveryOutcome::NotConfirmed(error) = &answer else { panic!("{answer:?}") };
    assert_eq!((error.kind(), answer.status()), (ErrorKind::Unauthorized, 500));
    assert_eq!((server.lines(), saved.len()), (vec!["GET /v2/ep/status/j".to_owned()], 0));
}

#[tokio::test]
async fn the_url_holds_the_token_and_a_given_token_stays() {
    let server = Script::of([]).await;
    let first = Webhooks::builder(&server.endpoint()).build().unwrap();
    let token = first.token();
    assert_eq!(token.expose().len(), 64);
    let again = Webhooks::builder(&server.endpoint()).token(token.clone()).build().unwrap();
    for (base, expected) in [
        ("https://me.example", "https://me.example/TOKEN"),
        ("https://me.example/hooks", "https://me.example/hooks/TOKEN"),
        ("https://me.example/hooks/", "https://me.example/hooks/TOKEN"),
        ("https://me.example/a?b=c#d", "https://me.example/a/TOKEN?b=c"),
    ] {
        let expected = expected.replace("TOKEN", token.expose());
        assert_eq!(again.url(base).unwrap().expose(), expected);
    }
    for base in ["", "me.example/hooks", "ftp://me.example", "data:hook"] {
        let error = first.url(base).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some("base")));
    }
    let error = Webhooks::builder(&server.endpoint()).token("guess-me").build().unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some("token")));
    assert!(!format!("{error} {error:?}").contains("guess-me"));
}

#[tokio::test]
async fn the_token_is_shown_nowhere() {
    let server = Script::then_always([], Reply::Echo { status: 400, field: "errors" }).await;
    let endpoint = server.endpoint();
    let builder = Webhooks::builder(&endpoint).token("hook-secret-0123456789-0123456789");
    let mut shown = format!("{builder:?}");
    let webhooks = builder.build().unwrap();
    let url = webhooks.url("https://me.example/hooks").unwrap();
    let run = endpoint.run(&json!({})).webhook(url.clone());
    let wait = endpoint.job("j").wait().notified_by(&webhooks);
    let all = endpoint.run_all([json!({})]);
    let (hook, notifier) = (url.clone(), Notifier::from(&webhooks));
    let all = all.submit(move |run| run.webhook(hook.clone()));
    let all = all.wait(move |wait| wait.notified_by(notifier.clone()));
    shown
        .push_str(&format!("{webhooks:?} {url:?} {:?} {run:?} {wait:?} {all:?}", webhooks.token()));
    let error = run.await.unwrap_err();
    assert!(server.request().body.contains("hook-secret"), "it was sent");
    assert!(error.to_string().contains("webhook"), "and came back: {error}");
    shown.push_str(&format!("{error} {error:?} {}", error.body().unwrap()));
    assert!(!shown.contains("hook-secret"), "{shown}");
}

/// Posts these headers and this body, and answers the status.
async fn raw(url: &str, headers_and_body: &str) -> u16 {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
    let request = format!("POST /{path} HTTP/1.1\r\nhost: {host}\r\n{headers_and_body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut start = [0; 12];
    let reading = stream.read_exact(&mut start);
    tokio::time::timeout(Duration::from_secs(5), reading).await.unwrap().unwrap();
    std::str::from_utf8(&start[9..]).unwrap().parse().unwrap()
}

/// A service whose endpoint `gated` continues when the gate opens, and fails if the input says so.
async fn gated() -> (LocalService, tokio::sync::watch::Sender<bool>) {
    let (gate, opened) = tokio::sync::watch::channel(false);
    let handler = move |job: LocalJob| {
        let mut opened = opened.clone();
        async move {
            opened.wait_for(|open| *open).await?;
            if job.input["fail"] == true { Err("told to".into()) } else { Ok(job.input) }
        }
    };
    let builder = LocalService::builder().endpoint("gated", handler).manual_clock();
    (builder.start().await.unwrap(), gate)
}

/// Polls once at the start, and not again during the test.
fn rarely() -> Polling {
    let hour = Duration::from_secs(3_600);
    Polling::new().initial_interval(hour).max_interval(hour)
}

#[tokio::test]
async fn a_wait_ends_as_soon_as_it_is_notified() {
    let (local, gate) = gated().await;
    let endpoint = endpoint(&local, "gated");
    let webhooks = Webhooks::builder(&endpoint).build().unwrap();
    let url = webhooks.url(&serve(&webhooks).await).unwrap();
    let good = endpoint.run(&json!({"a": 1})).webhook(url.clone()).await.unwrap();
    let bad = endpoint.run(&json!({"fail": true})).webhook(url).await.unwrap();
    let minute = Duration::from_secs(60);
    let wait = |job: &Job| {
        job.wait().timeout(minute).notified_by(&webhooks).polling(rarely()).into_future()
    };
    let open = async {
        until(|| reads(&local) == 3).await;
        gate.send(true).unwrap();
    };
    let started = Instant::now();
    let (one, other, failed, ()) = tokio::join!(wait(&good), wait(&good), wait(&bad), open);
    assert!(started.elapsed() < minute, "it was told, not polled");
    for record in [one, other] {
        assert_eq!(record.unwrap().output::<Value>().unwrap(), json!({"a": 1}));
    }
    let failed = failed.unwrap_err();
    assert_eq!((failed.kind(), failed.job_id()), (ErrorKind::JobFailed, Some(bad.id())));
    assert_eq!(reads(&local), 5, "one for each wait, and one for each delivery");
    assert_eq!(statuses(&deliveries(&local, 2).await), [(1, Some(200)), (1, Some(200))]);
}

#[tokio::test]
async fn a_wait_needs_no_webhook_to_end() {
    let (local, gate) = gated().await;
    let endpoint = endpoint(&local, "gated");
    let webhooks = Webhooks::builder(&endpoint).build().unwrap();
    let short = Duration::from_millis(5);
    let polling = Polling::new().initial_interval(short).max_interval(short);

    // A wait for a job that was submitted without a webhook times out as usual.
    let job = endpoint.run(&json!({})).await.unwrap();
    let wait = job.wait().timeout(Duration::from_millis(100)).notified_by(&webhooks);
    assert_eq!(wait.await.unwrap_err().kind(), ErrorKind::WaitTimedOut);

    // A job without a delivery is polled.
    let wait = job.wait().notified_by(&webhooks).polling(polling);
    let open = async { gate.send(true).unwrap() };
    let (record, ()) = tokio::join!(wait.into_future(), open);
    assert_eq!(record.unwrap().status(), JobStatus::Completed);

    // One that has ended already is found so at once.
    job.wait().notified_by(&webhooks).polling(rarely()).await.unwrap();
}

#[tokio::test]
async fn a_notified_wait_knows_as_much_of_the_job_as_a_polled_one() {
    let (local, gate) = gated().await;
    let endpoint = endpoint(&local, "gated");
    let webhooks = Webhooks::builder(&endpoint).build().unwrap();
    let url = webhooks.url(&serve(&webhooks).await).unwrap();
    let job = endpoint.run(&json!({})).webhook(url).await.unwrap();
    let wait = job.wait().notified_by(&webhooks).polling(rarely());
    let open = async {
        until(|| reads(&local) == 1).await;
        gate.send(true).unwrap();
    };
    let (record, ()) = tokio::join!(wait.into_future(), open);
    assert_eq!(record.unwrap().job().expires_at(), job.expires_at());
    assert!(job.expires_at().is_some() && job.result_expires_at().is_some());
}

#[tokio::test]
async fn a_job_of_the_same_id_on_another_endpoint_is_another() {
    let server = Script::by(|request| {
        let status = if request.target.contains("/ours/") { "IN_PROGRESS" } else { "COMPLETED" };
        Reply::ok(json!({"id": "j", "status": status}))
    });
    let server = server.await;
    let client = server.client();
    let webhooks = Webhooks::builder(&client.endpoint("other")).build().unwrap();
    let short = Duration::from_secs(1);
    let wait = client.endpoint("ours").job("j").wait().notified_by(&webhooks).timeout(short);
    let mut wait = wait.into_future();
    assert!(futures_util::poll!(&mut wait).is_pending());
    let answer = webhooks.receive(&path(&webhooks), &body("j", "COMPLETED")).await;
    assert!(matches!(answer, DeliveryOutcome::Handled), "{answer:?}");
    assert_eq!(wait.await.unwrap_err().kind(), ErrorKind::WaitTimedOut);
}

#[tokio::test]
async fn a_wait_that_cancels_is_not_ended_by_the_call_about_its_own_cancellation() {
    let (gate, cancels) = tokio::sync::watch::channel(false);
    let server = Script::by(move |request| {
        if request.target.contains("/cancel/") {
            gate.send(true).unwrap();
            let reply = Reply::ok(json!({"id": "j", "status": "CANCELLED"}));
            return reply.late(Duration::from_millis(500));
        }
        let status = if *gate.borrow() { "CANCELLED" } else { "IN_PROGRESS" };
        Reply::ok(json!({"id": "j", "status": status}))
    });
    let server = server.await;
    let endpoint = server.endpoint();
    let webhooks = Webhooks::builder(&endpoint).build().unwrap();
    let wait = endpoint.job("j").wait().timeout(Duration::from_millis(50)).cancel_on_timeout();
    let delivery = async {
        until(|| *cancels.borrow()).await;
        webhooks.receive(&path(&webhooks), &body("j", "CANCELLED")).await
    };
    let (ended, _) = tokio::join!(wait.notified_by(&webhooks).into_future(), delivery);
    let error = ended.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut, "{error}");
    assert!(matches!(error.remote_cancel(), Some(podqueue::RemoteCancel::Cancelled)));
}

#[tokio::test]
async fn many_jobs_can_be_waited_for_by_webhook() {
    let (local, gate) = gated().await;
    let endpoint = endpoint(&local, "gated");
    let saved = Saved::default();
    let webhooks = saved.receiver(&endpoint).build().unwrap();
    let url = webhooks.url(&serve(&webhooks).await).unwrap();
    let results = endpoint.run_all((0..30).map(|n| json!({"n": n}))).concurrency(30);
    let hooks = webhooks.clone();
    let results = results
        .submit(|run| run.webhook(url.clone()))
        .wait(move |wait| wait.notified_by(&hooks).polling(rarely()))
        .wait(|wait| wait.timeout(Duration::from_secs(60)));
    let open = async {
        until(|| reads(&local) == 30).await;
        gate.send(true).unwrap();
    };
    let results = results.collect::<Vec<_>>();
    let (results, ()) = tokio::join!(results, open);
    for finished in &results {
        let record = finished.result.as_ref().unwrap();
        assert_eq!(record.output::<Value>().unwrap(), finished.input);
    }
    deliveries(&local, 30).await;
    assert_eq!((results.len(), saved.len(), reads(&local)), (30, 30, 60));
}
