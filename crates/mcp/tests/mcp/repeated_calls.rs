//! Repeated calls: no key is submitted twice, and what cannot be known is an answer.

use std::time::Duration;

use podqueue_local::{Fault, LocalService, Operation};
use serde_json::json;

use crate::support::{Assistant, Fixture, call, connect};

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn the_same_call_again_is_the_same_job() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1, "b": [2, { "c": 3 }] } });
    let first = assistant.ok("run", arguments.clone()).await;
    let again = assistant.ok("run", arguments.clone()).await;
    assert_eq!(first["job_id"], again["job_id"]);
    assert_eq!((first.get("repeated"), &again["repeated"]), (None, &json!(true)));
    assert!(again["message"].as_str().unwrap().contains("another `key`"), "{again}");
    assert_eq!(fixture.accepted(), 1);

    // Another key runs it once more, and other waits do not.
    let with_key = json!({ "endpoint": "echo", "input": arguments["input"], "key": "again" });
    let another = assistant.ok("run", with_key).await;
    assert_ne!(first["job_id"], another["job_id"]);
    let waiting = json!({ "endpoint": "echo", "input": arguments["input"], "wait_s": 1 });
    assert_eq!(assistant.ok("run", waiting).await["job_id"], first["job_id"]);
    assert_eq!(fixture.accepted(), 2);

    let other = json!({ "endpoint": "echo", "input": { "a": 2 }, "key": "again" });
    let message = assistant.error("run", other).await;
    assert!(message.contains("other arguments"), "{message}");
    assistant.stop().await;

    // A restarted server remembers.
    let assistant = fixture.serve().await;
    assert_eq!(assistant.ok("run", arguments).await["job_id"], first["job_id"]);
    assert_eq!(fixture.accepted(), 2);
    assistant.stop().await;
}

#[tokio::test]
async fn calls_at_the_same_time_submit_once() {
    let fixture = Fixture::start().await;
    fixture.local.add_fault(Fault::delay(Duration::from_millis(300)).on(Operation::Run));
    let assistant = fixture.serve().await;
    let other = connect(&assistant.url, &assistant.token).await;
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1 } });
    let calls = (0..6).map(|number| {
        let client = if number % 2 == 0 { &assistant.client } else { &other };
        call(client, "run", arguments.clone())
    });
    let results = futures_util::future::join_all(calls).await;
    let jobs: Vec<_> = results.iter().map(|it| it.structured_content.as_ref().unwrap()).collect();
    assert!(jobs.iter().all(|job| job["job_id"] == jobs[0]["job_id"]), "{jobs:?}");
    assert!(jobs.iter().all(|job| job["outcome"] == "ended"), "{jobs:?}");
    assert_eq!(fixture.accepted(), 1);
    let _ = other.cancel().await;
    assistant.stop().await;
}

#[tokio::test]
async fn two_servers_with_one_folder_submit_once() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.local.add_fault(Fault::delay(MINUTE).on(Operation::Run));
    let (left, right) = (fixture.serve().await, fixture.serve().await);
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1 }, "wait_s": 25 });
    let (answered, is_answered) = tokio::sync::oneshot::channel();
    let both = tokio::join!(
        left.ok("run", arguments.clone()),
        async {
            requested(&fixture).await;
            let job = right.ok("run", arguments.clone()).await;
            let _ = answered.send(());
            job
        },
        async {
            let _ = is_answered.await;
            fixture.local.clock().advance(MINUTE);
        },
    );
    assert_eq!(both.1["outcome"], "submitting", "{}", both.1);
    assert!(both.1["message"].as_str().unwrap().contains("another process"), "{}", both.1);
    let again = right.ok("run", arguments).await;
    assert_eq!(again["job_id"], both.0["job_id"]);
    assert_eq!(fixture.accepted(), 1);
    left.stop().await;
    right.stop().await;
}

/// Waits until the service has the request of a submission.
async fn requested(fixture: &Fixture) {
    while !fixture.local.requests().iter().any(|request| request.path.ends_with("/run")) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_lost_response_is_unknown_and_stays_so() {
    let fixture = Fixture::start().await;
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1 } });
    for _ in 0..3 {
        let job = assistant.ok("run", arguments.clone()).await;
        assert_eq!(job["outcome"], "unknown");
        assert_eq!(job["next"]["tool"], "health");
        assert!(job["message"].as_str().unwrap().contains("may have been accepted"), "{job}");
    }
    assert_eq!(fixture.accepted(), 1);
    assistant.stop().await;
    let assistant = fixture.serve().await;
    assert_eq!(assistant.ok("run", arguments).await["outcome"], "unknown");
    assert_eq!(fixture.accepted(), 1);
    assistant.stop().await;
}

#[tokio::test]
async fn a_refused_submission_frees_its_key() {
    let fixture = Fixture::start().await;
    fixture.local.add_fault(Fault::response(400, "not today").on(Operation::Run).times(1));
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1 }, "key": "k" });
    let message = assistant.error("run", arguments.clone()).await;
    assert!(message.contains("not today"), "{message}");
    let job = assistant.ok("run", arguments).await;
    assert_eq!((&job["status"], job.get("repeated")), (&json!("COMPLETED"), None));
    assistant.stop().await;
}

#[tokio::test]
async fn a_submission_continues_when_its_caller_leaves() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.local.add_fault(Fault::delay(MINUTE).on(Operation::Run));
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1 } });
    let other = connect(&assistant.url, &assistant.token).await;
    tokio::select! {
        _ = call(&other, "run", arguments.clone()) => panic!("the service has answered"),
        () = requested(&fixture) => {}
    }
    let _ = other.cancel().await;
    fixture.local.clock().advance(MINUTE);
    let job = assistant.ok("run", arguments).await;
    assert_eq!((&job["outcome"], &job["repeated"]), (&json!("ended"), &json!(true)));
    assert_eq!(fixture.accepted(), 1);
    assistant.stop().await;
}

#[tokio::test]
async fn a_wait_that_ends_before_the_submission_says_to_repeat_the_call() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.local.add_fault(Fault::delay(MINUTE).on(Operation::Run).times(1));
    let assistant = fixture.serve().await;
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1 }, "wait_s": 0 });
    let job = assistant.ok("run", arguments).await;
    assert_eq!(job["outcome"], "submitting");
    assert!(job["message"].as_str().unwrap().contains("Repeat this call"), "{job}");
    fixture.local.clock().advance(MINUTE);
    let arguments = json!({ "endpoint": "echo", "input": { "a": 1 } });
    assert_eq!(assistant.ok("run", arguments).await["outcome"], "ended");
    assert_eq!(fixture.accepted(), 1);
    assistant.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_journal() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::start().await;
    let folder = fixture.state.path().join("mcp");
    let builder = podqueue_mcp::Server::builder(&folder).allow([podqueue_mcp::Action::Local]);
    let assistant = Assistant::of(builder).await;
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("calls.db")), 0o600);
    assistant.stop().await;
}
