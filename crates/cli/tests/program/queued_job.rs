//! Tests of `doctor --job` by the account interface: why a job is queued.

use podqueue_local::{LocalService, Workers};
use serde_json::{Value, json};

use crate::account_server::{AccountServer, Received, event, events, ok};
use crate::support::{Fixture, KEY, ran};

/// The diagnosis of a queued job, given the endpoint's maximum and its workers.
async fn diagnosis(max: u32, workers: Value, more: &[&str]) -> String {
    let builder = LocalService::builder().workers_of("echo", Workers::between(0, 0));
    let fixture = Fixture::with(builder).await;
    let job = fixture.submit("echo", "{}").await;
    let server = AccountServer::start(move |request: &Received| {
        let path = request.line.split('?').next().unwrap();
        match path.rsplit('/').next().unwrap() {
            "workers" => ok(json!({"workers": workers, "endpointVersion": 3})),
            "logs" => events(event(1, &format!("CUDA out of memory with {KEY}"))),
            "releases" => ok(json!({"endpointVersion": 3, "releases": [
                {"id": "a", "version": 2, "diff": [{"field": "env"}]},
                {"id": "b", "version": 3, "diff": [{"field": "image"}]},
            ]})),
            _ => ok(json!({
                "id": "echo", "workers": {"min": 0, "max": max},
                "scaling": {"type": "QUEUE_DELAY", "queueDelay": 4},
            })),
        }
    })
    .await;
    let mut doctor = fixture.program(&["doctor", "echo", "--job", &job]);
    let ran = ran(doctor.env("PODQUEUE_ACCOUNT_URL", &server.url).args(more)).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}

fn worker(id: &str, status: &str) -> Value {
    json!({"id": id, "status": status, "isStale": false, "gpuCount": 1})
}

#[tokio::test]
async fn a_queued_job_is_explained() {
    let stale = json!({"id": "a", "status": "IDLE", "isStale": true, "version": 2, "gpuCount": 1});
    for (max, workers, reason) in [
        (0, json!([]), "no worker is allowed: the maximum of workers is 0"),
        (
            2,
            json!([worker("a", "THROTTLED"), worker("b", "RUNNING")]),
            "1 of 2 workers is throttled",
        ),
        (
            1,
            json!([worker("a", "THROTTLED"), worker("b", "RUNNING")]),
            "the other workers are busy: 1 of 1, and 1 job is queued; to allow more",
        ),
        (
            2,
            json!([worker("a", "UNHEALTHY")]),
            "1 of 1 worker is unhealthy; the last line of its log: CUDA out of memory with [redacted]",
        ),
        (2, json!([stale.clone()]), "1 of 1 worker runs a stale release"),
        (2, json!([stale.clone()]), "of the latest, 3 (changed: image)"),
        (2, json!([worker("a", "INITIALIZING")]), "1 of 1 worker is initializing"),
        (
            2,
            json!([worker("a", "RUNNING"), worker("b", "RUNNING")]),
            "all workers are busy: 2 of 2, and 1 job is queued",
        ),
        (3, json!([worker("a", "RUNNING")]), "there may be 3: one is added when a job has waited"),
        (2, json!([worker("a", "IDLE")]), "a worker is idle"),
        (2, json!([]), "there is no worker yet, of at most 2"),
        (2, json!([worker("a", "PAUSED")]), "echo has 1 worker of 0 to 2"),
    ] {
        let shown = diagnosis(max, workers, &[]).await;
        assert!(shown.contains(reason), "{reason}: {shown}");
    }
    // Sentences that contradict each other.
    for (workers, absent) in [
        (json!([worker("a", "THROTTLED")]), &["there are none", "starts one"][..]),
        (json!([worker("a", "THROTTLED"), worker("b", "IDLE")]), &["is IN_QUEUE\n  1 of"]),
        (json!([stale]), &["should take it any moment"]),
    ] {
        let shown = diagnosis(2, workers, &[]).await;
        assert!(absent.iter().all(|text| !shown.contains(text)), "{shown}");
    }
    let json = diagnosis(0, json!([]), &["--json"]).await;
    for line in json.lines() {
        crate::json::check_shape("check", &serde_json::from_str(line).unwrap());
    }
    assert!(json.contains(r#""check":"account","state":"ok""#), "{json}");
}

#[tokio::test]
async fn a_load_balancer_has_no_queue_to_diagnose() {
    let fixture = Fixture::start().await;
    let server =
        AccountServer::start(|request: &Received| match request.line.ends_with("/workers") {
            true => ok(json!({"workers": [worker("a", "IDLE")]})),
            false => ok(json!({
                "id": "lb", "type": "LOAD_BALANCER", "workers": {"min": 0, "max": 3},
                "scaling": {"type": "REQUEST_COUNT", "requestCount": 4},
            })),
        })
        .await;
    let mut doctor = fixture.program(&["doctor", "lb"]);
    let shown = ran(doctor.env("PODQUEUE_ACCOUNT_URL", &server.url)).await;
    assert_eq!(shown.code, 0, "{shown:?}");
    let line = "skipped  queue     the endpoint is a load balancer: it has no queue";
    assert!(shown.stdout.contains(line) && shown.stdout.contains("1 idle"), "{}", shown.stdout);
    let mut doctor = fixture.program(&["doctor", "lb", "--job", "j"]);
    let shown = ran(doctor.env("PODQUEUE_ACCOUNT_URL", &server.url)).await;
    assert_eq!(shown.code, 2, "{shown:?}");
    assert!(shown.stdout.contains("it has no jobs"), "{}", shown.stdout);
}
