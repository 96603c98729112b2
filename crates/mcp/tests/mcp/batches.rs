//! Batches: the same call is the same batch, within the maximum cost, and each result says what to
//! call next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use podqueue_local::{Fault, LocalJob, LocalService, Operation};
use rmcp::model::{ReadResourceRequestParams, ReadResourceResult, ResourceContents};
use serde_json::{Value, json};

use crate::support::{Assistant, Fixture, MAX_BYTES};

const SECOND: Duration = Duration::from_secs(1);

fn inputs(count: u32) -> impl Iterator<Item = Value> {
    (0..count).map(|number| json!({ "n": number }))
}

fn run(endpoint: &str) -> Value {
    json!({ "endpoint": endpoint, "inputs": "inputs.jsonl", "out": "out.jsonl" })
}

/// Advances the clock until no process runs the batch: a job may begin after any of the steps, and
/// its result expires after 1,800 of them.
async fn advance_until_ended(fixture: &Fixture, assistant: &Assistant, batch: &Value) -> Value {
    loop {
        let reply = assistant.ok("batch_status", json!({ "batch": batch, "wait_s": 0.05 })).await;
        if reply["running"] == false {
            return reply;
        }
        fixture.local.clock().advance(SECOND);
    }
}

/// The JSON of a resource, which is within the limit.
async fn read(assistant: &Assistant, uri: &str) -> Value {
    let request = ReadResourceRequestParams::new(uri);
    let result: ReadResourceResult = assistant.client.read_resource(request).await.unwrap();
    let size = serde_json::to_string(&result).unwrap().len();
    assert!(size <= MAX_BYTES, "{size} bytes");
    let ResourceContents::TextResourceContents { text, mime_type, .. } = &result.contents[0] else {
        panic!("{result:?}")
    };
    assert_eq!(mime_type.as_deref(), Some("application/json"));
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn the_same_call_again_is_the_same_batch() {
    let fixture = Fixture::start().await;
    fixture.write("inputs.jsonl", inputs(5));
    let assistant = Assistant::of(fixture.with_batches()).await;
    let first = assistant.ok("batch_run", run("echo")).await;
    assert!(first.get("repeated").is_none(), "{first}");
    let ended = assistant.ended(&first["batch"]).await;
    assert_eq!(ended["counts"], json!({ "completed": 5, "total": 5 }));
    assert_eq!((&ended["finished"], ended.get("next")), (&json!(true), None));
    let results = fixture.results("out.jsonl");
    let expected: Vec<Value> = inputs(5).collect();
    let outputs: Vec<Value> = results.iter().map(|line| line["output"].clone()).collect();
    assert_eq!(outputs, expected);

    let again = assistant.ok("batch_run", run("echo")).await;
    assert_eq!((&again["batch"], &again["repeated"]), (&first["batch"], &json!(true)));
    assert_eq!(assistant.ended(&first["batch"]).await["finished"], true);
    for other in [
        json!({ "endpoint": "count", "inputs": "inputs.jsonl", "out": "out.jsonl" }),
        json!({ "endpoint": "echo", "inputs": "inputs.jsonl", "out": "out.jsonl", "key_field": "n" }),
    ] {
        let message = assistant.error("batch_run", other).await;
        assert!(message.contains("another `out`"), "{message}");
    }
    assistant.stop().await;

    // A restarted server remembers.
    let assistant = Assistant::of(fixture.with_batches()).await;
    assert_eq!(assistant.ok("batch_run", run("echo")).await["repeated"], true);
    assert_eq!(assistant.ended(&first["batch"]).await["finished"], true);
    assert_eq!(fixture.accepted(), 5);
    let message = assistant.error("batch_status", json!({ "batch": "missing" })).await;
    assert!(message.contains(first["batch"].as_str().unwrap()), "{message}");
    assistant.stop().await;
}

#[tokio::test]
async fn a_batch_continues_in_another_server() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.write("inputs.jsonl", (0..4).map(|n| json!({ "n": n, "ms": 1_000 })));
    let first = Assistant::of(fixture.with_batches()).await;
    let mut arguments = run("sleep");
    arguments["wait_s"] = json!(0);
    let running = first.ok("batch_run", arguments.clone()).await;
    assert_eq!(running["next"]["tool"], "batch_status");
    while fixture.accepted() < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Another server sees it, and leaves it to the first.
    let second = Assistant::of(fixture.with_batches()).await;
    arguments["wait_s"] = json!(25);
    let seen = second.ok("batch_run", arguments.clone()).await;
    assert_eq!((&seen["running"], &seen["repeated"]), (&json!(true), &json!(true)), "{seen}");
    first.stop().await;
    let left = second.ok("batch_status", json!({ "batch": running["batch"] })).await;
    assert_eq!((&left["running"], &left["finished"]), (&json!(false), &json!(false)), "{left}");
    assert_eq!(left["next"]["tool"], "batch_run");

    let next = left["next"]["arguments"].clone();
    assert_eq!(second.ok("batch_run", next).await["batch"], running["batch"]);
    let ended = advance_until_ended(&fixture, &second, &running["batch"]).await;
    assert_eq!(ended["counts"]["completed"], 4, "{ended}");
    assert_eq!(fixture.accepted(), 4);
    second.stop().await;
}

#[tokio::test]
async fn failures_are_read_in_windows_and_retried_once_for_a_key() {
    let is_broken = Arc::new(AtomicBool::new(true));
    let broken = Arc::clone(&is_broken);
    let handler = move |job: LocalJob| {
        let fails = broken.load(Ordering::Relaxed) && job.input["n"].as_u64() != Some(0);
        async move { if fails { Err("y".repeat(900).into()) } else { Ok(job.input.clone()) } }
    };
    let fixture = Fixture::with(LocalService::builder().endpoint("shaky", handler)).await;
    fixture.write("inputs.jsonl", inputs(30));
    let assistant = Assistant::of(fixture.with_batches()).await;
    let batch = assistant.ok("batch_run", run("shaky")).await["batch"].clone();
    let ended = assistant.ended(&batch).await;
    assert_eq!(ended["counts"], json!({ "completed": 1, "failed": 29, "total": 30 }));

    let name = batch.as_str().unwrap();
    let resources = assistant.client.list_all_resources().await.unwrap();
    let uris: Vec<&str> = resources.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(uris, [format!("batch://{name}/summary"), format!("batch://{name}/failures")]);
    assert_eq!(assistant.client.list_all_resource_templates().await.unwrap().len(), 2);
    assert_eq!(read(&assistant, uris[0]).await["counts"], ended["counts"]);
    let (mut uri, mut seen) = (uris[1].to_owned(), 0);
    loop {
        let part = read(&assistant, &uri).await;
        assert_eq!(part["window"]["from"], seen);
        assert!(part["failures"][0]["error"].to_string().contains("yyy"), "{part}");
        seen += part["failures"].as_array().unwrap().len();
        match part["next"].as_str() {
            Some(next) => uri = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen, 29);
    for missing in ["batch://missing/summary", "batch://x", "file:///etc/passwd"] {
        let request = ReadResourceRequestParams::new(missing);
        assistant.client.read_resource(request).await.unwrap_err();
    }

    is_broken.store(false, Ordering::Relaxed);
    let retry = json!({ "batch": batch });
    let retried = assistant.ok("batch_retry", retry.clone()).await;
    assert_eq!((&retried["retried"], &retried["next"]["tool"]), (&json!(29), &json!("batch_run")));
    assistant.ok("batch_run", retried["next"]["arguments"].clone()).await;
    assert_eq!(assistant.ended(&batch).await["counts"]["completed"], 30);
    let again = assistant.ok("batch_retry", retry).await;
    assert_eq!((&again["retried"], &again["repeated"]), (&json!(29), &json!(true)));
    let once_more = json!({ "batch": batch, "key": "once more" });
    assert_eq!(assistant.ok("batch_retry", once_more.clone()).await["retried"], 0);
    let other = json!({ "batch": batch, "key": "once more", "statuses": ["unknown"] });
    let message = assistant.error("batch_retry", other).await;
    assert!(message.contains("other arguments"), "{message}");
    assert_eq!(fixture.accepted(), 59);
    assistant.stop().await;
}

#[tokio::test]
async fn unknown_inputs_are_listed_and_retried_on_request_only() {
    let fixture = Fixture::start().await;
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(2));
    fixture.write("inputs.jsonl", inputs(6));
    let assistant = Assistant::of(fixture.with_batches()).await;
    let mut arguments = run("echo");
    arguments["key_field"] = json!("n");
    let batch = assistant.ok("batch_run", arguments).await["batch"].clone();
    let ended = assistant.ended(&batch).await;
    assert_eq!(ended["counts"], json!({ "completed": 4, "total": 6, "unknown": 2 }));
    assert_eq!(ended["next"]["tool"], "batch_unknown");
    let unknown = assistant.ok("batch_unknown", ended["next"]["arguments"].clone()).await;
    assert_eq!(unknown["window"], json!({ "from": 0, "to": 2, "total": 2 }));
    assert!(unknown["unknown"][0]["key"].is_number(), "{unknown}");
    let rest = json!({ "batch": batch, "from": 1 });
    assert_eq!(assistant.ok("batch_unknown", rest).await["unknown"].as_array().unwrap().len(), 1);
    // They are not among what is retried by default.
    let retried = assistant.ok("batch_retry", json!({ "batch": batch })).await;
    assert_eq!(retried["retried"], 0);
    let retry = json!({ "batch": batch, "statuses": ["unknown"] });
    assert_eq!(assistant.ok("batch_retry", retry).await["retried"], 2);
    assistant.stop().await;
}

#[tokio::test]
async fn a_batch_is_cancelled_whether_it_runs_or_not() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.write("inputs.jsonl", (0..3).map(|n| json!({ "n": n, "ms": 60_000 })));
    let assistant = Assistant::of(fixture.with_batches()).await;
    let mut arguments = run("sleep");
    arguments["wait_s"] = json!(0);
    let batch = assistant.ok("batch_run", arguments.clone()).await["batch"].clone();
    while fixture.accepted() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let message = assistant.error("batch_retry", json!({ "batch": batch })).await;
    assert!(message.contains("runs this batch"), "{message}");
    for _ in 0..2 {
        let cancelled = assistant.ok("batch_cancel", json!({ "batch": batch })).await;
        assert_eq!(cancelled["counts"], json!({ "cancelled": 3, "total": 3 }), "{cancelled}");
        assert_eq!(cancelled["finished"], true);
    }

    arguments["out"] = json!("other.jsonl");
    let batch = assistant.ok("batch_run", arguments).await["batch"].clone();
    while fixture.accepted() < 6 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assistant.stop().await;
    let assistant = Assistant::of(fixture.with_batches()).await;
    let cancelled = assistant.ok("batch_cancel", json!({ "batch": batch })).await;
    assert_eq!(cancelled["counts"], json!({ "cancelled": 3, "total": 3 }), "{cancelled}");
    assistant.stop().await;
}

#[tokio::test]
async fn a_batch_shares_the_maximum_cost_with_jobs() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.write("inputs.jsonl", (0..3).map(|n| json!({ "n": n, "ms": 1_000 })));
    let assistant = Assistant::of(fixture.with_batches().max_cost(40.0, 1.0)).await;
    let mut arguments = run("sleep");
    arguments["execution_timeout_s"] = json!(10);
    arguments["wait_s"] = json!(0);
    let batch = assistant.ok("batch_run", arguments.clone()).await["batch"].clone();
    while fixture.accepted() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The batch reserves 3 times 10.
    let job = |key: &str, timeout: u32| {
        json!({
            "endpoint": "sleep", "input": { "ms": 1_000 }, "key": key, "wait_s": 0.2,
            "execution_timeout_s": timeout,
        })
    };
    let message = assistant.error("run", job("a", 11)).await;
    assert!(message.contains("0.0000 are spent and 30.0000 reserved"), "{message}");
    let open = assistant.ok("run", job("a", 10)).await;
    let ended = advance_until_ended(&fixture, &assistant, &batch).await;
    assert_eq!(ended["cost"], json!({ "spent": 3.0, "at_most": 3.0 }), "{ended}");
    let wait = json!({ "endpoint": "sleep", "job_id": open["job_id"] });
    assistant.ok("wait", wait).await;
    // Each execution counts once: 3 of the batch, and 1.
    let message = assistant.error("run", job("b", 37)).await;
    assert!(message.contains("4.0000 are spent and 0.0000 reserved"), "{message}");
    // Once more, the batch costs nothing.
    assistant.ok("batch_run", arguments.clone()).await;
    assistant.ended(&batch).await;
    let message = assistant.error("run", job("b", 37)).await;
    assert!(message.contains("4.0000 are spent and 0.0000 reserved"), "{message}");

    // 36 are left, for three of four jobs at a time: as they end early, the batch completes.
    fixture.write("more.jsonl", (0..4).map(|n| json!({ "n": n, "ms": 1_000 })));
    arguments["inputs"] = json!("more.jsonl");
    arguments["out"] = json!("more.results.jsonl");
    arguments["max_cost"] = json!(9.0);
    let message = assistant.error("batch_run", arguments.clone()).await;
    assert!(message.contains("pays for no job"), "{message}");
    arguments["max_cost"] = json!(35.0);
    let batch = assistant.ok("batch_run", arguments.clone()).await["batch"].clone();
    while fixture.accepted() < 7 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(fixture.accepted(), 7);
    let ended = advance_until_ended(&fixture, &assistant, &batch).await;
    assert_eq!((&ended["counts"]["completed"], &ended["cost"]["spent"]), (&json!(4), &json!(4.0)));
    assistant.stop().await;

    // 8 are spent; a batch that the rest does not pay for stops, and says so.
    let assistant = Assistant::of(fixture.with_batches().max_cost(18.5, 1.0)).await;
    arguments["out"] = json!("third.jsonl");
    let batch = assistant.ok("batch_run", arguments.clone()).await["batch"].clone();
    let ended = advance_until_ended(&fixture, &assistant, &batch).await;
    assert_eq!(ended["counts"]["completed"], 1, "{ended}");
    assert!(ended["stopped"].as_str().unwrap().contains("maximum cost"), "{ended}");
    assert!(ended["message"].as_str().unwrap().contains("raises --max-cost"), "{ended}");
    assert_eq!(ended.get("next"), None, "the same call again would stop at once");
    arguments["out"] = json!("fourth.jsonl");
    let message = assistant.error("batch_run", arguments.clone()).await;
    assert!(message.contains("not even one job"), "{message}");
    assert!(!fixture.files.path().join("fourth.jsonl.journal").exists());
    assistant.stop().await;

    // What a server without a bound has begun has a cost that is not known.
    let assistant = Assistant::of(fixture.with_batches()).await;
    arguments["out"] = json!("fifth.jsonl");
    let message = assistant.error("batch_run", arguments.clone()).await;
    assert!(message.contains("--price"), "{message}");
    arguments.as_object_mut().unwrap().remove("max_cost");
    assistant.ok("batch_run", arguments.clone()).await;
    assistant.stop().await;
    let assistant = Assistant::of(fixture.with_batches().max_cost(1000.0, 1.0)).await;
    let message = assistant.error("batch_run", arguments).await;
    assert!(message.contains("without --max-cost"), "{message}");
    assistant.stop().await;
}

/// Of 14, the first run spends 8 and the second 4: no third job is paid for.
#[tokio::test]
async fn a_batch_whose_files_are_removed_has_cost_what_it_has_cost() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.write("inputs.jsonl", (0..2).map(|n| json!({ "n": n, "ms": 4_000 })));
    let assistant = Assistant::of(fixture.with_batches().max_cost(14.0, 1.0)).await;
    let mut arguments = run("sleep");
    arguments["execution_timeout_s"] = json!(5);
    arguments["wait_s"] = json!(0);
    let batch = assistant.ok("batch_run", arguments.clone()).await["batch"].clone();
    let ended = advance_until_ended(&fixture, &assistant, &batch).await;
    assert_eq!(ended["cost"]["spent"], 8.0, "{ended}");
    for entry in std::fs::read_dir(fixture.files.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("out.jsonl") {
            std::fs::remove_file(path).unwrap();
        }
    }
    assistant.ok("batch_run", arguments.clone()).await;
    let ended = advance_until_ended(&fixture, &assistant, &batch).await;
    assert!(ended["stopped"].as_str().unwrap().contains("maximum cost"), "{ended}");
    assert_eq!(fixture.accepted(), 3);
    assistant.stop().await;
}

/// A server that is killed leaves the reservation of its run, of 1,000 here. The jobs that are
/// cancelled may have cost 100 each.
#[tokio::test]
async fn a_batch_that_is_cancelled_after_a_kill_reserves_nothing() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.write("inputs.jsonl", (0..3).map(|n| json!({ "n": n, "ms": 60_000 })));
    let bounded = || fixture.with_batches().max_cost(400.0, 1.0);
    let assistant = Assistant::of(bounded()).await;
    let mut arguments = run("sleep");
    arguments["execution_timeout_s"] = json!(100);
    arguments["wait_s"] = json!(0);
    let batch = assistant.ok("batch_run", arguments).await["batch"].clone();
    while fixture.accepted() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assistant.stop().await;
    let journal = rusqlite::Connection::open(fixture.state.path().join("calls.db")).unwrap();
    let killed = "UPDATE batches SET charged_ms = 1000000, is_running = 1";
    assert_eq!(journal.execute(killed, []).unwrap(), 1);
    drop(journal);

    let assistant = Assistant::of(bounded()).await;
    let job = json!({ "endpoint": "echo", "input": {}, "execution_timeout_s": 100 });
    let message = assistant.error("run", job.clone()).await;
    assert!(message.contains("1000.0000 reserved"), "{message}");
    let cancelled = assistant.ok("batch_cancel", json!({ "batch": batch })).await;
    assert_eq!(cancelled["counts"]["cancelled"], 3, "{cancelled}");
    assert_eq!(assistant.ok("run", job).await["status"], "COMPLETED");
    assistant.stop().await;
}

#[tokio::test]
async fn the_options_of_a_run_do_not_change_while_it_runs() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.write("inputs.jsonl", [json!({ "ms": 60_000 })]);
    let assistant = Assistant::of(fixture.with_batches().max_cost(100.0, 1.0)).await;
    let mut arguments = run("sleep");
    arguments["execution_timeout_s"] = json!(61);
    arguments["wait_s"] = json!(0);
    let batch = assistant.ok("batch_run", arguments.clone()).await["batch"].clone();
    let mut other = arguments.clone();
    other["max_cost"] = json!(70.0);
    let refused = assistant.failure("batch_run", other.clone()).await;
    assert!(refused["message"].as_str().unwrap().contains("other options"), "{refused}");
    assert_eq!(refused["next"]["tool"], "batch_status");
    arguments["wait_s"] = json!(0.1);
    assert_eq!(assistant.ok("batch_run", arguments).await["repeated"], true);
    assistant.ok("batch_cancel", json!({ "batch": batch })).await;
    assistant.ended(&batch).await;
    assistant.ok("batch_run", other).await;
    assistant.stop().await;
}

/// A run that begins removes the requests that were made before.
#[tokio::test]
async fn a_cancel_request_that_a_run_has_missed_is_repeated() {
    let fixture = Fixture::with(LocalService::builder().manual_clock()).await;
    fixture.write("inputs.jsonl", [json!({ "ms": 60_000 })]);
    let assistant = Assistant::of(fixture.with_batches()).await;
    let mut arguments = run("sleep");
    arguments["wait_s"] = json!(0);
    let batch = assistant.ok("batch_run", arguments).await["batch"].clone();
    while fixture.accepted() == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let journal = fixture.files.path().join("out.jsonl.journal");
    let journal = rusqlite::Connection::open(journal).unwrap();
    let removed =
        "UPDATE note SET text = '' WHERE name = 'request'; INSERT INTO missed VALUES (1);";
    let is_first = "NEW.text <> '' AND NOT EXISTS (SELECT * FROM missed)";
    for event in ["INSERT", "UPDATE"] {
        let of_request = format!("NEW.name = 'request' AND {is_first}");
        let first = format!(
            "CREATE TRIGGER missed_{event} AFTER {event} ON note WHEN {of_request} BEGIN {removed} END"
        );
        journal.execute_batch("CREATE TABLE IF NOT EXISTS missed (once)").unwrap();
        journal.execute_batch(&first).unwrap();
    }
    let cancelled = assistant.ok("batch_cancel", json!({ "batch": batch })).await;
    assert_eq!(cancelled["finished"], true, "{cancelled}");
    let missed: u32 =
        journal.query_row("SELECT count(*) FROM missed", [], |row| row.get(0)).unwrap();
    assert_eq!(missed, 1);
    assistant.stop().await;
}

#[tokio::test]
async fn a_long_failure_keeps_its_index_and_the_beginning_of_its_error() {
    let fixture = Fixture::start().await;
    fixture.write(
        "inputs.jsonl",
        [json!({ "message": format!("out of memory {}", "x".repeat(100_000)) })],
    );
    let assistant = Assistant::of(fixture.with_batches()).await;
    let batch = assistant.ok("batch_run", run("fail")).await["batch"].clone();
    assistant.ended(&batch).await;
    let uri = format!("batch://{}/failures", batch.as_str().unwrap());
    let failure = &read(&assistant, &uri).await["failures"][0];
    assert_eq!((&failure["index"], &failure["status"]), (&json!(0), &json!("FAILED")), "{failure}");
    assert!(failure["error"].as_str().unwrap().starts_with("out of memory xxx"), "{failure}");
    assert!(failure["job_id"].is_string(), "{failure}");
    assistant.stop().await;
}

#[tokio::test]
async fn a_batch_that_cannot_begin_says_why() {
    let fixture = Fixture::start().await;
    fixture.write("inputs.jsonl", []);
    fixture.write("good.jsonl", inputs(1));
    std::fs::write(fixture.files.path().join("taken.jsonl"), "text\n").unwrap();
    let assistant = Assistant::of(fixture.with_batches()).await;
    let message = assistant.error("batch_run", run("echo")).await;
    assert!(message.contains("no inputs"), "{message}");
    let missing = json!({ "endpoint": "missing", "inputs": "good.jsonl", "out": "out.jsonl" });
    let message = assistant.error("batch_run", missing).await;
    assert!(message.contains("missing"), "{message}");
    let taken = json!({ "endpoint": "echo", "inputs": "good.jsonl", "out": "taken.jsonl" });
    let message = assistant.error("batch_run", taken).await;
    assert!(message.contains("taken.jsonl"), "{message}");
    assert_eq!(fixture.accepted(), 0);
    // What could not begin leaves its results to another batch.
    let empty = json!({ "endpoint": "echo", "inputs": "inputs.jsonl", "out": "again.jsonl" });
    assistant.error("batch_run", empty).await;
    let good = json!({ "endpoint": "echo", "inputs": "good.jsonl", "out": "again.jsonl" });
    let batch = assistant.ok("batch_run", good).await["batch"].clone();
    assert_eq!(assistant.ended(&batch).await["counts"]["completed"], 1);
    // Once there are inputs, it begins.
    fixture.write("inputs.jsonl", inputs(2));
    let batch = assistant.ok("batch_run", run("echo")).await["batch"].clone();
    assert_eq!(assistant.ended(&batch).await["counts"]["completed"], 2);
    assistant.stop().await;
}

#[tokio::test]
async fn a_batch_is_rehearsed_on_a_service_of_its_own() {
    let fixture = Fixture::start().await;
    fixture.write("inputs.jsonl", inputs(3));
    let builder = podqueue_mcp::Server::builder(fixture.state.path())
        .allow([podqueue_mcp::Action::Local])
        .files([fixture.files.path()]);
    let assistant = Assistant::of(builder).await;
    assistant.ok("local_start", json!({})).await;
    let mut arguments = run("echo");
    let message = assistant.error("batch_run", arguments.clone()).await;
    assert!(message.contains("--allow batch"), "{message}");
    arguments["service"] = json!("local");
    let batch = assistant.ok("batch_run", arguments).await["batch"].clone();
    assert_eq!(assistant.ended(&batch).await["counts"]["completed"], 3);
    assert_eq!(fixture.accepted(), 0);
    assistant.stop().await;
}
