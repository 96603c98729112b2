//! Worker processes that the service starts: their starts and ends, and their logs.

#![cfg(unix)]

use podqueue_local::{Builder, Fault, LogSource, Operation, WorkerLogLine, Workers};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Attached, Pipe, Service, assert_refused, eventually, seconds};

const ONE: Workers = Workers::between(1, 1);

async fn service(command: &str, workers: Workers) -> Service {
    Service::still(|builder: Builder| {
        builder.workers_of("e", workers).worker_endpoint("e", command).control_plane()
    })
    .await
}

async fn health(service: &Service) -> Value {
    service.get("/v2/e/health").await.1
}

/// The names of the workers that are there, with what they do.
async fn workers(service: &Service) -> Vec<(String, String)> {
    let (_, workers) = service.get("/_local/endpoints/e/workers").await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let workers = workers.as_array().unwrap().iter();
    workers.map(|worker| (text(&worker["id"]), text(&worker["status"]))).collect()
}

async fn until_there_is(service: &Service, name: &str, status: &str) {
    eventually(&format!("a worker {name} that is {status}"), async || {
        workers(service).await == [(name.to_owned(), status.to_owned())]
    })
    .await;
}

async fn logs(service: &Service, wanted: impl Fn(&WorkerLogLine) -> bool) -> Vec<WorkerLogLine> {
    let mut lines = Vec::new();
    eventually("a line", async || {
        lines = service.local.worker_logs("e");
        lines.retain(&wanted);
        !lines.is_empty()
    })
    .await;
    lines
}

#[tokio::test]
async fn a_program_is_starting_until_it_takes_a_job() {
    let pipe = Pipe::new();
    let service = service(&format!("{} echo here; wait", pipe.holder()), ONE).await;
    until_there_is(&service, "worker-0", "starting").await;
    logs(&service, |line| line.text == "here").await;
    let id = service.run("e", json!({ "input": {} })).await;
    assert_eq!(health(&service).await["workers"], json!({ "idle": 0, "running": 0 }));
    assert_eq!(service.status("e", &id).await.1["status"], "IN_QUEUE");
    let worker = Attached::new(&service, "e", "worker-0");
    assert_eq!(worker.take_id().await, id);
    until_there_is(&service, "worker-0", "running").await;
    worker.done(&id, json!({ "output": 1 })).await;
    until_there_is(&service, "worker-0", "idle").await;
    // No other worker attaches to this endpoint.
    let stranger = Attached::new(&service, "e", "stranger");
    let answer = stranger.get("job-take/stranger").await;
    assert_refused(&answer, StatusCode::NOT_FOUND, "no such worker");
    service.local.shutdown().await;
    pipe.released().await;
}

#[tokio::test]
async fn no_program_outlives_a_service_that_is_dropped() {
    let pipe = Pipe::new();
    let service = service(&format!("{} echo here; wait", pipe.holder()), ONE).await;
    logs(&service, |line| line.text == "here").await;
    assert!(pipe.is_held());
    drop(service);
    pipe.released().await;
}

#[tokio::test]
async fn a_worker_that_wants_to_be_replaced_is() {
    let pipe = Pipe::new();
    let holder = pipe.holder();
    let first = format!("[ $POD_ID = worker-0 ] && {{ {holder} echo here; }}; sleep 1000");
    let service = service(&first, ONE).await;
    logs(&service, |line| line.text == "here").await;
    let id = service.run("e", json!({ "input": {} })).await;
    let worker = Attached::new(&service, "e", "worker-0");
    worker.take_id().await;
    worker.done(&id, json!({ "output": 1, "stopPod": true })).await;
    assert_eq!(service.status("e", &id).await.1["output"], 1);
    pipe.released().await;
    until_there_is(&service, "worker-1", "starting").await;
}

#[tokio::test]
async fn a_worker_that_hangs_is_killed_and_replaced() {
    let pipe = Pipe::new();
    let holder = pipe.holder();
    let first = format!("[ $POD_ID = worker-0 ] && {{ {holder} echo here; }}; sleep 1000");
    let service = service(&first, ONE).await;
    logs(&service, |line| line.text == "here").await;
    let id = service.run("e", json!({ "input": {} })).await;
    Attached::new(&service, "e", "worker-0").take_id().await;
    for _ in 0..3 {
        service.advance(seconds(10));
        health(&service).await;
    }
    pipe.released().await;
    until_there_is(&service, "worker-1", "starting").await;
    assert_eq!(Attached::new(&service, "e", "worker-1").take_id().await, id);
    assert_eq!(health(&service).await["jobs"]["retried"], 1);
}

/// It says that it is unhealthy, and should have ended then.
#[tokio::test]
async fn a_worker_that_stays_unhealthy_is_killed_and_replaced() {
    let pipe = Pipe::new();
    let holder = pipe.holder();
    let first = format!("[ $POD_ID = worker-0 ] && {{ {holder} echo here; }}; sleep 1000");
    let service = service(&first, ONE).await;
    logs(&service, |line| line.text == "here").await;
    let id = service.run("e", json!({ "input": {} })).await;
    let worker = Attached::new(&service, "e", "worker-0");
    worker.take_id().await;
    for _ in 0..5 {
        worker.ping("status=unhealthy").await;
    }
    // Not while it has a job.
    until_there_is(&service, "worker-0", "running").await;
    worker.done(&id, json!({})).await;
    worker.ping("").await;
    worker.ping("status=unhealthy").await;
    worker.ping("status=unhealthy").await;
    until_there_is(&service, "worker-0", "idle").await;
    worker.ping("status=unhealthy").await;
    pipe.released().await;
    until_there_is(&service, "worker-1", "starting").await;
    let words = logs(&service, |line| line.source == LogSource::Service).await;
    assert_eq!(words[0].text, "the worker is unhealthy and has not ended, so it is given up");
}

#[tokio::test]
async fn an_idle_worker_above_the_minimum_is_stopped() {
    let pipe = Pipe::new();
    let service =
        service(&format!("{} echo here; wait", pipe.holder()), Workers::between(0, 1)).await;
    assert_eq!(workers(&service).await, []);
    let id = service.run("e", json!({ "input": {} })).await;
    logs(&service, |line| line.text == "here").await;
    let worker = Attached::new(&service, "e", "worker-0");
    worker.take_id().await;
    worker.done(&id, json!({})).await;
    assert!(pipe.is_held());
    service.advance(seconds(5));
    pipe.released().await;
    assert_eq!(workers(&service).await, []);
}

/// Killed with SIGKILL in the middle of a job, once.
#[tokio::test]
async fn the_job_of_a_killed_worker_runs_once_more() {
    let marker = std::env::temp_dir().join(format!("podqueue-local-died-{}", fastrand::u64(..)));
    let program =
        format!("exec python3 -u {}/tests/interface/kinds.py attach", env!("CARGO_MANIFEST_DIR"));
    let service = service(&program, ONE).await;
    let id = service.run("e", json!({ "input": { "die": marker, "emit": [1] } })).await;
    let record = service.until("e", &id, "COMPLETED").await;
    assert_eq!(record["output"], json!([1]));
    let expected =
        json!({ "completed": 1, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 1 });
    assert_eq!(health(&service).await["jobs"], expected);
    let words = logs(&service, |line| line.source == LogSource::Service).await;
    assert_eq!(words[0].text, "the worker ended: signal: 9 (SIGKILL)");
    assert_eq!(words[0].worker, "worker-0");
    // The lines of the example name the job.
    let path = format!("/_local/endpoints/e/worker-logs?worker=worker-1&job={id}");
    let (_, lines) = service.get(&path).await;
    assert_eq!(lines[0]["job"], id);
    assert_eq!(lines[0]["source"], "stdout");
    assert!(lines[0]["text"].as_str().unwrap().contains("begun"), "{lines}");
    std::fs::remove_file(marker).unwrap();
}

#[tokio::test]
async fn a_job_whose_second_worker_dies_as_well_fails() {
    let service = service("sleep 1000", ONE).await;
    let id = service.run("e", json!({ "input": {} })).await;
    for name in ["worker-0", "worker-1"] {
        eventually(name, async || workers(&service).await.iter().any(|(id, _)| id == name)).await;
        let worker = Attached::new(&service, "e", name);
        assert_eq!(worker.take_id().await, id);
        for _ in 0..3 {
            service.advance(seconds(10));
            health(&service).await;
        }
    }
    let (_, record) = service.status("e", &id).await;
    assert_eq!(record["status"], "FAILED");
    let error = record["error"].as_str().unwrap();
    assert!(error.starts_with("the job was lost with its worker for the second time"), "{error}");
}

#[tokio::test]
async fn a_worker_that_keeps_ending_at_once_is_restarted_with_growing_pauses() {
    let service = service("echo starting; exit 3", ONE).await;
    let starts = async || {
        let lines = service.local.worker_logs("e");
        lines.iter().filter(|line| line.source == LogSource::Stdout).count()
    };
    let said = async |wanted: usize| {
        eventually("as many ends", async || {
            let lines = service.local.worker_logs("e");
            lines.iter().filter(|line| line.source == LogSource::Service).count() == wanted
        })
        .await;
    };
    // The second one starts at once, and the others after 1, 2, 4 … seconds.
    said(2).await;
    let mut expected = 2;
    for pause in [1, 2, 4] {
        service.advance(seconds(pause) - std::time::Duration::from_millis(1));
        health(&service).await;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        assert_eq!(starts().await, expected, "before {pause} s");
        service.advance(std::time::Duration::from_millis(1));
        expected += 1;
        said(expected).await;
        assert_eq!(starts().await, expected);
    }
    let words = logs(&service, |line| line.source == LogSource::Service).await;
    assert_eq!(words[0].text, "the worker ended: exit status: 3");
    assert_eq!(
        words[4].text,
        "the worker ended: exit status: 3; 5 have ended in a row without finishing a job, so the \
         next one starts in 8 s at the earliest"
    );
}

#[tokio::test]
async fn long_lines_and_bytes_that_are_no_text_are_kept_within_bounds() {
    let command =
        r"printf 'a\377b\r\n'; head -c 100000 /dev/zero | tr '\0' x; echo; printf end >&2";
    let service = service(&format!("{command}; sleep 1000"), ONE).await;
    let lines = logs(&service, |line| line.text.starts_with('x')).await;
    assert_eq!(lines[0].text.len(), 64 * 1024);
    let all = service.local.worker_logs("e");
    assert_eq!((all[0].text.as_str(), all[0].source), ("a\u{fffd}b", LogSource::Stdout));
    assert_eq!(all[0].to_string(), "e/worker-0: a\u{fffd}b");
}

/// A bar that shows progress never ends its line.
#[tokio::test]
async fn a_line_that_is_written_over_is_shown_as_it_comes() {
    let command = r"printf 'step 1\rstep 2\r'; sleep 0.1; printf '\nstep 3\r\n\nend\r'; sleep 1000";
    let service = service(command, ONE).await;
    logs(&service, |line| line.text == "end").await;
    let lines = service.local.worker_logs("e");
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["step 1", "step 2", "step 3", "", "end"]);
}

/// Where a long line is cut, a part of a key might be left.
#[tokio::test]
async fn no_part_of_a_key_is_left_where_a_line_is_cut() {
    let command = r#"head -c 65526 /dev/zero | tr '\0' x; echo "$AI_API_KEY"; sleep 1000"#;
    let service = service(command, ONE).await;
    let lines = logs(&service, |line| line.text.starts_with('x')).await;
    assert!(lines[0].text == "x".repeat(65526), "{}", lines[0].text.len());
}

#[tokio::test]
async fn a_worker_with_several_jobs_stops_after_the_last_one() {
    let service = service("sleep 1000", ONE).await;
    let worker = Attached::new(&service, "e", "worker-0");
    until_there_is(&service, "worker-0", "starting").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(service.run("e", json!({ "input": {} })).await);
    }
    assert_eq!(worker.take_batch(3).await.len(), 3);
    worker.done(&ids[0], json!({ "output": 0, "stopPod": true })).await;
    // The worker stays until its last job is over, however that ends.
    worker.done(&ids[1], json!({ "output": 1 })).await;
    until_there_is(&service, "worker-0", "running").await;
    service.post(&format!("/v2/e/cancel/{}", ids[2])).await;
    until_there_is(&service, "worker-1", "starting").await;
    let answer = worker.request(Method::GET, "job-take/worker-0").send().await.unwrap();
    assert_eq!(answer.status(), 404);
}

/// The example continues after any response.
#[tokio::test]
async fn the_example_survives_responses_that_it_cannot_read() {
    let program = format!("exec python3 -u {}/examples/worker.py", env!("CARGO_MANIFEST_DIR"));
    let service = service(&program, Workers::between(0, 1)).await;
    for operation in [Operation::JobTake, Operation::JobStop, Operation::Ping] {
        service.local.add_fault(Fault::gateway(200).on(operation).times(1));
    }
    let id = service.run("e", json!({ "input": { "text": "a b" } })).await;
    let record = service.until("e", &id, "COMPLETED").await;
    assert_eq!(record["output"], json!(["A", "B"]));
    let lines = service.local.worker_logs("e");
    assert!(lines.iter().all(|line| line.source != LogSource::Service), "{lines:?}");
}
