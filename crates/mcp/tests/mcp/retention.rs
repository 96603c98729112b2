//! Retention of the call journal: what ended long ago is forgotten, and its cost is not.

use rusqlite::Connection;
use serde_json::json;

use crate::support::{Assistant, Fixture};

#[tokio::test]
async fn a_call_that_ended_long_ago_is_forgotten_and_its_cost_is_not() {
    let fixture = Fixture::with(podqueue_local::LocalService::builder().manual_clock()).await;
    let bounded = || fixture.builder().max_cost(20.0, 1.0);
    let run = |endpoint: &str, timeout: u32| {
        let input = json!({ "ms": 4_000 });
        json!({
            "endpoint": endpoint, "input": input, "wait_s": 0.3, "execution_timeout_s": timeout,
        })
    };
    let assistant = Assistant::of(bounded()).await;
    let ended = assistant.ok("run", run("sleep", 10)).await;
    fixture.local.clock().advance(std::time::Duration::from_secs(4));
    let wait = json!({ "endpoint": "sleep", "job_id": ended["job_id"] });
    assert_eq!(assistant.ok("wait", wait).await["execution_ms"], 4_000);
    // Its end is never seen.
    let open = assistant.ok("run", run("sleep", 5)).await;
    assistant.stop().await;

    let age = |days: u32| {
        let journal = Connection::open(fixture.state.path().join("calls.db")).unwrap();
        let seconds = days * 24 * 60 * 60;
        journal.execute("UPDATE calls SET created_at = created_at - ?1", [seconds]).unwrap();
    };
    age(29);
    let assistant = Assistant::of(bounded()).await;
    assert_eq!(assistant.ok("run", run("sleep", 10)).await["job_id"], ended["job_id"]);
    assistant.stop().await;

    age(2);
    let assistant = Assistant::of(bounded()).await;
    // 4 were spent, and 5 are reserved.
    let message = assistant.error("run", run("sleep", 12)).await;
    assert!(message.contains("4.0000 are spent and 5.0000 reserved"), "{message}");
    let again = assistant.ok("run", run("sleep", 10)).await;
    assert_ne!(again["job_id"], ended["job_id"]);
    assert_eq!(assistant.ok("run", run("sleep", 5)).await["job_id"], open["job_id"]);
    assistant.stop().await;
}
