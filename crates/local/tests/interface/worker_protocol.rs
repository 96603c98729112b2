//! Worker protocol: each route and rule, as a worker sees it.

use podqueue_local::{Builder, Fault, Operation};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Attached, Service, assert_refused, members, seconds};

fn open(builder: Builder) -> Builder {
    builder.endpoint_for_workers("e").control_plane()
}

async fn health(service: &Service) -> Value {
    service.get("/v2/e/health").await.1
}

#[tokio::test]
async fn a_job_is_taken_with_all_submitted_fields_and_done() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let mut body = json!({
        "input": { "a": 1 },
        "policy": { "executionTimeout": 5000, "ttl": 10_000, "lowPriority": true },
        "s3Config": {
            "accessId": "id",
            "accessSecret": "hush",
            "bucketName": "bucket",
            "endpointUrl": "https://storage.example",
        },
        "webhook": "http://127.0.0.1:9/",
    });
    let id = service.run("e", body.clone()).await;
    body["id"] = json!(id);
    assert_eq!(worker.take().await, Some(body));
    assert_eq!(service.status("e", &id).await.1["status"], "IN_PROGRESS");
    service.advance(seconds(2));
    worker.done(&id, json!({ "output": { "b": 2 } })).await;
    let expected = json!({
        "id": id, "status": "COMPLETED", "delayTime": 0, "executionTime": 2000, "output": { "b": 2 },
    });
    assert_eq!(service.status("e", &id).await.1, expected);
    // Members that were not submitted are absent.
    service.run("e", json!({ "input": {} })).await;
    assert_eq!(members(&worker.take().await.unwrap()), ["id", "input"]);
}

#[tokio::test]
async fn names_end_at_an_ampersand_and_are_decoded() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let id = service.run("e", json!({ "input": {} })).await;
    let (_, job) = worker.get("job-take/a%2Db&job_in_progress=0").await;
    assert_eq!(job["id"], id);
    let (_, workers) = service.get("/_local/endpoints/e/workers").await;
    assert_eq!(workers[0]["id"], "a-b");
    for _ in 0..3 {
        service.run("e", json!({ "input": {} })).await;
    }
    let (_, jobs) = worker.get("job-take-batch/w&batch_size=2&job_in_progress=1").await;
    assert_eq!(jobs.as_array().unwrap().len(), 2);
    let path = format!("job-done/a%2Db/{id}&isStream=false");
    assert_eq!(worker.post(&path, r#"{"output": 1}"#).await.0, 200);
    assert_eq!(service.status("e", &id).await.1["output"], 1);
    for path in ["job-take/", "job-take/a/b", "job-stop/&a=b"] {
        assert_eq!(worker.get(path).await.0, 404, "{path}");
    }
    for path in ["job-done/w", "job-done/w/", "job-done/w/a/b", "job-stream//a"] {
        assert_eq!(worker.post(path, "{}").await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn a_batch_has_as_many_jobs_as_there_are_up_to_its_size() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(service.run("e", json!({ "input": {} })).await);
    }
    let mut taken = worker.take_batch(3).await;
    assert_eq!(taken.len(), 3);
    let expected = json!({ "idle": 0, "running": 1 });
    assert_eq!(health(&service).await["workers"], expected, "one worker runs three jobs");
    assert_eq!(health(&service).await["jobs"]["inProgress"], 3);
    taken.extend(worker.take_batch(3).await);
    let taken: Vec<&str> = taken.iter().map(|job| job["id"].as_str().unwrap()).collect();
    assert_eq!(taken, ids);
    for (done, id) in ids.iter().enumerate() {
        assert_eq!(health(&service).await["jobs"]["inProgress"], 5 - done);
        worker.done(id, json!({})).await;
    }
    assert_eq!(health(&service).await["workers"], json!({ "idle": 1, "running": 0 }));
    assert_eq!(worker.get("job-take-batch/w?batch_size=0").await.0, 400);
}

#[tokio::test]
async fn a_worker_learns_which_jobs_to_stop() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let policies = [json!({}), json!({ "executionTimeout": 5000 }), json!({ "ttl": 10_000 })];
    let mut ids = Vec::new();
    for policy in policies {
        ids.push(service.run("e", json!({ "input": {}, "policy": policy })).await);
    }
    assert_eq!(worker.take_batch(9).await.len(), 3);
    let path = format!("/v2/e/cancel/{}", ids[0]);
    let (cancelled, stopped) = tokio::join!(service.post(&path), worker.to_stop());
    assert_eq!(cancelled.0, 200);
    assert_eq!(stopped, json!([ids[0]]));
    // A job that times out is to be stopped as well.
    service.advance(seconds(5));
    service.until("e", &ids[1], "TIMED_OUT").await;
    assert_eq!(worker.to_stop().await, json!([ids[1]]));
    service.advance(seconds(5));
    assert_eq!(service.status("e", &ids[2]).await.0, 404);
    assert_eq!(worker.to_stop().await, json!([ids[2]]));
    assert_eq!(health(&service).await["workers"], json!({ "idle": 1, "running": 0 }));
    // A result that comes all the same is of no effect.
    worker.done(&ids[0], json!({ "output": 1 })).await;
    let (_, record) = service.status("e", &ids[0]).await;
    assert_eq!((&record["status"], record.get("output")), (&json!("CANCELLED"), None));
}

/// A stop that the worker has not heard of yet is not about the job's next attempt.
#[tokio::test]
async fn a_retried_job_is_not_stopped() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let body = json!({ "input": {}, "policy": { "executionTimeout": 5000 } });
    let id = service.run("e", body).await;
    worker.take_id().await;
    service.advance(seconds(5));
    assert_eq!(service.post(&format!("/v2/e/retry/{id}")).await.0, 200);
    assert_eq!(worker.take_id().await, id);
    assert_eq!(worker.to_stop().await, Value::Null);
}

/// A worker may drop a result that was refused. A caller that waits for the job gets the reason.
#[tokio::test]
async fn a_job_that_times_out_after_its_result_was_refused_says_so() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let body = json!({ "input": {}, "policy": { "executionTimeout": 5000 } });
    let id = service.run("e", body).await;
    worker.take_id().await;
    for _ in 0..3 {
        let refused = worker.report(&id, r#"{"output": NaN}"#).await;
        assert_refused(&refused, StatusCode::BAD_REQUEST, "NaN and Infinity are not JSON");
    }
    let logs = service.local.worker_logs("e");
    assert_eq!(logs.len(), 1, "{logs:?}");
    assert_eq!((logs[0].worker.as_str(), logs[0].job.as_deref()), ("w", Some(id.as_str())));
    assert!(logs[0].text.contains("was refused: the body is not JSON"), "{logs:?}");
    service.advance(seconds(5));
    let record = service.until("e", &id, "TIMED_OUT").await;
    let error = record["error"].as_str().unwrap();
    assert!(
        error.starts_with("a report of the worker was refused: the body is not JSON"),
        "{error}"
    );
    // The result of the next attempt is its own.
    assert_eq!(service.post(&format!("/v2/e/retry/{id}")).await.0, 200);
    worker.take_id().await;
    service.advance(seconds(5));
    let record = service.until("e", &id, "TIMED_OUT").await;
    assert_eq!(record.get("error"), None);
    // A report of a worker that does not have the job has no effect.
    assert_eq!(worker.report(&id, "NaN").await.0, 400);
    assert_eq!(service.status("e", &id).await.1.get("error"), None);
}

#[tokio::test]
async fn chunks_are_streamed_as_they_come() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let id = service.run("e", json!({ "input": {} })).await;
    worker.take_id().await;
    for n in 0..3 {
        worker.stream(&id, json!({ "n": n })).await;
        let (_, chunks) = service.get(&format!("/v2/e/stream/{id}")).await;
        assert_eq!(chunks.as_array().unwrap().len(), 1);
        assert_eq!(chunks[0]["output"], json!({ "n": n }));
        assert_eq!(chunks[0]["metrics"]["stream_index"], n);
    }
    let path = format!("job-stream/w/{id}?isStream=false");
    let body = json!({ "output": "x", "metrics": { "output_tokens": 7 } }).to_string();
    assert_eq!(worker.post(&path, body).await.0, 200);
    let (_, chunks) = service.get(&format!("/v2/e/stream/{id}")).await;
    assert_eq!(chunks[0]["metrics"]["output_tokens"], 7);
    assert_eq!(worker.post(&path, "{}").await.0, 400);
}

#[tokio::test]
async fn a_report_becomes_the_record() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let progress = json!({ "status": "IN_PROGRESS", "output": "half" });
    let cases = [
        (json!({ "output": null }), "COMPLETED", Some(Value::Null), None),
        (json!({}), "COMPLETED", None, None),
        (json!({ "error": "no memory" }), "FAILED", None, Some("no memory")),
        (json!({ "error": { "a": 1 } }), "FAILED", None, Some(r#"{"a":1}"#)),
        (json!({ "error": "e", "output": [1] }), "FAILED", Some(json!([1])), Some("e")),
        (json!({ "error": null, "output": 1 }), "COMPLETED", Some(json!(1)), None),
    ];
    for (report, status, output, error) in cases {
        let id = service.run("e", json!({ "input": {} })).await;
        worker.take_id().await;
        worker.done(&id, progress.clone()).await;
        let (_, record) = service.status("e", &id).await;
        assert_eq!((&record["status"], &record["output"]), (&json!("IN_PROGRESS"), &json!("half")));
        worker.done(&id, report.clone()).await;
        let (_, record) = service.status("e", &id).await;
        assert_eq!(record["status"], status, "{report}");
        assert_eq!(record.get("output"), output.as_ref(), "{report}");
        assert_eq!(record.get("error").and_then(Value::as_str), error, "{report}");
    }
}

#[tokio::test]
async fn late_repeated_and_unknown_reports_are_ignored() {
    let service = Service::still(open).await;
    let (worker, other) = (Attached::new(&service, "e", "w"), Attached::new(&service, "e", "v"));
    let id = service.run("e", json!({ "input": {} })).await;
    assert_eq!(worker.take_id().await, id);
    // Not the job of that worker.
    other.done(&id, json!({ "output": 0 })).await;
    assert_eq!(service.status("e", &id).await.1["status"], "IN_PROGRESS");
    worker.done(&id, json!({ "output": 1 })).await;
    worker.done(&id, json!({ "output": 2 })).await;
    worker.done(&id, json!({ "status": "IN_PROGRESS", "output": 3 })).await;
    worker.stream(&id, json!(4)).await;
    worker.done("nobody", json!({ "output": 5 })).await;
    worker.ping("job_id=nobody").await;
    let (_, record) = service.status("e", &id).await;
    assert_eq!((&record["status"], &record["output"]), (&json!("COMPLETED"), &json!(1)));
    assert_eq!(service.get(&format!("/v2/e/stream/{id}")).await.1, json!([]));
    assert_eq!(health(&service).await["jobs"]["completed"], 1);
}

#[tokio::test]
async fn garbage_is_refused_and_changes_nothing() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let id = service.run("e", json!({ "input": {} })).await;
    worker.take_id().await;
    for body in ["", "{", "[]", "output=1", "NaN"] {
        assert_refused(&worker.report(&id, body).await, StatusCode::BAD_REQUEST, "the body");
        let path = format!("job-stream/w/{id}");
        assert_refused(&worker.post(&path, body).await, StatusCode::BAD_REQUEST, "the body");
    }
    assert_eq!(service.status("e", &id).await.1["status"], "IN_PROGRESS");
}

#[tokio::test]
async fn ids_of_unusual_characters_are_refused() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    for path in ["job-take/a%20b", "job-stop/%C3%A9", "ping/a%26b", "job-take-batch/.a"] {
        let refused = worker.get(path).await;
        assert_refused(&refused, StatusCode::BAD_REQUEST, "the id of the worker");
    }
    let refused = worker.post("job-done/w/%7F", "{}").await;
    assert_refused(&refused, StatusCode::BAD_REQUEST, "the id of the job");
    assert_eq!(worker.post("job-done/w.1-a_b/j.1", "{}").await.0, 200);
}

/// A worker with a wrong URL learns that its endpoint is none for workers, regardless of other
/// errors.
#[tokio::test]
async fn an_endpoint_without_workers_is_not_found_before_other_checks() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    for path in ["../echo/job-done/w/j", "../echo/job-stream/w/j"] {
        let refused = worker.post(path, "not JSON").await;
        assert_refused(&refused, StatusCode::NOT_FOUND, "no worker can attach");
    }
    let refused = worker.get("../echo/job-take-batch/w?batch_size=none").await;
    assert_refused(&refused, StatusCode::NOT_FOUND, "no worker can attach");
}

#[tokio::test]
async fn a_result_that_is_too_large_is_refused_by_the_way_its_job_was_submitted() {
    let service = Service::start(|builder| open(builder).max_payloads(1000, 2000)).await;
    let worker = Attached::new(&service, "e", "w");
    let body = |bytes: usize| {
        let text = "x".repeat(bytes - r#"{"output":""}"#.len());
        json!({ "output": text }).to_string()
    };
    let id = service.run("e", json!({ "input": {} })).await;
    worker.take_id().await;
    assert_refused(&worker.report(&id, body(1001)).await, StatusCode::BAD_REQUEST, "1000 bytes");
    assert_eq!(service.status("e", &id).await.1["status"], "IN_PROGRESS");
    assert_eq!(worker.report(&id, body(1000)).await.0, 200);
    assert_eq!(service.status("e", &id).await.1["status"], "COMPLETED");
    let sync = async {
        let id = worker.take_id().await;
        assert_refused(&worker.report(&id, body(2001)).await, StatusCode::BAD_REQUEST, "2000");
        assert_eq!(worker.report(&id, body(2000)).await.0, 200);
    };
    let submitted = service.post_json("/v2/e/runsync", json!({ "input": {} }));
    let (_, (_, record)) = tokio::join!(sync, submitted);
    assert_eq!(record["status"], "COMPLETED");
}

#[tokio::test]
async fn twenty_mebibytes_and_one_byte_are_refused() {
    let service = Service::start(open).await;
    let worker = Attached::new(&service, "e", "w");
    let id = service.run("e", json!({ "input": {} })).await;
    worker.take_id().await;
    let answer = worker.report(&id, vec![b' '; 20 * 1024 * 1024 + 1]).await;
    assert_refused(&answer, StatusCode::BAD_REQUEST, "exceeds the limit of 20971520 bytes");
}

#[tokio::test]
async fn a_workers_key_is_bare_and_permits_only_the_worker_protocol() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let id = service.run("e", json!({ "input": {} })).await;
    for (method, path) in [
        (Method::POST, "run".to_owned()),
        (Method::GET, format!("status/{id}")),
        (Method::GET, "health".to_owned()),
        (Method::GET, "../../_local/requests".to_owned()),
    ] {
        let response = worker.request(method, &path).body("{}").send().await.unwrap();
        assert_eq!(response.status(), 401, "{path}");
    }
    // A user's key opens the routes of workers, too.
    assert_eq!(service.get("/v2/e/job-take/w").await.1["id"], id);
    let url = format!("{}/v2/e/job-take/w", service.local.base_url());
    assert_eq!(service.http.get(&url).send().await.unwrap().status(), 401);
    assert_eq!(
        service.http.get(&url).header("authorization", "x").send().await.unwrap().status(),
        401
    );
    let paths: Vec<String> =
        service.local.requests().iter().map(|request| request.path.clone()).collect();
    let strangers = paths.iter().filter(|path| path.contains("job-take")).count();
    assert_eq!(strangers, 2, "only the requests of strangers are logged: {paths:?}");
}

#[tokio::test]
async fn faults_reach_the_routes_of_workers() {
    let service = Service::start(open).await;
    let worker = Attached::new(&service, "e", "w");
    let id = service.run("e", json!({ "input": {} })).await;
    let routes = [
        (Operation::JobTake, Method::GET, "job-take/w".to_owned()),
        (Operation::JobTakeBatch, Method::GET, "job-take-batch/w".to_owned()),
        (Operation::JobStop, Method::GET, "job-stop/w".to_owned()),
        (Operation::JobStream, Method::POST, format!("job-stream/w/{id}")),
        (Operation::JobDone, Method::POST, format!("job-done/w/{id}")),
        (Operation::Ping, Method::GET, "ping/w".to_owned()),
    ];
    for (operation, method, path) in routes {
        service.local.add_fault(Fault::response(429, "{}").on(operation).endpoint("e").times(1));
        let response = worker.request(method, &path).body("{}").send().await.unwrap();
        assert_eq!(response.status(), 429, "{path}");
    }
    // A response that is lost takes its job with it, until the worker is.
    service.local.add_fault(Fault::reset().processed().on(Operation::JobTake).times(1));
    assert!(worker.request(Method::GET, "job-take/w").send().await.is_err());
    assert_eq!(service.status("e", &id).await.1["status"], "IN_PROGRESS");
    // By its name in JSON, too.
    let fault = json!({ "operation": "job-take-batch", "response": { "status": 503 } });
    assert_eq!(service.post_json("/_local/faults", fault).await.0, 200);
    assert_eq!(worker.request(Method::GET, "job-take-batch/w").send().await.unwrap().status(), 503);
}

#[tokio::test]
async fn no_worker_attaches_where_the_service_runs_the_jobs() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    for path in ["job-take/w", "job-take-batch/w", "job-stop/w", "ping/w"] {
        let answer = worker.get(&format!("../echo/{path}")).await;
        assert_refused(&answer, StatusCode::NOT_FOUND, "the service runs its jobs itself");
    }
    assert_eq!(service.local.worker_environment("echo"), None);
    assert_eq!(service.get("/_local/endpoints/echo/workers").await.0, 404);
    let head = worker.request(Method::HEAD, "job-take/w").send().await.unwrap();
    assert_eq!(head.status(), 405, "it would take a job away");
}

#[tokio::test]
async fn the_environment_of_a_worker_is_served_as_a_file() {
    let setup = |builder: Builder| {
        let builder = builder.endpoint_for_workers("a b").worker_env_prefix("DEMO_");
        builder.control_plane()
    };
    let service = Service::still(setup).await;
    let file = async |query: &str| {
        let url = format!("{}/_local/endpoints/a%20b/worker-env{query}", service.local.base_url());
        let request = service.http.get(url).header("authorization", crate::support::KEY);
        request.send().await.unwrap().text().await.unwrap()
    };
    let variables = service.local.worker_environment("a b").unwrap();
    let key = &variables.iter().find(|(name, _)| name == "DEMO_AI_API_KEY").unwrap().1;
    let expected = |base: &str| {
        format!(
            "DEMO_WEBHOOK_GET_JOB={base}/v2/a%20b/job-take/$ID?gpu=none\n\
             DEMO_WEBHOOK_POST_OUTPUT={base}/v2/a%20b/job-done/$DEMO_POD_ID/$ID?gpu=none\n\
             DEMO_WEBHOOK_POST_STREAM={base}/v2/a%20b/job-stream/$DEMO_POD_ID/$ID?gpu=none\n\
             DEMO_WEBHOOK_PING={base}/v2/a%20b/ping/$DEMO_POD_ID\n\
             DEMO_PING_INTERVAL=10000\n\
             DEMO_AI_API_KEY={key}\n\
             DEMO_ENDPOINT_ID=a b\n\
             DEMO_SKIP_AUTO_SYSTEM_CHECKS=true\n\
             DEMO_SKIP_GPU_CHECK=true\n\
             DEMO_LOG_LEVEL=INFO\n"
        )
    };
    assert_eq!(file("").await, expected(&service.local.base_url()));
    let elsewhere = "http://host.docker.internal:8000";
    assert_eq!(file(&format!("?base_url={elsewhere}/")).await, expected(elsewhere));
    for none in
        ["", "host:8000", "http:", "ftp://a", "http://a%0AB=1", "http://a%20b", "http://a%20"]
    {
        let refused =
            service.get(&format!("/_local/endpoints/a%20b/worker-env?base_url={none}")).await;
        assert_refused(&refused, StatusCode::BAD_REQUEST, "base_url must be a URL");
    }
    for prefix in ["1A", "A-", "A B", "Ä"] {
        let started =
            podqueue_local::LocalService::builder().worker_env_prefix(prefix).start().await;
        assert_eq!(started.unwrap_err().setting(), Some("worker_env_prefix"), "{prefix}");
    }
}
