//! Tools of jobs: one bounded wait, what follows it, and the services they call.

use podqueue_local::{LocalJob, LocalService, Workers};
use podqueue_mcp::{Action, Server};
use serde_json::{Value, json};

use crate::support::{Assistant, Fixture};

#[tokio::test]
async fn a_job_that_ends_within_the_wait_is_one_call() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "echo", "input": { "hello": "world" } });
    let job = assistant.ok("run", arguments).await;
    assert_eq!((&job["outcome"], &job["status"]), (&json!("ended"), &json!("COMPLETED")));
    assert_eq!(job["output"], json!({ "hello": "world" }));
    assert!(job.get("next").is_none(), "{job}");
    assistant.stop().await;
}

#[tokio::test]
async fn a_job_that_takes_longer_is_continued_by_the_tool_that_the_reply_names() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    let assistant = fixture.serve().await;
    let input = json!({ "ms": 60_000 });
    let arguments = json!({ "endpoint": "sleep", "input": input, "wait_s": 0.3 });
    let job = assistant.ok("run", arguments).await;
    assert_eq!(job["outcome"], "open", "{job}");
    assert_eq!(job["next"]["tool"], "wait");
    let next = job["next"]["arguments"].clone();
    let status = assistant.ok("status", next.clone()).await;
    assert_eq!(status["status"], "IN_PROGRESS");

    fixture.local.clock().advance(std::time::Duration::from_secs(61));
    let job = assistant.ok("wait", next.clone()).await;
    assert_eq!(job["output"], json!({ "slept": 60_000 }));
    let message = assistant.error("cancel", next).await;
    assert!(message.contains("COMPLETED"), "{message}");
    assistant.stop().await;
}

#[tokio::test]
async fn a_job_is_cancelled_once_or_twice() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "sleep", "input": { "ms": 9 }, "wait_s": 0.3 });
    let next = assistant.ok("run", arguments).await["next"]["arguments"].clone();
    for _ in 0..2 {
        let job = assistant.ok("cancel", next.clone()).await;
        assert_eq!((&job["outcome"], &job["status"]), (&json!("ended"), &json!("CANCELLED")));
    }
    assistant.stop().await;
}

#[tokio::test]
async fn a_failed_job_is_an_answer_with_its_error() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "fail", "input": { "message": "out of memory" } });
    let job = assistant.ok("run", arguments).await;
    assert_eq!(job["status"], "FAILED");
    assert!(job["error"]["message"].as_str().unwrap().contains("out of memory"), "{job}");
    assert!(job["message"].as_str().unwrap().contains("another `key`"), "{job}");
    assistant.stop().await;
}

#[tokio::test]
async fn chunks_are_returned_from_a_number_on_and_kept() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "count", "input": { "n": 5 }, "wait_s": 0 });
    let id = assistant.ok("run", arguments).await["job_id"].clone();
    let mut seen = Vec::new();
    let mut next = json!({ "endpoint": "count", "job_id": id });
    loop {
        let chunks = assistant.ok("stream", next).await;
        seen.extend(chunks["chunks"].as_array().unwrap().clone());
        next = chunks["next"]["arguments"].clone();
        if chunks["ended"] == true {
            assert_eq!(chunks["next"]["tool"], "status");
            break;
        }
    }
    let expected: Vec<Value> = (0..=5).map(|n| json!({ "n": n })).collect();
    assert_eq!(seen, expected);
    // A call whose response was lost is repeated.
    let again = json!({ "endpoint": "count", "job_id": id, "from": 3 });
    assert_eq!(assistant.ok("stream", again).await["chunks"], json!(expected[3..]));
    assistant.stop().await;
}

#[tokio::test]
async fn chunks_that_an_earlier_server_received_are_said_to_be_missing() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "count", "input": { "n": 5 } });
    let id = assistant.ok("run", arguments).await["job_id"].clone();
    let stream = json!({ "endpoint": "count", "job_id": id });
    let chunks = assistant.ok("stream", stream.clone()).await;
    assert!(chunks.get("gap").is_none(), "{chunks}");
    assistant.stop().await;
    let assistant = fixture.serve().await;
    for _ in 0..2 {
        let chunks = assistant.ok("stream", stream.clone()).await;
        assert_eq!(chunks["gap"], true, "{chunks}");
        assert!(chunks["message"].as_str().unwrap().contains("earlier server"), "{chunks}");
    }
    assistant.stop().await;
}

#[tokio::test]
async fn a_result_that_the_service_forgot_was_recorded() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1 } });
    let job = assistant.ok("run", arguments.clone()).await;
    fixture.local.clock().advance(std::time::Duration::from_secs(31 * 60));
    let status = json!({ "endpoint": "echo", "job_id": job["job_id"] });
    let again = assistant.ok("status", status).await;
    assert_eq!((&again["recorded"], &again["output"]), (&json!(true), &json!({ "a": 1 })));
    let again = assistant.ok("run", arguments).await;
    assert_eq!((&again["repeated"], &again["output"]), (&json!(true), &json!({ "a": 1 })));
    assert_eq!(fixture.accepted(), 1);
    assistant.stop().await;
}

#[tokio::test]
async fn health_and_doctor_say_why_a_job_is_queued() {
    let stuck = |_: LocalJob| std::future::pending();
    let builder = LocalService::builder().endpoint("busy", stuck);
    let builder = builder.workers_of("busy", Workers::between(1, 1));
    let fixture = Fixture::with(builder).await;
    let assistant = fixture.serve().await;
    for key in ["first", "second"] {
        let input = json!({ "key": key });
        let run = json!({ "endpoint": "busy", "input": input, "key": key, "wait_s": 0.3 });
        assistant.ok("run", run).await;
    }
    let run =
        json!({ "endpoint": "busy", "input": { "key": "second" }, "key": "second", "wait_s": 0 });
    let second = assistant.ok("run", run).await;
    let health = assistant.ok("health", json!({ "endpoint": "busy" })).await;
    assert_eq!(
        (&health["jobs"]["in_queue"], &health["jobs"]["in_progress"]),
        (&json!(1), &json!(1))
    );
    let doctor = json!({ "endpoint": "busy", "job_id": second["job_id"] });
    let doctor = assistant.ok("doctor", doctor).await;
    let message = doctor["message"].as_str().unwrap();
    assert!(message.contains("queued") && message.contains("busy"), "{doctor}");
    let message = assistant.error("health", json!({ "endpoint": "missing" })).await;
    assert!(message.contains("missing"), "{message}");
    assistant.stop().await;
}

#[tokio::test]
async fn an_assistant_rehearses_on_a_service_of_its_own() {
    let state = tempfile::tempdir().unwrap();
    let assistant = Assistant::of(Server::builder(state.path()).allow([Action::Local])).await;
    let run = json!({ "endpoint": "echo", "input": { "a": 1 }, "service": "local" });
    let message = assistant.error("run", run.clone()).await;
    assert!(message.contains("not started"), "{message}");
    assert_eq!(assistant.ok("local_start", json!({})).await["repeated"], false);
    assert_eq!(assistant.ok("local_start", json!({})).await["repeated"], true);
    let job = assistant.ok("run", run.clone()).await;
    assert_eq!(job["output"], json!({ "a": 1 }));
    let status = json!({ "endpoint": "echo", "job_id": job["job_id"], "service": "local" });
    assert_eq!(assistant.ok("status", status).await["status"], "COMPLETED");
    assistant.ok("endpoints", json!({ "service": "local" })).await;
    let hosted = json!({ "endpoint": "echo", "input": { "a": 1 } });
    let message = assistant.error("run", hosted).await;
    assert!(message.contains("--allow run"), "{message}");
    assistant.stop().await;

    // The next service knows nothing of that job: the same call is a new one.
    let assistant = Assistant::of(Server::builder(state.path()).allow([Action::Local])).await;
    assistant.ok("local_start", json!({})).await;
    let again = assistant.ok("run", run).await;
    assert!(again.get("repeated").is_none(), "{again}");
    assert_ne!(again["job_id"], job["job_id"]);
    assistant.stop().await;
}
