//! Tests of `doctor --job` by the account interface: why a job is queued.

use podqueue_local::{LocalService, Workers};
use serde_json::{Value, json};

use crate::account_server::{AccountServer, Received, event, events, ok};
use crate::support::{Fixture, ran};

/// The diagnosis of a queued job, given the endpoint's maximum and its workers.
async fn diagnosis(max: u32, workers: Value, more: &[&str]) -> String {
    let builder = LocalService::builder().workers_of("echo", Workers::between(0, 0));
    let fixture = Fixture::with(builder).await;
    let job = fixture.submit("echo", "{}").await;
    let server = AccountServer::start(move |request: &Received| {
        let path = request.line.split('?').next().unwrap();
        match path.rsplit('/').next().unwrap() {
            "workers" => ok(json!({"workers": workers, "endpointVersion": 3})),
            "logs" => events(event(1, "CUDA out of memory")),
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
            "1 of 2 workers are throttled",
        ),
        (
            2,
            json!([worker("a", "UNHEALTHY")]),
            "1 of 1 workers are unhealthy; the last line of its log: CUDA out of memory",
        ),
        (2, json!([stale.clone()]), "1 of 1 workers run a stale release"),
        (2, json!([stale.clone()]), "of the latest, 3 (changed: image)"),
        (2, json!([worker("a", "INITIALIZING")]), "1 of 1 workers are initializing"),
        (
            2,
            json!([worker("a", "RUNNING"), worker("b", "RUNNING")]),
            "all workers are busy: 2 of 2, and 1 jobs are queued",
        ),
        (3, json!([worker("a", "RUNNING")]), "there may be 3: one is added when a job has waited"),
        (2, json!([worker("a", "IDLE")]), "a worker is idle"),
        (2, json!([]), "there is no worker yet, of at most 2"),
        (2, json!([worker("a", "PAUSED")]), "echo has 1 workers of 0 to 2"),
    ] {
        let shown = diagnosis(max, workers, &[]).await;
        assert!(shown.contains(reason), "{reason}: {shown}");
    }
    let json = diagnosis(0, json!([]), &["--json"]).await;
    for line in json.lines() {
        crate::json::check_shape("check", &serde_json::from_str(line).unwrap());
    }
    assert!(json.contains(r#""check":"account","state":"ok""#), "{json}");
}
