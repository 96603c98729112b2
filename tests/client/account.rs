//! Account interface: requests on the wire, problems, logs that resume, and the guard of scaling.

use std::future::IntoFuture;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, Stream, StreamExt};
use podqueue::account::types::{
    CatalogInclude, CreateEndpointGpuConfig, CreateEndpointRequest, CreateGpuConfig,
    CreatePodRequest, EndpointType, EndpointWorkers, ErrorResponse, FlashBoot, LogSource,
    PodAction, PodActionRequest, Product, QueueDelayScaling, UpdateEndpointRequest, WorkerStatus,
};
use podqueue::account::{Account, LogLine, WorkerLimits};
use podqueue::{Client, ErrorKind, RateLimits, Result, RetryPolicy};
use serde_json::{Value, json};

use crate::support::{ClosedSpans, KEY, Reply, Script, until};

fn account(server: &Script) -> Account {
    server.client().account()
}

fn new_endpoint() -> CreateEndpointRequest {
    let scaling = QueueDelayScaling::new(4.0).into();
    let mut body = CreateEndpointRequest::new("painter", scaling, EndpointType::Queue);
    body.image = Some("registry.example/painter:1".to_owned());
    body
}

#[tokio::test]
async fn calls_are_sent_as_described() {
    let server = Script::then_always([], Reply::ok("{}")).await;
    let account = account(&server);
    account.list_pods().include_cluster_pods(true).await.unwrap();
    account.get_endpoint("a/b").await.unwrap();
    let gpus = account.list_gpu_types().include([CatalogInclude::Availability]);
    gpus.product([Product::Pod, Product::Serverless]).count(2).await.unwrap();
    account.list_serverless_billing().serverless_id("e").last_n(7).await.unwrap();
    account.delete_network_volume("v").await.unwrap();
    account.revoke_delegation("d").await.unwrap();
    assert_eq!(
        server.lines(),
        [
            "GET /v2/pods?includeClusterPods=true",
            "GET /v2/serverless/a%2Fb",
            "GET /v2/catalog/gpus?include=AVAILABILITY&product=POD,SERVERLESS&count=2",
            "GET /v2/billing/serverless?lastN=7&serverlessId=e",
            "DELETE /v2/network-volumes/v",
            "DELETE /v2/registries/delegations/d",
        ]
    );
    for request in server.requests() {
        assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    }
}

#[tokio::test]
async fn request_bodies_have_only_the_fields_that_were_set() {
    let server = Script::then_always([], Reply::ok("{}")).await;
    let account = account(&server);
    let mut body = new_endpoint();
    body.gpu = Some(CreateEndpointGpuConfig::new(["ADA_24"]));
    body.flashboot = Some(FlashBoot::Flashboot);
    account.create_endpoint(body).await.unwrap();
    let update = UpdateEndpointRequest { timeout: Some(60_000), ..Default::default() };
    let update = account.update_endpoint("e", update).null("registry");
    update.set("networkVolumes", [(); 0]).await.unwrap();
    account.pod_action("p", PodActionRequest { action: PodAction::Stop }).await.unwrap();
    let requests = server.requests();
    assert_eq!(
        requests.iter().map(|it| (it.line(), it.json())).collect::<Vec<_>>(),
        [
            (
                "POST /v2/serverless".to_owned(),
                json!({
                    "name": "painter", "type": "QUEUE", "image": "registry.example/painter:1",
                    "scaling": {"type": "QUEUE_DELAY", "queueDelay": 4.0},
                    "gpu": {"pools": ["ADA_24"]}, "flashboot": "FLASHBOOT",
                }),
            ),
            (
                "PATCH /v2/serverless/e".to_owned(),
                json!({"timeout": 60_000, "registry": null, "networkVolumes": []}),
            ),
            ("POST /v2/pods/p/action".to_owned(), json!({"action": "stop"})),
        ]
    );
}

#[tokio::test]
async fn responses_are_read() {
    let worker = json!({
        "id": "w", "status": "THROTTLED", "isStale": true, "gpuCount": 1, "version": 3,
        "image": null, "startedAt": null,
    });
    let summary = json!({"throttled": 1, "total": 1});
    let body = json!({"workers": [worker], "summary": summary, "endpointVersion": 4});
    let server = Script::of([Reply::ok(body)]).await;
    let listed = account(&server).list_endpoint_workers("e").await.unwrap();
    assert_eq!(server.request().line(), "GET /v2/serverless/e/workers");
    assert_eq!(listed.endpoint_version, Some(4));
    assert_eq!(listed.workers[0].status, Some(WorkerStatus::Throttled));
    assert_eq!(listed.workers[0].is_stale, Some(true));
    assert_eq!(listed.summary.unwrap().throttled, Some(1));
}

#[tokio::test]
async fn without_a_url_calls_are_refused_with_the_setting() {
    let client = Client::builder().api_key("k").build().unwrap();
    let error = client.account().list_pods().await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some("account_url")));
    let text = error.to_string();
    assert!(text.starts_with("list_pods on the account interface: "), "{text}");
    assert!(text.contains("`account_url` is not set"), "{text}");
    let error = Client::builder().api_key("k").account_url("http://account.example").build();
    assert_eq!(error.unwrap_err().field(), Some("account_url"));
}

#[tokio::test]
async fn the_url_may_have_a_path() {
    let server = Script::of([Reply::ok(r#"{"pods": []}"#)]).await;
    let settings = server.settings().account_url(format!("{}/account/", server.url()));
    settings.build().unwrap().account().list_pods().await.unwrap();
    assert_eq!(server.request().line(), "GET /account/v2/pods");
}

#[tokio::test]
async fn a_body_that_breaks_a_rule_is_refused_before_it_is_sent() {
    let server = Script::of([]).await;
    let account = account(&server);
    let mut pod = CreatePodRequest::new("p");
    pod.image = Some("i".to_owned());
    let neither = account.create_pod(pod.clone()).await.unwrap_err();
    pod.gpu = Some(CreateGpuConfig::new("g"));
    let both = account.create_pod(pod).set("cpu", json!({"id": "c", "vcpuCount": 2}));
    let both = both.await.unwrap_err();
    let endpoint = account.create_endpoint(new_endpoint()).await.unwrap_err();
    let workers = Some(EndpointWorkers { idle_timeout: Some(3601), ..Default::default() });
    let workers = UpdateEndpointRequest { workers, ..Default::default() };
    let workers = account.update_endpoint("e", workers).await.unwrap_err();
    let tail = account.get_pod_logs("p").tail(5001).await.unwrap_err();
    let logs = account.endpoint("e").logs().tail(5001).next().await.unwrap().unwrap_err();
    let expected = [
        (neither, "gpu"),
        (both, "cpu"),
        (endpoint, "gpu"),
        (workers, "workers.idleTimeout"),
        (tail, "tail"),
        (logs, "tail"),
    ];
    for (error, field) in expected {
        assert_eq!((error.kind(), error.field()), (ErrorKind::InvalidRequest, Some(field)));
        assert!(error.to_string().contains("refused before sending"), "{error}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn an_error_shows_the_whole_problem() {
    let problem = json!({
        "title": "Unprocessable Entity", "status": 422, "detail": "the body has 2 faults",
        "errors": ["name: must not be empty", format!("image: no such tag as {KEY}")],
    });
    let reply = Reply::Answer {
        status: 422,
        headers: vec![("content-type", "application/problem+json".to_owned())],
        body: problem.to_string(),
    };
    let server = Script::of([reply]).await;
    let mut body = new_endpoint();
    body.gpu = Some(CreateEndpointGpuConfig::new(["ADA_24"]));
    let error = account(&server).create_endpoint(body).await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::UnexpectedStatus, Some(422)));
    let text = error.to_string();
    for part in ["Unprocessable Entity", "2 faults", "name: must not be empty", "image: no such"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains(KEY), "{text}");
    let problem: ErrorResponse = error.decode().unwrap();
    assert_eq!(problem.errors.len(), 2);
}

#[tokio::test]
async fn a_retired_call_names_the_one_that_replaces_it() {
    let gone = Reply::json(410, json!({"title": "Gone", "detail": "use the second version"}));
    let server = Script::then_always([], gone).await;
    let client = server.client();
    let template = podqueue::NewTemplate::serverless("n", "i").container_disk_gb(1);
    let secret = client.secrets().create("n", "v").await.unwrap_err();
    for (error, successor) in [
        (client.rest().get_pod("p").await.unwrap_err(), "client.account().get_pod("),
        (client.rest().get_template("t").await.unwrap_err(), "client.account().get_template("),
        (
            client.templates().create(template.clone()).await.unwrap_err(),
            "client.account().create_template(",
        ),
        (
            client.templates().update("t", template).await.unwrap_err(),
            "client.account().update_template(",
        ),
        (client.templates().delete("n").await.unwrap_err(), "client.account().delete_template("),
        (client.account().get_pod("p").await.unwrap_err(), "retired"),
        (secret, "has no secrets"),
    ] {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Gone, Some(410)), "{error}");
        let text = error.to_string();
        assert!(text.contains(successor) && text.contains("use the second version"), "{text}");
        assert!(!error.is_retryable());
    }
    assert_eq!(server.requests().len(), 7, "none is retried");
}

/// Ten callers ask at once, and the window admits three.
#[tokio::test]
async fn calls_wait_for_the_limits_that_are_announced() {
    let counted = AtomicU64::new(0);
    let server = Script::by(move |_| {
        let remaining = 2_u64.saturating_sub(counted.fetch_add(1, Ordering::SeqCst));
        Reply::ok(r#"{"pods": []}"#)
            .header("ratelimit", format!(r#""hour";r={remaining};t=3600"#))
            .header("ratelimit-policy", r#""hour";q=3;w=3600"#)
    })
    .await;
    let client = server.settings().rate_limits(RateLimits::new()).build().unwrap();
    let account = client.account();
    let mut calls: FuturesUnordered<_> =
        (0..10).map(|_| account.list_pods().into_future()).collect();
    for _ in 0..3 {
        calls.next().await.unwrap().unwrap();
    }
    assert!(calls.next().now_or_never().is_none(), "the others wait for the next hour");
    assert_eq!(server.requests().len(), 3);

    // Without rate limits, the fields say nothing.
    let full = Reply::ok("{}").header("ratelimit", r#""a";r=0;t=9"#);
    let server = Script::then_always([], full).await;
    let account = self::account(&server);
    for _ in 0..3 {
        account.list_pods().await.unwrap();
    }
}

/// A response with lines of a log: the seconds of their timestamps, and their texts.
fn lines(lines: &[(u32, &str)]) -> Reply {
    let events = lines.iter().map(|(second, line)| {
        let ts = ts(*second);
        let data = json!({"source": "container", "line": line, "ts": ts});
        format!("id: {ts}\ndata: {data}\n\n")
    });
    let headers = vec![("content-type", "text/event-stream".to_owned())];
    Reply::Answer { status: 200, headers, body: events.collect() }
}

fn ts(second: u32) -> String {
    format!("2026-11-27T00:00:{second:02}Z")
}

/// The texts of the lines, with a mark after a gap, and the kinds of errors.
async fn texts(
    logs: impl Stream<Item = Result<LogLine>>,
) -> Vec<std::result::Result<String, ErrorKind>> {
    let text = |line: Result<LogLine>| match line {
        Ok(line) if line.after_gap => Ok(format!("… {}", line.line)),
        Ok(line) => Ok(line.line),
        Err(error) => Err(error.kind()),
    };
    logs.map(text).collect().await
}

fn ok(texts: &[&str]) -> Vec<std::result::Result<String, ErrorKind>> {
    texts.iter().map(|text| Ok((*text).to_owned())).collect()
}

#[tokio::test]
async fn a_log_resumes_after_a_lost_connection_without_a_line_lost_or_twice() {
    let replies = [
        // Lost within a second in which more lines are written.
        lines(&[(1, "a"), (2, "b"), (2, "c")]).cut_off(),
        lines(&[(2, "b"), (2, "c"), (2, "d"), (3, "e")]).cut_off(),
        Reply::Close,
        lines(&[(3, "e"), (4, "f")]),
    ];
    let server = Script::of(replies).await;
    let logs = account(&server).endpoint("e").worker_logs("w");
    let logs = logs.source(LogSource::Container).tail(10);
    assert_eq!(texts(logs).await, ok(&["a", "b", "c", "d", "e", "f"]));
    let requests = server.requests();
    let sent: Vec<_> = requests.iter().map(|it| (it.line(), it.header("last-event-id"))).collect();
    let path = "GET /v2/serverless/e/workers/w/logs?source=container";
    let (first, second) = (ts(1), ts(2));
    assert_eq!(
        sent,
        [
            (format!("{path}&tail=10"), None),
            (format!("{path}&tail=5000"), Some(first.as_str())),
            (format!("{path}&tail=5000"), Some(second.as_str())),
            (format!("{path}&tail=5000"), Some(second.as_str())),
        ]
    );
}

#[tokio::test]
async fn a_log_that_is_lost_within_its_first_second_resumes_from_that_time() {
    let replies = [lines(&[(1, "a"), (1, "a")]).cut_off(), lines(&[(1, "a"), (1, "a"), (1, "b")])];
    let server = Script::of(replies).await;
    let logs = account(&server).pod("p").logs();
    assert_eq!(texts(logs).await, ok(&["a", "a", "b"]));
    let escaped = ts(1).replace(':', "%3A");
    assert_eq!(
        server.lines(),
        [
            "GET /v2/pods/p/logs".to_owned(),
            format!("GET /v2/pods/p/logs?tail=5000&since={escaped}")
        ]
    );
}

#[tokio::test]
async fn a_silent_log_resumes() {
    let replies = [lines(&[(1, "a"), (2, "b")]).stalled(), lines(&[(2, "b"), (3, "c")])];
    let server = Script::of(replies).await;
    let client = server.settings().timeout(Duration::from_millis(500)).build().unwrap();
    assert_eq!(texts(client.account().pod("p").logs()).await, ok(&["a", "b", "c"]));
}

#[tokio::test]
async fn lines_that_the_service_no_longer_has_are_a_gap() {
    let replies = [lines(&[(1, "a"), (2, "b")]).cut_off(), lines(&[(7, "g"), (8, "h")])];
    let server = Script::of(replies).await;
    let logs = account(&server).pod("p").logs();
    assert_eq!(texts(logs).await, ok(&["a", "b", "… g", "h"]));
}

#[tokio::test]
async fn a_log_ends_with_its_response_unless_it_is_followed() {
    let missing = || Reply::json(404, r#"{"title": "Not Found", "detail": "no such Pod"}"#);
    let server = Script::of([lines(&[(1, "a"), (2, "b")])]).await;
    assert_eq!(texts(account(&server).pod("p").logs()).await, ok(&["a", "b"]));

    let replies = [lines(&[(1, "a"), (2, "b")]), lines(&[(2, "b"), (3, "c")]), missing()];
    let server = Script::of(replies).await;
    let mut expected = ok(&["a", "b", "c"]);
    expected.push(Err(ErrorKind::NotFound));
    assert_eq!(texts(account(&server).pod("p").logs().follow()).await, expected);
}

/// A gateway responds with its page while the service is away.
#[tokio::test]
async fn a_followed_log_outlasts_a_web_page_of_a_gateway() {
    let page = || Reply::Answer {
        status: 200,
        headers: vec![("content-type", "text/html".to_owned())],
        body: "<html><title>back soon</title></html>".to_owned(),
    };
    let server = Script::of([lines(&[(1, "a")]), page(), lines(&[(1, "a"), (2, "b")])]).await;
    let logs = account(&server).pod("p").logs().follow().take(2);
    let texts: Vec<_> = logs.map(|line| line.unwrap().line).collect().await;
    assert_eq!(texts, ["a", "b"]);
    // It is not the service of a log that has never begun.
    let server = Script::of([page()]).await;
    assert_eq!(
        self::texts(account(&server).pod("p").logs().follow()).await,
        [Err(ErrorKind::Decode)]
    );
}

/// The service has responded with the list of the workers.
#[tokio::test]
async fn a_worker_whose_log_cannot_be_read_does_not_end_the_logs_of_the_others() {
    let attempts = std::sync::atomic::AtomicUsize::new(0);
    let server = Script::by(move |request| match request.target.split('?').next().unwrap() {
        "/v2/serverless/e/workers" => {
            Reply::ok(json!({"workers": [{"id": ".."}, {"id": "w1"}, {"id": "w2"}]}))
        }
        "/v2/serverless/e" => Reply::ok(json!({"id": "e"})),
        "/v2/serverless/e/workers/w1/logs" => match attempts.fetch_add(1, Ordering::Relaxed) {
            0 | 2 => Reply::json(502, "<html>bad gateway</html>"),
            1 => Reply::json(200, "<html>back soon</html>"),
            _ => lines(&[(1, "a")]).stalled(),
        },
        _ => lines(&[(1, "b"), (2, "c")]).stalled(),
    })
    .await;
    let client = server.settings().retry(RetryPolicy::never()).build().unwrap();
    let logs = client.account().endpoint("e").logs().follow().take(3);
    let mut shown = texts(logs).await;
    shown.sort_by_key(|text| text.clone().unwrap());
    assert_eq!(shown, ok(&["a", "b", "c"]));

    // Once that log has ended, so have the others that are not followed.
    let server = Script::by(|request| match request.target.as_str() {
        "/v2/serverless/e/workers" => Reply::ok(json!({"workers": [{"id": "w1"}, {"id": "w2"}]})),
        "/v2/serverless/e/workers/w1/logs" => Reply::json(400, "{}"),
        _ => lines(&[(1, "b"), (2, "c")]),
    })
    .await;
    let mut logs = account(&server).endpoint("e").logs();
    assert_eq!(logs.next().await.unwrap().unwrap().line, "b");
    assert_eq!(logs.next().await.unwrap().unwrap().line, "c");
    let error = logs.next().await.unwrap().unwrap_err();
    assert_eq!(error.status(), Some(400));
    assert!(error.to_string().contains(r#"get_worker_logs of worker "w1""#), "{error}");
    assert!(logs.next().await.is_none());
}

/// The lines that are written before it resumes may be more than were asked for first.
#[tokio::test]
async fn a_log_that_is_lost_before_its_first_line_resumes_with_all_lines() {
    for (tail, resumed, expected) in [
        (Some(2), 5000, ["a", "b", "c"]),
        (None, 5000, ["a", "b", "c"]),
        (Some(0), 0, ["… a", "b", "c"]),
    ] {
        let replies = [lines(&[]).cut_off(), lines(&[(1, "a"), (2, "b"), (3, "c")])];
        let server = Script::of(replies).await;
        let logs = account(&server).pod("p").logs();
        let logs = tail.map_or_else(|| account(&server).pod("p").logs(), |tail| logs.tail(tail));
        assert_eq!(texts(logs).await, ok(&expected));
        assert_eq!(server.requests()[1].target, format!("/v2/pods/p/logs?tail={resumed}"));
    }
}

#[tokio::test]
async fn a_log_is_open_once_each_worker_has_responded() {
    let server = Script::by(|request| match request.target.as_str() {
        "/v2/serverless/e/workers" => Reply::ok(json!({"workers": [{"id": "w1"}, {"id": "w2"}]})),
        "/v2/serverless/e/workers/w1/logs" => lines(&[(1, "a")]).stalled(),
        _ => Reply::Hang,
    })
    .await;
    let mut logs = account(&server).endpoint("e").logs();
    assert!(!logs.is_open());
    assert_eq!(logs.next().await.unwrap().unwrap().line, "a");
    assert!(!logs.is_open(), "the log of w2 has not begun");

    let mut logs = account(&server).endpoint("e").worker_logs("w1");
    assert_eq!(logs.next().await.unwrap().unwrap().line, "a");
    assert!(logs.is_open());
}

#[tokio::test]
async fn a_web_page_is_not_taken_for_a_deletion() {
    let html = |status, body: &str| Reply::Answer {
        status,
        headers: vec![("content-type", "text/html".to_owned())],
        body: body.to_owned(),
    };
    let page = html(200, "<!doctype html><title>sign in</title>");
    let server = Script::of([page, html(204, ""), Reply::ok(r#"{"id": "v"}"#)]).await;
    let account = account(&server);
    let error = account.delete_network_volume("v").await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Decode, Some(200)));
    assert!(error.to_string().contains("a web page in place of no content"), "{error}");
    account.delete_network_volume("v").await.unwrap();
    account.delete_network_volume("v").await.unwrap();
}

#[tokio::test]
async fn a_deletion_whose_response_was_lost_may_have_taken_effect() {
    let missing = || Reply::json(404, r#"{"title": "Not Found"}"#);
    let server = Script::of([Reply::Close, missing(), missing()]).await;
    let account = account(&server);
    let error = account.delete_network_volume("v").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let said = "an earlier attempt of this call may have taken effect";
    assert!(error.to_string().contains(said), "{error}");
    let error = account.delete_network_volume("v").await.unwrap_err();
    assert!(error.kind() == ErrorKind::NotFound && !error.to_string().contains(said), "{error}");
}

#[tokio::test]
async fn a_line_that_cannot_be_read_is_an_error_in_its_place() {
    let Reply::Answer { status, headers, body } = lines(&[(1, "a"), (3, "c")]) else { panic!() };
    let body = body.replacen("\n\n", &format!("\n\nid: {}\ndata: {{}}\n\n", ts(2)), 1);
    let server = Script::of([Reply::Answer { status, headers, body }]).await;
    let texts = texts(account(&server).pod("p").logs()).await;
    assert_eq!(texts, [Ok("a".to_owned()), Err(ErrorKind::Decode), Ok("c".to_owned())]);
}

/// Of events of another type, only the errors are reported.
#[tokio::test]
async fn events_of_another_type_are_no_lines() {
    let Reply::Answer { status, headers, body } = lines(&[(1, "a"), (2, "b")]) else { panic!() };
    let others = "event: ping\ndata: {}\n\nevent: error\ndata: {\"detail\": \"no log store\"}\n\n";
    let body = body.replacen("\n\n", &format!("\n\n{others}"), 1);
    let server = Script::of([Reply::Answer { status, headers, body }]).await;
    let mut logs = account(&server).pod("p").logs();
    assert_eq!(logs.next().await.unwrap().unwrap().line, "a");
    let error = logs.next().await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Server, None));
    assert!(error.to_string().contains("no log store"), "{error}");
    assert_eq!(logs.next().await.unwrap().unwrap().line, "b");
    assert!(logs.next().await.is_none());
}

#[tokio::test]
async fn the_logs_of_an_endpoint_are_those_of_its_workers() {
    let server = Script::by(|request| match request.target.as_str() {
        "/v2/serverless/e/workers" => {
            // What has no id has no log.
            let nameless = json!([null, {"id": ""}, {"id": null}]);
            let mut workers = nameless.as_array().unwrap().clone();
            workers.extend(["w1", "w2", "new"].map(|id| json!({"id": id})));
            Reply::ok(json!({"workers": workers}))
        }
        "/v2/serverless/e/workers/w1/logs?tail=5" => lines(&[(1, "a"), (2, "b")]),
        "/v2/serverless/e/workers/w2/logs?tail=5" => lines(&[(1, "c")]),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let logs = account(&server).endpoint("e").logs().tail(5);
    let mut lines: Vec<_> = logs.map(|it| it.unwrap()).collect().await;
    lines.sort_by(|a, b| a.line.cmp(&b.line));
    let shown: Vec<_> =
        lines.iter().map(|it| (it.worker_id.as_deref().unwrap(), it.line.as_str())).collect();
    assert_eq!(shown, [("w1", "a"), ("w1", "b"), ("w2", "c")]);
}

/// A server of one endpoint, whose numbers of workers it keeps, and its client.
async fn endpoint_of(min: u32, max: u32) -> Script {
    let workers = std::sync::Mutex::new(json!({"min": min, "max": max, "idleTimeout": 7}));
    Script::by(move |request| {
        let mut workers = workers.lock().unwrap();
        if request.method == "PATCH" {
            *workers = request.json()["workers"].clone();
        }
        Reply::ok(json!({"id": "e", "workers": *workers}))
    })
    .await
}

/// The numbers that were sent.
fn sent(server: &Script) -> Vec<Value> {
    let changes = server.requests().into_iter().filter(|it| it.method == "PATCH");
    changes.map(|it| it.json()).collect()
}

fn workers(min: u32, max: u32) -> Value {
    json!({"workers": {"min": min, "max": max, "idleTimeout": 7}})
}

#[tokio::test]
async fn scaling_is_restored_once() {
    let server = endpoint_of(0, 3).await;
    let endpoint = account(&server).endpoint("e");
    let mut scaled = endpoint.scale(2, 5).await.unwrap();
    assert_eq!(scaled.former(), WorkerLimits { min: 0, max: 3 });
    assert_eq!(scaled.set(), WorkerLimits { min: 2, max: 5 });
    assert!(scaled.restore().await.unwrap());
    drop(scaled);
    assert_eq!(sent(&server), [workers(2, 5), workers(0, 3)]);

    // Of a process that ended before it restored the numbers.
    let before = endpoint.scale(4, 4).await.unwrap();
    let (former, set) = (before.former(), before.set());
    before.keep();
    assert!(endpoint.scaled(former, set).restore().await.unwrap());
    assert_eq!(sent(&server)[2..], [workers(4, 4), workers(0, 3)]);
    let refused = endpoint.scale(2, 1).await.unwrap_err();
    assert_eq!((refused.kind(), refused.field()), (ErrorKind::InvalidRequest, Some("min")));
}

#[tokio::test]
async fn a_dropped_guard_restores_in_the_background() {
    let server = endpoint_of(1, 3).await;
    let scaled = account(&server).endpoint("e").scale(2, 3).await.unwrap();
    drop(scaled);
    until(|| sent(&server).len() == 2).await;
    assert_eq!(sent(&server), [workers(2, 3), workers(1, 3)]);
}

#[cfg(feature = "blocking")]
#[test]
fn a_guard_is_dropped_outside_of_a_runtime() {
    use podqueue::blocking::Block;

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(endpoint_of(1, 3));
    drop(account(&server).endpoint("e").scale(2, 3).block().unwrap());
    runtime.block_on(until(|| sent(&server).len() == 2));
    assert_eq!(sent(&server), [workers(2, 3), workers(1, 3)]);
}

#[tokio::test]
async fn another_change_in_the_meantime_is_left_alone() {
    let server = endpoint_of(0, 3).await;
    let endpoint = account(&server).endpoint("e");
    let mut scaled = endpoint.scale(2, 5).await.unwrap();
    endpoint.scale(0, 0).await.unwrap().keep();
    assert!(!scaled.restore().await.unwrap());
    drop(scaled);
    assert_eq!(sent(&server), [workers(2, 5), workers(0, 0)]);
}

/// A guard that was dropped, and left the numbers of another change alone, says so.
#[tokio::test]
async fn a_dropped_guard_that_restores_nothing_is_a_warning() {
    let server = endpoint_of(0, 3).await;
    let endpoint = account(&server).endpoint("e");
    let former = endpoint.scale(2, 5).await.unwrap();
    let mut later = endpoint.scale(4, 5).await.unwrap();
    let spans = ClosedSpans::record();
    drop(former);
    until(|| spans.text().contains("they were changed again since")).await;
    assert!(later.restore().await.unwrap());
    assert_eq!(sent(&server).last(), Some(&workers(2, 5)), "that of the former guard");
}

/// The values of a changed field may be secrets.
#[tokio::test]
async fn the_values_of_a_release_are_not_shown() {
    let diff = json!([{"field": "env", "old": null, "new": {"A": "env-canary"}}]);
    let server = Script::of([Reply::ok(json!({"releases": [{"id": "r", "diff": diff}]}))]).await;
    let releases = account(&server).list_endpoint_releases("e").await.unwrap();
    assert!(!format!("{releases:?}").contains("env-canary"), "{releases:?}");
    assert_eq!(json!(releases.releases[0].diff[0])["new"], json!({"A": "env-canary"}));
}

/// The change takes effect, and its response is lost.
#[tokio::test]
async fn scaling_of_unknown_outcome_is_restored() {
    let former = || Reply::ok(json!({"workers": {"min": 0, "max": 3, "idleTimeout": 7}}));
    let set = Reply::ok(json!({"workers": {"min": 2, "max": 5, "idleTimeout": 7}}));
    let server = Script::of([former(), Reply::Close, set, former()]).await;
    let error = account(&server).endpoint("e").scale(2, 5).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    until(|| sent(&server).len() == 2).await;
    assert_eq!(sent(&server), [workers(2, 5), workers(0, 3)]);

    // A refusal has no effect.
    let server = Script::of([former(), Reply::json(400, "{}")]).await;
    account(&server).endpoint("e").scale(2, 5).await.unwrap_err();
    tokio::task::yield_now().await;
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_guard_that_is_made_outside_of_a_runtime_does_no_harm() {
    let client = Client::builder().api_key("k").account_url("http://127.0.0.1:9").build().unwrap();
    let limits = WorkerLimits { min: 0, max: 1 };
    drop(client.account().endpoint("e").scaled(limits, limits));
    let mut logs = client.account().pod("p").logs();
    let error = logs.next().now_or_never().unwrap().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{error}");
}
