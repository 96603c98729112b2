//! Permissions: actions, endpoints and the maximum cost.

use podqueue_local::{Fault, LocalService, Operation};
use serde_json::json;

use crate::support::{Assistant, Fixture};

#[tokio::test]
async fn a_server_only_reads_unless_it_is_told_otherwise() {
    let fixture = Fixture::start().await;
    let assistant = Assistant::of(fixture.read_only()).await;
    assert_eq!(assistant.tools().await, ["wait", "status", "stream", "health", "doctor"]);
    let instructions = assistant.client.peer_info().unwrap().instructions.clone().unwrap();
    assert!(instructions.contains("--allow run,cancel,batch,local"), "{instructions}");
    let run = json!({ "endpoint": "echo", "input": {} });
    let message = assistant.error("run", run).await;
    assert!(message.contains("--allow run"), "{message}");
    let cancel = json!({ "endpoint": "echo", "job_id": "j" });
    let message = assistant.error("cancel", cancel).await;
    assert!(message.contains("--allow cancel"), "{message}");
    let message = assistant.error("local_start", json!({})).await;
    assert!(message.contains("--allow local"), "{message}");
    assert!(fixture.local.requests().is_empty());
    assistant.stop().await;

    let assistant = Assistant::of(fixture.builder().account()).await;
    let tools = assistant.tools().await;
    let expected = ["run", "wait", "status", "stream", "cancel", "health", "doctor", "endpoints"];
    assert_eq!(tools[..8], expected);
    assert_eq!(tools[8..], ["workers", "logs"]);
    assistant.stop().await;
}

#[tokio::test]
async fn no_tool_reaches_another_endpoint() {
    let fixture = Fixture::start().await;
    let assistant = Assistant::of(fixture.builder().account().endpoints(["echo"])).await;
    for (tool, arguments) in [
        ("run", json!({ "endpoint": "count", "input": {} })),
        ("wait", json!({ "endpoint": "count", "job_id": "j" })),
        ("status", json!({ "endpoint": "count", "job_id": "j" })),
        ("stream", json!({ "endpoint": "count", "job_id": "j" })),
        ("cancel", json!({ "endpoint": "count", "job_id": "j" })),
        ("health", json!({ "endpoint": "count" })),
        ("doctor", json!({ "endpoint": "count" })),
        ("workers", json!({ "endpoint": "count" })),
        ("logs", json!({ "endpoint": "count" })),
    ] {
        let message = assistant.error(tool, arguments).await;
        assert!(
            message.contains("--endpoints") && message.contains("permitted: echo"),
            "{message}"
        );
    }
    assert!(fixture.local.requests().is_empty());
    assistant.ok("health", json!({ "endpoint": "echo" })).await;
    assistant.stop().await;
}

#[tokio::test]
async fn jobs_cost_no_more_than_the_maximum() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    // Jobs of 10 seconds at 1 per second: two of them, and a little.
    let builder = fixture.builder().max_cost(25.0, 1.0);
    let assistant = Assistant::of(builder).await;
    let run = |key: &str, timeout: u32| {
        json!({
            "endpoint": "sleep", "input": { "ms": 4_000 }, "key": key, "wait_s": 0.2,
            "execution_timeout_s": timeout,
        })
    };
    let first = assistant.ok("run", run("a", 10)).await;
    assistant.ok("run", run("b", 10)).await;
    let refused = assistant.failure("run", run("c", 10)).await;
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("--max-cost") && message.contains("20.0000 reserved"), "{message}");
    assert_eq!(refused["next"]["tool"], "wait");
    // A repeated call reserves nothing.
    assert_eq!(assistant.ok("run", run("a", 10)).await["job_id"], first["job_id"]);
    // Without a timeout, a job reserves the default of 10 minutes.
    let unbounded = json!({ "endpoint": "sleep", "input": {} });
    let message = assistant.error("run", unbounded).await;
    assert!(message.contains("could cost 600"), "{message}");

    // What has ended costs what it took, once a status says so.
    fixture.local.clock().advance(std::time::Duration::from_secs(4));
    let ended = json!({ "endpoint": "sleep", "job_id": first["job_id"] });
    assert_eq!(assistant.ok("wait", ended).await["execution_ms"], 4_000);
    assistant.ok("run", run("c", 10)).await;
    // The second one has ended as well, which the refusal finds out: 4 + 4 + 10.
    assert!(assistant.call("run", run("d", 7)).await.is_error != Some(true));
    let message = assistant.error("run", run("e", 10)).await;
    assert!(message.contains("8.0000 are spent and 17.0000 reserved"), "{message}");
    assistant.stop().await;

    // It holds for all servers of the folder.
    let assistant = Assistant::of(fixture.builder().max_cost(25.0, 1.0)).await;
    assistant.error("run", run("e", 10)).await;
    assistant.stop().await;
}

#[tokio::test]
async fn a_cancelled_job_costs_what_it_has_cost() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    let assistant = Assistant::of(fixture.builder().max_cost(15.0, 1.0)).await;
    let run = |key: &str| {
        json!({
            "endpoint": "sleep", "input": { "ms": 9_000 }, "key": key, "wait_s": 0.3,
            "execution_timeout_s": 10,
        })
    };
    let first = assistant.ok("run", run("a")).await;
    assistant.error("run", run("b")).await;
    let cancelled = json!({ "endpoint": "sleep", "job_id": first["job_id"] });
    assert_eq!(assistant.ok("cancel", cancelled).await["status"], "CANCELLED");
    assistant.ok("run", run("b")).await;
    assistant.stop().await;
}

/// The jobs that were submitted first end first.
#[tokio::test]
async fn a_job_that_has_ended_is_found_among_later_ones_that_have_not() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    let assistant = Assistant::of(fixture.builder().max_cost(75.0, 1.0)).await;
    let run = |key: u32, ms: u32| {
        json!({
            "endpoint": "sleep", "input": { "ms": ms }, "key": key.to_string(), "wait_s": 0,
            "execution_timeout_s": 10,
        })
    };
    for key in 0..7 {
        assistant.ok("run", run(key, if key == 0 { 1_000 } else { 9_000 })).await;
    }
    assistant.error("run", run(7, 0)).await;
    fixture.local.clock().advance(std::time::Duration::from_secs(2));
    assistant.ok("run", run(7, 0)).await;
    assistant.stop().await;
}

#[tokio::test]
async fn an_unknown_submission_stays_reserved_and_a_refused_one_does_not() {
    let fixture = Fixture::start().await;
    let assistant = Assistant::of(fixture.builder().max_cost(15.0, 1.0)).await;
    let run = |key: &str| json!({ "endpoint": "echo", "input": {}, "key": key, "execution_timeout_s": 10 });
    fixture.local.add_fault(Fault::response(400, "no").on(Operation::Run).times(1));
    assistant.error("run", run("a")).await;
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let unknown = assistant.ok("run", run("a")).await;
    assert_eq!(unknown["outcome"], "unknown");
    let message = unknown["message"].as_str().unwrap();
    assert!(message.contains("broke before a response arrived"), "{message}");
    let message = assistant.error("run", run("b")).await;
    assert!(message.contains("10.0000 reserved"), "{message}");
    assistant.stop().await;
}

#[tokio::test]
async fn invalid_bounds_are_refused() {
    let fixture = Fixture::start().await;
    for (max_cost, price) in [(1.0, 0.0), (1.0, f64::NAN), (-1.0, 1.0), (f64::INFINITY, 1.0)] {
        fixture.builder().max_cost(max_cost, price).build().unwrap_err();
    }
}
