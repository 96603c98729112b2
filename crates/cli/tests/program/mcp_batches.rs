//! Batches of the command `mcp`, whose server is killed: each input is executed at most once, each
//! execution is charged once, and another server of the same folder learns what became of the call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_local::{Fault, LocalJob, LocalService, Operation, Workers};
use serde_json::json;
use tokio::sync::watch;

use crate::mcp::Server;
use crate::support::Fixture;

const INPUTS: u64 = 60;

#[tokio::test]
async fn a_batch_whose_server_is_killed_costs_no_more_and_runs_nothing_twice() {
    let executions = Arc::new(Mutex::new(BTreeMap::<u64, u64>::new()));
    let counted = Arc::clone(&executions);
    // No job ends while servers are killed.
    let (open, is_open) = watch::channel(false);
    let handler = move |job: LocalJob| {
        *counted.lock().unwrap().entry(job.input["n"].as_u64().unwrap()).or_default() += 1;
        let mut is_open = is_open.clone();
        async move {
            let _ = is_open.wait_for(|is_open| *is_open).await;
            Ok(job.input.clone())
        }
    };
    let builder = LocalService::builder().endpoint("counted", handler);
    let fixture = Fixture::with(builder.workers_of("counted", Workers::between(8, 8))).await;
    let files = tempfile::tempdir().unwrap();
    let lines: String = (0..INPUTS).map(|n| format!("{{\"n\": {n}}}\n")).collect();
    std::fs::write(files.path().join("inputs.jsonl"), lines).unwrap();
    // Each job reserves 600, of which it executes for a moment.
    let files = files.path().to_str().unwrap();
    let options =
        ["mcp", "--allow", "run,batch", "--files", files, "--price", "1", "--max-cost", "60000"];
    let run = json!({
        "endpoint": "counted", "inputs": "inputs.jsonl", "out": "out.jsonl",
        "execution_timeout_s": 600, "wait_s": 0,
    });
    for round in 0..4_u64 {
        let mut server = Server::start(&mut fixture.program(&options)).await;
        // Responses are on their way when the server is killed.
        let slow = Fault::drip(4, Duration::from_millis(20));
        fixture.local.add_fault(slow.on(Operation::Run).times(20));
        let batch = server.call("batch_run", run.clone()).await.unwrap();
        assert_eq!(batch.get("repeated").is_some(), round > 0, "{batch}");
        fixture.requested("counted/run").await;
        // What is reserved leaves no room for this one, also after a kill.
        let job = json!({
            "endpoint": "counted", "input": { "n": 1_000 }, "execution_timeout_s": 30_000,
        });
        tokio::time::sleep(Duration::from_millis(40 * (round + 1))).await;
        let refused = server.call("run", job).await.unwrap();
        assert!(refused["message"].as_str().unwrap().contains("--max-cost"), "{refused}");
        server.child.start_kill().unwrap();
        server.child.wait().await.unwrap();
    }
    fixture.local.clear_faults();
    open.send_replace(true);

    let mut server = Server::start(&mut fixture.program(&options)).await;
    let mut batch = server.call("batch_run", run).await.unwrap();
    while batch["running"] == true {
        let status = json!({ "batch": batch["batch"], "wait_s": 25 });
        batch = server.call("batch_status", status).await.unwrap();
    }
    assert_eq!(batch["finished"], true, "{batch}");
    let unknown = batch["counts"]["unknown"].as_u64().unwrap_or_default();
    assert_eq!(batch["counts"]["completed"].as_u64().unwrap() + unknown, INPUTS, "{batch}");
    let twice: Vec<_> =
        executions.lock().unwrap().clone().into_iter().filter(|it| it.1 > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");

    // The journal charges what the batch does, once: the unknown inputs keep their reservations.
    let at_most = batch["cost"]["at_most"].as_f64().unwrap();
    let reserved = 600.0 * unknown as f64;
    assert!(at_most >= reserved && at_most < reserved + 60.0 * 300.0, "{batch}");
    let job =
        json!({ "endpoint": "counted", "input": { "n": 2_000 }, "execution_timeout_s": 60_001 });
    let refused = server.call("run", job).await.unwrap();
    let expected = format!("{at_most:.4} are spent and 0.0000 reserved");
    assert!(refused["message"].as_str().unwrap().contains(&expected), "{refused}, {batch}");
    assert_eq!(server.close().await, Some(0));
}

#[tokio::test]
async fn a_submission_of_a_killed_server_is_unknown_to_one_that_lives() {
    let fixture = Fixture::start().await;
    let options = ["mcp", "--allow", "run"];
    let mut living = Server::start(&mut fixture.program(&options)).await;
    let mut killed = Server::start(&mut fixture.program(&options)).await;
    let slow = Fault::delay(Duration::from_secs(60));
    fixture.local.add_fault(slow.on(Operation::Run).times(1));
    let run = json!({ "endpoint": "echo", "input": { "a": 1 }, "wait_s": 0.5 });
    killed.post_call("run", &run).await;
    while !fixture.local.requests().iter().any(|request| request.path.ends_with("/run")) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let submitting = living.call("run", run.clone()).await.unwrap();
    assert_eq!(submitting["outcome"], "submitting", "{submitting}");
    killed.child.start_kill().unwrap();
    killed.child.wait().await.unwrap();
    let unknown = living.call("run", run).await.unwrap();
    assert_eq!(unknown["outcome"], "unknown", "{unknown}");
    assert_eq!(living.close().await, Some(0));
}
