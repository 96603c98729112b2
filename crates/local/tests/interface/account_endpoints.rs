//! Endpoints of the account interface: they exist at once for the queue, with the workers that their
//! settings allow.

use podqueue_local::{HandlerError, LocalJob, Workers};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Service, assert_problem, eventually, log_events, members, seconds};

fn endpoint(image: &str, workers: Value) -> Value {
    json!({
        "name": "mine",
        "type": "QUEUE",
        "image": image,
        "scaling": { "type": "QUEUE_DELAY", "queueDelay": 4 },
        "gpu": { "pools": ["ADA_24"] },
        "workers": workers,
    })
}

async fn create(service: &Service, body: Value) -> String {
    let created = service.account_send(Method::POST, "/serverless", body).await;
    created["id"].as_str().unwrap().to_owned()
}

async fn update(service: &Service, id: &str, body: Value) -> Value {
    service.account_send(Method::PATCH, &format!("/serverless/{id}"), body).await
}

async fn workers(service: &Service, id: &str) -> Value {
    service.account_get(&format!("/serverless/{id}/workers")).await
}

async fn until_total(service: &Service, id: &str, total: u64) {
    eventually(&format!("{total} workers"), async || {
        workers(service, id).await["summary"]["total"] == total
    })
    .await;
}

#[tokio::test]
async fn a_new_endpoint_runs_jobs_at_once_as_the_name_of_its_image_says() {
    let service = Service::still(|builder| {
        builder.endpoint("double", |job: LocalJob| async move {
            Ok(json!(2 * job.input["n"].as_i64().unwrap()))
        })
    })
    .await;
    for (image, input, output) in [
        ("registry.example/team/double:1", json!({ "n": 21 }), json!(42)),
        ("count@sha256:ab", json!({ "n": 0 }), json!([{ "n": 0 }])),
        ("registry.example/anything", json!({ "a": 1 }), json!({ "a": 1 })),
    ] {
        let id = create(&service, endpoint(image, json!({ "max": 1 }))).await;
        let job = service.run(&id, json!({ "input": input })).await;
        let record = service.until(&id, &job, "COMPLETED").await;
        assert_eq!(record["output"], output);
    }
    let listed = service.account_get("/serverless").await;
    assert_eq!(listed["endpoints"].as_array().unwrap().len(), 8, "{listed}");
}

#[tokio::test]
async fn the_numbers_of_workers_bound_those_of_the_queue() {
    let service = Service::still(|builder| builder).await;
    let id = create(&service, endpoint("sleep", json!({ "min": 0, "max": 0 }))).await;
    let job = service.run(&id, json!({ "input": { "ms": 60_000 } })).await;
    service.run(&id, json!({ "input": { "ms": 60_000 } })).await;
    assert_eq!(service.status(&id, &job).await.1["status"], "IN_QUEUE");
    assert_eq!(workers(&service, &id).await["summary"]["total"], 0);

    update(&service, &id, json!({ "workers": { "max": 1 } })).await;
    service.until_busy(&id, 1, 1).await;
    // Without a worker allowed, the running job ends, and no other begins.
    update(&service, &id, json!({ "workers": { "max": 0 } })).await;
    service.advance(seconds(60));
    service.until(&id, &job, "COMPLETED").await;
    until_total(&service, &id, 0).await;
    service.until_busy(&id, 0, 1).await;

    let changed = update(&service, &id, json!({ "workers": { "min": 2, "max": 3 } })).await;
    assert_eq!(changed["workers"], json!({ "min": 2, "max": 3, "idleTimeout": 10 }));
    until_total(&service, &id, 2).await;
    service.advance(seconds(3600));
    until_total(&service, &id, 2).await;
    update(&service, &id, json!({ "workers": { "min": 0, "idleTimeout": 20 } })).await;
    until_total(&service, &id, 2).await;
    service.advance(seconds(20));
    until_total(&service, &id, 0).await;
    // The limits of an endpoint that the service had from its start change, too.
    update(&service, "echo", json!({ "workers": { "min": 3 } })).await;
    until_total(&service, "echo", 3).await;
}

#[tokio::test]
async fn a_change_of_what_workers_run_is_a_release() {
    let service = Service::still(|builder| builder).await;
    let id = create(&service, endpoint("sleep:1", json!({ "min": 2, "max": 2 }))).await;
    until_total(&service, &id, 2).await;
    let job = service.run(&id, json!({ "input": { "ms": 1000 } })).await;
    service.until_busy(&id, 1, 0).await;
    update(&service, &id, json!({ "name": "other", "timeout": 1, "workers": { "max": 2 } })).await;
    let path = format!("/serverless/{id}/releases");
    let releases = service.account_get(&path).await;
    assert_eq!(
        (&releases["endpointVersion"], releases["releases"].as_array().unwrap().len()),
        (&json!(1), 1)
    );

    let body = json!({ "image": "sleep:2", "env": { "A": "b" }, "args": "" });
    update(&service, &id, body).await;
    let releases = service.account_get(&path).await;
    assert_eq!(releases["endpointVersion"], 2);
    assert_eq!(
        releases["releases"][0]["diff"],
        json!([
            { "field": "env", "old": {}, "new": { "A": "b" } },
            { "field": "image", "old": "sleep:1", "new": "sleep:2" },
        ])
    );
    // The idle worker is replaced at once, the running one when its job has ended.
    eventually("a worker of the new release", async || {
        service.account_get(&path).await["rollout"]
            == json!({
                "inProgress": true,
                "workersOnLatest": 1,
                "workersTotal": 2,
                "percentOnLatest": 50,
            })
    })
    .await;
    let stale = workers(&service, &id).await;
    let stale = stale["workers"].as_array().unwrap().iter().find(|it| it["isStale"] == true);
    let stale = stale.unwrap();
    assert_eq!((&stale["status"], &stale["version"]), (&json!("RUNNING"), &json!(1)));
    service.advance(seconds(1));
    service.until(&id, &job, "COMPLETED").await;
    eventually("an end of the rollout", async || {
        service.account_get(&path).await["rollout"]["percentOnLatest"] == 100
    })
    .await;
}

#[tokio::test]
async fn workers_on_gpus_without_capacity_are_throttled() {
    let service = Service::still(|builder| builder).await;
    let mut body = endpoint("echo", json!({ "max": 2 }));
    body["gpu"] = json!({ "pools": ["CDNA_192"] });
    let id = create(&service, body).await;
    let job = service.run(&id, json!({ "input": {} })).await;
    let found = workers(&service, &id).await;
    assert_eq!(
        (&found["summary"]["throttled"], &found["summary"]["total"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(found["workers"][0]["status"], "THROTTLED");
    assert_eq!(found["workers"][0]["startedAt"], Value::Null);
    assert_eq!(service.status(&id, &job).await.1["status"], "IN_QUEUE");
    update(&service, &id, json!({ "gpu": { "pools": ["CDNA_192", "ADA_24"] } })).await;
    service.until(&id, &job, "COMPLETED").await;
}

#[tokio::test]
async fn a_deleted_endpoint_is_gone_with_its_jobs_and_workers() {
    let service = Service::still(|builder| builder).await;
    let body = endpoint("sleep", json!({ "max": 1, "min": 1 }));
    let id = create(&service, body).await;
    let job = service.run(&id, json!({ "input": { "ms": 1000 } })).await;
    service.until_busy(&id, 1, 0).await;
    let path = format!("/serverless/{id}");
    assert_eq!(service.account(Method::DELETE, &path, None).await, (204, Value::Null));
    assert_eq!(service.status(&id, &job).await.0, 404);
    for path in [path.clone(), format!("{path}/workers"), format!("{path}/releases")] {
        assert_problem(&service.account(Method::GET, &path, None).await, 404, "endpoint");
    }
    assert_eq!(service.account(Method::DELETE, &path, None).await.0, 404);
}

#[tokio::test]
async fn a_patch_changes_what_it_has_and_null_or_an_empty_list_clears() {
    let service = Service::still(|builder| builder).await;
    let mut body = endpoint("echo", json!({ "min": 1 }));
    body["registry"] = json!("registry-credential-1");
    body["networkVolumes"] = json!(["volume-1"]);
    body["dataCenterIds"] = json!(["EU-1"]);
    body["env"] = json!({ "A": "b" });
    body["gpu"] = json!({ "pools": ["ADA_24"], "minCudaVersion": "12.4", "excludedTypes": ["a"] });
    body["flashboot"] = json!("FLASHBOOT");
    let id = create(&service, body).await;
    let path = format!("/serverless/{id}");
    let before = service.account_get(&path).await;
    assert_eq!(update(&service, &id, json!({})).await, before);
    let after = update(
        &service,
        &id,
        json!({
            "registry": null,
            "networkVolumes": [],
            "dataCenterIds": [],
            "gpu": { "count": 2, "minCudaVersion": "" },
        }),
    )
    .await;
    let mut expected = before.clone();
    expected["registry"] = Value::Null;
    expected["networkVolumes"] = json!([]);
    expected["dataCenterIds"] = json!([]);
    expected["gpu"]["count"] = json!(2);
    expected["gpu"]["minCudaVersion"] = Value::Null;
    assert_eq!(after, expected);
    assert_eq!((&after["env"], &after["flashboot"]), (&json!({ "A": "b" }), &json!("FLASHBOOT")));
    let after = update(&service, &id, json!({ "cpu": [{ "id": "cpu-3c", "vcpuCount": 2 }] })).await;
    assert_eq!((&after["gpu"], &after["cpu"][0]["memory"]), (&Value::Null, &json!(4)));
}

#[tokio::test]
async fn rules_beside_the_schema_are_kept() {
    let service = Service::still(|builder| builder).await;
    let valid = endpoint("echo", json!({}));
    let created = service.account_send(Method::POST, "/serverless", valid.clone()).await;
    assert_eq!((&created["flashboot"], &created["timeout"]), (&json!("OFF"), &json!(300_000)));
    let urls = members(&created["requestUrls"]);
    assert_eq!(
        urls,
        ["cancel", "health", "purgeQueue", "retry", "run", "runSync", "status", "stream"]
    );
    for (change, status, mentions) in [
        (json!({ "cpu": [{ "id": "a", "vcpuCount": 2 }] }), 400, "only one of gpu and cpu"),
        (json!({ "gpu": null }), 422, "gpu must be an object"),
        (json!({ "workers": { "min": 4 } }), 400, "workers.min is 4"),
        (json!({ "registry": "none" }), 404, "registry credential"),
        (json!({ "networkVolumes": ["none"] }), 404, "network volume"),
        (json!({ "templateId": "none" }), 404, "template"),
        (json!({ "type": "LOAD_BALANCER" }), 422, "REQUEST_COUNT"),
        (json!({ "scaling": { "type": "QUEUE_DELAY", "queueDelay": 0 } }), 422, "at least 0.5"),
        (json!({ "flashboot": true }), 422, "flashboot must be one of OFF"),
        (json!({ "imageName": "a" }), 422, "imageName is not a field"),
        (json!({ "workers": { "idle": 1 } }), 422, "workers.idle is not a field"),
    ] {
        let mut body = valid.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let answer = service.account(Method::POST, "/serverless", Some(body)).await;
        assert_problem(&answer, status, mentions);
    }
    for missing in ["name", "type", "image", "scaling"] {
        let mut body = valid.clone();
        body.as_object_mut().unwrap().remove(missing);
        let answer = service.account(Method::POST, "/serverless", Some(body)).await;
        assert_problem(&answer, 422, &format!("{missing} is required"));
    }
}

#[tokio::test]
async fn an_endpoint_of_workers_that_attach_has_their_environment() {
    let service = Service::still(|builder| builder.endpoint_for_workers("attached")).await;
    let id = create(&service, endpoint("registry.example/attached:2", json!({ "max": 1 }))).await;
    let worker = crate::support::Attached::new(&service, &id, "w1");
    let job = service.run(&id, json!({ "input": {} })).await;
    assert_eq!(worker.take_id().await, job);
    let status = async || workers(&service, &id).await["workers"][0]["status"].clone();
    assert_eq!(status().await, "RUNNING");
    worker.ping("status=unhealthy&check=gpu&reason=no%20driver").await;
    assert_eq!(status().await, "UNHEALTHY");
    let found = workers(&service, &id).await;
    assert_eq!(
        (&found["workers"][0]["id"], &found["summary"]["unhealthy"]),
        (&json!("w1"), &json!(1))
    );
    worker.done(&job, json!({ "output": 2 })).await;
    service.until(&id, &job, "COMPLETED").await;
}

#[tokio::test]
async fn the_endpoint_has_its_execution_timeout() {
    let service = Service::still(|builder| {
        builder.endpoint("forever", |job: LocalJob| async move {
            job.cancelled().await;
            Err(HandlerError::from("cancelled"))
        })
    })
    .await;
    let mut body = endpoint("forever", json!({ "max": 1 }));
    body["timeout"] = json!(7_000);
    let id = create(&service, body).await;
    let job = service.run(&id, json!({ "input": {} })).await;
    service.until_busy(&id, 1, 0).await;
    service.advance(seconds(6));
    assert_eq!(service.status(&id, &job).await.1["status"], "IN_PROGRESS");
    service.advance(seconds(1));
    assert_eq!(service.status(&id, &job).await.1["status"], "TIMED_OUT");
}

#[cfg(unix)]
#[tokio::test]
async fn the_output_of_a_worker_is_its_log() {
    let command = "echo one; echo two >&2; exec sleep 1000";
    let service = Service::still(|builder| {
        let builder = builder.worker_endpoint("printer", command);
        builder.workers_of("printer", Workers::between(0, 0))
    })
    .await;
    let id = create(&service, endpoint("printer", json!({ "min": 1, "max": 1 }))).await;
    let path = format!("/serverless/{id}/workers/worker-0/logs");
    let lines = log_events(&service, &path, None, 2).await;
    let mut texts: Vec<_> = lines.iter().map(|line| line["line"].as_str().unwrap()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["one", "two"]);
    assert!(lines.iter().all(|line| line["source"] == "container"));
    // The second, once more, and nothing else.
    let rest = log_events(&service, &path, lines[0]["ts"].as_str(), 1).await;
    assert_eq!(rest, lines[1..]);
    let unknown = path.replace("worker-0", "worker-7");
    assert_problem(&service.account(Method::GET, &unknown, None).await, 404, "worker");
}

/// Its workers would serve HTTP themselves.
#[tokio::test]
async fn a_load_balancer_says_that_nothing_serves_its_requests() {
    let service = Service::still(|builder| builder).await;
    let body = json!({
        "name": "l", "type": "LOAD_BALANCER", "image": "a", "gpu": { "pools": ["ADA_24"] },
        "scaling": { "type": "REQUEST_COUNT", "requestCount": 1 },
    });
    let endpoint = service.account_send(Method::POST, "/serverless", body).await;
    let id = endpoint["id"].as_str().unwrap();
    for path in ["", "/ping", "/health", "/v1/any"] {
        let (status, refused) = service.get(&format!("/v2/{id}{path}")).await;
        assert_eq!(status, 404, "{path}");
        assert!(refused["error"].as_str().unwrap().contains("is a load balancer"), "{refused}");
    }
}
