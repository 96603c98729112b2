//! States of a job over all kinds of worker: the same tests for a closure, a command with JSON
//! lines, and a process that attaches over HTTP.

use podqueue_local::{Builder, FailedWithOutput, HandlerError, LocalJob, Workers};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{Service, assert_refused, eventually, seconds};

#[derive(Clone, Copy)]
enum Kind {
    Closure,
    Lines,
    Attached,
}

macro_rules! over_all_kinds {
    ($($test:ident)*) => {
        mod closure { $(#[tokio::test] async fn $test() { super::$test(super::Kind::Closure).await })* }
        #[cfg(unix)]
        mod lines { $(#[tokio::test] async fn $test() { super::$test(super::Kind::Lines).await })* }
        #[cfg(unix)]
        mod attached { $(#[tokio::test] async fn $test() { super::$test(super::Kind::Attached).await })* }
    };
}

over_all_kinds! {
    a_job_completes_with_its_chunks_and_output
    a_job_fails_with_its_error
    a_job_fails_with_its_output
    progress_is_shown_until_the_job_ends
    a_cancelled_job_makes_room_for_the_next
    a_job_that_runs_too_long_times_out_and_can_be_retried
    the_ttl_deletes_a_running_job
    a_retried_job_starts_anew
    jobs_run_in_the_order_in_which_they_were_queued
    as_many_workers_run_as_are_allowed
    a_cold_worker_starts_in_its_time_and_stops_when_idle
    a_low_priority_job_starts_no_worker
}

async fn closure(job: LocalJob) -> Result<Value, HandlerError> {
    let chunks = job.input["emit"].as_array().cloned().unwrap_or_default();
    for chunk in &chunks {
        job.emit(chunk.clone()).await;
    }
    if let Some(value) = job.input.get("progress") {
        job.progress(value.clone());
    }
    if let Some(output) = job.input.get("both") {
        return Err(FailedWithOutput::new("in the middle", output.clone()).into());
    }
    if let Some(error) = job.input["error"].as_str() {
        return Err(error.into());
    }
    if job.input.get("hang").is_some() {
        job.cancelled().await;
    }
    Ok(json!(chunks))
}

async fn service(kind: Kind, workers: Workers) -> Service {
    let program = |how| {
        format!("exec python3 -u {}/tests/interface/kinds.py {how}", env!("CARGO_MANIFEST_DIR"))
    };
    // A test's time is not that of a process.
    let workers = workers.ping_interval(seconds(1_000_000));
    let setup = |builder: Builder| match kind {
        Kind::Closure => builder.endpoint("e", closure),
        Kind::Lines => builder.command_endpoint("e", program("lines")),
        Kind::Attached => builder.worker_endpoint("e", program("attach")),
    };
    Service::still(|builder| setup(builder.workers_of("e", workers))).await
}

const ONE: Workers = Workers::between(1, 1);

fn hang() -> Value {
    json!({ "input": { "hang": true } })
}

async fn health(service: &Service) -> Value {
    service.get("/v2/e/health").await.1
}

/// Waits until a job runs, and its worker knows: one that attaches gets the job a moment later, and
/// would ignore a stop that overtakes it.
async fn until_begun(service: &Service, id: &str, attempts: usize) {
    service.until("e", id, "IN_PROGRESS").await;
    if service.local.worker_environment("e").is_some() {
        eventually("a worker that knows its job", async || {
            let lines = service.local.worker_logs("e");
            let begun = |line: &&podqueue_local::WorkerLogLine| {
                line.job.as_deref() == Some(id) && line.text.contains("begun")
            };
            lines.iter().filter(begun).count() >= attempts
        })
        .await;
    }
}

async fn a_job_completes_with_its_chunks_and_output(kind: Kind) {
    let service = service(kind, ONE).await;
    for emitted in [json!([]), json!([1, { "a": "b" }, null]), json!(["é\n"])] {
        let id = service.run("e", json!({ "input": { "emit": emitted } })).await;
        let record = service.until("e", &id, "COMPLETED").await;
        assert_eq!(record["output"], emitted);
        let (_, chunks) = service.get(&format!("/v2/e/stream/{id}")).await;
        let outputs: Vec<&Value> =
            chunks.as_array().unwrap().iter().map(|chunk| &chunk["output"]).collect();
        assert_eq!(json!(outputs), emitted);
    }
    assert_eq!(health(&service).await["jobs"]["completed"], 3);
}

async fn a_job_fails_with_its_error(kind: Kind) {
    let service = service(kind, ONE).await;
    let id = service.run("e", json!({ "input": { "error": "no memory left" } })).await;
    let record = service.until("e", &id, "FAILED").await;
    assert!(record["error"].as_str().unwrap().ends_with("no memory left"), "{record}");
    assert_eq!(record.get("output"), None);
    // The worker is as good as before.
    let id = service.run("e", json!({ "input": {} })).await;
    service.until("e", &id, "COMPLETED").await;
    let expected =
        json!({ "completed": 1, "failed": 1, "inProgress": 0, "inQueue": 0, "retried": 0 });
    assert_eq!(health(&service).await["jobs"], expected);
}

async fn a_job_fails_with_its_output(kind: Kind) {
    let service = service(kind, ONE).await;
    for output in [json!({ "pages": [1] }), Value::Null] {
        let id = service.run("e", json!({ "input": { "both": output } })).await;
        let record = service.until("e", &id, "FAILED").await;
        assert_eq!((&record["error"], &record["output"]), (&json!("in the middle"), &output));
    }
    assert_eq!(health(&service).await["jobs"]["failed"], 2);
}

async fn progress_is_shown_until_the_job_ends(kind: Kind) {
    let service = service(kind, ONE).await;
    let input = json!({ "progress": { "percent": 50 }, "hang": true });
    let id = service.run("e", json!({ "input": input })).await;
    eventually("progress", async || {
        service.status("e", &id).await.1["output"] == json!({ "percent": 50 })
    })
    .await;
    assert_eq!(service.status("e", &id).await.1["status"], "IN_PROGRESS");
    assert_eq!(service.post(&format!("/v2/e/cancel/{id}")).await.0, 200);
    assert_eq!(service.status("e", &id).await.1.get("output"), None);
    let input = json!({ "progress": 1, "error": "x" });
    let id = service.run("e", json!({ "input": input })).await;
    assert_eq!(service.until("e", &id, "FAILED").await.get("output"), None);
}

async fn a_cancelled_job_makes_room_for_the_next(kind: Kind) {
    let service = service(kind, ONE).await;
    let first = service.run("e", hang()).await;
    until_begun(&service, &first, 1).await;
    let next = service.run("e", json!({ "input": {} })).await;
    assert_eq!(service.status("e", &next).await.1["status"], "IN_QUEUE");
    assert_eq!(service.post(&format!("/v2/e/cancel/{first}")).await.0, 200);
    service.until("e", &next, "COMPLETED").await;
    assert_eq!(service.status("e", &first).await.1["status"], "CANCELLED");
    assert_eq!(health(&service).await["workers"], json!({ "idle": 1, "running": 0 }));
}

async fn a_job_that_runs_too_long_times_out_and_can_be_retried(kind: Kind) {
    let service = service(kind, ONE).await;
    let body = json!({ "input": { "hang": true }, "policy": { "executionTimeout": 5000 } });
    let id = service.run("e", body).await;
    for attempt in 1..=2 {
        until_begun(&service, &id, attempt).await;
        service.advance(seconds(5));
        let record = service.until("e", &id, "TIMED_OUT").await;
        assert_eq!(record["executionTime"], 5000);
        assert_eq!(service.post(&format!("/v2/e/retry/{id}")).await.0, 200);
    }
    assert_eq!(health(&service).await["jobs"]["retried"], 2);
}

async fn the_ttl_deletes_a_running_job(kind: Kind) {
    let service = service(kind, ONE).await;
    let body = json!({ "input": { "hang": true }, "policy": { "ttl": 10_000 } });
    let id = service.run("e", body).await;
    until_begun(&service, &id, 1).await;
    service.advance(seconds(10));
    assert_refused(&service.status("e", &id).await, StatusCode::NOT_FOUND, "no such job");
    let id = service.run("e", json!({ "input": {} })).await;
    service.until("e", &id, "COMPLETED").await;
}

async fn a_retried_job_starts_anew(kind: Kind) {
    let service = service(kind, ONE).await;
    let id = service.run("e", json!({ "input": { "emit": [1], "error": "x" } })).await;
    service.until("e", &id, "FAILED").await;
    assert_eq!(service.post(&format!("/v2/e/retry/{id}")).await.0, 200);
    service.until("e", &id, "FAILED").await;
    let (_, chunks) = service.get(&format!("/v2/e/stream/{id}")).await;
    assert_eq!(chunks.as_array().unwrap().len(), 1, "those of the first attempt are gone");
    let health = health(&service).await;
    assert_eq!((&health["jobs"]["failed"], &health["jobs"]["retried"]), (&json!(1), &json!(1)));
}

async fn jobs_run_in_the_order_in_which_they_were_queued(kind: Kind) {
    let service = service(kind, ONE).await;
    let first = service.run("e", hang()).await;
    until_begun(&service, &first, 1).await;
    let mut waiting = vec![first];
    for _ in 0..3 {
        waiting.push(service.run("e", hang()).await);
    }
    for next in 1..4 {
        service.post(&format!("/v2/e/cancel/{}", waiting[next - 1])).await;
        until_begun(&service, &waiting[next], 1).await;
        for later in &waiting[next + 1..] {
            assert_eq!(service.status("e", later).await.1["status"], "IN_QUEUE");
        }
    }
}

async fn as_many_workers_run_as_are_allowed(kind: Kind) {
    let service = service(kind, Workers::between(0, 2)).await;
    for _ in 0..4 {
        service.run("e", hang()).await;
    }
    service.until_busy("e", 2, 2).await;
    assert_eq!(health(&service).await["workers"], json!({ "idle": 0, "running": 2 }));
    let (_, purged) = service.post("/v2/e/purge-queue").await;
    assert_eq!(purged["removed"], 2);
}

async fn a_cold_worker_starts_in_its_time_and_stops_when_idle(kind: Kind) {
    let workers = Workers::between(0, 1).cold_start(seconds(8)).idle_timeout(seconds(5));
    let service = service(kind, workers).await;
    let id = service.run("e", json!({ "input": {} })).await;
    assert_eq!(health(&service).await["workers"], json!({ "idle": 0, "running": 0 }));
    service.advance(seconds(7));
    assert_eq!(service.status("e", &id).await.1["status"], "IN_QUEUE");
    service.advance(seconds(1));
    service.until("e", &id, "COMPLETED").await;
    service.advance(seconds(4));
    assert_eq!(health(&service).await["workers"], json!({ "idle": 1, "running": 0 }));
    service.advance(seconds(1));
    assert_eq!(health(&service).await["workers"], json!({ "idle": 0, "running": 0 }));
    // The next job is cold again.
    let id = service.run("e", json!({ "input": {} })).await;
    assert_eq!(service.status("e", &id).await.1["status"], "IN_QUEUE");
    service.advance(seconds(8));
    service.until("e", &id, "COMPLETED").await;
}

async fn a_low_priority_job_starts_no_worker(kind: Kind) {
    let service = service(kind, Workers::between(0, 1)).await;
    let body = json!({ "input": {}, "policy": { "lowPriority": true } });
    let low = service.run("e", body).await;
    assert_eq!(service.status("e", &low).await.1["status"], "IN_QUEUE");
    assert_eq!(health(&service).await["workers"], json!({ "idle": 0, "running": 0 }));
    let other = service.run("e", json!({ "input": {} })).await;
    for id in [low, other] {
        service.until("e", &id, "COMPLETED").await;
    }
}
