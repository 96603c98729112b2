//! Observations for metrics, and tracing spans.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue::{ClientBuilder, Error, ErrorKind, Observation};
use serde_json::json;

use crate::support::{ClosedSpans, Reply, Script};

/// The observations, one line each.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn watch(&self, settings: ClientBuilder) -> ClientBuilder {
        let seen = Arc::clone(&self.0);
        settings.observe(move |observation| seen.lock().unwrap().push(line(observation)))
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn line(observation: &Observation<'_>) -> String {
    match observation {
        Observation::CallEnded { operation, endpoint_id, attempts, status, error, .. } => format!(
            "{operation} {} ended after {attempts}: {status:?} {error:?}",
            endpoint_id.unwrap_or("-")
        ),
        Observation::Retried { operation, error, .. } => format!("{operation} again: {error:?}"),
        Observation::Throttled { operation, retry_after, .. } => {
            format!("{operation} throttled: {retry_after:?}")
        }
        Observation::Limited { operation, .. } => format!("{operation} waits for its limit"),
        Observation::Polled { operation, endpoint_id, job_id, .. } => {
            format!("{operation} polled: {endpoint_id} {job_id}")
        }
        Observation::WaitEnded { endpoint_id, job_id, polls, error, .. } => {
            format!("wait for {endpoint_id} {job_id} ended after {polls}: {error:?}")
        }
        other => format!("{other:?}"),
    }
}

/// The client maps the runtime's events to its own. The runtime's enum is non-exhaustive, so the
/// compiler does not report a missing one.
#[test]
fn every_event_of_the_runtime_is_passed_on() {
    let client = include_str!("../../src/observe.rs");
    let runtime = include_str!("../../crates/runtime/src/observe.rs");
    let variant = |line: &'static str| line.strip_prefix("    ")?.strip_suffix(" {");
    let is_name = |name: &&str| name.chars().all(char::is_alphanumeric);
    let events: Vec<_> = runtime.lines().filter_map(variant).filter(is_name).collect();
    assert!(events.contains(&"CallEnded"), "{events:?}");
    for event in events {
        assert!(client.contains(&format!("Of::{event} {{")), "{event} is dropped");
    }
}

#[tokio::test]
async fn calls_retries_429s_polls_and_waits_are_observed() {
    let server = Script::of([
        Reply::ok(json!({"id": "j", "status": "IN_QUEUE"})),
        Reply::json(502, "{}"),
        Reply::ok(json!({"id": "j", "status": "IN_PROGRESS"})),
        Reply::json(429, "{}").header("retry-after", "0"),
        Reply::ok(json!({"id": "j", "status": "FAILED", "error": "no"})),
        Reply::json(404, "{}"),
    ])
    .await;
    let seen = Seen::default();
    let client = seen.watch(server.settings()).build().unwrap();
    let job = client.endpoint("ep").run(&json!({})).await.unwrap();
    let failed = job.wait().await.unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::JobFailed);
    assert!(client.rest().get_pod("p").await.is_err());
    assert_eq!(
        seen.lines(),
        [
            "run ep ended after 1: Some(200) None",
            "status polled: ep j",
            "status again: Server",
            "status ep ended after 2: Some(200) None",
            "status polled: ep j",
            "status throttled: Some(0ns)",
            "status again: RateLimited",
            "status ep ended after 2: Some(200) None",
            "wait for ep j ended after 2: Some(JobFailed)",
            "get_pod - ended after 1: Some(404) Some(NotFound)",
        ]
    );
}

#[tokio::test]
async fn an_observation_has_the_time_that_a_call_took() {
    let late = Duration::from_millis(50);
    let server = Script::of([Reply::ok(json!({"id": "j", "status": "IN_QUEUE"})).late(late)]).await;
    let times = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&times);
    let settings = server.settings().observe(move |observation| {
        if let Observation::CallEnded { elapsed, limiter_wait, .. } = observation {
            told.lock().unwrap().push((*elapsed, *limiter_wait));
        }
    });
    settings.build().unwrap().endpoint("ep").job("j").status().await.unwrap();
    let times = times.lock().unwrap();
    assert_eq!(times.len(), 1);
    assert!(times[0].0 >= late && times[0].1 < late, "{times:?}");
}

#[cfg(feature = "account")]
#[tokio::test]
async fn a_long_wait_for_a_rate_limit_is_observed() {
    let reply = Reply::ok(json!({"pods": []})).header("ratelimit", r#""minute";r=0;t=1"#);
    let server = Script::then_always([], reply).await;
    let seen = Seen::default();
    let settings = server.settings().rate_limits(podqueue::RateLimits::new());
    let account = seen.watch(settings).build().unwrap().account();
    for _ in 0..2 {
        account.list_pods().await.unwrap();
    }
    let ended = "list_pods - ended after 1: Some(200) None";
    assert_eq!(seen.lines(), [ended, "list_pods waits for its limit", ended]);
}

#[tokio::test]
async fn a_call_is_a_span_with_the_names_of_opentelemetry() {
    let record = json!({"id": "j", "status": "IN_QUEUE"});
    let server =
        Script::of([Reply::json(503, "{}"), Reply::ok(&record), Reply::json(404, "{}")]).await;
    let spans = ClosedSpans::record();
    let client = server.client();
    let job = client.endpoint("ep").job("j");
    job.status().ttl(Duration::from_secs(5)).await.unwrap();
    let gone: Error = client.rest().get_pod("p").await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    let closed = spans.stop();
    let port = server.url().rsplit(':').next().unwrap();
    assert_eq!(closed.len(), 2, "{closed:?}");
    for attribute in [
        "otel.name=GET status",
        "otel.kind=\"client\"",
        "http.request.method=\"GET\"",
        "server.address=\"127.0.0.1\"",
        &format!("server.port={port}"),
        &format!("url.full=\"{}/v2/ep/status/j\"", server.url()),
        "podqueue.operation=\"status\"",
        "podqueue.endpoint=\"ep\"",
        "http.response.status_code=200",
        "http.request.resend_count=1",
        "podqueue.attempts=2",
        "podqueue.limiter_wait_ms=0",
    ] {
        assert!(closed[0].contains(attribute), "{attribute} is missing in {}", closed[0]);
    }
    assert!(!closed[0].contains("error.type"), "{}", closed[0]);
    assert!(closed[1].contains("http.response.status_code=404"), "{}", closed[1]);
    assert!(closed[1].contains("error.type=\"not_found\""), "{}", closed[1]);
    assert!(!closed[1].contains("podqueue.endpoint"), "{}", closed[1]);
}
